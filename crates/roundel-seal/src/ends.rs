//! The two ends of an operation: what it reads and what it writes.

use crate::files::{Target, Temporary};
use crate::{Error, Input, Options, Output, Result, io};
use std::fs::File;
use std::io::{ErrorKind, IoSlice, IoSliceMut, Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// An input that is open.
pub(crate) enum Source<'a> {
    /// A regular file's bytes from `base` to `end`.
    File { file: File, name: String, base: u64, end: u64, stamp: Stamp, mode: u32 },
    /// A stream: its reader (none after the end) and the number of the next job.
    Stream { name: String, state: Mutex<(Option<Box<dyn Read + Send + 'a>>, u64)> },
}

/// An output that is open.
pub(crate) enum Sink<'a> {
    /// A regular file in the making; results go behind `base`.
    File { temporary: Temporary, name: String, base: u64 },
    /// A stream: results wait for their turn.
    Stream { name: String, writer: Mutex<Box<dyn Write + Send + 'a>> },
    /// Nowhere: only whether the work succeeds is asked.
    Nowhere,
}

/// What changes when somebody writes to a file: length, and modification time in seconds and nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(u64, i64, i64);

impl Stamp {
    fn of(metadata: &std::fs::Metadata) -> Self {
        Stamp(metadata.len(), metadata.mtime(), metadata.mtime_nsec())
    }
}

impl<'a> Source<'a> {
    pub(crate) fn open(input: Input<'a>) -> Result<Self> {
        match input {
            Input::Path(path) => Source::path(&path),
            Input::Stdin => {
                let name = "standard input".to_owned();
                let failed = |error| Error::io("read", "standard input", error);
                let mut file = File::from(std::io::stdin().as_fd().try_clone_to_owned().map_err(failed)?);
                let base = file.stream_position().unwrap_or(0);
                Source::file(file, name, base)
            }
            Input::Reader(reader) => Ok(Source::stream("the input".to_owned(), reader)),
        }
    }

    fn path(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Source::file(file, name, 0),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::NoInput(name)),
            Err(error) => Err(Error::io("read", &name, error)),
        }
    }

    fn file(file: File, name: String, base: u64) -> Result<Self> {
        let metadata = file.metadata().map_err(|error| Error::io("read", &name, error))?;
        if metadata.is_dir() {
            return Err(Error::io("read", &name, ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            return Ok(Source::stream(name, Box::new(file)));
        }
        let end = metadata.len().max(base);
        Ok(Source::File { file, name, base, end, stamp: Stamp::of(&metadata), mode: metadata.mode() })
    }

    fn stream(name: String, reader: Box<dyn Read + Send + 'a>) -> Self {
        Source::Stream { name, state: Mutex::new((Some(reader), 0)) }
    }

    /// Bytes of the input, if known.
    pub(crate) fn total(&self) -> Option<u64> {
        match self {
            Source::File { base, end, .. } => Some(end - base),
            Source::Stream { .. } => None,
        }
    }

    /// Permissions for an output: the input's without execution, so that what was private stays private.
    pub(crate) fn mode(&self) -> u32 {
        match self {
            Source::File { mode, .. } => mode & 0o666,
            Source::Stream { .. } => 0o666,
        }
    }

    /// Up to this many bytes from the beginning, which are then behind the source. Fewer only at its end.
    pub(crate) fn read_head(&mut self, bytes: usize) -> Result<Vec<u8>> {
        let mut head = vec![0; bytes];
        let mut slices = [IoSliceMut::new(&mut head)];
        let (got, name) = match self {
            Source::File { file, name, base, .. } => {
                let got = io::read_full_at(file, &mut slices, *base);
                *base += *got.as_ref().unwrap_or(&0) as u64;
                (got, name)
            }
            Source::Stream { name, state } => {
                let state = state.get_mut().unwrap_or_else(PoisonError::into_inner);
                let reader = state.0.as_mut().expect("the head is read before any job");
                (io::read_full(reader, &mut slices), name)
            }
        };
        head.truncate(got.map_err(|error| Error::io("read", name, error))?);
        Ok(head)
    }

    /// Puts bytes back before the rest.
    pub(crate) fn unread(&mut self, bytes: Vec<u8>) {
        match self {
            Source::File { base, .. } => *base -= bytes.len() as u64,
            Source::Stream { state, .. } => {
                let state = state.get_mut().unwrap_or_else(PoisonError::into_inner);
                if let Some(reader) = state.0.take() {
                    state.0 = Some(Box::new(std::io::Cursor::new(bytes).chain(reader)));
                }
            }
        }
    }

    /// What is left, as a reader.
    pub(crate) fn into_reader(self) -> Result<Box<dyn Read + Send + 'a>> {
        match self {
            Source::File { mut file, name, base, .. } => {
                file.seek(std::io::SeekFrom::Start(base))
                    .map_err(|error| Error::io("seek in", &name, error))?;
                Ok(Box::new(file))
            }
            Source::Stream { state, .. } => {
                let (reader, _) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
                Ok(reader.unwrap_or_else(|| Box::new(std::io::empty())))
            }
        }
    }

    /// Whether nobody wrote to the file since it was opened.
    pub(crate) fn must_be_at_rest(&self) -> Result<()> {
        let Source::File { file, name, stamp, .. } = self else { return Ok(()) };
        let now = file.metadata().map_err(|error| Error::io("read", name, error))?;
        if Stamp::of(&now) == *stamp { Ok(()) } else { Err(Error::Changed(name.clone())) }
    }
}

impl<'a> Sink<'a> {
    pub(crate) fn create(output: Output<'a>, mode: u32, options: &Options<'_>) -> Result<Self> {
        match output {
            Output::Path(path) => {
                let name = path.display().to_string();
                Ok(match Target::create(&path, mode, options.replace)? {
                    Target::File(temporary) => Sink::File { temporary, name, base: 0 },
                    Target::Stream(file) => Sink::stream(name, Box::new(file)),
                })
            }
            Output::Stdout => {
                // Not `Stdout` itself, which looks for line feeds in everything.
                let failed = |error| Error::io("write", "standard output", error);
                let file = File::from(std::io::stdout().as_fd().try_clone_to_owned().map_err(failed)?);
                Ok(Sink::stream("standard output".to_owned(), Box::new(file)))
            }
            Output::Writer(writer) => Ok(Sink::stream("the output".to_owned(), writer)),
        }
    }

    fn stream(name: String, writer: Box<dyn Write + Send + 'a>) -> Self {
        Sink::Stream { name, writer: Mutex::new(writer) }
    }

    pub(crate) fn is_stream(&self) -> bool {
        matches!(self, Sink::Stream { .. })
    }

    /// Reserves room for a file of this length.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<()> {
        match self {
            Sink::File { temporary, name, .. } => io::allocate(&temporary.file, bytes)
                .map_err(|error| Error::io("reserve room for", name, error)),
            _ => Ok(()),
        }
    }

    /// Makes a file this long.
    pub(crate) fn set_len(&self, bytes: u64) -> Result<()> {
        match self {
            Sink::File { temporary, name, .. } => {
                io::set_len(&temporary.file, bytes).map_err(|error| Error::io("write", name, error))
            }
            _ => Ok(()),
        }
    }

    /// Writes what comes before the jobs' results.
    pub(crate) fn write_head(&mut self, head: &[u8]) -> Result<()> {
        let mut slices = [IoSlice::new(head)];
        match self {
            Sink::File { temporary, name, base } => {
                *base = head.len() as u64;
                io::write_all_at(&temporary.file, &mut slices, 0)
                    .map_err(|error| Error::io("write", name, error))
            }
            Sink::Stream { name, writer } => {
                let writer = writer.get_mut().unwrap_or_else(PoisonError::into_inner);
                io::write_all(writer, &mut slices).map_err(|error| Error::io("write", name, error))
            }
            Sink::Nowhere => Ok(()),
        }
    }

    /// The output is complete: flushes a stream, gives a file its name. Returns the time that waiting for the disk took.
    pub(crate) fn finish(self, options: &Options<'_>) -> Result<std::time::Duration> {
        match self {
            Sink::File { temporary, .. } => temporary.commit(options.sync),
            Sink::Stream { name, writer } => {
                let mut writer = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
                writer.flush().map_err(|error| Error::io("write", &name, error))?;
                Ok(std::time::Duration::ZERO)
            }
            Sink::Nowhere => Ok(std::time::Duration::ZERO),
        }
    }
}

//! Where data goes: standard output, or a file that appears whole or not at all.

use crate::error::Error;
use crate::input::is_dash;
use roundel_seal::Temporary;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;

/// Writes text to standard output and flushes it: `println!` would panic when the reader goes away.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// The refusal to garble a terminal.
pub(crate) fn binary_to_terminal() -> Error {
    let sentence = "this would write binary data to the terminal: name a file with -o, or insist with -o -";
    Error::Usage(sentence.to_owned())
}

/// Columns of the terminal that standard output is, if it is one.
pub(crate) fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// What the user asked for: `-o`, `--force`.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The file; standard output for none or `-`.
    pub(crate) path: Option<&'a Path>,
    /// Whether to replace a file that is there.
    pub(crate) force: bool,
}

impl Target<'_> {
    /// Whether it is a file and not standard output.
    pub(crate) fn is_file(&self) -> bool {
        self.path.is_some_and(|path| !is_dash(path))
    }

    /// Refuses early what would be refused after the work: a file that exists, binary data to a terminal.
    pub(crate) fn check(&self, binary: bool) -> Result<(), Error> {
        match self.path {
            Some(path) if self.is_file() && !self.force && path.is_file() => {
                return Err(Error::Exists(path.to_owned()));
            }
            None if binary && io::stdout().is_terminal() => {
                return Err(binary_to_terminal());
            }
            _ => {}
        }
        Ok(())
    }
}

/// An open output.
pub(crate) enum Output {
    /// Standard output, a device or a named pipe.
    Stream(File),
    /// A file that gets its name by [`finish`](Output::finish).
    File(Temporary),
}

impl Output {
    /// Opens the output.
    pub(crate) fn create(target: Target<'_>) -> Result<Output, Error> {
        match target.path {
            Some(path) if target.is_file() => {
                Ok(match roundel_seal::Target::create(path, 0o666, target.force)? {
                    roundel_seal::Target::File(temporary) => Output::File(temporary),
                    roundel_seal::Target::Stream(file) => Output::Stream(file),
                })
            }
            // Not `Stdout` itself, which looks for line feeds in everything.
            _ => Ok(Output::Stream(File::from(io::stdout().as_fd().try_clone_to_owned()?))),
        }
    }

    /// Everything was written and is good. With `sync` a file is on the disk before it gets its name.
    pub(crate) fn finish(self, sync: bool) -> Result<(), Error> {
        if let Output::File(temporary) = self {
            temporary.commit(sync)?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stream(file) => file.write(data),
            Output::File(temporary) => temporary.file.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

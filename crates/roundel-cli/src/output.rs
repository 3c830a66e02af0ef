//! Where data goes: standard output, or a file that appears whole or not at all.

use crate::error::Error;
use crate::input::is_dash;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

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
            Some(path) if self.is_file() && !self.force && path.symlink_metadata().is_ok() => {
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
    /// Standard output.
    Stdout(io::Stdout),
    /// A temporary file in the target's folder, and whether it may replace the target.
    File {
        /// What is written.
        temporary: NamedTempFile,
        /// The name it gets.
        path: PathBuf,
        /// Whether it may replace a file.
        force: bool,
    },
}

impl Output {
    /// Opens the output; a file gets its name by [`finish`](Output::finish).
    pub(crate) fn create(target: Target<'_>) -> Result<Output, Error> {
        match target.path {
            Some(path) if target.is_file() => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let temporary = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
                    .map_err(|error| Error::file("create", path, error))?;
                Ok(Output::File { temporary, path: path.to_owned(), force: target.force })
            }
            _ => Ok(Output::Stdout(io::stdout())),
        }
    }

    /// Everything was written and is good.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self {
            Output::Stdout(mut out) => Ok(out.flush()?),
            Output::File { temporary, path, force } => {
                let result =
                    if force { temporary.persist(&path) } else { temporary.persist_noclobber(&path) };
                match result {
                    Ok(_) => Ok(()),
                    Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {
                        Err(Error::Exists(path))
                    }
                    Err(failed) => Err(Error::file("create", &path, failed.error)),
                }
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stdout(out) => out.write(data),
            Output::File { temporary, .. } => temporary.write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stdout(out) => out.flush(),
            Output::File { temporary, .. } => temporary.flush(),
        }
    }
}

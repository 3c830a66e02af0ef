//! Where data comes from: a file, or standard input.

use crate::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// An open input with its name for messages.
pub(crate) enum Input {
    /// A file.
    File(File),
    /// Standard input.
    Stdin(io::Stdin),
}

/// Whether the path is `-`: standard input or standard output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

impl Input {
    /// Opens a file, or standard input for no path or `-`.
    pub(crate) fn open(path: Option<&Path>) -> Result<Input, Error> {
        match path {
            Some(path) if !is_dash(path) => {
                let file = File::open(path).map_err(|error| Error::file("open", path, error))?;
                if file.metadata().is_ok_and(|data| data.is_dir()) {
                    return Err(Error::Other(format!("{} is a folder", path.display())));
                }
                Ok(Input::File(file))
            }
            _ => Ok(Input::Stdin(io::stdin())),
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::File(file) => file.read(buffer),
            Input::Stdin(stdin) => stdin.lock().read(buffer),
        }
    }
}

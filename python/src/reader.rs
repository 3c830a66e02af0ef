//! What the package's file objects read: the text of a sealed file or of a volume.

use crate::errors;
use crate::raw::Lent;
use pyo3::prelude::*;
use std::io::{self, Read, Seek, SeekFrom};
use std::pin::pin;
use std::sync::{Mutex, PoisonError};

/// Text that is decrypted where it is read.
pub(crate) trait Opened: Read + Seek + Send {
    /// Its length; of a sealed file, verified.
    fn text_bytes(&mut self) -> io::Result<u64>;
}

/// Text that is read at any offset. `roundel.files` makes a file object of it.
#[pyclass(frozen, module = "roundel._roundel")]
pub(crate) struct Reader(Mutex<Box<dyn Opened>>);

#[pymethods]
impl Reader {
    /// Reads into a buffer from the position on until the buffer is full or the text ends; returns the number of bytes.
    fn readinto(&self, buffer: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut place = pin!(Lent::new());
        let out = place.as_mut().write(buffer)?.bytes();
        self.with(buffer.py(), |opened| {
            let mut filled = 0;
            while filled < out.len() {
                match opened.read(&mut out[filled..])? {
                    0 => break,
                    got => filled += got,
                }
            }
            Ok(filled)
        })
        .map_err(errors::reading)
    }

    /// Moves to a byte of the text; returns its number.
    fn seek(&self, py: Python<'_>, offset: i64, whence: u8) -> PyResult<u64> {
        let to = match whence {
            0 => SeekFrom::Start(
                u64::try_from(offset).map_err(|_| errors::parameter(format!("negative seek {offset}")))?,
            ),
            1 => SeekFrom::Current(offset),
            2 => SeekFrom::End(offset),
            _ => return Err(errors::parameter(format!("whence is 0, 1 or 2, not {whence}"))),
        };
        self.with(py, |opened| opened.seek(to)).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => errors::parameter("a seek before the beginning".to_owned()),
            _ => errors::reading(error),
        })
    }

    /// Length of the text.
    fn text_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |opened| opened.text_bytes()).map_err(errors::reading)
    }
}

impl Reader {
    pub(crate) fn new(opened: impl Opened + 'static) -> Self {
        Reader(Mutex::new(Box::new(opened)))
    }

    /// Waits for the lock and works with the GIL released: a file object below takes it for its own calls.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut dyn Opened) -> T + Send) -> T {
        py.detach(|| work(&mut **self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

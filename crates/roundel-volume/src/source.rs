//! What a volume lies in: a file, a device, or memory. It is only ever read.

use crate::{Error, Result};
use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;

/// Bytes that can be read at any offset, by several threads at once.
pub trait Source: Send + Sync {
    /// How many there are.
    fn bytes(&self) -> u64;

    /// Fills `buffer` with those from `offset` on; an error if there are not so many.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

/// A file or block device, opened for reading only.
#[derive(Debug)]
pub struct Image {
    file: File,
    bytes: u64,
}

impl Image {
    /// Opens a regular file or a block device. Pipes and folders are errors, as volumes are read at offsets.
    pub fn open(path: &Path) -> Result<Image> {
        let place = path.display().to_string();
        let failed = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => Error::NoInput(place.clone()),
            _ => Error::io("read", &place, error),
        };
        // Told before opening: a pipe would wait for its writer.
        let kind = std::fs::metadata(path).map_err(failed)?.file_type();
        if !kind.is_file() && !kind.is_block_device() {
            let what = io::Error::other("a volume is read from a regular file or a block device");
            return Err(Error::io("read", &place, what));
        }
        let mut file = File::open(path).map_err(failed)?;
        let bytes = file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Image { file, bytes })
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Source for Image {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}

impl Source for Vec<u8> {
    fn bytes(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).ok().and_then(|from| self.get(from..)?.get(..buffer.len()));
        buffer.copy_from_slice(from.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

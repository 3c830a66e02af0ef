//! Files and devices that are changed in place: the image, and the journal beside it.

use crate::in_place::Disk;
use crate::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::{Path, PathBuf};

/// An open file or device, locked against others of its kind.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// Opens an image: a regular file or a block device.
    pub fn image(path: &Path) -> Result<LockedFile> {
        let failed = failed(path);
        // Told before opening: a pipe would wait for its writer.
        let kind = std::fs::metadata(path).map_err(&failed)?.file_type();
        if !kind.is_file() && !kind.is_block_device() {
            return Err(failed(io::Error::other(
                "only a regular file or a block device is changed in place",
            )));
        }
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(&failed)?;
        locked(file, path)
    }

    /// Opens a journal, or makes an empty one whose name is on the disk when this returns.
    pub fn journal(path: &Path) -> Result<LockedFile> {
        let failed = failed(path);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(&failed)?;
        let file = locked(file, path)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match File::open(folder).and_then(|folder| folder.sync_all()) {
            // Some file systems do not let folders be synced, and need no sync there.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {}
            synced => synced.map_err(failed)?,
        }
        Ok(file)
    }
}

/// Where the journal of an image is unless it is said: beside it. A device has no such place: its folder does not outlive the machine's next start.
pub fn journal_beside(image: &Path) -> Option<PathBuf> {
    let image = std::fs::canonicalize(image).ok()?;
    let mut name = image.file_name()?.to_owned();
    name.push(".roundel-journal");
    image.is_file().then(|| image.with_file_name(name))
}

fn locked(file: File, path: &Path) -> Result<LockedFile> {
    match file.try_lock() {
        Ok(()) => Ok(LockedFile(file)),
        Err(TryLockError::WouldBlock) => {
            Err(Error::InPlace(format!("another process is at work on {}", path.display())))
        }
        // Where locks do not work, there is none.
        Err(TryLockError::Error(_)) => Ok(LockedFile(file)),
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
    let place = path.display().to_string();
    move |error| match error.kind() {
        ErrorKind::NotFound => Error::NoInput(place.clone()),
        _ => Error::io("open", &place, error),
    }
}

impl Disk for LockedFile {
    fn bytes(&self) -> io::Result<u64> {
        // The metadata of a device have no length.
        (&self.0).seek(SeekFrom::End(0))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn set_bytes(&self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }
}

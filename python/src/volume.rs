//! BitLocker volumes, read only.

use crate::errors;
use crate::reader::{Opened, Reader};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use roundel_lab::date;
use roundel_volume::bitlocker::{Despite, ExternalKey, Metadata, Secret};
use roundel_volume::{Image, Volume};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// What a volume says about itself without a secret: the object that `roundel volume info --json` prints.
#[pyfunction]
pub(crate) fn volume_info(py: Python<'_>, image: PathBuf) -> PyResult<String> {
    let metadata = py.detach(|| Metadata::read(&Image::open(&image)?)).map_err(errors::volume)?;
    Ok(metadata.record(date::utc).to_string())
}

/// Opens a volume for `roundel.volume.open`, which gives one secret at most.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's keywords; roundel.volume.open gives them")]
pub(crate) fn read_volume(
    py: Python<'_>,
    image: PathBuf,
    password: Option<String>,
    recovery_password: Option<String>,
    bek: Option<Vec<u8>>,
    clear_key: bool,
    allow_altered_metadata: bool,
    allow_missing_bitmaps: bool,
) -> PyResult<Reader> {
    let despite =
        Despite { altered_metadata: allow_altered_metadata, missing_bitmaps: allow_missing_bitmaps };
    let (volume, recognised) = py
        .detach(|| {
            let secret = secret(password, recovery_password, bek, clear_key)?;
            let image = Image::open(&image)?;
            let metadata = Metadata::read(&image)?;
            let volume = Volume::unlock(Box::new(image), metadata, secret.as_ref(), despite)?;
            let recognised = volume.has_file_system()?;
            Ok((volume, recognised))
        })
        .map_err(errors::volume)?;
    if !recognised {
        let text = c"the first sector of the plaintext is not that of NTFS, FAT or exFAT: it may be wrong";
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), text, 3)?;
    }
    Ok(Reader::new(VolumeReader { volume, position: 0 }))
}

fn secret(
    password: Option<String>,
    recovery_password: Option<String>,
    bek: Option<Vec<u8>>,
    clear_key: bool,
) -> roundel_volume::Result<Option<Secret>> {
    Ok(if let Some(password) = password {
        Some(Secret::Password(Zeroizing::new(password)))
    } else if let Some(text) = recovery_password {
        Some(Secret::Recovery(Zeroizing::new(text).parse()?))
    } else if let Some(file) = bek {
        Some(Secret::External(ExternalKey::parse(&Zeroizing::new(file))?))
    } else {
        clear_key.then_some(Secret::ClearKey)
    })
}

/// A volume with a position.
struct VolumeReader {
    volume: Volume,
    position: u64,
}

impl Opened for VolumeReader {
    fn text_bytes(&mut self) -> io::Result<u64> {
        Ok(self.volume.bytes())
    }
}

impl Read for VolumeReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.volume.bytes().saturating_sub(self.position);
        let taken = usize::try_from(left).map_or(out.len(), |left| left.min(out.len()));
        let out = &mut out[..taken];
        self.volume.read_at(out, self.position.min(self.volume.bytes())).map_err(io::Error::other)?;
        self.position += out.len() as u64;
        Ok(out.len())
    }
}

impl Seek for VolumeReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.volume.bytes().checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

//! BitLocker volumes, read only.

use crate::errors;
use crate::reader::{Opened, Reader};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use roundel_lab::date;
use roundel_volume::bitlocker::{Despite, ExternalKey, Metadata, Secret};
use roundel_volume::{Image, Volume};
use serde_json::{Value, json};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// What a volume says about itself without a secret: the object that `roundel volume info --json` prints.
#[pyfunction]
pub(crate) fn volume_info(py: Python<'_>, image: PathBuf) -> PyResult<String> {
    let metadata = py.detach(|| Metadata::read(&Image::open(&image)?)).map_err(errors::volume)?;
    Ok(record(&metadata).to_string())
}

fn record(metadata: &Metadata) -> Value {
    let protectors = metadata.protectors.iter().map(|protector| {
        json!({
            "kind": protector.kind.to_string(),
            "guid": protector.guid.to_string(),
            "name": protector.name,
            "changed": time(protector.changed),
        })
    });
    let bad_copies = metadata.bad_copies.iter();
    json!({
        "version": metadata.layout.version(),
        "to_go": metadata.to_go,
        "encrypt_on_write": metadata.encrypt_on_write,
        "method": format!("{:?}", metadata.method),
        "method_name": metadata.method.to_string(),
        "state": metadata.states[0].to_string(),
        "wanted_state": metadata.states[1].to_string(),
        "encrypted_bytes": metadata.encrypted_bytes(),
        "sector_bytes": metadata.sector_bytes,
        "image_bytes": metadata.image_bytes(),
        "guid": metadata.guid.to_string(),
        "created": time(metadata.created),
        "description": metadata.description,
        "metadata_offset": metadata.copy,
        "bad_copies": bad_copies.map(|bad| json!({ "offset": bad.offset, "fault": bad.fault.to_string() })).collect::<Value>(),
        "lacks_bitmaps": metadata.lacks_bitmaps(),
        "protectors": protectors.collect::<Value>(),
    })
}

/// A time of Windows: 100 ns since 1601. None before 1970.
fn time(filetime: u64) -> Option<String> {
    (filetime / 10_000_000).checked_sub(11_644_473_600).map(date::utc)
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

//! Volumes in memory, opened by their clear key.

use roundel_volume::bitlocker::{Despite, Metadata, Secret};
use roundel_volume::{Result, Volume};

pub(crate) fn open(image: &[u8]) -> Result<Volume> {
    open_despite(image, Despite::default())
}

pub(crate) fn open_despite(image: &[u8], despite: Despite) -> Result<Volume> {
    let source = image.to_vec();
    let metadata = Metadata::read(&source)?;
    Volume::unlock(Box::new(source), metadata, Some(&Secret::ClearKey), despite)
}

pub(crate) fn whole(volume: &Volume) -> Result<Vec<u8>> {
    let mut plain = vec![0xAA; volume.bytes() as usize];
    volume.read_at(&mut plain, 0)?;
    Ok(plain)
}

/// Compares at the first difference: whole volumes are no good to print.
pub(crate) fn assert_same(got: &[u8], expected: &[u8], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    if let Some(at) = (0..got.len()).find(|&at| got[at] != expected[at]) {
        panic!("{what}: they differ from byte {at} on");
    }
}

//! The first sector: which layout the volume has, and where its metadata is.

use crate::fields::{array, u16_at, u64_at};
use crate::{Error, Result};

/// Bytes that are read of the first sector, whatever its length.
pub(crate) const BOOT_BYTES: usize = 512;

const NAME: &[u8; 8] = b"-FVE-FS-";
const TO_GO_NAME: &[u8; 8] = b"MSWIN4.1";

/// 4967d63b-2e29-4ad8-8399-f6a339e3d001, as it is stored: the three offsets of metadata blocks follow.
const ORDINARY: [u8; 16] =
    [0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a, 0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01];

/// 92a84d3b-dd80-4d0e-9e4e-b1e3284eaed8: then two offsets of encrypt-on-write blocks follow too.
const ENCRYPT_ON_WRITE: [u8; 16] =
    [0x3b, 0x4d, 0xa8, 0x92, 0x80, 0xdd, 0x0e, 0x4d, 0x9e, 0x4e, 0xb1, 0xe3, 0x28, 0x4e, 0xae, 0xd8];

/// The two layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Version 1 of the metadata, written by Windows Vista.
    Vista,
    /// Version 2, written by Windows 7 and later.
    Seven,
}

impl Layout {
    /// The version number in the metadata.
    pub fn version(self) -> u16 {
        match self {
            Layout::Vista => 1,
            Layout::Seven => 2,
        }
    }

    /// Length of each metadata area.
    pub(crate) fn area_bytes(self) -> u64 {
        match self {
            Layout::Vista => 16384,
            Layout::Seven => 65536,
        }
    }
}

/// What the first sector says.
#[derive(Clone, Debug)]
pub(crate) struct Boot {
    pub(crate) layout: Layout,
    pub(crate) sector_bytes: u32,
    /// Whether other systems see a small FAT32 here.
    pub(crate) to_go: bool,
    /// Vista: length of a cluster; otherwise that of a sector.
    pub(crate) cluster_bytes: u64,
    /// Offsets of metadata blocks: three, or in the Vista layout the first.
    pub(crate) blocks: Vec<u64>,
    /// Offsets of the encrypt-on-write blocks, if the volume has such.
    pub(crate) eow: Option<[u64; 2]>,
}

impl Boot {
    pub(crate) fn parse(sector: &[u8; BOOT_BYTES]) -> Result<Boot> {
        let name: [u8; 8] = array(sector, 3).ok_or(Error::NotBitLocker)?;
        let to_go = name == *TO_GO_NAME;
        let found = find(sector, &ORDINARY).map(|at| (at, false));
        let found = found.or_else(|| find(sector, &ENCRYPT_ON_WRITE).map(|at| (at, true)));
        let Some((at, on_write)) = found else {
            return if name == *NAME { vista(sector) } else { Err(Error::NotBitLocker) };
        };
        let sector_bytes = sector_bytes(sector)?;
        let offsets = |from: usize, count: usize| -> Option<Vec<u64>> {
            (0..count).map(|i| u64_at(sector, from + 8 * i)).collect()
        };
        let blocks = offsets(at + 16, 3).ok_or(Error::NotBitLocker)?;
        let eow = match offsets(at + 40, 2).as_deref() {
            Some(&[first, second]) if on_write => Some([first, second]),
            _ if on_write => return Err(Error::NotBitLocker),
            _ => None,
        };
        let cluster_bytes = u64::from(sector_bytes);
        Ok(Boot { layout: Layout::Seven, sector_bytes, to_go, cluster_bytes, blocks, eow })
    }
}

/// The place of a GUID anywhere in the sector, as Windows looks for it: at 160, on To Go volumes at 424.
fn find(sector: &[u8], guid: &[u8; 16]) -> Option<usize> {
    sector.windows(16).position(|window| window == guid)
}

fn sector_bytes(sector: &[u8]) -> Result<u32> {
    match u16_at(sector, 11) {
        // Windows 10 leaves 0 where an exFAT is inside.
        Some(0 | 512) => Ok(512),
        Some(4096) => Ok(4096),
        other => Err(Error::Unsupported(format!(
            "sectors of {} bytes are not supported",
            other.unwrap_or_default()
        ))),
    }
}

/// Vista gives the cluster of the first metadata block where NTFS has that of its MFT mirror.
fn vista(sector: &[u8]) -> Result<Boot> {
    let sector_bytes = sector_bytes(sector)?;
    let clusters = sector[13];
    if !clusters.is_power_of_two() {
        return Err(Error::Damaged(format!("its first sector gives clusters of {clusters} sectors")));
    }
    let cluster_bytes = u64::from(sector_bytes) * u64::from(clusters);
    let first = u64_at(sector, 56).and_then(|cluster| cluster.checked_mul(cluster_bytes));
    let first = first.ok_or_else(|| {
        Error::Damaged("its first sector gives no possible place for the metadata".to_owned())
    })?;
    Ok(Boot {
        layout: Layout::Vista,
        sector_bytes,
        to_go: false,
        cluster_bytes,
        blocks: vec![first],
        eow: None,
    })
}

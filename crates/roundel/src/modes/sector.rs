//! Disk sectors: CBC with an IV from the sector's place, the Elephant modes, and XTS.
//!
//! | mode | encrypting a sector, in order | IV, pattern or tweak |
//! |---|---|---|
//! | `cbc` | CBC | E(K1, byte offset) |
//! | `elephant-cbc` | pattern, diffusers A and B, CBC | the same IV; pattern E(K2, offset) and E(K2, offset with its last byte 0x80) |
//! | `elephant-ecb` | pattern, diffusers A and B, block counter, ECB | the same pattern |
//! | `xts` | XTS (IEEE 1619) | E(K2, sector number) |
//!
//! CBC and Elephant count **bytes** from the start of the volume, XTS counts **sectors**; both as 16 bytes, little-endian. These are BitLocker's
//! rules: `elephant-cbc` is its methods 0x8000 and 0x8001, `cbc` 0x8002 and 0x8003, `xts` 0x8004 and 0x8005. Sectors are independent, so a run can be cut
//! anywhere between them. There is no authentication: `elephant-ecb` above all exists for comparison with published figures.

use super::elephant::{self, Diffuser, Layers, PATTERN_BYTES};
use super::{Xts, wipe};
use crate::{Choice, Error, Kernel};
use std::fmt;
use std::str::FromStr;

/// The largest sector.
pub const MAX_SECTOR_BYTES: usize = 8192;

/// The lengths of sectors, in bytes.
pub const SECTOR_BYTES: [usize; 5] = [512, 1024, 2048, 4096, MAX_SECTOR_BYTES];

const BLOCK: usize = 16;

/// Sectors are worked on in pieces of about this length, which stay in a first-level cache from layer to layer.
const PIECE_BYTES: usize = 16 << 10;

/// The most sectors of a piece, and the fewest: what the widest strategies do side by side.
const MAX_PIECE_SECTORS: usize = PIECE_BYTES / SECTOR_BYTES[0];
const MIN_PIECE_SECTORS: usize = 16;

/// What is done with a sector.
///
/// Names, as `Display` writes and `FromStr` reads them: `cbc`, `xts`, `elephant-cbc` and `elephant-ecb` (both with BitLocker's 5 cycles of A
/// and 3 of B), and with other numbers of cycles `elephant-cbc-ac2-bc1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectorMode {
    /// CBC, the encrypted byte offset as IV.
    Cbc,
    /// Pattern and diffusers, then CBC.
    ElephantCbc {
        /// Cycles of diffuser A.
        ac: u8,
        /// Cycles of diffuser B.
        bc: u8,
    },
    /// Pattern, diffusers and block counter, then ECB.
    ElephantEcb {
        /// Cycles of diffuser A.
        ac: u8,
        /// Cycles of diffuser B.
        bc: u8,
    },
    /// XTS, the sector's number as tweak.
    Xts,
}

impl SectorMode {
    /// BitLocker's Elephant.
    pub const BITLOCKER: SectorMode = SectorMode::ElephantCbc { ac: 5, bc: 3 };

    /// How many of the cipher's keys the mode takes: the key of the data, and but for `cbc` a second of the same length.
    pub fn keys(self) -> usize {
        if self == SectorMode::Cbc { 1 } else { 2 }
    }

    /// What lies around the cipher in the Elephant modes.
    pub fn layers(self) -> Option<Layers> {
        match self {
            SectorMode::ElephantCbc { ac, bc } => Some(Layers { a_cycles: ac, b_cycles: bc, counter: false }),
            SectorMode::ElephantEcb { ac, bc } => Some(Layers { a_cycles: ac, b_cycles: bc, counter: true }),
            SectorMode::Cbc | SectorMode::Xts => None,
        }
    }

    fn chains(self) -> bool {
        matches!(self, SectorMode::Cbc | SectorMode::ElephantCbc { .. })
    }
}

impl fmt::Display for SectorMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            SectorMode::Cbc => "cbc".to_owned(),
            SectorMode::Xts => "xts".to_owned(),
            SectorMode::ElephantCbc { ac: 5, bc: 3 } => "elephant-cbc".to_owned(),
            SectorMode::ElephantEcb { ac: 5, bc: 3 } => "elephant-ecb".to_owned(),
            SectorMode::ElephantCbc { ac, bc } => format!("elephant-cbc-ac{ac}-bc{bc}"),
            SectorMode::ElephantEcb { ac, bc } => format!("elephant-ecb-ac{ac}-bc{bc}"),
        };
        f.pad(&name)
    }
}

impl FromStr for SectorMode {
    type Err = String;

    fn from_str(name: &str) -> Result<SectorMode, String> {
        parse(name).ok_or_else(|| {
            format!("'{name}' is no sector mode: the modes are cbc, xts, elephant-cbc and elephant-ecb, these two also with other cycles as in elephant-cbc-ac2-bc1")
        })
    }
}

fn parse(name: &str) -> Option<SectorMode> {
    let cycles = |rest: &str| {
        if rest.is_empty() {
            return Some((5, 3));
        }
        let (ac, bc) = rest.strip_prefix("-ac")?.split_once("-bc")?;
        Some((ac.parse().ok()?, bc.parse().ok()?))
    };
    if let Some(rest) = name.strip_prefix("elephant-cbc") {
        return cycles(rest).map(|(ac, bc)| SectorMode::ElephantCbc { ac, bc });
    }
    if let Some(rest) = name.strip_prefix("elephant-ecb") {
        return cycles(rest).map(|(ac, bc)| SectorMode::ElephantEcb { ac, bc });
    }
    match name {
        "cbc" => Some(SectorMode::Cbc),
        "xts" => Some(SectorMode::Xts),
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Encrypt,
    Decrypt,
}

/// A mode with its keys in it, ready for runs of whole sectors.
///
/// ```
/// use roundel::modes::sector::{SectorCipher, SectorMode};
/// use roundel::{Policy, cipher};
///
/// let aes = cipher("aes")?.best(Policy::ConstantTime)?;
/// let volume = SectorCipher::new(aes, SectorMode::BITLOCKER, &[7; 32], 512)?;
/// let mut sectors = [0; 2 * 512];
/// volume.encrypt(100, &mut sectors)?;
/// volume.decrypt(101, &mut sectors[512..])?;
/// assert_eq!(sectors[512..], [0; 512]);
/// # Ok::<(), roundel::Error>(())
/// ```
pub struct SectorCipher {
    mode: SectorMode,
    sector_bytes: usize,
    data: Box<dyn Kernel>,
    /// Makes the tweaks of XTS and the patterns of Elephant.
    second: Option<Box<dyn Kernel>>,
    diffuser: &'static Diffuser,
}

impl SectorCipher {
    /// Keys the mode. `key` is the data's key, followed (but for `cbc`) by the second key of the same length: XTS's tweak key, or the sector key of
    /// the Elephant modes, which Microsoft's metadata calls the TWEAK key. So AES-128 takes 32 bytes (`cbc`: 16) and AES-256 takes 64 (`cbc`: 32).
    ///
    /// `sector_bytes` is one of [`SECTOR_BYTES`]. The cipher's block must have 128 bits.
    pub fn new(
        choice: Choice,
        mode: SectorMode,
        key: &[u8],
        sector_bytes: usize,
    ) -> Result<SectorCipher, Error> {
        SectorCipher::with_diffuser(choice, mode, key, sector_bytes, elephant::best())
    }

    /// [`new`](SectorCipher::new) with a strategy for the diffusers, where there are any.
    pub fn with_diffuser(
        choice: Choice,
        mode: SectorMode,
        key: &[u8],
        sector_bytes: usize,
        diffuser: &'static Diffuser,
    ) -> Result<SectorCipher, Error> {
        let block_bytes = choice.cipher.block_bytes;
        if block_bytes != BLOCK {
            return Err(Error::BlockSize { mode: "a sector mode", block_bytes });
        }
        if !SECTOR_BYTES.contains(&sector_bytes) {
            return Err(Error::SectorSize { got: sector_bytes });
        }
        if !diffuser.needs.available() {
            return Err(Error::Unavailable { strategy: diffuser.name, needs: diffuser.needs });
        }
        let (data_key, second_key) = key.split_at(key.len() / mode.keys());
        if !choice.cipher.keys.accepts(data_key.len()) || data_key.len() * mode.keys() != key.len() {
            return Err(Error::SectorKeyLength {
                mode,
                takes: choice.cipher.keys.describe(),
                bytes: key.len(),
            });
        }
        let second = if mode.keys() == 2 { Some(choice.kernel(second_key)?) } else { None };
        Ok(SectorCipher { mode, sector_bytes, data: choice.kernel(data_key)?, second, diffuser })
    }

    /// The mode.
    pub fn mode(&self) -> SectorMode {
        self.mode
    }

    /// Length of a sector in bytes.
    pub fn sector_bytes(&self) -> usize {
        self.sector_bytes
    }

    /// Makes the decryption keys now, where they are separate; otherwise the first decryption does.
    pub fn prepare_decrypt(&self) {
        self.data.prepare_decrypt();
    }

    /// Encrypts a run of whole sectors in place. `first_sector` is the number of the first, counted in sectors of this length from the start of the volume.
    /// An error leaves the data as it was: a length that is not whole sectors, or a sector that begins at byte 2^63 or later.
    pub fn encrypt(&self, first_sector: u64, data: &mut [u8]) -> Result<(), Error> {
        self.run(first_sector, data, Direction::Encrypt)
    }

    /// The inverse of [`encrypt`](SectorCipher::encrypt).
    pub fn decrypt(&self, first_sector: u64, data: &mut [u8]) -> Result<(), Error> {
        self.run(first_sector, data, Direction::Decrypt)
    }

    fn run(&self, first_sector: u64, data: &mut [u8], direction: Direction) -> Result<(), Error> {
        let first_offset = self.check(first_sector, data.len())?;
        if self.mode == SectorMode::Xts {
            let xts = Xts::new(&*self.data, self.second())?;
            return match direction {
                Direction::Encrypt => xts.encrypt(first_sector.into(), self.sector_bytes, data),
                Direction::Decrypt => xts.decrypt(first_sector.into(), self.sector_bytes, data),
            };
        }
        let piece_sectors = (PIECE_BYTES / self.sector_bytes).clamp(MIN_PIECE_SECTORS, MAX_PIECE_SECTORS);
        let mut offset = first_offset;
        for piece in data.chunks_mut(piece_sectors * self.sector_bytes) {
            match direction {
                Direction::Encrypt => self.encrypt_piece(offset, piece),
                Direction::Decrypt => self.decrypt_piece(offset, piece),
            }
            offset += piece.len() as u64;
        }
        Ok(())
    }

    /// The byte offset of the first sector, if the run is one that can be worked on.
    fn check(&self, first_sector: u64, bytes: usize) -> Result<u64, Error> {
        if !bytes.is_multiple_of(self.sector_bytes) {
            return Err(Error::DataLength { mode: "a sector mode", requires: "whole sectors", got: bytes });
        }
        let sector_bytes = self.sector_bytes as u64;
        let last_sector = first_sector.checked_add((bytes as u64 / sector_bytes).saturating_sub(1));
        last_sector
            .and_then(|last| last.checked_mul(sector_bytes))
            .filter(|offset| *offset < 1 << 63)
            .map(|_| first_sector * sector_bytes)
            .ok_or(Error::SectorOffset { first_sector, sector_bytes: self.sector_bytes })
    }

    fn second(&self) -> &dyn Kernel {
        self.second.as_deref().expect("made for every mode but cbc, which does not ask")
    }

    fn encrypt_piece(&self, offset: u64, piece: &mut [u8]) {
        if let Some(layers) = self.mode.layers() {
            self.with_patterns(offset, piece, |patterns, piece| {
                (self.diffuser.encrypt)(layers, self.sector_bytes, patterns, piece);
            });
        }
        if self.mode.chains() {
            let (mut ivs, count) = self.ivs(offset, piece);
            self.data.cbc_encrypt_units(&mut ivs[..count * BLOCK], self.sector_bytes, piece);
        } else {
            self.data.encrypt(piece);
        }
    }

    fn decrypt_piece(&self, offset: u64, piece: &mut [u8]) {
        if self.mode.chains() {
            let (mut ivs, count) = self.ivs(offset, piece);
            self.data.cbc_decrypt_units(&mut ivs[..count * BLOCK], self.sector_bytes, piece);
        } else {
            self.data.decrypt(piece);
        }
        if let Some(layers) = self.mode.layers() {
            self.with_patterns(offset, piece, |patterns, piece| {
                (self.diffuser.decrypt)(layers, self.sector_bytes, patterns, piece);
            });
        }
    }

    /// E(K1, e(offset)) for each sector of the piece, and how many there are.
    fn ivs(&self, offset: u64, piece: &[u8]) -> ([u8; MAX_PIECE_SECTORS * BLOCK], usize) {
        let mut ivs = [0; MAX_PIECE_SECTORS * BLOCK];
        let count = piece.len() / self.sector_bytes;
        let blocks = ivs.as_chunks_mut::<BLOCK>().0;
        for (iv, i) in blocks[..count].iter_mut().zip(0..) {
            *iv = u128::from(offset + i * self.sector_bytes as u64).to_le_bytes();
        }
        self.data.encrypt(blocks[..count].as_flattened_mut());
        (ivs, count)
    }

    /// E(K2, e(offset)) and E(K2, e'(offset)) for each sector of the piece.
    fn with_patterns(&self, offset: u64, piece: &mut [u8], work: impl FnOnce(&[u8], &mut [u8])) {
        let mut patterns = [0; MAX_PIECE_SECTORS * PATTERN_BYTES];
        let count = piece.len() / self.sector_bytes;
        let used = &mut patterns[..count * PATTERN_BYTES];
        for (pattern, i) in used.as_chunks_mut::<PATTERN_BYTES>().0.iter_mut().zip(0..) {
            let (first, second) = pattern.split_at_mut(BLOCK);
            let place = u128::from(offset + i * self.sector_bytes as u64);
            first.copy_from_slice(&place.to_le_bytes());
            second.copy_from_slice(&(place | 0x80 << 120).to_le_bytes());
        }
        self.second().encrypt(used);
        work(used, piece);
        wipe(used);
    }
}

#[cfg(test)]
#[path = "sector_tests.rs"]
mod tests;

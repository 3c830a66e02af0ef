//! The Elephant diffuser: what BitLocker put around AES-CBC so that a changed bit garbles a whole sector (Niels Ferguson, "AES-CBC + Elephant
//! diffuser", Microsoft 2006), and the smaller numbers of cycles and the counter that Abo El-Fotouh and Diepold proposed ("Inside the Windows Vista
//! Disk Encryption Algorithm", 2007).
//!
//! A sector is an array of little-endian 32-bit words. Encrypting XORs a 32-byte pattern onto it, over and over, then runs diffuser A and diffuser B,
//! each for some cycles; the ECB variant at last adds each block's index to its first word. Nothing here is keyed but the pattern: the AES layer,
//! which makes the pattern and works on the result, is in [`sector`](super::sector).
//!
//! The chains of additions are serial within a sector, but no chain crosses sectors: the strategies `lanes-128` and `lanes-256` work on a
//! sector in each lane.

mod cycles;
mod lanes;
mod reference;
#[cfg(test)]
mod tests;
mod unrolled;

use crate::simd::Level;

/// Length of the pattern of a sector.
pub const PATTERN_BYTES: usize = 32;

/// What lies around the AES layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    /// Cycles of diffuser A; 0 leaves it out.
    pub a_cycles: u8,
    /// Cycles of diffuser B; 0 leaves it out.
    pub b_cycles: u8,
    /// Whether each block's index in its sector is added to its first word.
    pub counter: bool,
}

/// A run of whole sectors through the layers, in place: `patterns` holds [`PATTERN_BYTES`] for each sector. Panics if `sector_bytes` is not one of
/// [`SECTOR_BYTES`](super::sector::SECTOR_BYTES).
pub type Run = fn(layers: Layers, sector_bytes: usize, patterns: &[u8], sectors: &mut [u8]);

/// One way to run the layers. None has a branch or an address that depends on data.
#[derive(Debug)]
pub struct Diffuser {
    /// Technique first, width where it matters.
    pub name: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// The CPU level without which it cannot run.
    pub needs: Level,
    /// Sectors that it works on side by side.
    pub batch_sectors: usize,
    /// Pattern, A, B, counter.
    pub encrypt: Run,
    /// The inverse: counter, B, A, pattern.
    pub decrypt: Run,
}

/// `reference` first, then in the order in which they would be preferred.
pub static DIFFUSERS: &[Diffuser] = &[reference::PLAIN, unrolled::WORDS, lanes::W128, lanes::W256];

/// The preferred one that can run here.
pub fn best() -> &'static Diffuser {
    DIFFUSERS.iter().rev().find(|diffuser| diffuser.needs.available()).expect("`reference` runs everywhere")
}

/// Evaluates a call in which `$groups` is the sector's length in groups of four words, a constant.
macro_rules! for_each_length {
    ($sector_bytes:expr, $groups:ident => $call:expr) => {
        for_each_length!(@ $sector_bytes, $groups, $call, 512, 1024, 2048, 4096, 8192)
    };
    (@ $sector_bytes:expr, $groups:ident, $call:expr, $($length:literal),*) => {
        match $sector_bytes {
            $( $length => {
                const $groups: usize = $length / 16;
                $call
            } )*
            bytes => panic!("no sector has {bytes} bytes"),
        }
    };
}
use for_each_length;

//! Subkeys for lanes: in the interface's byte order (the designers' reversed), each split into its bytes at the X places and at the A
//! places, zero elsewhere.
//!
//! A subkey is sixteen bytes of the register, rotated, and the bias: a few instructions on one vector, since the rotation, the same for all
//! bytes of a subkey, is a constant.

use super::tables::{BIAS, MAX_SUBKEYS};
use crate::modes::wipe;
use crate::simd::{Simd, Ssse3, Vector};
use zeroize::{ZeroizeOnDrop, optimization_barrier};

/// The bytes to XOR and the bytes to add.
pub(super) type SplitKey = [[u8; 16]; 2];

/// All ones at the X places, reversed (the pattern is its own mirror image).
pub(super) const X_PLACES: [u8; 16] = [255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255];

/// [`BIAS`], reversed.
static REVERSED_BIAS: [[u8; 16]; MAX_SUBKEYS] = {
    let mut table = [[0; 16]; MAX_SUBKEYS];
    let mut i = 0;
    while i < 16 * MAX_SUBKEYS {
        table[i / 16][15 - i % 16] = BIAS[i / 16][i % 16];
        i += 1;
    }
    table
};

pub(super) struct SplitKeys {
    keys: [SplitKey; MAX_SUBKEYS],
    rounds: usize,
}

impl Drop for SplitKeys {
    /// Whole vectors with one barrier: `zeroize` would write byte by byte, which took longer than the key schedule.
    fn drop(&mut self) {
        self.keys = [[[0; 16]; 2]; MAX_SUBKEYS];
        optimization_barrier(&self.keys);
    }
}

impl ZeroizeOnDrop for SplitKeys {}

impl SplitKeys {
    pub(super) fn new(s: Ssse3, key: &[u8]) -> Self {
        let mut split = SplitKeys { keys: [[[0; 16]; 2]; MAX_SUBKEYS], rounds: key.len() / 2 };
        let mut register = register(key);
        let subkeys = &mut split.keys[..=key.len()];
        s.enter(
            #[inline(always)]
            || expand(s, &register, subkeys),
        );
        wipe(&mut register);
        split
    }

    /// P and Q of each round.
    pub(super) fn rounds(&self) -> &[[SplitKey; 2]] {
        self.keys[..2 * self.rounds].as_chunks().0
    }

    /// P of the output transformation.
    pub(super) fn last(&self) -> &SplitKey {
        &self.keys[2 * self.rounds]
    }
}

/// The end of the key, the sum of its bytes, and the key: the first subkey takes the last sixteen bytes, each further one starts a place earlier.
fn register(key: &[u8]) -> [u8; 16 + 32] {
    let mut register = [0; 48];
    register[..15].copy_from_slice(&key[key.len() - 15..]);
    register[15] = key.iter().fold(0, |sum, byte| sum ^ byte);
    register[16..][..key.len()].copy_from_slice(key);
    register
}

/// All subkeys: rotated by three bits more each, modulo 8.
#[inline(always)]
fn expand<S: Simd>(s: S, register: &[u8; 48], subkeys: &mut [SplitKey]) {
    for i in (0..subkeys.len()).step_by(8) {
        subkey::<S, 0, 8>(s, register, subkeys, i);
        subkey::<S, 3, 5>(s, register, subkeys, i + 1);
        subkey::<S, 6, 2>(s, register, subkeys, i + 2);
        subkey::<S, 1, 7>(s, register, subkeys, i + 3);
        subkey::<S, 4, 4>(s, register, subkeys, i + 4);
        subkey::<S, 7, 1>(s, register, subkeys, i + 5);
        subkey::<S, 2, 6>(s, register, subkeys, i + 6);
        subkey::<S, 5, 3>(s, register, subkeys, i + 7);
    }
}

/// Subkey `i` (from 0), if there are so many. Bytes are rotated by shifts left and right of whole words, each of which leaves
/// other bytes' bits behind.
#[inline(always)]
fn subkey<S: Simd, const LEFT: i32, const RIGHT: i32>(
    s: S,
    register: &[u8; 48],
    subkeys: &mut [SplitKey],
    i: usize,
) {
    const { assert!(LEFT + RIGHT == 8) };
    let Some(start) = subkeys.len().checked_sub(i + 1) else { return };
    let bytes = s.load(&register[start..]);
    let high_bits = s.splat32(const { 0x0101_0101 * (0xFF << LEFT & 0xFF) });
    let rotated = (bytes.shl32::<LEFT>() & high_bits) | bytes.shr32::<RIGHT>().and_not(high_bits);
    let subkey = rotated.add8(s.load(&REVERSED_BIAS[i]));
    let x_places = s.broadcast128(&X_PLACES);
    // P of a round (and of the output) is XORed at the X places, Q is added there.
    let to = &mut subkeys[i];
    (subkey & x_places).store(&mut to[i % 2]);
    subkey.and_not(x_places).store(&mut to[1 - i % 2]);
}

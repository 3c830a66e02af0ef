//! Subkeys for the fast strategies: those of the proposal, each with the constants of the S-boxes that the circuits leave out.

use super::circuits::{s0, s1, s2, s3, s4, s5, s6, s7};
use super::reference::{PHI, linear};
use super::sboxes::S;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// K_0 to K_32, four words each.
pub(super) type Words = [[u32; 4]; 33];

/// The subkeys, wiped when dropped.
pub(super) struct Subkeys(pub(super) Words);

impl Drop for Subkeys {
    /// Whole vectors with one barrier: `zeroize` would write word by word, 130 cycles of a key setup of 700.
    fn drop(&mut self) {
        self.0 = [[0; 4]; 33];
        zeroize::optimization_barrier(&self.0);
    }
}

impl ZeroizeOnDrop for Subkeys {}

/// S_i(0) on all 32 nibbles.
const fn constant(i: usize) -> [u32; 4] {
    let mut words = [0; 4];
    let mut j = 0;
    while j < 4 {
        words[j] = (S[i][0] as u32 >> j & 1).wrapping_neg();
        j += 1;
    }
    words
}

/// What is XORed onto the output of the schedule's circuits: the constant of the S-box that made the subkey, and that of the round
/// before the subkey, after that round's linear transformation (the last round has none).
const CORRECTIONS: Words = {
    let mut corrections = [[0; 4]; 33];
    let mut i = 0;
    while i < 33 {
        let own = constant((35 - i) % 8);
        let before = match i {
            0 => [0; 4],
            32 => constant(7),
            _ => linear(constant((i - 1) % 8)),
        };
        let mut j = 0;
        while j < 4 {
            corrections[i][j] = own[j] ^ before[j];
            j += 1;
        }
        i += 1;
    }
    corrections
};

/// Expands a key of at most 256 bits.
pub(super) fn expand(key: &[u8]) -> Subkeys {
    let mut padded = [0; 32];
    padded[..key.len()].copy_from_slice(key);
    if let Some(end) = padded.get_mut(key.len()) {
        *end = 1;
    }
    let mut w = [0; 8];
    for (word, bytes) in w.iter_mut().zip(padded.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let mut keys = Subkeys(CORRECTIONS);
    let (turns, last) = keys.0.as_chunks_mut::<8>();
    let mut i = 0;
    for turn in turns {
        let [k0, k1, k2, k3, k4, k5, k6, k7] = turn;
        next_pair(&mut w, i, s3, s2, k0, k1);
        next_pair(&mut w, i + 8, s1, s0, k2, k3);
        next_pair(&mut w, i + 16, s7, s6, k4, k5);
        next_pair(&mut w, i + 24, s5, s4, k6, k7);
        i += 32;
    }
    next_prekeys(&mut w, i);
    add(&mut last[0], s3([w[0], w[1], w[2], w[3]]));
    w.zeroize();
    keys
}

/// w_i to w_i+7 from the eight before.
#[inline(always)]
fn next_prekeys(w: &mut [u32; 8], i: u32) {
    for j in 0..8 {
        let sum = w[j] ^ w[(j + 3) % 8] ^ w[(j + 5) % 8] ^ w[(j + 7) % 8];
        w[j] = (sum ^ PHI ^ (i + j as u32)).rotate_left(11);
    }
}

/// Two subkeys from eight prekeys.
#[inline(always)]
fn next_pair(
    w: &mut [u32; 8],
    i: u32,
    first: impl Fn([u32; 4]) -> [u32; 4],
    second: impl Fn([u32; 4]) -> [u32; 4],
    key: &mut [u32; 4],
    next_key: &mut [u32; 4],
) {
    next_prekeys(w, i);
    let [a, b, c, d, e, f, g, h] = *w;
    add(key, first([a, b, c, d]));
    add(next_key, second([e, f, g, h]));
}

#[inline(always)]
fn add(onto: &mut [u32; 4], words: [u32; 4]) {
    for (a, b) in onto.iter_mut().zip(words) {
        *a ^= b;
    }
}

//! Two blocks in flight; the round function's last layer makes only the eight bytes that are used.

use super::tables::{self, F};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use std::array::from_fn;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks in flight: one block is a chain of 144 pairs of dependent look-ups.
const LANES: usize = 2;

pub(super) const LOOKUP: Strategy = Strategy {
    name: "lookup",
    summary: "byte look-ups, two blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 64, shared: 256 },
    batch_blocks: LANES,
    keying: keying!(|key| Lookup { round_keys: tables::round_keys(key) }),
};

#[derive(Zeroize, ZeroizeOnDrop)]
struct Lookup {
    round_keys: Vec<[u8; 8]>,
}

/// Sixteen bytes, byte j in bits 8j.
type Wide = u128;

#[inline(always)]
fn f(x: u8) -> u8 {
    F[usize::from(x)]
}

/// One layer: output bytes 2i and 2i + 1 from input bytes i and i + 8.
#[inline(always)]
fn pi(x: [u8; 16]) -> [u8; 16] {
    let mut out = [0; 16];
    for i in 0..8 {
        out[2 * i] = f(x[i] ^ f(x[i + 8]));
        out[2 * i + 1] = f(x[i + 8] ^ f(x[i]));
    }
    out
}

/// Even places first, then odd ones, XORed onto w.
#[inline(always)]
fn xor_shuffled(w: Wide, c: [u8; 16]) -> [u8; 16] {
    let shuffled = from_fn(|j| c[2 * (j % 8) + j / 8]);
    (w ^ Wide::from_le_bytes(shuffled)).to_le_bytes()
}

/// F(X, K) of N blocks, layer by layer.
#[inline(always)]
fn round_function<const N: usize>(halves: [u64; N], key: u64) -> [u64; N] {
    let w = halves.map(|half| Wide::from(half) | Wide::from(key) << 64);
    let mut x = w.map(Wide::to_le_bytes);
    for _ in 0..2 {
        for _ in 0..4 {
            x = x.map(pi);
        }
        x = from_fn(|n| xor_shuffled(w[n], x[n]));
    }
    for _ in 0..3 {
        x = x.map(pi);
    }
    // Of the last layer only the even bytes are used.
    x.map(|x| u64::from_le_bytes(from_fn(|i| f(x[i] ^ f(x[i + 8])))))
}

impl Lookup {
    #[inline(always)]
    fn encrypt_halves<const N: usize>(&self, mut x: [u64; N], mut y: [u64; N]) -> ([u64; N], [u64; N]) {
        for key in &self.round_keys {
            let out = round_function(y, u64::from_le_bytes(*key));
            (x, y) = (y, from_fn(|n| x[n] ^ out[n]));
        }
        (x, y)
    }

    #[inline(always)]
    fn run<const N: usize, const DECRYPT: bool>(&self, blocks: &mut [[u8; 16]; N]) {
        let words = blocks.map(u128::from_le_bytes);
        let (lo, hi) = (words.map(|word| word as u64), words.map(|word| (word >> 64) as u64));
        // The subkeys read the same from both ends: decryption is encryption with the halves exchanged before and after.
        let (lo, hi) = if DECRYPT {
            let (hi, lo) = self.encrypt_halves(hi, lo);
            (lo, hi)
        } else {
            self.encrypt_halves(lo, hi)
        };
        *blocks = from_fn(|n| (u128::from(lo[n]) | u128::from(hi[n]) << 64).to_le_bytes());
    }

    #[inline(always)]
    fn all<const DECRYPT: bool>(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        groups.iter_mut().for_each(|group| self.run::<LANES, DECRYPT>(group));
        rest.iter_mut().for_each(|block| self.run::<1, DECRYPT>(std::array::from_mut(block)));
    }
}

impl Kernel for Lookup {
    fn encrypt(&self, blocks: &mut [u8]) {
        self.all::<false>(blocks);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.all::<true>(blocks);
    }
}

//! 64-bit words, the reduction by carries instead of branches, four blocks interleaved: a round is a chain of a multiplication, a
//! reduction and a look-up, some 25 cycles long, that uses the multiplier once.

use super::schedule::{RoundKey, round_keys};
use super::tables::{KC, KD, RT};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks in flight.
const LANES: usize = 4;

pub(super) const WORD: Strategy = Strategy {
    name: "word",
    summary: "64-bit words, four blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 128, shared: 256 },
    batch_blocks: LANES,
    keying: keying!(|key| Word { round_keys: round_keys(key, round_function) }),
};

#[derive(Zeroize, ZeroizeOnDrop)]
struct Word {
    round_keys: [RoundKey; 8],
}

/// ((a x + b) mod 2^64 + 13) mod 2^64. With a x + b = H 2^64 + L and 13 H = h 2^64 + l it is V = L - l + 13 h, corrected by the
/// modulus where V is negative or too large; only the low words are kept, so the correction is 13.
#[inline(always)]
fn affine([a, b]: &RoundKey, x: u64) -> u64 {
    let product = u128::from(*a) * u128::from(x) + u128::from(*b);
    let thirteen = 13 * (product >> 64);
    let (difference, borrow) = (product as u64).overflowing_sub(thirteen as u64);
    let (v, carry) = difference.overflowing_add(13 * (thirteen >> 64) as u64);
    let negative = u64::from(borrow & !carry);
    let too_large = u64::from(carry & !borrow & (v >= 13));
    v.wrapping_add(13 * negative).wrapping_sub(13 * too_large)
}

/// RF of the description.
#[inline(always)]
pub(super) fn round_function(key: &RoundKey, x: u64) -> u64 {
    let y = affine(key, x);
    let confused = (y ^ u64::from(RT[(y >> 58) as usize])) << 32 | (y >> 32) ^ u64::from(KC);
    confused.wrapping_add(KD)
}

#[inline(always)]
fn run<'a, const N: usize>(keys: impl Iterator<Item = &'a RoundKey>, blocks: &mut [[u8; 16]; N]) {
    let words = blocks.map(u128::from_be_bytes);
    let (mut l, mut r) = (words.map(|word| (word >> 64) as u64), words.map(|word| word as u64));
    for key in keys {
        for n in 0..N {
            (l[n], r[n]) = (r[n], l[n] ^ round_function(key, r[n]));
        }
    }
    *blocks = std::array::from_fn(|n| (u128::from(r[n]) << 64 | u128::from(l[n])).to_be_bytes());
}

impl Kernel for Word {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        groups.iter_mut().for_each(|group| run(self.round_keys.iter(), group));
        rest.iter_mut().for_each(|block| run(self.round_keys.iter(), std::array::from_mut(block)));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        groups.iter_mut().for_each(|group| run(self.round_keys.iter().rev(), group));
        rest.iter_mut().for_each(|block| run(self.round_keys.iter().rev(), std::array::from_mut(block)));
    }
}

//! DFC as described, with the reduction modulo p = 2^64 + 13 by division.

use super::schedule::{RoundKey, feistel, round_keys};
use super::tables::{KC, KD, RT};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "from the description, reduction by division",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 128, shared: 256 },
    batch_blocks: 1,
    keying: keying!(|key| Reference { round_keys: round_keys(key, round_function) }),
};

const P: u128 = (1 << 64) + 13;

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    round_keys: [RoundKey; 8],
}

/// RF: ((a x + b) mod p) mod 2^64, then the confusion permutation.
pub(super) fn round_function([a, b]: &RoundKey, x: u64) -> u64 {
    let y = (u128::from(*a) * u128::from(x) + u128::from(*b)) % P;
    let (yl, yr) = ((y >> 32) as u32, y as u32);
    let z = u64::from(yr ^ RT[(yl >> 26) as usize]) << 32 | u64::from(yl ^ KC);
    z.wrapping_add(KD)
}

fn halves(block: &[u8]) -> [u64; 2] {
    [0, 8].map(|at| u64::from_be_bytes(std::array::from_fn(|i| block[at + i])))
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            let out = feistel(&self.round_keys, halves(block), round_function);
            block.copy_from_slice(out.map(u64::to_be_bytes).as_flattened());
        }
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            let out = feistel(self.round_keys.iter().rev(), halves(block), round_function);
            block.copy_from_slice(out.map(u64::to_be_bytes).as_flattened());
        }
    }
}

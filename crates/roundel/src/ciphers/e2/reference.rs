//! E2 in the description's steps: IT, twelve rounds of F, FT.

use super::schedule::{Subkeys, inverse, substitute};
use super::tables::mix;
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "from the description, byte look-ups",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: size_of::<Reference>(), shared: 256 },
    batch_blocks: 1,
    keying: keying!(|key| Reference(Subkeys::new(key, |x| mix(substitute(x))))),
};

struct Reference(Subkeys);

type Words = [u32; 4];

fn xor(a: Words, b: Words) -> Words {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// A (x) B: products of words, the second made odd.
fn multiply(a: Words, b: Words) -> Words {
    std::array::from_fn(|i| a[i].wrapping_mul(b[i] | 1))
}

/// A (/) B: the inverse of the product.
fn divide(a: Words, b: Words) -> Words {
    std::array::from_fn(|i| a[i].wrapping_mul(inverse(b[i] | 1)))
}

/// Output byte i is input byte `step` i modulo 16: BP with 5, its inverse with 13.
fn permute(words: Words, step: usize) -> Words {
    let bytes = words.map(u32::to_be_bytes);
    let bytes = bytes.as_flattened();
    std::array::from_fn(|i| u32::from_be_bytes(std::array::from_fn(|j| bytes[step * (4 * i + j) % 16])))
}

/// F(X, k) = BRL(S(P(S(X ^ k')) ^ k'')).
fn f(x: u64, [first, second]: [u64; 2]) -> u64 {
    substitute(mix(substitute(x ^ first)) ^ second).rotate_left(8)
}

impl Reference {
    /// The same steps for both directions: the outer subkeys' numbers and the order of the rounds differ.
    fn run(
        &self,
        block: &mut [u8],
        rounds: impl Iterator<Item = [u64; 2]>,
        [k_in, k_mul, k_div, k_out]: [usize; 4],
    ) {
        let k = |n| self.0.words(n);
        let text: Words = std::array::from_fn(|i| u32::from_be_bytes(block.as_chunks().0[i]));
        let x = permute(multiply(xor(text, k(k_in)), k(k_mul)), 5);
        let [mut l, mut r] = [0, 2].map(|i| u64::from(x[i]) << 32 | u64::from(x[i + 1]));
        for key in rounds {
            (l, r) = (r, l ^ f(r, key));
        }
        let x = [r, l].map(|half| [(half >> 32) as u32, half as u32]);
        let x = [x[0][0], x[0][1], x[1][0], x[1][1]];
        let out = xor(divide(permute(x, 13), k(k_div)), k(k_out));
        block.copy_from_slice(out.map(u32::to_be_bytes).as_flattened());
    }
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            self.run(block, self.0.rounds().into_iter(), [13, 14, 15, 16]);
        }
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            self.run(block, self.0.rounds().into_iter().rev(), [16, 15, 14, 13]);
        }
    }
}

//! MAGENTA in the designers' terms: f, A, PE, Pi, T, S, C and F.

use super::tables::{self, F};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "from the description, byte look-ups",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 64, shared: 256 },
    batch_blocks: 1,
    keying: keying!(|key| Reference { round_keys: tables::round_keys(key) }),
};

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    round_keys: Vec<[u8; 8]>,
}

type Bytes16 = [u8; 16];

fn f(x: u8) -> u8 {
    F[usize::from(x)]
}

fn a(x: u8, y: u8) -> u8 {
    f(x ^ f(y))
}

/// Pi: PE, the pair A(x, y), A(y, x), over bytes i and i + 8.
fn pi(x: Bytes16) -> Bytes16 {
    std::array::from_fn(|j| {
        let (lo, hi) = (x[j / 2], x[j / 2 + 8]);
        if j % 2 == 0 { a(lo, hi) } else { a(hi, lo) }
    })
}

fn t(x: Bytes16) -> Bytes16 {
    pi(pi(pi(pi(x))))
}

/// Even places first, then odd ones.
fn s(x: Bytes16) -> Bytes16 {
    std::array::from_fn(|j| if j < 8 { x[2 * j] } else { x[2 * (j - 8) + 1] })
}

fn xor(x: Bytes16, y: Bytes16) -> Bytes16 {
    std::array::from_fn(|j| x[j] ^ y[j])
}

/// F(X, K): the first half of S(C3).
fn round_function(half: &[u8], key: &[u8; 8]) -> [u8; 8] {
    let w = std::array::from_fn(|j| if j < 8 { half[j] } else { key[j - 8] });
    let c1 = t(w);
    let c2 = t(xor(w, s(c1)));
    let c3 = t(xor(w, s(c2)));
    *s(c3).first_chunk().expect("16 bytes")
}

impl Reference {
    fn encrypt_block(&self, block: &mut [u8]) {
        let (mut x, mut y): ([u8; 8], [u8; 8]) =
            (std::array::from_fn(|j| block[j]), std::array::from_fn(|j| block[8 + j]));
        for key in &self.round_keys {
            let out = round_function(&y, key);
            (x, y) = (y, std::array::from_fn(|j| x[j] ^ out[j]));
        }
        block[..8].copy_from_slice(&x);
        block[8..].copy_from_slice(&y);
    }
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(16).for_each(|block| self.encrypt_block(block));
    }

    /// Encryption with the halves exchanged before and after, since the subkeys read the same from both ends.
    fn decrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            block.rotate_left(8);
            self.encrypt_block(block);
            block.rotate_left(8);
        }
    }
}

//! Serpent from the AES proposal, in its bitslice form (section 2 and "an efficient implementation"): the permutations IP and FP
//! vanish, since word j of the state holds bit j of the 32 nibbles.
//!
//! An S-box is applied to the 32 nibbles at once from its table: for each of the sixteen values, the positions that hold it are found
//! and the bits of its image are set there. No address depends on a secret.

use super::sboxes::{S, S_INVERSE};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "from the proposal, S-boxes as sums over their tables",
    needs: Level::Portable,
    timing: Timing::Constant,
    memory: Memory { per_key: 33 * 16, shared: 2 * 8 * 16 },
    batch_blocks: 1,
    keying: keying!(|key| Reference::new(key)),
};

/// PHI: the fractional part of the golden ratio.
pub(super) const PHI: u32 = 0x9E37_79B9;

/// X_0 to X_3: bit j of the 32 nibbles in word j.
type State = [u32; 4];

/// One S-box on 32 nibbles.
fn substitute(s: &[u8; 16], x: State) -> State {
    let mut y = [0; 4];
    for (value, &image) in s.iter().enumerate() {
        let holds = (0..4).fold(!0, |mask, j| mask & if value >> j & 1 == 1 { x[j] } else { !x[j] });
        for (j, word) in y.iter_mut().enumerate() {
            if image >> j & 1 == 1 {
                *word |= holds;
            }
        }
    }
    y
}

/// L, the linear transformation.
pub(super) const fn linear([mut x0, mut x1, mut x2, mut x3]: State) -> State {
    x0 = x0.rotate_left(13);
    x2 = x2.rotate_left(3);
    x1 ^= x0 ^ x2;
    x3 ^= x2 ^ (x0 << 3);
    x1 = x1.rotate_left(1);
    x3 = x3.rotate_left(7);
    x0 ^= x1 ^ x3;
    x2 ^= x3 ^ (x1 << 7);
    x0 = x0.rotate_left(5);
    x2 = x2.rotate_left(22);
    [x0, x1, x2, x3]
}

/// The inverse of L.
fn inverse_linear([mut x0, mut x1, mut x2, mut x3]: State) -> State {
    x2 = x2.rotate_right(22);
    x0 = x0.rotate_right(5);
    x2 ^= x3 ^ (x1 << 7);
    x0 ^= x1 ^ x3;
    x3 = x3.rotate_right(7);
    x1 = x1.rotate_right(1);
    x3 ^= x2 ^ (x0 << 3);
    x1 ^= x0 ^ x2;
    x2 = x2.rotate_right(3);
    x0 = x0.rotate_right(13);
    [x0, x1, x2, x3]
}

fn xor(x: State, k: State) -> State {
    std::array::from_fn(|j| x[j] ^ k[j])
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    /// K_0 to K_32.
    k: [State; 33],
}

impl Reference {
    /// The key schedule (section 4): the key padded with one 1 bit, 132 prekeys by an affine recurrence, the S-boxes in the
    /// order 3, 2, 1, 0, 7, 6, 5, 4, 3, ...
    fn new(key: &[u8]) -> Self {
        let mut padded = [0; 32];
        padded[..key.len()].copy_from_slice(key);
        if key.len() < 32 {
            padded[key.len()] = 1;
        }
        // w[i + 8] is the proposal's w_i: the key itself is w_-8 to w_-1.
        let mut w = [0u32; 140];
        for (word, bytes) in w.iter_mut().zip(padded.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        for i in 8..140 {
            w[i] = (w[i - 8] ^ w[i - 5] ^ w[i - 3] ^ w[i - 1] ^ PHI ^ (i as u32 - 8)).rotate_left(11);
        }
        let prekeys = w[8..].as_chunks().0;
        let k = std::array::from_fn(|i| substitute(&S[(35 - i) % 8], prekeys[i]));
        padded.zeroize();
        w.zeroize();
        Reference { k }
    }

    /// B_i+1 = R_i(B_i): L(S_i(B_i ^ K_i)) in rounds 0 to 30, S_7(B_31 ^ K_31) ^ K_32 in the last.
    fn encrypt_block(&self, mut b: State) -> State {
        for i in 0..31 {
            b = linear(substitute(&S[i % 8], xor(b, self.k[i])));
        }
        xor(substitute(&S[7], xor(b, self.k[31])), self.k[32])
    }

    fn decrypt_block(&self, mut b: State) -> State {
        b = xor(substitute(&S_INVERSE[7], xor(b, self.k[32])), self.k[31]);
        for i in (0..31).rev() {
            b = xor(substitute(&S_INVERSE[i % 8], inverse_linear(b)), self.k[i]);
        }
        b
    }
}

/// Runs a block function over 16-byte blocks of four little-endian words.
fn each_block(blocks: &mut [u8], f: impl Fn(State) -> State) {
    for block in blocks.as_chunks_mut::<16>().0 {
        let state = std::array::from_fn(|j| u32::from_le_bytes(block.as_chunks().0[j]));
        block.copy_from_slice(f(state).map(u32::to_le_bytes).as_flattened());
    }
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        each_block(blocks, |b| self.encrypt_block(b));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        each_block(blocks, |b| self.decrypt_block(b));
    }
}

//! Rijndael byte by byte, in the order of FIPS 197 and the AES proposal, for every block size: slow and plain.
//!
//! No tables: the S-box is computed as inversion (x^254) and the affine map, so no address depends on a secret.

use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

const fn strategy(keying: Keying, words: usize) -> Strategy {
    Strategy {
        name: "reference",
        summary: "byte-wise from the standard, arithmetic in GF(2^8)",
        needs: Level::Portable,
        timing: Timing::Constant,
        memory: Memory { per_key: 4 * words, shared: 0 },
        batch_blocks: 1,
        keying,
    }
}

pub(super) const BLOCK128: Strategy = strategy(keying!(|key| Reference::<4>::new(key)), 60);
pub(super) const BLOCK192: Strategy = strategy(keying!(|key| Reference::<6>::new(key)), 90);
pub(super) const BLOCK256: Strategy = strategy(keying!(|key| Reference::<8>::new(key)), 120);

/// A column of the state, or a word of the key: rows 0 to 3.
type Word = [u8; 4];

/// How far ShiftRows rotates row r: 0, 1, 2, 3 but for the 256-bit block (AES proposal, table 2).
const fn shift_offsets(nb: usize) -> [usize; 4] {
    if nb == 8 { [0, 1, 3, 4] } else { [0, 1, 2, 3] }
}

/// Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2.1), without a branch.
fn xtime(a: u8) -> u8 {
    (a << 1) ^ (0x1B & (a >> 7).wrapping_neg())
}

/// The product in GF(2^8): shift and add, all eight steps whatever the operands.
fn gmul(mut a: u8, b: u8) -> u8 {
    let mut product = 0;
    for bit in 0..8 {
        product ^= a & ((b >> bit) & 1).wrapping_neg();
        a = xtime(a);
    }
    product
}

/// The multiplicative inverse, 0 for 0: x^254 = x^2 x^4 x^8 x^16 x^32 x^64 x^128.
fn inverse(x: u8) -> u8 {
    let mut power = x;
    let mut product = 1;
    for _ in 0..7 {
        power = gmul(power, power);
        product = gmul(product, power);
    }
    product
}

/// SubBytes on one byte (FIPS 197, section 5.1.1).
pub(super) fn sub_byte(x: u8) -> u8 {
    let b = inverse(x);
    b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4) ^ 0x63
}

/// InvSubBytes on one byte (FIPS 197, section 5.3.2).
pub(super) fn inv_sub_byte(x: u8) -> u8 {
    inverse(x.rotate_left(1) ^ x.rotate_left(3) ^ x.rotate_left(6) ^ 0x05)
}

/// Each byte of the column `c` becomes the product of a row of the circulant matrix with first row `m` and the column.
fn mix(c: Word, m: Word) -> Word {
    std::array::from_fn(|row| (0..4).fold(0, |sum, i| sum ^ gmul(c[i], m[(i + 4 - row) % 4])))
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference<const NB: usize> {
    /// W of section 5.2: NB words for each round.
    round_keys: Vec<[Word; NB]>,
}

impl<const NB: usize> Reference<NB> {
    /// KeyExpansion (FIPS 197, section 5.2; AES proposal, section 4.3).
    fn new(key: &[u8]) -> Self {
        let nk = key.len() / 4;
        let rounds = nk.max(NB) + 6;
        let mut round_keys = vec![[Word::default(); NB]; rounds + 1];
        let w = round_keys.as_flattened_mut();
        let mut rcon = 1;
        for i in 0..w.len() {
            if i < nk {
                w[i].copy_from_slice(&key[4 * i..4 * i + 4]);
                continue;
            }
            let mut temp = w[i - 1];
            if i % nk == 0 {
                temp.rotate_left(1);
                temp = temp.map(sub_byte);
                temp[0] ^= rcon;
                rcon = xtime(rcon);
            } else if nk == 8 && i % nk == 4 {
                temp = temp.map(sub_byte);
            }
            w[i] = std::array::from_fn(|row| w[i - nk][row] ^ temp[row]);
        }
        Reference { round_keys }
    }

    fn add_round_key(state: &mut [Word; NB], key: &[Word; NB]) {
        for (byte, key) in state.as_flattened_mut().iter_mut().zip(key.as_flattened()) {
            *byte ^= key;
        }
    }

    /// ShiftRows: row r moves left by its offset; InvShiftRows with `inverse`.
    fn shift_rows(state: &mut [Word; NB], inverse: bool) {
        let before = *state;
        for (row, offset) in shift_offsets(NB).into_iter().enumerate() {
            for (column, word) in state.iter_mut().enumerate() {
                let from = if inverse { column + NB - offset } else { column + offset };
                word[row] = before[from % NB][row];
            }
        }
    }

    /// Cipher (FIPS 197, section 5.1).
    fn encrypt_block(&self, block: &mut [u8]) {
        let mut state = load(block);
        let last = self.round_keys.len() - 1;
        Self::add_round_key(&mut state, &self.round_keys[0]);
        for (round, key) in self.round_keys.iter().enumerate().skip(1) {
            state = state.map(|column| column.map(sub_byte));
            Self::shift_rows(&mut state, false);
            if round != last {
                state = state.map(|column| mix(column, [2, 3, 1, 1]));
            }
            Self::add_round_key(&mut state, key);
        }
        block.copy_from_slice(state.as_flattened());
    }

    /// InvCipher (FIPS 197, section 5.3).
    fn decrypt_block(&self, block: &mut [u8]) {
        let mut state = load(block);
        let last = self.round_keys.len() - 1;
        for (round, key) in self.round_keys.iter().enumerate().skip(1).rev() {
            Self::add_round_key(&mut state, key);
            if round != last {
                state = state.map(|column| mix(column, [14, 11, 13, 9]));
            }
            Self::shift_rows(&mut state, true);
            state = state.map(|column| column.map(inv_sub_byte));
        }
        Self::add_round_key(&mut state, &self.round_keys[0]);
        block.copy_from_slice(state.as_flattened());
    }
}

/// Input byte 4*col + row goes to row `row` of column `col` (FIPS 197, section 3.4).
fn load<const NB: usize>(block: &[u8]) -> [Word; NB] {
    std::array::from_fn(|column| std::array::from_fn(|row| block[4 * column + row]))
}

impl<const NB: usize> Kernel for Reference<NB> {
    fn block_bytes(&self) -> usize {
        4 * NB
    }

    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(4 * NB).for_each(|block| self.encrypt_block(block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(4 * NB).for_each(|block| self.decrypt_block(block));
    }
}

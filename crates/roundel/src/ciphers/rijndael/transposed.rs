//! AES on rows: each of the four rows of the state is a 32-bit word, so that MixColumns works on four columns at once without a table
//! (G. Bertoni and others, "Efficient software implementation of AES on 32-bit platforms", CHES 2002). Only the S-box is looked up.
//!
//! Input, output and, once, the round keys are transposed. The inverse cipher runs straight, with the same round keys.

use super::schedule::{RoundKeys, xtime_bytes};
use super::tables::{INV_SBOX, SBOX};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};

pub(super) const BLOCK128: Strategy = Strategy {
    name: "transposed",
    summary: "32-bit rows, S-box by table, MixColumns on four columns at once",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: size_of::<RoundKeys<4>>(), shared: 2 * 256 },
    batch_blocks: 1,
    keying: keying!(|key| Transposed::new(key)),
};

/// Row r; column c is byte c, the lowest first.
type Rows = [u32; 4];

struct Transposed {
    /// Round keys as rows.
    keys: RoundKeys<4>,
}

impl Transposed {
    fn new(key: &[u8]) -> Self {
        Transposed { keys: RoundKeys::expand_by_table(key).map(transpose) }
    }

    #[inline(always)]
    fn encrypt_block(&self, block: &mut [u8; 16]) {
        let [first, middle @ .., last] = self.keys.as_slice() else { unreachable!("at least 11 keys") };
        let mut rows = add(load(block), first);
        for key in middle {
            rows = add(mix_columns(substitute_and_shift(rows)), key);
        }
        store(add(substitute_and_shift(rows), last), block);
    }

    #[inline(always)]
    fn decrypt_block(&self, block: &mut [u8; 16]) {
        let [first, middle @ .., last] = self.keys.as_slice() else { unreachable!("at least 11 keys") };
        let mut rows = add(load(block), last);
        for key in middle.iter().rev() {
            rows = inv_mix_columns(add(unshift_and_substitute(rows), key));
        }
        store(add(unshift_and_substitute(rows), first), block);
    }
}

/// Byte r of word c to byte c of word r: bytes are exchanged across the diagonal, then halves.
#[inline(always)]
fn transpose([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    let even = |x: u32, y: u32| (x & 0x00FF_00FF) | (y & 0x00FF_00FF) << 8;
    let odd = |x: u32, y: u32| (x >> 8 & 0x00FF_00FF) | (y & 0xFF00_FF00);
    let low = |x: u32, y: u32| (x & 0xFFFF) | y << 16;
    let high = |x: u32, y: u32| x >> 16 | (y & 0xFFFF_0000);
    let [ab02, ab13, cd02, cd13] = [even(a, b), odd(a, b), even(c, d), odd(c, d)];
    [low(ab02, cd02), low(ab13, cd13), high(ab02, cd02), high(ab13, cd13)]
}

#[inline(always)]
fn load(block: &[u8; 16]) -> Rows {
    let (columns, _) = block.as_chunks();
    transpose(std::array::from_fn(|c| u32::from_le_bytes(columns[c])))
}

#[inline(always)]
fn store(rows: Rows, block: &mut [u8; 16]) {
    let columns = transpose(rows);
    for (to, column) in block.as_chunks_mut().0.iter_mut().zip(columns) {
        *to = column.to_le_bytes();
    }
}

/// AddRoundKey.
#[inline(always)]
fn add(rows: Rows, key: &Rows) -> Rows {
    std::array::from_fn(|r| rows[r] ^ key[r])
}

#[inline(always)]
fn substitute(row: u32, sbox: &[u8; 256]) -> u32 {
    u32::from_le_bytes(row.to_le_bytes().map(|byte| sbox[usize::from(byte)]))
}

/// SubBytes and ShiftRows: row r turns left by r columns, its word right.
#[inline(always)]
fn substitute_and_shift(rows: Rows) -> Rows {
    std::array::from_fn(|r| substitute(rows[r], &SBOX).rotate_right(8 * r as u32))
}

/// InvShiftRows and InvSubBytes.
#[inline(always)]
fn unshift_and_substitute(rows: Rows) -> Rows {
    std::array::from_fn(|r| substitute(rows[r], &INV_SBOX).rotate_left(8 * r as u32))
}

/// 2 a ^ 3 (next) ^ the other two = a ^ (sum of all) ^ 2 (a ^ next).
#[inline(always)]
fn mix_columns(a: Rows) -> Rows {
    let sum = a[0] ^ a[1] ^ a[2] ^ a[3];
    std::array::from_fn(|r| a[r] ^ sum ^ xtime_bytes(a[r] ^ a[(r + 1) % 4]))
}

/// MixColumns after adding 4 (a ^ a two rows on), of which there are two.
#[inline(always)]
fn inv_mix_columns(a: Rows) -> Rows {
    let u = [0, 1].map(|r| xtime_bytes(xtime_bytes(a[r] ^ a[r + 2])));
    mix_columns(std::array::from_fn(|r| a[r] ^ u[r % 2]))
}

impl Kernel for Transposed {
    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.encrypt_block(block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.decrypt_block(block));
    }
}

//! The key schedule: the 40 subkeys and the key words of g (sections 4.3 and 4.3.1 to 4.3.4); by shuffles where the CPU has them, else by
//! look-ups.

use super::shuffles;
use super::tables::{MQ, Q, RS_FIELD, STAGES};
use crate::simd::{Avx2, Simd, Ssse3};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The subkeys, grouped as the rounds use them.
#[derive(Debug, Default, Zeroize, ZeroizeOnDrop)]
pub(super) struct Subkeys {
    /// K0 to K3.
    pub(super) input: [u32; 4],
    /// K4 to K7.
    pub(super) output: [u32; 4],
    /// K8 to K39: two words for each round, two rounds in each row.
    pub(super) rounds: [[u32; 4]; 8],
}

/// The key as `K` pairs of words.
#[inline(always)]
pub(super) fn words<const K: usize>(key: &[u8]) -> [[u32; 2]; K] {
    let (pairs, _) = key.as_chunks::<8>();
    std::array::from_fn(|j| {
        let pair = u64::from_le_bytes(pairs[j]);
        [pair as u32, (pair >> 32) as u32]
    })
}

/// The key words of g in the order that h takes them: the vector S of section 4.3, last word first applied.
#[inline(always)]
pub(super) fn g_key<const K: usize>(key: &[[u32; 2]; K]) -> [u32; K] {
    std::array::from_fn(|j| reed_solomon(key[K - 1 - j]))
}

/// The matrix RS times 8 bytes of key. RS is the remainder of a code with the generator
/// x^4 + (a + 1/a) x^3 + a x^2 + (a + 1/a) x + 1, a being the field's x, so that it is a division, highest byte first.
#[inline(always)]
pub(super) fn reed_solomon([low, high]: [u32; 2]) -> u32 {
    let divide = |remainder: u32| {
        (0..4).fold(remainder, |r, _| {
            let top = r >> 24;
            let times_a = top << 1 ^ (top >> 7).wrapping_neg() & u32::from(RS_FIELD);
            let sum = times_a ^ top >> 1 ^ (top & 1).wrapping_neg() & u32::from(RS_FIELD >> 1);
            r << 8 ^ sum << 24 ^ times_a << 16 ^ sum << 8 ^ top
        })
    };
    divide(divide(high) ^ low)
}

/// Of the chain of the byte `x` in position `BYTE`, the stages with the words of `list` from the first that is applied to `list[LAST]`: each
/// a q and a byte of the word. The position is a constant, so that the compiler chooses between q0 and q1; bytes are kept in full
/// registers.
#[inline(always)]
pub(super) fn stages<const BYTE: usize, const K: usize, const LAST: usize>(
    x: usize,
    list: &[u32; K],
) -> usize {
    (LAST..K).rev().fold(x, |x, i| stage::<BYTE, K>(i, x, list))
}

/// The q before a byte of `list[i]`, and that.
#[inline(always)]
fn stage<const BYTE: usize, const K: usize>(i: usize, x: usize, list: &[u32; K]) -> usize {
    usize::from(Q[STAGES[3 - i][BYTE]][x]) ^ usize::from(list[i].to_le_bytes()[BYTE])
}

/// One byte's part of h: all stages and its column of the matrix.
#[inline(always)]
fn column<const BYTE: usize, const K: usize>(x: usize, list: &[u32; K]) -> u32 {
    MQ[BYTE][stages::<BYTE, K, 0>(x, list)]
}

/// h (section 4.3.2) of a word with four equal bytes.
#[inline(always)]
fn h<const K: usize>(x: usize, list: &[u32; K]) -> u32 {
    column::<0, K>(x, list) ^ column::<1, K>(x, list) ^ column::<2, K>(x, list) ^ column::<3, K>(x, list)
}

impl Subkeys {
    /// The expanded key words K0 to K39.
    #[inline(always)]
    pub(super) fn new<const K: usize>(key: &[[u32; 2]; K]) -> Self {
        match (Avx2::detect(), Ssse3::detect()) {
            (Some(s), _) => shuffles::subkeys(s, key),
            (_, Some(s)) => shuffles::subkeys(s, key),
            _ => Subkeys::by_look_ups(key),
        }
    }

    /// From h(2i rho, Me) and h((2i+1) rho, Mo) for i = 0 to 19 (section 4.3.4).
    fn by_look_ups<const K: usize>(key: &[[u32; 2]; K]) -> Self {
        let even = key.map(|pair| pair[0]);
        let odd = key.map(|pair| pair[1]);
        let mut words = [[0; 4]; 10];
        for (i, pair) in (0..).zip(words.as_flattened_mut().as_chunks_mut::<2>().0) {
            let (a, b) = (h(2 * i, &even), h(2 * i + 1, &odd).rotate_left(8));
            let sum = a.wrapping_add(b);
            *pair = [sum, sum.wrapping_add(b).rotate_left(9)];
        }
        Subkeys::from_words(words)
    }

    #[inline(always)]
    fn from_words([input, output, rounds @ ..]: [[u32; 4]; 10]) -> Self {
        Subkeys { input, output, rounds }
    }

    /// From K0 to K39 as little-endian bytes; what follows is left.
    #[inline(always)]
    pub(super) fn from_bytes(bytes: &[u8; 256]) -> Self {
        let word = |i: usize| u32::from_le_bytes(bytes.as_chunks().0[i]);
        Subkeys::from_words(std::array::from_fn(|row| std::array::from_fn(|i| word(4 * row + i))))
    }
}

/// A byte for each input of each byte position's chain, up to the key byte of `list[LAST]`: 0 leaves out the last stage and the matrix
/// (partial keying), 1 the last two stages (minimal keying).
#[inline(always)]
pub(super) fn byte_tables<const K: usize, const LAST: usize>(list: &[u32; K], tables: &mut [[u8; 256]; 4]) {
    match (Avx2::detect(), Ssse3::detect()) {
        (Some(s), _) if LAST < K - 1 => shuffles::byte_tables::<_, K, LAST>(s, list, tables),
        (_, Some(s)) if LAST < K - 1 => shuffles::byte_tables::<_, K, LAST>(s, list, tables),
        _ => {
            let [t0, t1, t2, t3] = tables;
            fill_bytes::<0, K, LAST>(t0, list);
            fill_bytes::<1, K, LAST>(t1, list);
            fill_bytes::<2, K, LAST>(t2, list);
            fill_bytes::<3, K, LAST>(t3, list);
        }
    }
}

#[inline(always)]
fn fill_bytes<const BYTE: usize, const K: usize, const LAST: usize>(table: &mut [u8; 256], list: &[u32; K]) {
    for (x, entry) in table.iter_mut().enumerate() {
        *entry = stages::<BYTE, K, LAST>(x, list) as u8;
    }
}

/// A word, as its bytes, for each input of each byte position's whole chain and column of the matrix (full keying).
#[inline(always)]
pub(super) fn full_tables<const K: usize>(list: &[u32; K], tables: &mut [[[u8; 4]; 256]; 4]) {
    match (Avx2::detect(), Ssse3::detect()) {
        (Some(s), _) => shuffles::full_tables(s, list, tables),
        (_, Some(s)) => shuffles::full_tables(s, list, tables),
        _ => {
            let [t0, t1, t2, t3] = tables;
            fill_words::<0, K>(t0, list);
            fill_words::<1, K>(t1, list);
            fill_words::<2, K>(t2, list);
            fill_words::<3, K>(t3, list);
        }
    }
}

#[inline(always)]
fn fill_words<const BYTE: usize, const K: usize>(table: &mut [[u8; 4]; 256], list: &[u32; K]) {
    for (x, entry) in table.iter_mut().enumerate() {
        *entry = column::<BYTE, K>(x, list).to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::{RS, gmul};
    use super::*;

    #[test]
    fn division_is_the_reed_solomon_matrix() {
        for seed in 0..100u64 {
            let key = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes();
            let product = RS.map(|row| (0..8).fold(0, |sum, i| sum ^ gmul(row[i], key[i], RS_FIELD)));
            assert_eq!(reed_solomon(words::<1>(&key)[0]), u32::from_le_bytes(product));
        }
    }
}

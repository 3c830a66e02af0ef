//! The key schedule by look-ups: the 40 subkeys and the key words of g (sections 4.3 and 4.3.1 to 4.3.4).

use super::tables::{MQ, Q, RS_FIELD, STAGES};
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

/// The last `count` stages of h but the very last, for the byte `x` in position `BYTE`: q and a byte of each word of `list`, from
/// the later to the first. The position is a constant, so that the compiler chooses between q0 and q1; bytes are kept in full
/// registers.
#[inline(always)]
pub(super) fn stages<const BYTE: usize, const K: usize>(count: usize, x: u8, list: &[u32; K]) -> usize {
    (0..count).rev().fold(x.into(), |x, i| {
        usize::from(Q[STAGES[3 - i][BYTE]][x]) ^ usize::from(list[i].to_le_bytes()[BYTE])
    })
}

/// One byte's part of h: all stages and its column of the matrix.
#[inline(always)]
fn column<const BYTE: usize, const K: usize>(x: u8, list: &[u32; K]) -> u32 {
    MQ[BYTE][stages::<BYTE, K>(K, x, list)]
}

/// h (section 4.3.2) of a word with four equal bytes.
#[inline(always)]
fn h<const K: usize>(x: u8, list: &[u32; K]) -> u32 {
    column::<0, K>(x, list) ^ column::<1, K>(x, list) ^ column::<2, K>(x, list) ^ column::<3, K>(x, list)
}

impl Subkeys {
    /// The expanded key words K0 to K39 (section 4.3.4) from h(2i rho, Me) and h((2i+1) rho, Mo) for i = 0 to 19.
    #[inline(always)]
    pub(super) fn from_h(h: impl Fn(usize) -> (u32, u32)) -> Self {
        let mut words = [[0; 4]; 10];
        for (i, pair) in words.as_flattened_mut().as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let (a, b) = h(i);
            let b = b.rotate_left(8);
            let sum = a.wrapping_add(b);
            *pair = [sum, sum.wrapping_add(b).rotate_left(9)];
        }
        let [input, output, rounds @ ..] = words;
        Subkeys { input, output, rounds }
    }

    #[inline(always)]
    pub(super) fn new<const K: usize>(key: &[[u32; 2]; K]) -> Self {
        let even = key.map(|pair| pair[0]);
        let odd = key.map(|pair| pair[1]);
        Subkeys::from_h(|i| (h(2 * i as u8, &even), h(2 * i as u8 + 1, &odd)))
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

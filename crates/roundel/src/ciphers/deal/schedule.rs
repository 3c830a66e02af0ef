//! The key schedule of DES in words: PC1 as a transposition of bits, PC2 as four look-ups for each half.

use super::des::RoundKey;
#[cfg(test)]
use super::tables::PC1;
use super::tables::{PC2, SHIFTS};
use crate::ciphers::bits::transpose;

/// Where the 48 bits of a round key go: bit j belongs to S-box j / 6; odd-numbered boxes (S1, S3, ...) in the high word, even-numbered ones in the
/// low word, each group of six in the byte that `des` expects (lowest, highest, then downwards), most significant bit first.
const fn place(j: usize) -> u64 {
    let (sbox, bit) = (j / 6, 5 - j % 6);
    let byte = [0, 3, 2, 1][sbox / 2];
    1 << (if sbox.is_multiple_of(2) { 32 } else { 0 } + 8 * byte + bit)
}

/// PC2_TABLES\[q\]\[v\]: what the seven bits v, the q-th seven (from the left) of C and D together, add to the round key.
static PC2_TABLES: [[u64; 128]; 8] = pc2_tables();

const fn pc2_tables() -> [[u64; 128]; 8] {
    let mut tables = [[0; 128]; 8];
    let mut j = 0;
    while j < 48 {
        let from = PC2[j] as usize - 1;
        let (q, bit) = (from / 7, 6 - from % 7);
        let mut v = 0;
        while v < 128 {
            if v >> bit & 1 != 0 {
                tables[q][v] |= place(j);
            }
            v += 1;
        }
        j += 1;
    }
    tables
}

/// PC1: row b of the transposed key holds bit b of all key bytes, the last byte first.
const fn permuted_choice_1(key: u64) -> (u32, u32) {
    // After the byte swap the key's first byte is the lowest, so each row reads from the last byte to the first.
    let rows = transpose(key.swap_bytes());
    let [_, r7, r6, r5, r4, r3, r2, r1] = rows.to_le_bytes();
    let c = (r1 as u32) << 20 | (r2 as u32) << 12 | (r3 as u32) << 4 | (r4 as u32) >> 4;
    let d = (r7 as u32) << 20 | (r6 as u32) << 12 | (r5 as u32) << 4 | (r4 as u32) & 15;
    (c, d)
}

/// The sixteen round keys.
pub(super) const fn des_schedule(key: u64) -> [RoundKey; 16] {
    let (mut c, mut d) = permuted_choice_1(key);
    let mut keys = [[0; 2]; 16];
    let mut round = 0;
    while round < 16 {
        let shift = SHIFTS[round];
        c = (c << shift | c >> (28 - shift)) & 0xFFF_FFFF;
        d = (d << shift | d >> (28 - shift)) & 0xFFF_FFFF;
        let mut key = 0;
        let mut q = 0;
        while q < 4 {
            let shift = 21 - 7 * q as u32;
            key |= PC2_TABLES[q][(c >> shift & 127) as usize];
            key |= PC2_TABLES[q + 4][(d >> shift & 127) as usize];
            q += 1;
        }
        keys[round] = [(key >> 32) as u32, key as u32];
        round += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transposition_is_permuted_choice_1() {
        for bit in 0..64 {
            let key = 1u64 << bit;
            let printed = PC1.iter().fold(0, |out: u64, &from| out << 1 | key >> (64 - from) & 1);
            let (c, d) = permuted_choice_1(key);
            assert_eq!(u64::from(c) << 28 | u64::from(d), printed, "bit {bit}");
        }
    }
}

//! The tables, derived from the definition of the S-box at compile time.
//!
//! Words hold a column with row 0 in the lowest byte, so that a little-endian load of four bytes of a block is a column.

/// Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
const fn xtime(a: u8) -> u8 {
    (a << 1) ^ (0x1B & (a >> 7).wrapping_neg())
}

/// The product in GF(2^8).
const fn product(mut a: u8, mut b: u8) -> u8 {
    let mut sum = 0;
    while b != 0 {
        if b & 1 == 1 {
            sum ^= a;
        }
        a = xtime(a);
        b >>= 1;
    }
    sum
}

/// The S-box: 3^n, of which every non-zero element is one, goes with its inverse 3^-n = 0xF6^n through the affine map.
const fn sbox() -> [u8; 256] {
    let mut table = [0x63; 256];
    let (mut power, mut inverse) = (1, 1u8);
    loop {
        let spread =
            inverse.rotate_left(1) ^ inverse.rotate_left(2) ^ inverse.rotate_left(3) ^ inverse.rotate_left(4);
        table[power as usize] = inverse ^ spread ^ 0x63;
        power = product(power, 3);
        inverse = product(inverse, 0xF6);
        if power == 1 {
            return table;
        }
    }
}

const fn inverted(table: &[u8; 256]) -> [u8; 256] {
    let mut inverse = [0; 256];
    let mut i = 0;
    while i < 256 {
        inverse[table[i] as usize] = i as u8;
        i += 1;
    }
    inverse
}

const fn multiples(factor: u8) -> [u8; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = product(i as u8, factor);
        i += 1;
    }
    table
}

/// Four tables: entry x of table r is the column `factors` times `sbox[x]`, rotated down by r rows.
const fn t_tables(sbox: &[u8; 256], factors: [u8; 4]) -> [[u32; 256]; 4] {
    let mut tables = [[0; 256]; 4];
    let mut x = 0;
    while x < 256 {
        let s = sbox[x];
        let column = u32::from_le_bytes([
            product(s, factors[0]),
            product(s, factors[1]),
            product(s, factors[2]),
            product(s, factors[3]),
        ]);
        let mut row = 0;
        while row < 4 {
            tables[row][x] = column.rotate_left(8 * row as u32);
            row += 1;
        }
        x += 1;
    }
    tables
}

/// SubBytes (FIPS 197, figure 7).
pub(super) static SBOX: [u8; 256] = sbox();
/// InvSubBytes (FIPS 197, figure 14).
pub(super) static INV_SBOX: [u8; 256] = inverted(&sbox());

/// Multiples of the index by the coefficients of MixColumns and InvMixColumns.
pub(super) static TIMES_2: [u8; 256] = multiples(2);
pub(super) static TIMES_3: [u8; 256] = multiples(3);
pub(super) static TIMES_9: [u8; 256] = multiples(9);
pub(super) static TIMES_11: [u8; 256] = multiples(11);
pub(super) static TIMES_13: [u8; 256] = multiples(13);
pub(super) static TIMES_14: [u8; 256] = multiples(14);

/// SubBytes and MixColumns of a byte in row 0 to 3 (AES proposal, 5.2.1).
pub(super) static ENCRYPT: [[u32; 256]; 4] = t_tables(&sbox(), [2, 1, 1, 3]);
/// InvSubBytes and InvMixColumns of a byte in row 0 to 3.
pub(super) static DECRYPT: [[u32; 256]; 4] = t_tables(&inverted(&sbox()), [14, 9, 13, 11]);

/// How far ShiftRows rotates row r to the left in a block of `nb` columns (AES proposal, table 2).
pub(super) const fn shift_offsets(nb: usize) -> [usize; 4] {
    if nb == 8 { [0, 1, 3, 4] } else { [0, 1, 2, 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciphers::rijndael::reference;

    #[test]
    fn sboxes_are_those_of_the_reference() {
        for x in 0..=255u8 {
            assert_eq!(SBOX[usize::from(x)], reference::sub_byte(x));
            assert_eq!(INV_SBOX[usize::from(x)], reference::inv_sub_byte(x));
        }
    }
}

//! Twofish's fixed tables, all derived at compile time from the eight nibble permutations and the matrix.
//!
//! Sections are those of "Twofish: A 128-Bit Block Cipher" (Schneier and others, 1998).

/// The permutations t0..t3 of q0 and q1 (section 4.3.5), packed: the n-th hexadecimal digit from the left is t\[n\].
pub(super) const NIBBLES: [[u64; 4]; 2] = [
    [0x817D_6F32_0B59_ECA4, 0xECB8_1235_F4A6_709D, 0xBA5E_6D90_C8F3_2471, 0xD7F4_126E_9B30_85CA],
    [0x28BD_F76E_3194_0AC5, 0x1E2B_4C37_6DA5_F908, 0x4C75_169A_0ED8_2B3F, 0xB951_C3DE_647F_208A],
];

/// The maximum distance separable matrix (section 4.3.2), row by row.
pub(super) const MDS: [[u8; 4]; 4] =
    [[0x01, 0xEF, 0x5B, 0x5B], [0x5B, 0xEF, 0xEF, 0x01], [0xEF, 0x5B, 0x01, 0xEF], [0xEF, 0x01, 0xEF, 0x5B]];

/// The Reed-Solomon matrix (section 4.3), row by row.
pub(super) const RS: [[u8; 8]; 4] = [
    [0x01, 0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E],
    [0xA4, 0x56, 0x82, 0xF3, 0x1E, 0xC6, 0x68, 0xE5],
    [0x02, 0xA1, 0xFC, 0xC1, 0x47, 0xAE, 0x3D, 0x19],
    [0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E, 0x03],
];

/// v(x) = x^8 + x^6 + x^5 + x^3 + 1, the field of `MDS`.
pub(super) const MDS_FIELD: u16 = 0x169;
/// w(x) = x^8 + x^6 + x^3 + x^2 + 1, the field of `RS`.
pub(super) const RS_FIELD: u16 = 0x14D;

/// Which of q0 and q1 each stage applies to bytes 0 to 3 (figure 2): the stages of 256-bit keys from the first to the
/// last. 192-bit keys leave out the first, 128-bit keys the first two.
pub(super) const STAGES: [[usize; 4]; 5] =
    [[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0]];

/// q0 or q1 (section 4.3.5). The nibble permutations are shifts of a constant: no address depends on `x`.
pub(super) const fn q(which: usize, x: u8) -> u8 {
    let t = &NIBBLES[which];
    let (a, b) = mix_nibbles(x >> 4, x & 15);
    let (a, b) = mix_nibbles(nibble(t[0], a), nibble(t[1], b));
    nibble(t[3], b) << 4 | nibble(t[2], a)
}

/// a + b and a + ror4(b, 1) + 8a, sums being XOR.
const fn mix_nibbles(a: u8, b: u8) -> (u8, u8) {
    (a ^ b, a ^ (b >> 1 | (b & 1) << 3) ^ (a << 3 & 15))
}

/// Digit `n` of a packed permutation.
pub(super) const fn nibble(packed: u64, n: u8) -> u8 {
    (packed >> (60 - 4 * n) & 15) as u8
}

/// The product in GF(2^8) modulo `field`, by shifts and masks only.
pub(super) const fn gmul(a: u8, b: u8, field: u16) -> u8 {
    let mut a = a as u16;
    let mut product = 0;
    let mut bit = 0;
    while bit < 8 {
        product ^= a & ((b >> bit & 1) as u16).wrapping_neg();
        a = a << 1 ^ field & (a >> 7).wrapping_neg();
        bit += 1;
    }
    product as u8
}

/// q0 and q1 as look-ups.
pub(super) static Q: [[u8; 256]; 2] = {
    let mut table = [[0; 256]; 2];
    let mut x = 0;
    while x < 256 {
        table[0][x] = q(0, x as u8);
        table[1][x] = q(1, x as u8);
        x += 1;
    }
    table
};

/// For each byte position its last stage fused with its column of `MDS`: the word MDS * (0, .., q(x), .., 0).
pub(super) static MQ: [[u32; 256]; 4] = {
    let mut table = [[0; 256]; 4];
    let mut byte = 0;
    while byte < 4 {
        let mut x = 0;
        while x < 256 {
            let y = q(STAGES[4][byte], x as u8);
            let mut row = 0;
            while row < 4 {
                table[byte][x] |= (gmul(MDS[row][byte], y, MDS_FIELD) as u32) << (8 * row);
                row += 1;
            }
            x += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q_are_the_papers_permutations() {
        assert_eq!(Q[0][..4], [0xA9, 0x67, 0xB3, 0xE8]);
        assert_eq!(Q[1][..4], [0x75, 0xF3, 0xC6, 0xF4]);
        for table in &Q {
            let mut sorted = *table;
            sorted.sort_unstable();
            assert!(sorted.iter().enumerate().all(|(x, &y)| x == usize::from(y)));
        }
    }

    /// Section 7.2: inputs of the matrix that differ in one byte give outputs that differ in four, in two bytes at least three.
    #[test]
    fn matrix_has_branch_number_five() {
        let weight = |word: u32| word.to_le_bytes().iter().filter(|&&byte| byte != 0).count();
        for (i, column) in MQ.iter().enumerate() {
            for one in column[1..].iter().map(|word| word ^ column[0]) {
                assert_eq!(weight(one), 4);
                for other in &MQ[..i] {
                    assert!(other[1..].iter().all(|word| weight(one ^ word ^ other[0]) >= 3));
                }
            }
        }
    }
}

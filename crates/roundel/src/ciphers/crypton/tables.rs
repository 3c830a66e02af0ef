//! The S-boxes of both versions from their 4-bit functions, and the merged tables.

use super::layers::MASKS;

/// The 4-bit functions of version 0.5.
const P0_05: [u8; 16] = [15, 9, 6, 8, 9, 9, 4, 12, 6, 2, 6, 10, 1, 3, 5, 15];
const P1_05: [u8; 16] = [10, 15, 4, 7, 5, 2, 14, 6, 9, 3, 12, 8, 13, 1, 11, 0];
const P2_05: [u8; 16] = [0, 4, 8, 4, 2, 15, 8, 13, 1, 1, 15, 7, 2, 11, 14, 15];

/// The 4-bit permutations of version 1.0.
const P0_10: [u8; 16] = [15, 14, 10, 1, 11, 5, 8, 13, 9, 3, 2, 7, 0, 6, 4, 12];
const P1_10: [u8; 16] = [11, 10, 13, 7, 8, 14, 0, 5, 15, 6, 3, 4, 1, 9, 2, 12];

/// S0, S1, S0, S1: the second is the inverse of the first.
pub(super) static SBOXES_05: [[u8; 256]; 4] = {
    let s0 = sbox_05();
    let s1 = inverse(&s0);
    [s0, s1, s0, s1]
};

/// S0 and S1 are rotations of the involution T, S2 and S3 their inverses.
pub(super) static SBOXES_10: [[u8; 256]; 4] = {
    let t = involution_10();
    let (mut s0, mut s1) = (t, t);
    let mut x = 0;
    while x < 256 {
        s0[x] = t[x].rotate_left(1);
        s1[x] = t[x].rotate_left(3);
        x += 1;
    }
    [s0, s1, inverse(&s0), inverse(&s1)]
};

/// T\[t\]\[x\] of each version: S\[t\](x) in all four bytes, masked by M\[t\].
pub(super) static TABLES_05: [[u32; 256]; 4] = merged(&SBOXES_05);
pub(super) static TABLES_10: [[u32; 256]; 4] = merged(&SBOXES_10);

/// A three-round Feistel network on nibbles.
const fn sbox_05() -> [u8; 256] {
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        let (mut l, mut r) = (x as u8 >> 4, x as u8 & 15);
        l ^= P0_05[r as usize];
        r ^= P1_05[l as usize];
        l ^= P2_05[r as usize];
        table[x] = 16 * l + r;
        x += 1;
    }
    table
}

/// T: a 4-bit permutation of each nibble, a linear layer, and the inverse permutations.
const fn involution_10() -> [u8; 256] {
    let (i0, i1) = (inverse4(&P0_10), inverse4(&P1_10));
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        let (h, l) = (P1_10[x >> 4], P0_10[x & 15]);
        let (h0, h1, h2, h3) = (h & 1, h >> 1 & 1, h >> 2 & 1, h >> 3);
        let (l0, l1, l2, l3) = (l & 1, l >> 1 & 1, l >> 2 & 1, l >> 3);
        let u = (h3 ^ l1) | (h1 ^ l0 ^ l3) << 1 | (h2 ^ l0) << 2 | (h0 ^ h3 ^ l2) << 3;
        let v = (l0 ^ h1 ^ h2) | (l2 ^ h0) << 1 | (l1 ^ l2 ^ h3) << 2 | (l3 ^ h1) << 3;
        table[x] = i0[u as usize] + 16 * i1[v as usize];
        x += 1;
    }
    table
}

const fn inverse4(table: &[u8; 16]) -> [u8; 16] {
    let mut inverse = [0; 16];
    let mut x = 0;
    while x < 16 {
        inverse[table[x] as usize] = x as u8;
        x += 1;
    }
    inverse
}

const fn inverse(table: &[u8; 256]) -> [u8; 256] {
    let mut inverse = [0; 256];
    let mut x = 0;
    while x < 256 {
        inverse[table[x] as usize] = x as u8;
        x += 1;
    }
    inverse
}

const fn merged(sboxes: &[[u8; 256]; 4]) -> [[u32; 256]; 4] {
    let mut tables = [[0; 256]; 4];
    let mut t = 0;
    while t < 4 {
        let mut x = 0;
        while x < 256 {
            tables[t][x] = (sboxes[t][x] as u32 * 0x0101_0101) & MASKS[t];
            x += 1;
        }
        t += 1;
    }
    tables
}

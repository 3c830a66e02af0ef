//! The rounds of DES on halves that are already in IP's order, with S-boxes and P merged into eight tables.
//!
//! A half is kept rotated left by 5, so that the 6-bit groups of the expansion for S1, S3, S5, S7 (and, 4 further, for S2, S4, S6, S8) stand at
//! the low six bits of its bytes: S1 in the lowest byte, S3 in the highest, then S5, S7 going down. The other two bits of each byte are
//! ignored by the tables, which are four times as large for it: whole bytes come out of a word in one instruction, six bits in two.

#[cfg(test)]
use super::tables::IP;
use super::tables::{P, S};

/// How far halves, and therefore the tables' entries, are rotated.
const ROTATION: u32 = 5;

/// SP\[box\]\[byte\]: the S-box's four output bits after P, rotated; of the byte the low six bits count.
pub(super) static SP: [[u32; 256]; 8] = merged();

const fn merged() -> [[u32; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut sbox = 0;
    while sbox < 8 {
        let mut group = 0;
        while group < 256 {
            let row = group >> 4 & 2 | group & 1;
            let column = group >> 1 & 15;
            let nibble = (S[sbox][16 * row + column] as u32) << (28 - 4 * sbox);
            let mut permuted = 0;
            let mut j = 0;
            while j < 32 {
                permuted |= (nibble >> (32 - P[j]) & 1) << (31 - j);
                j += 1;
            }
            table[sbox][group] = permuted.rotate_left(ROTATION);
            group += 1;
        }
        sbox += 1;
    }
    table
}

/// One DES round key: the groups for the odd-numbered S-boxes, and for the even-numbered ones, placed as a half's are.
pub(super) type RoundKey = [u32; 2];

/// The two halves of a 64-bit block in IP's order, rotated.
pub(super) type Halves = [u32; 2];

/// f of DES on a rotated half.
#[inline(always)]
fn f(half: u32, [odd, even]: RoundKey) -> u32 {
    let [x1, x7, x5, x3] = (half ^ odd).to_le_bytes();
    let [x2, x8, x6, x4] = (half.rotate_left(4) ^ even).to_le_bytes();
    let at = |sbox: usize, byte: u8| SP[sbox][usize::from(byte)];
    at(0, x1) ^ at(1, x2) ^ at(2, x3) ^ at(3, x4) ^ at(4, x5) ^ at(5, x6) ^ at(6, x7) ^ at(7, x8)
}

/// The sixteen rounds of N blocks under one key, without IP and FP; the halves are exchanged back at the end.
#[inline(always)]
pub(super) fn rounds<const N: usize>(keys: &[RoundKey; 16], blocks: [Halves; N]) -> [Halves; N] {
    let (mut l, mut r) = (blocks.map(|[l, _]| l), blocks.map(|[_, r]| r));
    for [first, second] in keys.as_chunks().0 {
        for n in 0..N {
            l[n] ^= f(r[n], *first);
        }
        for n in 0..N {
            r[n] ^= f(l[n], *second);
        }
    }
    std::array::from_fn(|n| [r[n], l[n]])
}

/// One step of IP: exchanges the bits of `a` under `mask << shift` with those of `b` under `mask`.
#[inline(always)]
fn exchange(a: u32, b: u32, shift: u32, mask: u32) -> (u32, u32) {
    let differing = (a >> shift ^ b) & mask;
    (a ^ differing << shift, b ^ differing)
}

/// IP, in five exchanges (a transposition of the 8 x 8 bits), and the rotation.
#[inline(always)]
pub(super) fn initial_permutation(block: u64) -> Halves {
    let (l, r) = ((block >> 32) as u32, block as u32);
    let (l, r) = exchange(l, r, 4, 0x0F0F_0F0F);
    let (l, r) = exchange(l, r, 16, 0x0000_FFFF);
    let (r, l) = exchange(r, l, 2, 0x3333_3333);
    let (r, l) = exchange(r, l, 8, 0x00FF_00FF);
    let (l, r) = exchange(l, r, 1, 0x5555_5555);
    [l.rotate_left(ROTATION), r.rotate_left(ROTATION)]
}

/// FP, the inverse of [`initial_permutation`].
#[inline(always)]
pub(super) fn final_permutation([l, r]: Halves) -> u64 {
    let (l, r) = (l.rotate_right(ROTATION), r.rotate_right(ROTATION));
    let (l, r) = exchange(l, r, 1, 0x5555_5555);
    let (r, l) = exchange(r, l, 8, 0x00FF_00FF);
    let (r, l) = exchange(r, l, 2, 0x3333_3333);
    let (l, r) = exchange(l, r, 16, 0x0000_FFFF);
    let (l, r) = exchange(l, r, 4, 0x0F0F_0F0F);
    u64::from(l) << 32 | u64::from(r)
}

/// A whole encryption with its permutations.
pub(super) fn encrypt(keys: &[RoundKey; 16], block: u64) -> u64 {
    let [halves] = rounds(keys, [initial_permutation(block)]);
    final_permutation(halves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_are_the_printed_permutation() {
        for bit in 0..64 {
            let block = 1u64 << bit;
            let printed = IP.iter().fold(0, |out: u64, &from| out << 1 | block >> (64 - from) & 1);
            let [l, r] = initial_permutation(block).map(|half| half.rotate_right(ROTATION));
            assert_eq!(u64::from(l) << 32 | u64::from(r), printed, "bit {bit}");
            assert_eq!(final_permutation(initial_permutation(block)), block, "bit {bit}");
        }
    }
}

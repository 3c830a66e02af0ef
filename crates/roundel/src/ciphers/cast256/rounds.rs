//! The round functions, arranged for short chains of dependent instructions: each gives `target` ^ f(..) for the four S-box words of
//! a masked and rotated input.

use super::tables::S;
use crate::simd::opaque_word;

/// The four S-box words of a rotated input.
#[inline(always)]
pub(super) fn look_up(input: u32) -> [u32; 4] {
    let [d, c, b, a] = input.to_le_bytes().map(usize::from);
    [S[0][a], S[1][b], S[2][c], S[3][d]]
}

/// The same of an input before its rotation by `kr`, which should be a constant. The upper half has a rotation of its own, hidden from the
/// optimiser, so that it need not wait for the other's; one for each byte would be more than the shifters do in a cycle.
#[inline(always)]
pub(super) fn look_up_rotated(input: u32, kr: u32) -> [u32; 4] {
    let low = opaque_word(input.rotate_left(kr));
    let high = opaque_word(input.rotate_left((kr + 16) % 32));
    let ([d, c, ..], [b, a, ..]) = (low.to_le_bytes().map(usize::from), high.to_le_bytes().map(usize::from));
    [S[0][a], S[1][b], S[2][c], S[3][d]]
}

/// With f1, whose input is km + d.
#[inline(always)]
pub(super) fn f1(target: u32, [a, b, c, d]: [u32; 4]) -> u32 {
    target ^ (a ^ b).wrapping_add(d.wrapping_sub(c))
}

/// With f2, whose input is km ^ d.
#[inline(always)]
pub(super) fn f2(target: u32, [a, b, c, d]: [u32; 4]) -> u32 {
    (target ^ d) ^ a.wrapping_sub(b).wrapping_add(c)
}

/// With f3, whose input is km - d.
#[inline(always)]
pub(super) fn f3(target: u32, [a, b, c, d]: [u32; 4]) -> u32 {
    target ^ (a.wrapping_add(b) ^ c).wrapping_sub(d)
}

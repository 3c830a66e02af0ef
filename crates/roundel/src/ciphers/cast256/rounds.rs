//! The round functions, arranged for short chains of dependent instructions: each gives `target` ^ f(..) for the four S-box words of
//! a masked and rotated input.

use super::tables::S;

/// The four S-box words of a rotated input.
#[inline(always)]
pub(super) fn look_up(input: u32) -> [u32; 4] {
    let [d, c, b, a] = input.to_le_bytes().map(usize::from);
    [S[0][a], S[1][b], S[2][c], S[3][d]]
}

/// The same of an input before its rotation by `kr`, which should be a constant: each byte has a rotation of its own, of which none waits for
/// another.
#[inline(always)]
pub(super) fn look_up_rotated(input: u32, kr: u32) -> [u32; 4] {
    let byte = |n: u32| usize::from(input.rotate_left((kr + n) % 32) as u8);
    [S[0][byte(8)], S[1][byte(16)], S[2][byte(24)], S[3][byte(0)]]
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

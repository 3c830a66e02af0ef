//! The round functions, arranged for short chains of dependent instructions.

use super::tables::S;

/// The four S-box words of a rotated input.
#[inline(always)]
fn look_up(input: u32) -> [u32; 4] {
    let [a, b, c, d] = input.to_be_bytes().map(usize::from);
    [S[0][a], S[1][b], S[2][c], S[3][d]]
}

/// `target` ^ f1(`d`).
#[inline(always)]
pub(super) fn f1(target: u32, d: u32, km: u32, kr: u32) -> u32 {
    let [a, b, c, d] = look_up(km.wrapping_add(d).rotate_left(kr));
    target ^ (a ^ b).wrapping_sub(c).wrapping_add(d)
}

/// `target` ^ f2(`d`).
#[inline(always)]
pub(super) fn f2(target: u32, d: u32, km: u32, kr: u32) -> u32 {
    let [a, b, c, d] = look_up((km ^ d).rotate_left(kr));
    target ^ a.wrapping_sub(b).wrapping_add(c) ^ d
}

/// `target` ^ f3(`d`).
#[inline(always)]
pub(super) fn f3(target: u32, d: u32, km: u32, kr: u32) -> u32 {
    let [a, b, c, d] = look_up(km.wrapping_sub(d).rotate_left(kr));
    target ^ (a.wrapping_add(b) ^ c).wrapping_sub(d)
}

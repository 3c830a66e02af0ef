//! One cycle of each diffuser in each direction, over words that may be lanes of several sectors.
//!
//! A sector is `G` groups of four words, since the rotations repeat with the word's index modulo four. A group's step needs its two neighbours on one side: where they
//! are already changed they stay in registers; where they are not yet, they are loaded ahead. So each word is loaded and stored once in a cycle.
//! In the comments, `a` is the group, `b` and `c` the nearer and the farther neighbour.

use crate::simd::Vector;

/// A 32-bit word, or a register of them.
pub(super) trait Word: Copy {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `M` is 32 - `N`.
    fn rotate<const N: i32, const M: i32>(self) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    fn plus(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: u32) -> u32 {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn xor(self, other: u32) -> u32 {
        self ^ other
    }

    #[inline(always)]
    fn rotate<const N: i32, const M: i32>(self) -> u32 {
        self.rotate_left(N as u32)
    }
}

impl<V: Vector> Word for V {
    #[inline(always)]
    fn plus(self, other: V) -> V {
        self.add32(other)
    }

    #[inline(always)]
    fn minus(self, other: V) -> V {
        self.sub32(other)
    }

    #[inline(always)]
    fn xor(self, other: V) -> V {
        self ^ other
    }

    #[inline(always)]
    fn rotate<const N: i32, const M: i32>(self) -> V {
        self.rotl32::<N, M>()
    }
}

/// A, encrypting: from the last word down, each reads words below it, which are as they were but for those around the end.
#[inline(always)]
pub(super) fn a_encrypt<W: Word, const G: usize>(d: &mut [[W; 4]; G]) {
    let [mut a, mut b] = [d[G - 1], d[G - 2]];
    for k in (0..G).rev() {
        let c3 = d[(k + G - 2) % G][3];
        d[k] = [
            a[0].minus(b[2].xor(c3.rotate::<9, 23>())),
            a[1].minus(b[3].xor(b[0])),
            a[2].minus(a[0].xor(b[1].rotate::<13, 19>())),
            a[3].minus(a[1].xor(b[2])),
        ];
        (a, b) = (b, d[(k + G - 2) % G]);
    }
}

/// A, decrypting: from the first word up, each reads words that have just been changed.
#[inline(always)]
pub(super) fn a_decrypt<W: Word, const G: usize>(d: &mut [[W; 4]; G]) {
    let (mut b, mut c3) = (d[G - 1], d[G - 2][3]);
    for a in d.iter_mut() {
        let x0 = a[0].plus(b[2].xor(c3.rotate::<9, 23>()));
        let x1 = a[1].plus(b[3].xor(b[0]));
        let x2 = a[2].plus(x0.xor(b[1].rotate::<13, 19>()));
        let x3 = a[3].plus(x1.xor(b[2]));
        *a = [x0, x1, x2, x3];
        (b, c3) = (*a, b[3]);
    }
}

/// B, encrypting: from the last word down, each reads words that have just been changed.
#[inline(always)]
pub(super) fn b_encrypt<W: Word, const G: usize>(d: &mut [[W; 4]; G]) {
    let (mut b, mut c0) = (d[0], d[1][0]);
    for a in d.iter_mut().rev() {
        let x3 = a[3].minus(b[1].xor(c0.rotate::<25, 7>()));
        let x2 = a[2].minus(b[0].xor(b[3]));
        let x1 = a[1].minus(x3.xor(b[2].rotate::<10, 22>()));
        let x0 = a[0].minus(x2.xor(b[1]));
        *a = [x0, x1, x2, x3];
        (b, c0) = (*a, b[0]);
    }
}

/// B, decrypting: from the first word up, each reads words above it, which are as they were but for those around the end.
#[inline(always)]
pub(super) fn b_decrypt<W: Word, const G: usize>(d: &mut [[W; 4]; G]) {
    let [mut a, mut b] = [d[0], d[1]];
    for k in 0..G {
        let c0 = d[(k + 2) % G][0];
        d[k] = [
            a[0].plus(a[2].xor(b[1])),
            a[1].plus(a[3].xor(b[2].rotate::<10, 22>())),
            a[2].plus(b[0].xor(b[3])),
            a[3].plus(b[1].xor(c0.rotate::<25, 7>())),
        ];
        (a, b) = (b, d[(k + 2) % G]);
    }
}

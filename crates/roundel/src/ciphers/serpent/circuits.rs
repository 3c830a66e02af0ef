//! The S-boxes as Boolean circuits on words that hold one bit of many nibbles: general registers or SIMD lanes.
//!
//! What is computed is T(x) = S(x) ^ S(0). T maps 0 to 0, so AND, OR, XOR and AND NOT suffice and no instruction goes to a NOT. The constant is
//! moved through the linear transformation into the next subkey (`schedule.rs`). The inverse circuits compute the inverse of T, so that both
//! directions use the same subkeys.
//!
//! The circuits were found by a beam search over sets of Boolean functions of four variables, a gate at a time. Of those with the fewest gates
//! (13; 15 for S3 and S7) or one more, the ones were taken that make the path through consecutive rounds short, since a single block waits for it.

use crate::simd::Vector;
use std::ops::{BitAnd, BitOr, BitXor};

/// What the circuits and the linear transformation compute with.
pub(super) trait Word:
    Copy + BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self>
{
    /// `self & !mask`.
    fn and_not(self, mask: Self) -> Self;
    /// Shift left of each 32 bits.
    fn shl<const N: i32>(self) -> Self;
    /// Rotation left of each 32 bits by `N`; `M` is 32 - `N`.
    fn rotl<const N: i32, const M: i32>(self) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        self & !mask
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        self << N
    }

    #[inline(always)]
    fn rotl<const N: i32, const M: i32>(self) -> Self {
        self.rotate_left(N as u32)
    }
}

impl<V: Vector> Word for V {
    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        Vector::and_not(self, mask)
    }

    #[inline(always)]
    fn shl<const N: i32>(self) -> Self {
        self.shl32::<N>()
    }

    #[inline(always)]
    fn rotl<const N: i32, const M: i32>(self) -> Self {
        self.rotl32::<N, M>()
    }
}

/// S0 without its constant: 13 instructions.
#[inline(always)]
pub(super) fn s0<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a ^ d;
    let f = a & d;
    let g = c ^ e;
    let h = b ^ g;
    let i = f ^ h;
    let j = b & e;
    let k = a ^ j;
    let l = g ^ k;
    let m = c | k;
    let n = h ^ m;
    let o = i & l;
    let p = k ^ o;
    let q = g ^ o;
    [p, q, n, i]
}

/// S1 without its constant: 13 instructions.
#[inline(always)]
pub(super) fn s1<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a ^ b;
    let f = b.and_not(a);
    let g = d & e;
    let h = c ^ f;
    let i = d ^ h;
    let j = e ^ i;
    let k = g ^ h;
    let l = a ^ k;
    let m = j & l;
    let n = h ^ m;
    let o = h | l;
    let p = j ^ o;
    let q = l ^ p;
    [n, q, i, p]
}

/// S2 without its constant: 13 instructions.
#[inline(always)]
pub(super) fn s2<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a & c;
    let f = b ^ c;
    let g = d ^ e;
    let h = f ^ g;
    let i = a | d;
    let j = a ^ f;
    let k = b ^ i;
    let l = j & k;
    let m = g ^ l;
    let n = g | k;
    let o = j ^ n;
    let p = m ^ o;
    let q = k ^ o;
    [h, p, m, q]
}

/// S3 without its constant: 16 instructions.
#[inline(always)]
pub(super) fn s3<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a & b;
    let f = a | d;
    let g = b ^ d;
    let h = c & f;
    let i = a ^ g;
    let j = c | e;
    let k = e | g;
    let l = h ^ k;
    let m = f ^ l;
    let n = i ^ j;
    let o = h ^ n;
    let p = l | n;
    let q = b & k;
    let r = n ^ q;
    let s = h ^ j;
    let t = p ^ s;
    [t, m, r, o]
}

/// S4 without its constant: 14 instructions.
#[inline(always)]
pub(super) fn s4<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a ^ b;
    let f = a.and_not(b);
    let g = c ^ f;
    let h = d | e;
    let i = g ^ h;
    let j = a & d;
    let k = c ^ j;
    let l = d ^ e;
    let m = h.and_not(k);
    let n = b ^ m;
    let o = i.and_not(b);
    let p = l ^ o;
    let q = i | k;
    let r = l ^ q;
    [i, n, r, p]
}

/// S5 without its constant: 14 instructions.
#[inline(always)]
pub(super) fn s5<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b ^ d;
    let f = b | d;
    let g = c ^ f;
    let h = a & e;
    let i = g ^ h;
    let j = a | b;
    let k = c ^ j;
    let l = k.and_not(i);
    let m = a ^ e;
    let n = l ^ m;
    let o = k.and_not(h);
    let p = d ^ o;
    let q = i.and_not(d);
    let r = m ^ q;
    [i, r, n, p]
}

/// S6 without its constant: 13 instructions.
#[inline(always)]
pub(super) fn s6<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a & d;
    let f = b ^ d;
    let g = c ^ e;
    let h = b ^ g;
    let i = a ^ d;
    let j = h & i;
    let k = f ^ j;
    let l = a ^ f;
    let m = k & l;
    let n = g ^ m;
    let o = g | k;
    let p = l ^ o;
    let q = k ^ p;
    [q, h, p, n]
}

/// S7 without its constant: 15 instructions.
#[inline(always)]
pub(super) fn s7<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a ^ b;
    let f = c.and_not(b);
    let g = c ^ e;
    let h = d ^ f;
    let i = a & h;
    let j = g ^ i;
    let k = a & j;
    let l = c | d;
    let m = a ^ l;
    let n = j.and_not(m);
    let o = h | k;
    let p = n ^ o;
    let q = e ^ o;
    let r = m.and_not(g);
    let s = h ^ r;
    [s, q, p, j]
}

/// The inverse of [`s0`]: 13 instructions.
#[inline(always)]
pub(super) fn s0_inverse<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a ^ b;
    let f = a & b;
    let g = c ^ f;
    let h = d ^ g;
    let i = d & e;
    let j = a ^ i;
    let k = e ^ h;
    let l = j | k;
    let m = g ^ l;
    let n = j ^ k;
    let o = g & n;
    let p = k ^ o;
    let q = j ^ o;
    [p, m, h, q]
}

/// The inverse of [`s1`]: 13 instructions.
#[inline(always)]
pub(super) fn s1_inverse<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b.and_not(d);
    let f = a ^ e;
    let g = c ^ f;
    let h = b ^ d;
    let i = a | h;
    let j = b ^ i;
    let k = c ^ h;
    let l = j ^ k;
    let m = g | l;
    let n = k ^ m;
    let o = j ^ m;
    let p = j.and_not(k);
    let q = f ^ p;
    [o, n, q, g]
}

/// The inverse of [`s2`]: 13 instructions.
#[inline(always)]
pub(super) fn s2_inverse<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b | d;
    let f = c ^ e;
    let g = d | f;
    let h = b ^ g;
    let i = f.and_not(b);
    let j = d ^ i;
    let k = a ^ j;
    let l = a & h;
    let m = f ^ l;
    let n = k & m;
    let o = h ^ n;
    let p = a | h;
    let q = f ^ p;
    [k, q, m, o]
}

/// The inverse of [`s3`]: 15 instructions.
#[inline(always)]
pub(super) fn s3_inverse<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b.and_not(c);
    let f = a ^ e;
    let g = d | f;
    let h = b ^ c;
    let i = g ^ h;
    let j = a | b;
    let k = d ^ j;
    let l = g & h;
    let m = i | k;
    let n = f ^ m;
    let o = l ^ n;
    let p = k ^ n;
    let q = d & f;
    let r = l ^ q;
    let s = b ^ r;
    [i, o, s, p]
}

/// The inverse of [`s4`]: 14 instructions.
#[inline(always)]
pub(super) fn s4_inverse<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a | b;
    let f = a | c;
    let g = c ^ e;
    let h = d | g;
    let i = b ^ h;
    let j = a ^ i;
    let k = f.and_not(d);
    let l = g ^ k;
    let m = a | l;
    let n = j ^ l;
    let o = d ^ m;
    let p = j ^ o;
    let q = n.and_not(o);
    let r = i ^ q;
    [p, l, r, j]
}

/// The inverse of [`s5`]: 14 instructions.
#[inline(always)]
pub(super) fn s5_inverse<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = b.and_not(c);
    let f = b | d;
    let g = d ^ e;
    let h = f.and_not(a);
    let i = c ^ h;
    let j = g ^ i;
    let k = a | g;
    let l = b ^ k;
    let m = j ^ l;
    let n = e | h;
    let o = a & m;
    let p = g ^ o;
    let q = j & l;
    let r = n ^ q;
    [j, m, r, p]
}

/// The inverse of [`s6`]: 13 instructions.
#[inline(always)]
pub(super) fn s6_inverse<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a.and_not(c);
    let f = d ^ e;
    let g = b ^ f;
    let h = a ^ c;
    let i = d | h;
    let j = a ^ i;
    let k = g ^ h;
    let l = j ^ k;
    let m = b & l;
    let n = k ^ m;
    let o = j ^ m;
    let p = j & k;
    let q = f ^ p;
    [o, g, q, n]
}

/// The inverse of [`s7`]: 16 instructions.
#[inline(always)]
pub(super) fn s7_inverse<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let e = a ^ c;
    let f = d.and_not(a);
    let g = c | d;
    let h = b ^ d;
    let i = b | f;
    let j = e | f;
    let k = g & h;
    let l = j ^ k;
    let m = e ^ i;
    let n = f ^ g;
    let o = e & g;
    let p = i ^ o;
    let q = m ^ n;
    let r = k ^ q;
    let s = l & m;
    let t = q ^ s;
    [r, l, p, t]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciphers::serpent::sboxes::S;

    /// Applies a circuit to all sixteen nibbles at once: nibble v is in bit v of the words.
    fn table(circuit: fn([u32; 4]) -> [u32; 4]) -> [u8; 16] {
        let words = std::array::from_fn(|j| (0..16).fold(0, |word, v| word | (v >> j & 1) << v));
        let image = circuit(words);
        std::array::from_fn(|v| (0..4).fold(0, |value, j| value | ((image[j] >> v & 1) as u8) << j))
    }

    #[test]
    fn circuits_are_the_tables_without_their_constants() {
        let circuits = [s0, s1, s2, s3, s4, s5, s6, s7];
        for (circuit, s) in circuits.into_iter().zip(S) {
            assert_eq!(table(circuit), s.map(|value| value ^ s[0]));
        }
    }

    #[test]
    fn inverse_circuits_undo_them() {
        let inverses =
            [s0_inverse, s1_inverse, s2_inverse, s3_inverse, s4_inverse, s5_inverse, s6_inverse, s7_inverse];
        for (circuit, s) in inverses.into_iter().zip(S) {
            let inverse = table(circuit);
            assert!((0..16).all(|v| usize::from(inverse[usize::from(s[v] ^ s[0])]) == v));
        }
    }
}

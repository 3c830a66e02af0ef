//! The S-box and its inverse as boolean circuits over bit planes: no table, so no address depends on a secret.
//!
//! Straight-line programs of J. Boyar and R. Peralta, "A small depth-16 circuit for the AES S-box" (SEC 2012): 128 gates forwards, 127
//! backwards, around one shared non-linear middle, the inversion in GF(((2^2)^2)^2). Their depth of 16 suits wide cores better than the
//! smallest circuit (113 gates, depth 27). Names and order are the paper's; its `U` and `S` count from the top bit.
//!
//! The paper's NOT gates are left out. Forwards the result is S(x) ^ 0x63, and backwards the argument is x ^ 0x63: the caller folds
//! that constant into the round keys, since MixColumns keeps a column of equal bytes.

use std::ops::{BitAnd, BitXor};

/// One bit of each of many bytes.
pub(super) trait Plane: Copy + BitXor<Output = Self> + BitAnd<Output = Self> {}
impl<P: Copy + BitXor<Output = P> + BitAnd<Output = P>> Plane for P {}

/// The eight planes of a batch of bytes; plane i holds bit i (0 the lowest).
pub(super) type Planes<P> = [P; 8];

/// What the linear top layer hands to the middle.
struct Top<P> {
    t1: P,
    t2: P,
    t3: P,
    t4: P,
    t6: P,
    t8: P,
    t9: P,
    t10: P,
    t13: P,
    t14: P,
    t15: P,
    t16: P,
    t17: P,
    t19: P,
    t20: P,
    t22: P,
    t23: P,
    t24: P,
    t25: P,
    t26: P,
    t27: P,
    d: P,
}

/// S(x) ^ 0x63 of every byte.
#[inline(always)]
pub(super) fn sub_bytes<P: Plane>([u7, u6, u5, u4, u3, u2, u1, u0]: Planes<P>) -> Planes<P> {
    let t1 = u0 ^ u3;
    let t2 = u0 ^ u5;
    let t3 = u0 ^ u6;
    let t4 = u3 ^ u5;
    let t5 = u4 ^ u6;
    let t6 = t1 ^ t5;
    let t7 = u1 ^ u2;
    let t8 = u7 ^ t6;
    let t9 = u7 ^ t7;
    let t10 = t6 ^ t7;
    let t11 = u1 ^ u5;
    let t12 = u2 ^ u5;
    let t13 = t3 ^ t4;
    let t14 = t6 ^ t11;
    let t15 = t5 ^ t11;
    let t16 = t5 ^ t12;
    let t17 = t9 ^ t16;
    let t18 = u3 ^ u7;
    let t19 = t7 ^ t18;
    let t20 = t1 ^ t19;
    let t21 = u6 ^ u7;
    let t22 = t7 ^ t21;
    let t23 = t2 ^ t22;
    let t24 = t2 ^ t10;
    let t25 = t20 ^ t17;
    let t26 = t3 ^ t16;
    let t27 = t1 ^ t12;
    let [m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63] =
        middle(Top {
            t1,
            t2,
            t3,
            t4,
            t6,
            t8,
            t9,
            t10,
            t13,
            t14,
            t15,
            t16,
            t17,
            t19,
            t20,
            t22,
            t23,
            t24,
            t25,
            t26,
            t27,
            d: u7,
        });
    let l0 = m61 ^ m62;
    let l1 = m50 ^ m56;
    let l2 = m46 ^ m48;
    let l3 = m47 ^ m55;
    let l4 = m54 ^ m58;
    let l5 = m49 ^ m61;
    let l6 = m62 ^ l5;
    let l7 = m46 ^ l3;
    let l8 = m51 ^ m59;
    let l9 = m52 ^ m53;
    let l10 = m53 ^ l4;
    let l11 = m60 ^ l2;
    let l12 = m48 ^ m51;
    let l13 = m50 ^ l0;
    let l14 = m52 ^ m61;
    let l15 = m55 ^ l1;
    let l16 = m56 ^ l0;
    let l17 = m57 ^ l1;
    let l18 = m58 ^ l8;
    let l19 = m63 ^ l4;
    let l20 = l0 ^ l1;
    let l21 = l1 ^ l7;
    let l22 = l3 ^ l12;
    let l23 = l18 ^ l2;
    let l24 = l15 ^ l9;
    let l25 = l6 ^ l10;
    let l26 = l7 ^ l9;
    let l27 = l8 ^ l10;
    let l28 = l11 ^ l14;
    let l29 = l11 ^ l17;
    let s0 = l6 ^ l24;
    let s1 = l16 ^ l26;
    let s2 = l19 ^ l28;
    let s3 = l6 ^ l21;
    let s4 = l20 ^ l22;
    let s5 = l25 ^ l29;
    let s6 = l13 ^ l27;
    let s7 = l6 ^ l23;
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

/// The inverse S-box of every byte x, from x ^ 0x63.
#[inline(always)]
pub(super) fn inv_sub_bytes<P: Plane>([u7, u6, u5, u4, u3, u2, u1, u0]: Planes<P>) -> Planes<P> {
    let t23 = u0 ^ u3;
    let t22 = u1 ^ u3;
    let t2 = u0 ^ u1;
    let t1 = u3 ^ u4;
    let t24 = u4 ^ u7;
    let r5 = u6 ^ u7;
    let t8 = u1 ^ t23;
    let t19 = t22 ^ r5;
    let t9 = u7 ^ t1;
    let t10 = t2 ^ t24;
    let t13 = t2 ^ r5;
    let t3 = t1 ^ r5;
    let t25 = u2 ^ t1;
    let r13 = u1 ^ u6;
    let t17 = u2 ^ t19;
    let t20 = t24 ^ r13;
    let t4 = u4 ^ t8;
    let r17 = u2 ^ u5;
    let r18 = u5 ^ u6;
    let r19 = u2 ^ u4;
    let d = u0 ^ r17;
    let t6 = t22 ^ r17;
    let t16 = r13 ^ r19;
    let t27 = t1 ^ r18;
    let t15 = t10 ^ t27;
    let t14 = t10 ^ r18;
    let t26 = t3 ^ t16;
    let [m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63] =
        middle(Top {
            t1,
            t2,
            t3,
            t4,
            t6,
            t8,
            t9,
            t10,
            t13,
            t14,
            t15,
            t16,
            t17,
            t19,
            t20,
            t22,
            t23,
            t24,
            t25,
            t26,
            t27,
            d,
        });
    let p0 = m52 ^ m61;
    let p1 = m58 ^ m59;
    let p2 = m54 ^ m62;
    let p3 = m47 ^ m50;
    let p4 = m48 ^ m56;
    let p5 = m46 ^ m51;
    let p6 = m49 ^ m60;
    let p7 = p0 ^ p1;
    let p8 = m50 ^ m53;
    let p9 = m55 ^ m63;
    let p10 = m57 ^ p4;
    let p11 = p0 ^ p3;
    let p12 = m46 ^ m48;
    let p13 = m49 ^ m51;
    let p14 = m49 ^ m62;
    let p15 = m54 ^ m59;
    let p16 = m57 ^ m61;
    let p17 = m58 ^ p2;
    let p18 = m63 ^ p5;
    let p19 = p2 ^ p3;
    let p20 = p4 ^ p6;
    let p22 = p2 ^ p7;
    let p23 = p7 ^ p8;
    let p24 = p5 ^ p7;
    let p25 = p6 ^ p10;
    let p26 = p9 ^ p11;
    let p27 = p10 ^ p18;
    let p28 = p11 ^ p25;
    let p29 = p15 ^ p20;
    let w0 = p13 ^ p22;
    let w1 = p26 ^ p29;
    let w2 = p17 ^ p28;
    let w3 = p12 ^ p22;
    let w4 = p23 ^ p27;
    let w5 = p19 ^ p24;
    let w6 = p14 ^ p23;
    let w7 = p9 ^ p16;
    [w7, w6, w5, w4, w3, w2, w1, w0]
}

/// The non-linear part: M1 to M63, of which the last 18 go on.
#[inline(always)]
fn middle<P: Plane>(top: Top<P>) -> [P; 18] {
    let Top {
        t1,
        t2,
        t3,
        t4,
        t6,
        t8,
        t9,
        t10,
        t13,
        t14,
        t15,
        t16,
        t17,
        t19,
        t20,
        t22,
        t23,
        t24,
        t25,
        t26,
        t27,
        d,
    } = top;
    let m1 = t13 & t6;
    let m2 = t23 & t8;
    let m3 = t14 ^ m1;
    let m4 = t19 & d;
    let m5 = m4 ^ m1;
    let m6 = t3 & t16;
    let m7 = t22 & t9;
    let m8 = t26 ^ m6;
    let m9 = t20 & t17;
    let m10 = m9 ^ m6;
    let m11 = t1 & t15;
    let m12 = t4 & t27;
    let m13 = m12 ^ m11;
    let m14 = t2 & t10;
    let m15 = m14 ^ m11;
    let m16 = m3 ^ m2;
    let m17 = m5 ^ t24;
    let m18 = m8 ^ m7;
    let m19 = m10 ^ m15;
    let m20 = m16 ^ m13;
    let m21 = m17 ^ m15;
    let m22 = m18 ^ m13;
    let m23 = m19 ^ t25;
    let m24 = m22 ^ m23;
    let m25 = m22 & m20;
    let m26 = m21 ^ m25;
    let m27 = m20 ^ m21;
    let m28 = m23 ^ m25;
    let m29 = m28 & m27;
    let m30 = m26 & m24;
    let m31 = m20 & m23;
    let m32 = m27 & m31;
    let m33 = m27 ^ m25;
    let m34 = m21 & m22;
    let m35 = m24 & m34;
    let m36 = m24 ^ m25;
    let m37 = m21 ^ m29;
    let m38 = m32 ^ m33;
    let m39 = m23 ^ m30;
    let m40 = m35 ^ m36;
    let m41 = m38 ^ m40;
    let m42 = m37 ^ m39;
    let m43 = m37 ^ m38;
    let m44 = m39 ^ m40;
    let m45 = m42 ^ m41;
    let m46 = m44 & t6;
    let m47 = m40 & t8;
    let m48 = m39 & d;
    let m49 = m43 & t16;
    let m50 = m38 & t9;
    let m51 = m37 & t17;
    let m52 = m42 & t15;
    let m53 = m45 & t27;
    let m54 = m41 & t10;
    let m55 = m44 & t13;
    let m56 = m40 & t23;
    let m57 = m39 & t19;
    let m58 = m43 & t3;
    let m59 = m38 & t22;
    let m60 = m37 & t20;
    let m61 = m42 & t1;
    let m62 = m45 & t4;
    let m63 = m41 & t2;
    [m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciphers::rijndael::reference;

    /// All 256 bytes at once, as planes of 256 bits would be: here as bits of `u64` in four parts.
    #[test]
    fn circuits_are_the_sboxes() {
        for part in 0..4 {
            let bytes: [u8; 64] = std::array::from_fn(|i| (64 * part + i) as u8);
            let forwards = bytes_of(sub_bytes(planes_of(bytes))).map(|byte| byte ^ 0x63);
            assert_eq!(forwards, bytes.map(reference::sub_byte));
            let backwards = bytes_of(inv_sub_bytes(planes_of(bytes.map(|byte| byte ^ 0x63))));
            assert_eq!(backwards, bytes.map(reference::inv_sub_byte));
        }
    }

    fn planes_of(bytes: [u8; 64]) -> Planes<u64> {
        std::array::from_fn(|bit| (0..64).map(|at| u64::from(bytes[at] >> bit & 1) << at).sum())
    }

    fn bytes_of(planes: Planes<u64>) -> [u8; 64] {
        std::array::from_fn(|at| (0..8).map(|bit| ((planes[bit] >> at & 1) as u8) << bit).sum())
    }
}

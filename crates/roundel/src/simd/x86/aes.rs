//! AES rounds and carry-less products on 128-bit lanes: AES-NI and PCLMULQDQ.

use super::sse2::{X128, load128, op, simd128};
use super::stream::Unordered;
use crate::simd::{AesSimd, Level, Simd, Task, Vector};
use std::arch::x86_64::*;

/// The token of AES-NI and PCLMULQDQ.
#[derive(Clone, Copy, Debug)]
pub struct Aes(pub(super) ());

simd128!(Aes, Level::Aes, true, "aes,pclmulqdq,sse4.1,ssse3");

/// An intrinsic of AES-NI or PCLMULQDQ.
macro_rules! aes {
    ($call:expr) => {
        // SAFETY: a token is only made by `detect`, which found AES-NI and PCLMULQDQ (or by `Vaes`, whose level includes them).
        X128(unsafe { $call })
    };
}

impl Aes {
    /// InvMixColumns, which turns a middle round key of encryption into one of the equivalent inverse cipher.
    #[inline(always)]
    pub fn inv_mix_columns(self, block: X128<true>) -> X128<true> {
        aes!(_mm_aesimc_si128(block.0))
    }
}

impl AesSimd for Aes {
    #[inline(always)]
    fn perform(self, task: impl Task) {
        #[target_feature(enable = "aes,pclmulqdq,sse4.1,ssse3")]
        fn inner(task: impl Task) {
            task.run();
        }
        // SAFETY: a token is only made by `detect`, which found these features (or by `Vaes`, whose level includes them).
        unsafe { inner(task) }
    }

    #[inline(always)]
    fn narrow(self) -> Aes {
        self
    }

    #[inline(always)]
    fn load_blocks(self, blocks: &[X128<true>]) -> X128<true> {
        blocks[0]
    }

    #[inline(always)]
    fn repeat(self, block: X128<true>) -> X128<true> {
        block
    }

    #[inline(always)]
    fn fold(self, parts: X128<true>) -> X128<true> {
        parts
    }

    #[inline(always)]
    fn shift_in(self, first: X128<true>, _: X128<true>) -> X128<true> {
        first
    }

    #[inline(always)]
    fn stream(self, x: X128<true>, bytes: &mut [u8], _: Unordered<'_>) {
        let bytes: &mut [u8; 16] = bytes.first_chunk_mut().expect("a vector's bytes");
        let at: *mut __m128i = bytes.as_mut_ptr().cast();
        if !at.is_aligned() {
            return x.store(bytes);
        }
        // SAFETY: the reference covers 16 writable bytes, aligned; the token proves the instruction, and who gave leave fences afterwards.
        unsafe { _mm_stream_si128(at, x.0) }
    }

    #[inline(always)]
    fn tie(self, [a, b, c, d, e, f, g, h]: &mut [X128<true>; 8], [i, j, k]: [&mut X128<true>; 3]) {
        // SAFETY: the token proves the registers' instruction set.
        unsafe {
            tie([
                &mut a.0, &mut b.0, &mut c.0, &mut d.0, &mut e.0, &mut f.0, &mut g.0, &mut h.0, &mut i.0,
                &mut j.0, &mut k.0,
            ])
        }
    }

    #[inline(always)]
    fn opaque(self, x: X128<true>) -> X128<true> {
        // SAFETY: the token proves the register's instruction set.
        X128(unsafe { opaque(x.0) })
    }

    #[inline(always)]
    fn enc(self, x: X128<true>, key: X128<true>) -> X128<true> {
        aes!(_mm_aesenc_si128(x.0, key.0))
    }

    #[inline(always)]
    fn enc_last(self, x: X128<true>, key: X128<true>) -> X128<true> {
        aes!(_mm_aesenclast_si128(x.0, key.0))
    }

    #[inline(always)]
    fn dec(self, x: X128<true>, key: X128<true>) -> X128<true> {
        aes!(_mm_aesdec_si128(x.0, key.0))
    }

    #[inline(always)]
    fn dec_last(self, x: X128<true>, key: X128<true>) -> X128<true> {
        aes!(_mm_aesdeclast_si128(x.0, key.0))
    }

    #[inline(always)]
    fn clmul_lo(self, a: X128<true>, b: X128<true>) -> X128<true> {
        aes!(_mm_clmulepi64_si128::<0x00>(a.0, b.0))
    }

    #[inline(always)]
    fn clmul_hi(self, a: X128<true>, b: X128<true>) -> X128<true> {
        aes!(_mm_clmulepi64_si128::<0x11>(a.0, b.0))
    }

    #[inline(always)]
    fn clmul_hi_lo(self, a: X128<true>, b: X128<true>) -> X128<true> {
        aes!(_mm_clmulepi64_si128::<0x01>(a.0, b.0))
    }
}

/// No instruction: a place in the order of those around it.
#[inline]
#[target_feature(enable = "sse2")]
fn tie([a, b, c, d, e, f, g, h, i, j, k]: [&mut __m128i; 11]) {
    // SAFETY: the template is a comment, no instruction.
    unsafe {
        std::arch::asm!(
            "/* {} {} {} {} {} {} {} {} {} {} {} */",
            inout(xmm_reg) * a,
            inout(xmm_reg) * b,
            inout(xmm_reg) * c,
            inout(xmm_reg) * d,
            inout(xmm_reg) * e,
            inout(xmm_reg) * f,
            inout(xmm_reg) * g,
            inout(xmm_reg) * h,
            inout(xmm_reg) * i,
            inout(xmm_reg) * j,
            inout(xmm_reg) * k,
            options(nomem, nostack, preserves_flags),
        );
    }
}

/// No instruction: a value whose origin is hidden.
#[inline]
#[target_feature(enable = "sse2")]
fn opaque(mut x: __m128i) -> __m128i {
    // SAFETY: the template is a comment, no instruction.
    unsafe {
        std::arch::asm!("/* {} */", inout(xmm_reg) x, options(nomem, nostack, preserves_flags));
    }
    x
}

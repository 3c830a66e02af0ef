//! AES rounds and carry-less products on 256-bit lanes: VAES and VPCLMULQDQ.

use super::aes::Aes;
use super::avx2::{X256, simd256};
use super::sse2::{X128, load128};
use super::stream::Unordered;
use crate::simd::{AesSimd, Level, Simd, Task, Vector};
use std::arch::x86_64::*;

/// The token of VAES and VPCLMULQDQ at 256 bits.
#[derive(Clone, Copy, Debug)]
pub struct Vaes(());

simd256!(Vaes, Level::Vaes, "avx2,vaes,vpclmulqdq,aes,pclmulqdq");

/// An intrinsic of VAES, VPCLMULQDQ or AVX2.
macro_rules! vaes {
    ($call:expr) => {
        // SAFETY: a token is only made by `detect`, which found VAES, VPCLMULQDQ and AVX2.
        X256(unsafe { $call })
    };
}

impl AesSimd for Vaes {
    #[inline(always)]
    fn perform(self, task: impl Task) {
        #[target_feature(enable = "avx2,vaes,vpclmulqdq,aes,pclmulqdq")]
        fn inner(task: impl Task) {
            task.run();
        }
        // SAFETY: a token is only made by `detect`, which found these features.
        unsafe { inner(task) }
    }

    #[inline(always)]
    fn narrow(self) -> Aes {
        Aes(())
    }

    #[inline(always)]
    fn load_blocks(self, blocks: &[X128<true>]) -> X256 {
        let two: &[X128<true>; 2] = blocks.first_chunk().expect("a block for each part");
        // SAFETY: the reference covers 32 readable bytes, unaligned is allowed; the token proves AVX2.
        X256(unsafe { _mm256_loadu_si256(two.as_ptr().cast()) })
    }

    #[inline(always)]
    fn repeat(self, block: X128<true>) -> X256 {
        vaes!(_mm256_broadcastsi128_si256(block.0))
    }

    #[inline(always)]
    fn fold(self, parts: X256) -> X128<true> {
        // SAFETY: a token is only made by `detect`, which found AVX2.
        X128(unsafe {
            _mm_xor_si128(_mm256_castsi256_si128(parts.0), _mm256_extracti128_si256::<1>(parts.0))
        })
    }

    #[inline(always)]
    fn shift_in(self, first: X128<true>, rest: X256) -> X256 {
        vaes!(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first.0), _mm256_castsi256_si128(rest.0)))
    }

    #[inline(always)]
    fn stream(self, x: X256, bytes: &mut [u8], _: Unordered<'_>) {
        let bytes: &mut [u8; 32] = bytes.first_chunk_mut().expect("a vector's bytes");
        let at: *mut __m256i = bytes.as_mut_ptr().cast();
        if !at.is_aligned() {
            return x.store(bytes);
        }
        // SAFETY: the reference covers 32 writable bytes, aligned; the token proves the instruction, and who gave leave fences afterwards.
        unsafe { _mm256_stream_si256(at, x.0) }
    }

    #[inline(always)]
    fn tie(self, [a, b, c, d, e, f, g, h]: &mut [X256; 8], [i, j, k]: [&mut X256; 3]) {
        // SAFETY: the token proves the registers' instruction set.
        unsafe {
            tie([
                &mut a.0, &mut b.0, &mut c.0, &mut d.0, &mut e.0, &mut f.0, &mut g.0, &mut h.0, &mut i.0,
                &mut j.0, &mut k.0,
            ])
        }
    }

    #[inline(always)]
    fn opaque(self, x: X256) -> X256 {
        // SAFETY: the token proves the register's instruction set.
        X256(unsafe { opaque(x.0) })
    }

    #[inline(always)]
    fn enc(self, x: X256, key: X256) -> X256 {
        vaes!(_mm256_aesenc_epi128(x.0, key.0))
    }

    #[inline(always)]
    fn enc_last(self, x: X256, key: X256) -> X256 {
        vaes!(_mm256_aesenclast_epi128(x.0, key.0))
    }

    #[inline(always)]
    fn dec(self, x: X256, key: X256) -> X256 {
        vaes!(_mm256_aesdec_epi128(x.0, key.0))
    }

    #[inline(always)]
    fn dec_last(self, x: X256, key: X256) -> X256 {
        vaes!(_mm256_aesdeclast_epi128(x.0, key.0))
    }

    #[inline(always)]
    fn clmul_lo(self, a: X256, b: X256) -> X256 {
        vaes!(_mm256_clmulepi64_epi128::<0x00>(a.0, b.0))
    }

    #[inline(always)]
    fn clmul_hi(self, a: X256, b: X256) -> X256 {
        vaes!(_mm256_clmulepi64_epi128::<0x11>(a.0, b.0))
    }

    #[inline(always)]
    fn clmul_hi_lo(self, a: X256, b: X256) -> X256 {
        vaes!(_mm256_clmulepi64_epi128::<0x01>(a.0, b.0))
    }
}

/// No instruction: a place in the order of those around it.
#[inline]
#[target_feature(enable = "avx2")]
fn tie([a, b, c, d, e, f, g, h, i, j, k]: [&mut __m256i; 11]) {
    // SAFETY: the template is a comment, no instruction.
    unsafe {
        std::arch::asm!(
            "/* {} {} {} {} {} {} {} {} {} {} {} */",
            inout(ymm_reg) * a,
            inout(ymm_reg) * b,
            inout(ymm_reg) * c,
            inout(ymm_reg) * d,
            inout(ymm_reg) * e,
            inout(ymm_reg) * f,
            inout(ymm_reg) * g,
            inout(ymm_reg) * h,
            inout(ymm_reg) * i,
            inout(ymm_reg) * j,
            inout(ymm_reg) * k,
            options(nomem, nostack, preserves_flags),
        );
    }
}

/// No instruction: a value whose origin is hidden.
#[inline]
#[target_feature(enable = "avx2")]
fn opaque(mut x: __m256i) -> __m256i {
    // SAFETY: the template is a comment, no instruction.
    unsafe {
        std::arch::asm!("/* {} */", inout(ymm_reg) x, options(nomem, nostack, preserves_flags));
    }
    x
}

//! AES rounds and carry-less products on 512-bit lanes: VAES and VPCLMULQDQ with AVX-512.

use super::aes::Aes;
use super::avx512::X512;
use super::sse2::{X128, load128};
use super::stream::Unordered;
use crate::simd::{AesSimd, Level, Simd, Task, Vector};
use std::arch::x86_64::*;

/// The token of VAES and VPCLMULQDQ at 512 bits.
#[derive(Clone, Copy, Debug)]
pub struct Vaes512(());

/// An intrinsic of VAES, VPCLMULQDQ or AVX-512.
macro_rules! vaes {
    ($call:expr) => {
        // SAFETY: a token is only made by `detect`, which found VAES, VPCLMULQDQ and AVX-512.
        X512(unsafe { $call })
    };
}

impl Simd for Vaes512 {
    const LEVEL: Level = Level::Vaes512;
    type V = X512;

    fn detect() -> Option<Self> {
        Self::LEVEL.available().then_some(Self(()))
    }

    #[inline(always)]
    fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,vaes,vpclmulqdq,aes,pclmulqdq")]
        fn inner<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: a token is only made by `detect`, which found these features.
        unsafe { inner(f) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> X512 {
        let bytes: &[u8; 64] = bytes.first_chunk().expect("a vector's bytes");
        // SAFETY: the reference covers 64 readable bytes, unaligned is allowed; the token proves AVX-512.
        X512(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load_parts(self, bytes: &[u8], stride: usize) -> X512 {
        let part = |i: usize| load128(bytes[i * stride..].first_chunk().expect("each part's bytes"));
        let [a, b, c, d] = [part(0), part(1), part(2), part(3)];
        // SAFETY: the token proves AVX-512.
        X512(unsafe {
            let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b);
            let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), d);
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        })
    }

    #[inline(always)]
    fn broadcast128(self, bytes: &[u8; 16]) -> X512 {
        vaes!(_mm512_broadcast_i32x4(load128(bytes)))
    }

    #[inline(always)]
    fn splat32(self, lane: u32) -> X512 {
        vaes!(_mm512_set1_epi32(lane as i32))
    }

    #[inline(always)]
    fn splat64(self, lane: u64) -> X512 {
        vaes!(_mm512_set1_epi64(lane as i64))
    }
}

impl AesSimd for Vaes512 {
    #[inline(always)]
    fn perform(self, task: impl Task) {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,vaes,vpclmulqdq,aes,pclmulqdq")]
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
    fn load_blocks(self, blocks: &[X128<true>]) -> X512 {
        let four: &[X128<true>; 4] = blocks.first_chunk().expect("a block for each part");
        // SAFETY: the reference covers 64 readable bytes, unaligned is allowed; the token proves AVX-512.
        X512(unsafe { _mm512_loadu_si512(four.as_ptr().cast()) })
    }

    #[inline(always)]
    fn repeat(self, block: X128<true>) -> X512 {
        vaes!(_mm512_broadcast_i32x4(block.0))
    }

    #[inline(always)]
    fn fold(self, parts: X512) -> X128<true> {
        // SAFETY: a token is only made by `detect`, which found AVX-512.
        X128(unsafe {
            let two =
                _mm256_xor_si256(_mm512_castsi512_si256(parts.0), _mm512_extracti64x4_epi64::<1>(parts.0));
            _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two))
        })
    }

    #[inline(always)]
    fn shift_in(self, first: X128<true>, rest: X512) -> X512 {
        // The parts in a register pair from `rest` and `first`, moved along by one.
        vaes!(_mm512_alignr_epi64::<6>(rest.0, _mm512_broadcast_i32x4(first.0)))
    }

    #[inline(always)]
    fn stream(self, x: X512, bytes: &mut [u8], _: Unordered<'_>) {
        let bytes: &mut [u8; 64] = bytes.first_chunk_mut().expect("a vector's bytes");
        let at: *mut __m512i = bytes.as_mut_ptr().cast();
        if !at.is_aligned() {
            return x.store(bytes);
        }
        // SAFETY: the reference covers 64 writable bytes, aligned; the token proves the instruction, and who gave leave fences afterwards.
        unsafe { _mm512_stream_si512(at, x.0) }
    }

    #[inline(always)]
    fn tie(self, [a, b, c, d, e, f, g, h]: &mut [X512; 8], [i, j, k]: [&mut X512; 3]) {
        // SAFETY: the token proves the registers' instruction set.
        unsafe {
            tie([
                &mut a.0, &mut b.0, &mut c.0, &mut d.0, &mut e.0, &mut f.0, &mut g.0, &mut h.0, &mut i.0,
                &mut j.0, &mut k.0,
            ])
        }
    }

    #[inline(always)]
    fn opaque(self, x: X512) -> X512 {
        // SAFETY: the token proves the register's instruction set.
        X512(unsafe { opaque(x.0) })
    }

    #[inline(always)]
    fn enc(self, x: X512, key: X512) -> X512 {
        vaes!(_mm512_aesenc_epi128(x.0, key.0))
    }

    #[inline(always)]
    fn enc_last(self, x: X512, key: X512) -> X512 {
        vaes!(_mm512_aesenclast_epi128(x.0, key.0))
    }

    #[inline(always)]
    fn dec(self, x: X512, key: X512) -> X512 {
        vaes!(_mm512_aesdec_epi128(x.0, key.0))
    }

    #[inline(always)]
    fn dec_last(self, x: X512, key: X512) -> X512 {
        vaes!(_mm512_aesdeclast_epi128(x.0, key.0))
    }

    #[inline(always)]
    fn clmul_lo(self, a: X512, b: X512) -> X512 {
        vaes!(_mm512_clmulepi64_epi128::<0x00>(a.0, b.0))
    }

    #[inline(always)]
    fn clmul_hi(self, a: X512, b: X512) -> X512 {
        vaes!(_mm512_clmulepi64_epi128::<0x11>(a.0, b.0))
    }

    #[inline(always)]
    fn clmul_hi_lo(self, a: X512, b: X512) -> X512 {
        vaes!(_mm512_clmulepi64_epi128::<0x01>(a.0, b.0))
    }
}

/// No instruction: a place in the order of those around it.
#[inline]
#[target_feature(enable = "avx512f")]
fn tie([a, b, c, d, e, f, g, h, i, j, k]: [&mut __m512i; 11]) {
    // SAFETY: the template is a comment, no instruction.
    unsafe {
        std::arch::asm!(
            "/* {} {} {} {} {} {} {} {} {} {} {} */",
            inout(zmm_reg) * a,
            inout(zmm_reg) * b,
            inout(zmm_reg) * c,
            inout(zmm_reg) * d,
            inout(zmm_reg) * e,
            inout(zmm_reg) * f,
            inout(zmm_reg) * g,
            inout(zmm_reg) * h,
            inout(zmm_reg) * i,
            inout(zmm_reg) * j,
            inout(zmm_reg) * k,
            options(nomem, nostack, preserves_flags),
        );
    }
}

/// No instruction: a value whose origin is hidden.
#[inline]
#[target_feature(enable = "avx512f")]
fn opaque(mut x: __m512i) -> __m512i {
    // SAFETY: the template is a comment, no instruction.
    unsafe {
        std::arch::asm!("/* {} */", inout(zmm_reg) x, options(nomem, nostack, preserves_flags));
    }
    x
}

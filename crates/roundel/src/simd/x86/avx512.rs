//! 512-bit lanes: AVX-512 (F, BW and VL).

use super::sse2::store128;
use crate::simd::Vector;
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor};

/// 512 bits; made only by tokens of AVX-512.
#[derive(Clone, Copy, Debug)]
pub struct X512(pub(super) __m512i);

/// An intrinsic on vectors: safe, since a vector is only made by a token that proves AVX-512.
macro_rules! op {
    ($call:expr) => {
        // SAFETY: the operands are vectors, which only tokens of AVX-512 make.
        X512(unsafe { $call })
    };
}

impl BitXor for X512 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        op!(_mm512_xor_si512(self.0, other.0))
    }
}

impl BitAnd for X512 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        op!(_mm512_and_si512(self.0, other.0))
    }
}

impl BitOr for X512 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        op!(_mm512_or_si512(self.0, other.0))
    }
}

impl Vector for X512 {
    const BYTES: usize = 64;

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        let bytes: &mut [u8; 64] = bytes.first_chunk_mut().expect("a vector's bytes");
        // SAFETY: the reference covers 64 writable bytes, unaligned is allowed; the vector proves AVX-512.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn store_parts(self, bytes: &mut [u8], stride: usize) {
        // SAFETY: the vector proves AVX-512.
        let parts = unsafe {
            [
                _mm512_castsi512_si128(self.0),
                _mm512_extracti32x4_epi32::<1>(self.0),
                _mm512_extracti32x4_epi32::<2>(self.0),
                _mm512_extracti32x4_epi32::<3>(self.0),
            ]
        };
        for (i, part) in parts.into_iter().enumerate() {
            store128(bytes[i * stride..].first_chunk_mut().expect("each part's bytes"), part);
        }
    }

    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        op!(_mm512_andnot_si512(mask.0, self.0))
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        op!(_mm512_add_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn sub32(self, other: Self) -> Self {
        op!(_mm512_sub_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        op!(_mm512_mullo_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn shl32<const N: i32>(self) -> Self {
        op!(_mm512_sll_epi32(self.0, _mm_cvtsi32_si128(N)))
    }

    #[inline(always)]
    fn shr32<const N: i32>(self) -> Self {
        op!(_mm512_srl_epi32(self.0, _mm_cvtsi32_si128(N)))
    }

    #[inline(always)]
    fn rotl32_by(self, by: Self) -> Self {
        op!(_mm512_rolv_epi32(self.0, by.0))
    }

    #[inline(always)]
    fn rotr32_by(self, by: Self) -> Self {
        op!(_mm512_rorv_epi32(self.0, by.0))
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        op!(_mm512_add_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn shl64<const N: i32>(self) -> Self {
        op!(_mm512_sll_epi64(self.0, _mm_cvtsi32_si128(N)))
    }

    #[inline(always)]
    fn shr64<const N: i32>(self) -> Self {
        op!(_mm512_srl_epi64(self.0, _mm_cvtsi32_si128(N)))
    }

    #[inline(always)]
    fn unpack_lo32(self, other: Self) -> Self {
        op!(_mm512_unpacklo_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi32(self, other: Self) -> Self {
        op!(_mm512_unpackhi_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_lo64(self, other: Self) -> Self {
        op!(_mm512_unpacklo_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi64(self, other: Self) -> Self {
        op!(_mm512_unpackhi_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn add8(self, other: Self) -> Self {
        op!(_mm512_add_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn sub8(self, other: Self) -> Self {
        op!(_mm512_sub_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn select8(self, other: Self, mask: Self) -> Self {
        op!(_mm512_mask_blend_epi8(_mm512_movepi8_mask(mask.0), self.0, other.0))
    }

    #[inline(always)]
    fn unpack_lo8(self, other: Self) -> Self {
        op!(_mm512_unpacklo_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi8(self, other: Self) -> Self {
        op!(_mm512_unpackhi_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn shuffle8(self, index: Self) -> Self {
        op!(_mm512_shuffle_epi8(self.0, index.0))
    }
}

//! 256-bit lanes: AVX2.

use super::sse2::{load128, store128};
use crate::simd::{Level, Simd, Vector};
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor};

/// The token of AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// 256 bits; made only by tokens of AVX2 and above.
#[derive(Clone, Copy, Debug)]
pub struct X256(pub(super) __m256i);

/// What every token of 256-bit lanes does alike.
macro_rules! simd256 {
    ($token:ty, $level:expr, $features:literal) => {
        impl Simd for $token {
            const LEVEL: Level = $level;
            type V = X256;

            fn detect() -> Option<Self> {
                Self::LEVEL.available().then_some(Self(()))
            }

            #[inline(always)]
            fn enter<R>(self, f: impl FnOnce() -> R) -> R {
                #[target_feature(enable = $features)]
                fn inner<R>(f: impl FnOnce() -> R) -> R {
                    f()
                }
                // SAFETY: a token is only made by `detect`, which found these features.
                unsafe { inner(f) }
            }

            #[inline(always)]
            fn load(self, bytes: &[u8]) -> X256 {
                let bytes: &[u8; 32] = bytes.first_chunk().expect("a vector's bytes");
                // SAFETY: the reference covers 32 readable bytes, unaligned is allowed; the token proves AVX2.
                X256(unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) })
            }

            #[inline(always)]
            fn load_parts(self, bytes: &[u8], stride: usize) -> X256 {
                let low = bytes.first_chunk().expect("the first part's bytes");
                let high = bytes[stride..].first_chunk().expect("the second part's bytes");
                // SAFETY: the token proves AVX2.
                X256(unsafe {
                    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(load128(low)), load128(high))
                })
            }

            #[inline(always)]
            fn broadcast128(self, bytes: &[u8; 16]) -> X256 {
                // SAFETY: the token proves AVX2.
                X256(unsafe { _mm256_broadcastsi128_si256(load128(bytes)) })
            }

            #[inline(always)]
            fn splat32(self, lane: u32) -> X256 {
                // SAFETY: the token proves AVX2.
                X256(unsafe { _mm256_set1_epi32(lane as i32) })
            }

            #[inline(always)]
            fn splat64(self, lane: u64) -> X256 {
                // SAFETY: the token proves AVX2.
                X256(unsafe { _mm256_set1_epi64x(lane as i64) })
            }
        }
    };
}
pub(super) use simd256;

simd256!(Avx2, Level::Avx2, "avx2");

/// An intrinsic on vectors: safe, since a vector is only made by a token that proves AVX2.
macro_rules! op {
    ($call:expr) => {
        // SAFETY: the operands are vectors, which only tokens of AVX2 and above make.
        X256(unsafe { $call })
    };
}

impl BitXor for X256 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        op!(_mm256_xor_si256(self.0, other.0))
    }
}

impl BitAnd for X256 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        op!(_mm256_and_si256(self.0, other.0))
    }
}

impl BitOr for X256 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        op!(_mm256_or_si256(self.0, other.0))
    }
}

/// A rotation's count and that of the opposite shift, both modulo 32. For a rotation by 0 both are 0, and x | x is right; a shift by 32, which would
/// give the same, costs a compare and a mask, since the compiler does not see that the instruction itself allows it.
#[inline(always)]
fn rotation_counts(by: X256) -> (X256, X256) {
    let low_bits = op!(_mm256_set1_epi32(31));
    (op!(_mm256_sub_epi32(_mm256_setzero_si256(), by.0)) & low_bits, by & low_bits)
}

impl Vector for X256 {
    const BYTES: usize = 32;

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        let bytes: &mut [u8; 32] = bytes.first_chunk_mut().expect("a vector's bytes");
        // SAFETY: the reference covers 32 writable bytes, unaligned is allowed; the vector proves AVX2.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn store_parts(self, bytes: &mut [u8], stride: usize) {
        // SAFETY: the vector proves AVX2.
        let (low, high) = unsafe { (_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0)) };
        store128(bytes.first_chunk_mut().expect("the first part's bytes"), low);
        store128(bytes[stride..].first_chunk_mut().expect("the second part's bytes"), high);
    }

    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        op!(_mm256_andnot_si256(mask.0, self.0))
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        op!(_mm256_add_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn sub32(self, other: Self) -> Self {
        op!(_mm256_sub_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        op!(_mm256_mullo_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn shl32<const N: i32>(self) -> Self {
        op!(_mm256_slli_epi32::<N>(self.0))
    }

    #[inline(always)]
    fn shr32<const N: i32>(self) -> Self {
        op!(_mm256_srli_epi32::<N>(self.0))
    }

    #[inline(always)]
    fn rotl32_by(self, by: Self) -> Self {
        let (opposite, n) = rotation_counts(by);
        op!(_mm256_or_si256(_mm256_sllv_epi32(self.0, n.0), _mm256_srlv_epi32(self.0, opposite.0)))
    }

    #[inline(always)]
    fn rotr32_by(self, by: Self) -> Self {
        let (opposite, n) = rotation_counts(by);
        op!(_mm256_or_si256(_mm256_srlv_epi32(self.0, n.0), _mm256_sllv_epi32(self.0, opposite.0)))
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        op!(_mm256_add_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn shl64<const N: i32>(self) -> Self {
        op!(_mm256_slli_epi64::<N>(self.0))
    }

    #[inline(always)]
    fn shr64<const N: i32>(self) -> Self {
        op!(_mm256_srli_epi64::<N>(self.0))
    }

    #[inline(always)]
    fn unpack_lo32(self, other: Self) -> Self {
        op!(_mm256_unpacklo_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi32(self, other: Self) -> Self {
        op!(_mm256_unpackhi_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_lo64(self, other: Self) -> Self {
        op!(_mm256_unpacklo_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi64(self, other: Self) -> Self {
        op!(_mm256_unpackhi_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn add8(self, other: Self) -> Self {
        op!(_mm256_add_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn sub8(self, other: Self) -> Self {
        op!(_mm256_sub_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn select8(self, other: Self, mask: Self) -> Self {
        op!(_mm256_blendv_epi8(self.0, other.0, mask.0))
    }

    #[inline(always)]
    fn unpack_lo8(self, other: Self) -> Self {
        op!(_mm256_unpacklo_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi8(self, other: Self) -> Self {
        op!(_mm256_unpackhi_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn shuffle8(self, index: Self) -> Self {
        op!(_mm256_shuffle_epi8(self.0, index.0))
    }
}

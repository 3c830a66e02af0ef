//! 128-bit lanes: SSE2, which every x86-64 CPU has, and SSSE3, which adds the byte shuffle.

use crate::simd::{Level, Simd, Vector};
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor};
use zeroize::Zeroize;

/// The token of SSE2.
#[derive(Clone, Copy, Debug)]
pub struct Sse2(());

/// The token of SSSE3.
#[derive(Clone, Copy, Debug)]
pub struct Ssse3(());

/// 128 bits. `SHUFFLE` says that an SSSE3 (or higher) token made them, so that the byte shuffle is at hand.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct X128<const SHUFFLE: bool>(pub(super) __m128i);

impl<const S: bool> Zeroize for X128<S> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

#[inline(always)]
pub(super) fn load128(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the reference covers 16 readable bytes; the load has no alignment requirement.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline(always)]
pub(super) fn store128(bytes: &mut [u8; 16], value: __m128i) {
    // SAFETY: the reference covers 16 writable bytes; the store has no alignment requirement.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), value) }
}

/// Two 64-bit numbers with one store.
#[inline(always)]
pub(in crate::simd) fn store_halves(low: u64, high: u64, bytes: &mut [u8; 16]) {
    // SAFETY: SSE2 is part of x86-64.
    store128(bytes, unsafe { _mm_set_epi64x(high as i64, low as i64) });
}

/// An intrinsic of SSE2.
macro_rules! op {
    ($call:expr) => {
        // SAFETY: SSE2 is part of x86-64; its arithmetic has no other precondition.
        X128(unsafe { $call })
    };
}
pub(super) use op;

/// What every token of 128-bit lanes does alike.
macro_rules! simd128 {
    ($token:ty, $level:expr, $shuffle:literal, $feature:literal) => {
        impl Simd for $token {
            const LEVEL: Level = $level;
            type V = X128<$shuffle>;

            fn detect() -> Option<Self> {
                Self::LEVEL.available().then_some(Self(()))
            }

            #[inline(always)]
            fn enter<R>(self, f: impl FnOnce() -> R) -> R {
                #[target_feature(enable = $feature)]
                fn inner<R>(f: impl FnOnce() -> R) -> R {
                    f()
                }
                // SAFETY: a token is only made by `detect`, which found these features.
                unsafe { inner(f) }
            }

            #[inline(always)]
            fn load(self, bytes: &[u8]) -> Self::V {
                X128(load128(bytes.first_chunk().expect("a vector's bytes")))
            }

            #[inline(always)]
            fn broadcast128(self, bytes: &[u8; 16]) -> Self::V {
                X128(load128(bytes))
            }

            #[inline(always)]
            fn splat32(self, lane: u32) -> Self::V {
                op!(_mm_set1_epi32(lane as i32))
            }

            #[inline(always)]
            fn splat64(self, lane: u64) -> Self::V {
                op!(_mm_set1_epi64x(lane as i64))
            }
        }
    };
}
pub(super) use simd128;

simd128!(Sse2, Level::Sse2, false, "sse2");
simd128!(Ssse3, Level::Ssse3, true, "ssse3");

impl<const S: bool> BitXor for X128<S> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        op!(_mm_xor_si128(self.0, other.0))
    }
}

impl<const S: bool> BitAnd for X128<S> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        op!(_mm_and_si128(self.0, other.0))
    }
}

impl<const S: bool> BitOr for X128<S> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        op!(_mm_or_si128(self.0, other.0))
    }
}

/// 2^n in each lane, n the low five bits: n becomes the exponent of a float, which is converted back.
#[inline(always)]
fn power_of_two(n: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64; its arithmetic has no other precondition.
    unsafe {
        let exponent = _mm_slli_epi32(_mm_and_si128(n, _mm_set1_epi32(31)), 23);
        let float = _mm_castsi128_ps(_mm_add_epi32(exponent, _mm_set1_epi32(0x3F80_0000)));
        // 2^31 does not fit a signed lane; the instruction then gives 0x8000_0000, which is 2^31 unsigned.
        _mm_cvttps_epi32(float)
    }
}

/// The four 64-bit products of 32-bit lanes, as (low halves, high halves).
#[inline(always)]
fn widening_mul32(a: __m128i, b: __m128i) -> (__m128i, __m128i) {
    // SAFETY: SSE2 is part of x86-64; its arithmetic has no other precondition.
    unsafe {
        let even = _mm_mul_epu32(a, b);
        let odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
        let low_half = _mm_set1_epi64x(0xFFFF_FFFF);
        let low = _mm_or_si128(_mm_and_si128(even, low_half), _mm_slli_epi64(odd, 32));
        let high = _mm_or_si128(_mm_srli_epi64(even, 32), _mm_andnot_si128(low_half, odd));
        (low, high)
    }
}

impl<const S: bool> Vector for X128<S> {
    const BYTES: usize = 16;

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        store128(bytes.first_chunk_mut().expect("a vector's bytes"), self.0);
    }

    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        op!(_mm_andnot_si128(mask.0, self.0))
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        op!(_mm_add_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn sub32(self, other: Self) -> Self {
        op!(_mm_sub_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        X128(widening_mul32(self.0, other.0).0)
    }

    #[inline(always)]
    fn shl32<const N: i32>(self) -> Self {
        op!(_mm_slli_epi32::<N>(self.0))
    }

    #[inline(always)]
    fn shr32<const N: i32>(self) -> Self {
        op!(_mm_srli_epi32::<N>(self.0))
    }

    /// There is no shift by lane before AVX2: multiplication by 2^n leaves what is shifted out in the high half.
    #[inline(always)]
    fn rotl32_by(self, by: Self) -> Self {
        let (low, high) = widening_mul32(self.0, power_of_two(by.0));
        op!(_mm_or_si128(low, high))
    }

    #[inline(always)]
    fn rotr32_by(self, by: Self) -> Self {
        self.rotl32_by(op!(_mm_sub_epi32(_mm_setzero_si128(), by.0)))
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        op!(_mm_add_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn shl64<const N: i32>(self) -> Self {
        op!(_mm_slli_epi64::<N>(self.0))
    }

    #[inline(always)]
    fn shr64<const N: i32>(self) -> Self {
        op!(_mm_srli_epi64::<N>(self.0))
    }

    #[inline(always)]
    fn unpack_lo32(self, other: Self) -> Self {
        op!(_mm_unpacklo_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi32(self, other: Self) -> Self {
        op!(_mm_unpackhi_epi32(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_lo64(self, other: Self) -> Self {
        op!(_mm_unpacklo_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi64(self, other: Self) -> Self {
        op!(_mm_unpackhi_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn add8(self, other: Self) -> Self {
        op!(_mm_add_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn sub8(self, other: Self) -> Self {
        op!(_mm_sub_epi8(self.0, other.0))
    }

    /// The blend instruction came with SSE4.1; a comparison with zero spreads the top bit over its byte.
    #[inline(always)]
    fn select8(self, other: Self, mask: Self) -> Self {
        let full: Self = op!(_mm_cmpgt_epi8(_mm_setzero_si128(), mask.0));
        (other & full) | self.and_not(full)
    }

    #[inline(always)]
    fn unpack_lo8(self, other: Self) -> Self {
        op!(_mm_unpacklo_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn unpack_hi8(self, other: Self) -> Self {
        op!(_mm_unpackhi_epi8(self.0, other.0))
    }

    #[inline(always)]
    fn shuffle8(self, index: Self) -> Self {
        if S {
            // SAFETY: only tokens of SSSE3 and above make vectors with S = true.
            return X128(unsafe { _mm_shuffle_epi8(self.0, index.0) });
        }
        let (mut bytes, mut at) = ([0; 16], [0; 16]);
        store128(&mut bytes, self.0);
        store128(&mut at, index.0);
        let picked = at.map(|i| if i & 0x80 == 0 { bytes[usize::from(i & 15)] } else { 0 });
        X128(load128(&picked))
    }
}

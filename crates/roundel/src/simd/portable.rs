//! Lanes in plain Rust: 128 bits as four 32-bit words. What every target can run, and what the laws compare with.

use super::{Level, Simd, Vector};
use std::array::from_fn;
use std::ops::{BitAnd, BitOr, BitXor};

/// The token of the instruction set that every target has.
#[derive(Clone, Copy, Debug)]
pub struct Portable(());

/// Four 32-bit lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words([u32; 4]);

impl Words {
    #[inline(always)]
    fn map2(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        Words(from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn map64(self, f: impl Fn(usize, u64) -> u64) -> Self {
        let half = |i: usize| f(i, u64::from(self.0[2 * i]) | u64::from(self.0[2 * i + 1]) << 32);
        let (lo, hi) = (half(0), half(1));
        Words([lo as u32, (lo >> 32) as u32, hi as u32, (hi >> 32) as u32])
    }

    #[inline(always)]
    fn lane64(self, i: usize) -> u64 {
        u64::from(self.0[2 * i]) | u64::from(self.0[2 * i + 1]) << 32
    }

    #[inline(always)]
    fn map8(self, other: Self, f: impl Fn(u8, u8) -> u8) -> Self {
        let (a, b) = (self.bytes(), other.bytes());
        Words::from_bytes(&from_fn(|i| f(a[i], b[i])))
    }

    #[inline(always)]
    fn bytes(self) -> [u8; 16] {
        from_fn(|i| self.0[i / 4].to_le_bytes()[i % 4])
    }

    #[inline(always)]
    fn from_bytes(bytes: &[u8; 16]) -> Self {
        Words(from_fn(|i| u32::from_le_bytes(from_fn(|j| bytes[4 * i + j]))))
    }
}

impl Simd for Portable {
    const LEVEL: Level = Level::Portable;
    type V = Words;

    fn detect() -> Option<Self> {
        Some(Portable(()))
    }

    #[inline(always)]
    fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> Words {
        Words::from_bytes(bytes.first_chunk().expect("a vector's bytes"))
    }

    #[inline(always)]
    fn broadcast128(self, bytes: &[u8; 16]) -> Words {
        Words::from_bytes(bytes)
    }

    #[inline(always)]
    fn splat32(self, lane: u32) -> Words {
        Words([lane; 4])
    }

    #[inline(always)]
    fn splat64(self, lane: u64) -> Words {
        let (lo, hi) = (lane as u32, (lane >> 32) as u32);
        Words([lo, hi, lo, hi])
    }
}

impl BitXor for Words {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.map2(other, |a, b| a ^ b)
    }
}

impl BitAnd for Words {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.map2(other, |a, b| a & b)
    }
}

impl BitOr for Words {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.map2(other, |a, b| a | b)
    }
}

impl Vector for Words {
    const BYTES: usize = 16;

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        bytes[..16].copy_from_slice(&self.bytes());
    }

    #[inline(always)]
    fn and_not(self, mask: Self) -> Self {
        self.map2(mask, |a, m| a & !m)
    }

    #[inline(always)]
    fn add32(self, other: Self) -> Self {
        self.map2(other, u32::wrapping_add)
    }

    #[inline(always)]
    fn sub32(self, other: Self) -> Self {
        self.map2(other, u32::wrapping_sub)
    }

    #[inline(always)]
    fn mul32(self, other: Self) -> Self {
        self.map2(other, u32::wrapping_mul)
    }

    #[inline(always)]
    fn shl32<const N: i32>(self) -> Self {
        Words(self.0.map(|lane| lane << N))
    }

    #[inline(always)]
    fn shr32<const N: i32>(self) -> Self {
        Words(self.0.map(|lane| lane >> N))
    }

    #[inline(always)]
    fn rotl32_by(self, by: Self) -> Self {
        self.map2(by, |lane, n| lane.rotate_left(n & 31))
    }

    #[inline(always)]
    fn rotr32_by(self, by: Self) -> Self {
        self.map2(by, |lane, n| lane.rotate_right(n & 31))
    }

    #[inline(always)]
    fn add64(self, other: Self) -> Self {
        self.map64(|i, lane| lane.wrapping_add(other.lane64(i)))
    }

    #[inline(always)]
    fn shl64<const N: i32>(self) -> Self {
        self.map64(|_, lane| lane << N)
    }

    #[inline(always)]
    fn shr64<const N: i32>(self) -> Self {
        self.map64(|_, lane| lane >> N)
    }

    #[inline(always)]
    fn unpack_lo32(self, other: Self) -> Self {
        Words([self.0[0], other.0[0], self.0[1], other.0[1]])
    }

    #[inline(always)]
    fn unpack_hi32(self, other: Self) -> Self {
        Words([self.0[2], other.0[2], self.0[3], other.0[3]])
    }

    #[inline(always)]
    fn unpack_lo64(self, other: Self) -> Self {
        Words([self.0[0], self.0[1], other.0[0], other.0[1]])
    }

    #[inline(always)]
    fn unpack_hi64(self, other: Self) -> Self {
        Words([self.0[2], self.0[3], other.0[2], other.0[3]])
    }

    #[inline(always)]
    fn add8(self, other: Self) -> Self {
        self.map8(other, u8::wrapping_add)
    }

    #[inline(always)]
    fn sub8(self, other: Self) -> Self {
        self.map8(other, u8::wrapping_sub)
    }

    #[inline(always)]
    fn select8(self, other: Self, mask: Self) -> Self {
        let full = mask.map8(mask, |m, _| (m >> 7).wrapping_neg());
        (other & full) | self.and_not(full)
    }

    #[inline(always)]
    fn unpack_lo8(self, other: Self) -> Self {
        let (a, b) = (self.bytes(), other.bytes());
        Words::from_bytes(&from_fn(|i| if i % 2 == 0 { a[i / 2] } else { b[i / 2] }))
    }

    #[inline(always)]
    fn unpack_hi8(self, other: Self) -> Self {
        let (a, b) = (self.bytes(), other.bytes());
        Words::from_bytes(&from_fn(|i| if i % 2 == 0 { a[8 + i / 2] } else { b[8 + i / 2] }))
    }

    #[inline(always)]
    fn shuffle8(self, index: Self) -> Self {
        let (bytes, index) = (self.bytes(), index.bytes());
        Words::from_bytes(&from_fn(
            |i| if index[i] & 0x80 == 0 { bytes[usize::from(index[i] & 15)] } else { 0 },
        ))
    }
}

//! CPU levels, tokens and lanes.
//!
//! A [`Level`] names what a strategy needs. A *token* ([`Portable`], [`Ssse3`], [`Avx2`], [`Aes`], [`Vaes`], [`Vaes512`]) is a zero-sized value that
//! only [`Simd::detect`] makes, so that holding one proves that the CPU has the instructions. *Lanes* ([`Vector`]) are
//! made only by a token, so every operation on them is a safe call. Algorithms are generic over the token and
//! `#[inline(always)]`; they are entered once per batch:
//!
//! ```ignore
//! fn encrypt(&self, blocks: &mut [u8]) {
//!     self.simd.enter(#[inline(always)] || rounds(self.simd, &self.keys, blocks))
//! }
//! ```
//!
//! This folder holds the only `unsafe` code of the crate. Files under `x86/` know intrinsics and no algorithm; algorithm files know
//! lanes and no intrinsics.
//!
//! The environment variable `ROUNDEL_CPU`, or [`set_cap`], caps the level, so that one binary can be tested at every level.

#![allow(unsafe_code)]

use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor};
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

#[cfg(not(target_arch = "x86_64"))]
mod absent;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod code;
#[cfg(test)]
mod laws;
mod portable;
pub mod table;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(not(target_arch = "x86_64"))]
pub use absent::{Avx2, Sse2, Ssse3};
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub(crate) use code::CodeBuffer;
pub use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub use x86::{Aes, Avx2, Sse2, Ssse3, Unordered, Vaes, Vaes512};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{prefetch, unordered};

/// One 128-bit block in a register of level [`Ssse3`] or above: the part that [`AesSimd`] repeats.
#[cfg(target_arch = "x86_64")]
pub type Block = x86::X128<true>;

/// What a strategy needs of the CPU. The order is the one in which `--cpu` caps: a lower cap hides all higher levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Level {
    /// Nothing beyond the target's baseline.
    Portable,
    /// x86-64 code generated at run time (feature `jit`), where the system makes memory executable. It uses nothing beyond the target's baseline.
    Jit,
    /// 128-bit lanes without byte shuffle.
    Sse2,
    /// 128-bit lanes with byte shuffle.
    Ssse3,
    /// 256-bit lanes.
    Avx2,
    /// AES-NI and PCLMULQDQ on 128-bit lanes (SSSE3 and SSE4.1 included, AVX2 not).
    Aes,
    /// VAES and VPCLMULQDQ on 256-bit lanes (AVX2 and AES-NI included).
    Vaes,
    /// VAES and VPCLMULQDQ on 512-bit lanes (AVX-512 F, BW and VL).
    Vaes512,
}

impl Level {
    /// All levels, lowest first.
    pub const ALL: [Level; 8] = [
        Level::Portable,
        Level::Jit,
        Level::Sse2,
        Level::Ssse3,
        Level::Avx2,
        Level::Aes,
        Level::Vaes,
        Level::HIGHEST,
    ];

    /// No cap.
    pub const HIGHEST: Level = Level::Vaes512;

    /// The name that `--cpu` and `ROUNDEL_CPU` take.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Jit => "jit",
            Level::Sse2 => "sse2",
            Level::Ssse3 => "ssse3",
            Level::Avx2 => "avx2",
            Level::Aes => "aes",
            Level::Vaes => "vaes",
            Level::Vaes512 => "vaes512",
        }
    }

    /// Whether the CPU has it, whatever the cap.
    pub fn in_cpu(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            x86::in_cpu(self)
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Level::Portable
        }
    }

    /// Whether the CPU has it and the cap allows it.
    #[inline]
    pub fn available(self) -> bool {
        let mut known = AVAILABLE.load(Ordering::Relaxed);
        if known == 0 {
            cap();
            known = AVAILABLE.load(Ordering::Relaxed);
        }
        known & (1 << self as u8) != 0
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Level, String> {
        Level::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
            let names: Vec<_> = Level::ALL.iter().map(|level| level.name()).collect();
            format!("'{name}' is no CPU level; the levels are {}", names.join(", "))
        })
    }
}

const CAP_UNSET: u8 = u8::MAX;
static CAP: AtomicU8 = AtomicU8::new(CAP_UNSET);

/// The levels that the CPU has and the cap allows, a bit each; 0 until the cap is known. Asked for each key, so it is kept.
static AVAILABLE: AtomicU8 = AtomicU8::new(0);

/// Caps the level for kernels built from now on.
pub fn set_cap(level: Level) {
    let allowed = Level::ALL.into_iter().filter(|other| *other <= level && other.in_cpu());
    AVAILABLE.store(allowed.fold(0, |bits, level| bits | 1 << level as u8), Ordering::Relaxed);
    CAP.store(level as u8, Ordering::Relaxed);
}

/// The cap in force: the one set, else that of `ROUNDEL_CPU`, else none (the highest level).
///
/// A value of `ROUNDEL_CPU` that names no level is ignored here; the command line refuses it.
pub fn cap() -> Level {
    let stored = CAP.load(Ordering::Relaxed);
    if stored != CAP_UNSET {
        return Level::ALL[usize::from(stored)];
    }
    let level =
        std::env::var("ROUNDEL_CPU").ok().and_then(|name| name.parse().ok()).unwrap_or(Level::HIGHEST);
    set_cap(level);
    level
}

/// A block from its two halves as little-endian numbers, written with one store: a vector load of a block that was just written in
/// pieces waits until all earlier instructions have retired, which for a short message is as long as the cipher.
#[inline(always)]
pub(crate) fn block_from_halves(low: u64, high: u64) -> [u8; 16] {
    let mut block = [0; 16];
    #[cfg(target_arch = "x86_64")]
    x86::store_halves(low, high, &mut block);
    #[cfg(not(target_arch = "x86_64"))]
    block.copy_from_slice(&(u128::from(high) << 64 | u128::from(low)).to_le_bytes());
    block
}

/// The same word, of which the optimiser does not know how it was made: in a chain of dependent operations it would regroup sums
/// so that the chain grows longer.
#[inline(always)]
pub(crate) fn opaque_word(word: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    return x86::opaque_word(word);
    #[cfg(not(target_arch = "x86_64"))]
    return word;
}

/// An instruction set: a zero-sized token that proves the CPU has it.
pub trait Simd: Copy + Send + Sync + 'static {
    /// The level that it stands for.
    const LEVEL: Level;

    /// Its vectors.
    type V: Vector;

    /// The token, if the CPU has the instructions and the cap allows them.
    fn detect() -> Option<Self>;

    /// Runs `f` compiled for this instruction set, provided that `f` and all it calls are `#[inline(always)]`.
    fn enter<R>(self, f: impl FnOnce() -> R) -> R;

    /// Loads `V::BYTES` bytes from the start of `bytes`; panics if there are fewer.
    fn load(self, bytes: &[u8]) -> Self::V;

    /// Loads 16 bytes into each 128-bit part: the first from the start of `bytes`, each further one from `stride` later.
    #[inline(always)]
    fn load_parts(self, bytes: &[u8], stride: usize) -> Self::V {
        let _ = stride;
        self.load(bytes)
    }

    /// Loads the same 16 bytes into every 128-bit part.
    fn broadcast128(self, bytes: &[u8; 16]) -> Self::V;

    /// The same 32-bit number in every lane.
    fn splat32(self, lane: u32) -> Self::V;

    /// The same 64-bit number in every lane.
    fn splat64(self, lane: u64) -> Self::V;

    /// All zero.
    #[inline(always)]
    fn zero(self) -> Self::V {
        self.splat32(0)
    }
}

/// A register of lanes. Lanes are little-endian: lane 0 holds the first bytes. Unpacks and shuffles work within each
/// 128-bit part, as x86 does.
pub trait Vector:
    Copy + Send + Sync + BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + 'static
{
    /// Length in bytes: 16, 32 or 64.
    const BYTES: usize;

    /// Stores to the first `BYTES` bytes of `bytes`; panics if there are fewer.
    fn store(self, bytes: &mut [u8]);

    /// Stores what [`Simd::load_parts`] loads.
    #[inline(always)]
    fn store_parts(self, bytes: &mut [u8], stride: usize) {
        let _ = stride;
        self.store(bytes);
    }

    /// `self & !mask`.
    fn and_not(self, mask: Self) -> Self;

    /// Lane-wise sum modulo 2^32.
    fn add32(self, other: Self) -> Self;
    /// Lane-wise difference modulo 2^32.
    fn sub32(self, other: Self) -> Self;
    /// Lane-wise product modulo 2^32.
    fn mul32(self, other: Self) -> Self;
    /// Lane-wise shift left of 32-bit lanes by a constant under 32.
    fn shl32<const N: i32>(self) -> Self;
    /// Lane-wise logical shift right of 32-bit lanes by a constant under 32.
    fn shr32<const N: i32>(self) -> Self;
    /// Lane-wise rotation left of 32-bit lanes by a constant from 1 to 31. `M` is 32 - `N`: constant generics cannot compute it.
    #[inline(always)]
    fn rotl32<const N: i32, const M: i32>(self) -> Self {
        const { assert!(N + M == 32) };
        self.shl32::<N>() | self.shr32::<M>()
    }
    /// Rotation left of each 32-bit lane by the low five bits of the same lane of `by`.
    fn rotl32_by(self, by: Self) -> Self;
    /// Rotation right of each 32-bit lane by the low five bits of the same lane of `by`.
    fn rotr32_by(self, by: Self) -> Self;

    /// Lane-wise sum modulo 2^64.
    fn add64(self, other: Self) -> Self;
    /// Lane-wise shift left of 64-bit lanes by a constant under 64.
    fn shl64<const N: i32>(self) -> Self;
    /// Lane-wise logical shift right of 64-bit lanes by a constant under 64.
    fn shr64<const N: i32>(self) -> Self;

    /// Interleaves the low halves: self lane 0, other lane 0, self lane 1, other lane 1 (32-bit lanes).
    fn unpack_lo32(self, other: Self) -> Self;
    /// Interleaves the high halves (32-bit lanes).
    fn unpack_hi32(self, other: Self) -> Self;
    /// Self's low 64-bit lane, then other's.
    fn unpack_lo64(self, other: Self) -> Self;
    /// Self's high 64-bit lane, then other's.
    fn unpack_hi64(self, other: Self) -> Self;

    /// Lane-wise sum of bytes modulo 2^8.
    fn add8(self, other: Self) -> Self;
    /// Lane-wise difference of bytes modulo 2^8.
    fn sub8(self, other: Self) -> Self;
    /// Each byte from `other` where the top bit of the same byte of `mask` is set, else from self.
    fn select8(self, other: Self, mask: Self) -> Self;
    /// Interleaves the bytes of the low halves.
    fn unpack_lo8(self, other: Self) -> Self;
    /// Interleaves the bytes of the high halves.
    fn unpack_hi8(self, other: Self) -> Self;

    /// Byte shuffle within each 128-bit part: result byte i is self's byte `index[i] & 15`, or 0 where the index byte has its top bit
    /// set. Native from SSSE3 on; below, it goes through memory.
    fn shuffle8(self, index: Self) -> Self;
}

/// Work for [`AesSimd::perform`].
pub trait Task {
    /// Does it; every implementation is `#[inline(always)]`.
    fn run(self);
}

/// Tokens with AES rounds and carry-less products: [`Aes`], [`Vaes`] and [`Vaes512`]. Every operation works on each 128-bit part by itself; the
/// token is an argument because the lanes alone prove less.
#[cfg(target_arch = "x86_64")]
pub trait AesSimd: Simd {
    /// [`enter`](Simd::enter) for work whose unrolled rounds are too long for the optimiser to inline as a closure, which cannot carry
    /// `#[inline(always)]`: left outside, every instruction would become a call.
    fn perform(self, task: impl Task);

    /// The token of the same instructions on one part.
    fn narrow(self) -> Aes;
    /// Loads consecutive blocks, one for each part; panics if there are fewer.
    fn load_blocks(self, blocks: &[Block]) -> Self::V;
    /// The block in every part.
    fn repeat(self, block: Block) -> Self::V;
    /// The sum (XOR) of all parts.
    fn fold(self, parts: Self::V) -> Block;
    /// `first`, then all parts of `rest` but its last.
    fn shift_in(self, first: Block, rest: Self::V) -> Self::V;

    /// Changes nothing, but everything that makes these values is placed before, and everything that uses them after: where two
    /// computations are woven together for the sake of the execution units, the optimiser would collect each in one place.
    fn tie(self, rounds: &mut [Self::V; 8], sums: [&mut Self::V; 3]);
    /// The same value, of which the optimiser does not know how it was made: of two shuffles in a row it would make
    /// others of what was there before, more of them, and keep that in memory meanwhile.
    fn opaque(self, x: Self::V) -> Self::V;

    /// Stores to the first bytes of `bytes` past the caches, where they begin at a multiple of the vector's length; elsewhere as
    /// [`Vector::store`] does.
    fn stream(self, x: Self::V, bytes: &mut [u8], leave: Unordered<'_>);

    /// One encryption round: SubBytes, ShiftRows, MixColumns, AddRoundKey.
    fn enc(self, x: Self::V, key: Self::V) -> Self::V;
    /// The last encryption round: without MixColumns.
    fn enc_last(self, x: Self::V, key: Self::V) -> Self::V;
    /// One round of the equivalent inverse cipher: InvSubBytes, InvShiftRows, InvMixColumns, AddRoundKey.
    fn dec(self, x: Self::V, key: Self::V) -> Self::V;
    /// The last round of the equivalent inverse cipher: without InvMixColumns.
    fn dec_last(self, x: Self::V, key: Self::V) -> Self::V;

    /// The 127-bit carry-less product of the low 64-bit halves.
    fn clmul_lo(self, a: Self::V, b: Self::V) -> Self::V;
    /// The carry-less product of the high halves.
    fn clmul_hi(self, a: Self::V, b: Self::V) -> Self::V;
    /// The carry-less product of `a`'s high half and `b`'s low half.
    fn clmul_hi_lo(self, a: Self::V, b: Self::V) -> Self::V;
}

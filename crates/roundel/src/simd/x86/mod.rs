//! The x86-64 instruction sets: files that know intrinsics and no algorithm.

use super::Level;
use std::arch::is_x86_feature_detected as has;

mod aes;
mod avx2;
mod avx512;
mod sse2;
mod stream;
mod vaes;
mod vaes512;

pub use aes::Aes;
pub use avx2::Avx2;
pub use sse2::{Sse2, Ssse3};
pub(super) use sse2::{X128, store_halves};
pub use stream::Unordered;
pub(crate) use stream::{prefetch, unordered};
pub use vaes::Vaes;
pub use vaes512::Vaes512;

/// Whether the CPU has all the instructions of a level. Each level's tokens rely on exactly these.
pub(super) fn in_cpu(level: Level) -> bool {
    match level {
        Level::Portable | Level::Sse2 => true,
        #[cfg(feature = "jit")]
        Level::Jit => super::code::allowed(),
        #[cfg(not(feature = "jit"))]
        Level::Jit => false,
        Level::Ssse3 => has!("ssse3"),
        Level::Avx2 => has!("avx2") && in_cpu(Level::Ssse3),
        Level::Aes => has!("aes") && has!("pclmulqdq") && has!("sse4.1") && in_cpu(Level::Ssse3),
        Level::Vaes => has!("vaes") && has!("vpclmulqdq") && in_cpu(Level::Avx2) && in_cpu(Level::Aes),
        Level::Vaes512 => has!("avx512f") && has!("avx512bw") && has!("avx512vl") && in_cpu(Level::Vaes),
    }
}

/// No instruction: a value whose origin is hidden.
#[inline(always)]
pub(super) fn opaque_word(mut word: u32) -> u32 {
    // SAFETY: the template is a comment, no instruction.
    unsafe {
        std::arch::asm!("/* {0:e} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
    }
    word
}

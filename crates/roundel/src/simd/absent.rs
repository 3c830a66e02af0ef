//! The tokens of instruction sets that the target lacks: types without values, so that strategies naming them compile everywhere and are
//! available nowhere.

use super::{Level, Portable, Simd};

macro_rules! absent {
    ($($token:ident, $level:expr;)*) => { $(
        /// An instruction set that this target lacks.
        #[derive(Clone, Copy, Debug)]
        pub enum $token {}

        impl Simd for $token {
            const LEVEL: Level = $level;
            type V = <Portable as Simd>::V;

            fn detect() -> Option<Self> {
                None
            }

            fn enter<R>(self, _: impl FnOnce() -> R) -> R {
                match self {}
            }

            fn load(self, _: &[u8]) -> Self::V {
                match self {}
            }

            fn broadcast128(self, _: &[u8; 16]) -> Self::V {
                match self {}
            }

            fn splat32(self, _: u32) -> Self::V {
                match self {}
            }

            fn splat64(self, _: u64) -> Self::V {
                match self {}
            }
        }
    )* };
}

absent! {
    Sse2, Level::Sse2;
    Ssse3, Level::Ssse3;
    Avx2, Level::Avx2;
}

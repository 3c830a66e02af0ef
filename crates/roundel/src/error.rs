//! What can go wrong in the engine.

use crate::modes::SectorMode;
use crate::simd::Level;
use std::fmt;

/// An error of the engine. Its message is one sentence: what happened and what to try.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The cipher takes no key of this many bytes.
    KeyLength {
        /// The cipher's name.
        cipher: &'static str,
        /// The key's length in bytes.
        bytes: usize,
        /// The lengths in bits that it takes, as text.
        takes: String,
    },
    /// No cipher has this name.
    UnknownCipher(String),
    /// The cipher has no strategy of this name.
    UnknownStrategy {
        /// The cipher's name.
        cipher: &'static str,
        /// The name that was asked for.
        strategy: String,
    },
    /// The strategy needs instructions that this CPU, or the cap on it, does not give.
    Unavailable {
        /// The strategy's name.
        strategy: &'static str,
        /// What it needs.
        needs: Level,
    },
    /// The strategy's tables take more memory than is allowed.
    MemoryNotAllowed {
        /// The strategy's name.
        strategy: &'static str,
        /// What they take.
        bytes: usize,
    },
    /// No strategy of this cipher satisfies the policy.
    NoStrategy {
        /// The cipher's name.
        cipher: &'static str,
    },
    /// An initialisation vector, nonce or counter block of the wrong length.
    IvLength {
        /// The mode.
        mode: &'static str,
        /// The length that it takes, in bytes.
        takes: usize,
        /// The length that it got, in bytes.
        got: usize,
    },
    /// A message whose length the mode cannot process.
    DataLength {
        /// The mode.
        mode: &'static str,
        /// What the mode requires.
        requires: &'static str,
        /// The length that it got, in bytes.
        got: usize,
    },
    /// The mode is not defined for ciphers of this block size.
    BlockSize {
        /// The mode.
        mode: &'static str,
        /// The kernel's block, in bytes.
        block_bytes: usize,
    },
    /// A sector mode takes no key of this many bytes.
    SectorKeyLength {
        /// The mode.
        mode: SectorMode,
        /// The lengths in bits that its cipher takes, as text.
        takes: String,
        /// The length that it got, in bytes.
        bytes: usize,
    },
    /// No sector has this many bytes.
    SectorSize {
        /// The length, in bytes.
        got: usize,
    },
    /// A sector that begins at byte 2^63 of the volume or later.
    SectorOffset {
        /// The first sector of the run that was asked for.
        first_sector: u64,
        /// The length of its sectors.
        sector_bytes: usize,
    },
    /// The tag does not match: wrong key, or changed data. Nothing was decrypted.
    Authentication,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::KeyLength { cipher, bytes, takes } => {
                write!(f, "{cipher} takes keys of {takes} bits, not {}", 8 * bytes)
            }
            Error::UnknownCipher(name) => {
                write!(f, "there is no cipher '{name}': `roundel list` shows them all")
            }
            Error::UnknownStrategy { cipher, strategy } => {
                write!(f, "{cipher} has no strategy '{strategy}': `roundel list` shows them all")
            }
            Error::Unavailable { strategy, needs } => {
                write!(f, "strategy {strategy} needs CPU level {needs}, which is not available here")
            }
            Error::MemoryNotAllowed { strategy, bytes } => write!(
                f,
                "strategy {strategy} takes {bytes} bytes of memory, more than is allowed: allow as many explicitly"
            ),
            Error::NoStrategy { cipher } => write!(
                f,
                "{cipher} has no strategy here whose timing is independent of secrets; allow others explicitly"
            ),
            Error::IvLength { mode, takes, got } => {
                write!(f, "{mode} takes an IV of {takes} bytes, not {got}")
            }
            Error::DataLength { mode, requires, got } => {
                write!(f, "{mode} needs {requires}; got {got} bytes")
            }
            Error::BlockSize { mode, block_bytes } => {
                write!(f, "{mode} is not defined for blocks of {block_bytes} bytes")
            }
            Error::SectorKeyLength { mode, takes, bytes } => {
                let keys = if mode.keys() == 2 { "two keys, one after the other, each" } else { "one key" };
                write!(f, "{mode} takes {keys} of {takes} bits, not {} bits", 8 * bytes)
            }
            Error::SectorSize { got } => {
                write!(f, "a sector has 512, 1024, 2048, 4096 or 8192 bytes, not {got}")
            }
            Error::SectorOffset { first_sector, sector_bytes } => write!(
                f,
                "sectors of {sector_bytes} bytes from number {first_sector} on reach beyond byte 2^63: give smaller numbers"
            ),
            Error::Authentication => {
                f.write_str("authentication failed: the key is wrong or the data was changed")
            }
        }
    }
}

impl std::error::Error for Error {}

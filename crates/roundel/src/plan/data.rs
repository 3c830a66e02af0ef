//! Requests and plans: plain data that compares and prints.

use crate::simd::Level;
use crate::{Choice, Cipher, Policy, parallel};
use std::fmt;

/// What is done with the cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Electronic codebook.
    Ecb,
    /// Cipher block chaining: encryption is serial.
    Cbc,
    /// Counter mode.
    Ctr,
    /// GCM: one message is serial, by its hash.
    Gcm,
    /// XTS: two keys.
    Xts,
    /// A hash that keys the cipher anew for each block.
    Hash,
    /// A sealed file: GCM in chunks of 16 KiB, with the file's own costs.
    Seal,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 7] =
        [Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm, Mode::Xts, Mode::Hash, Mode::Seal];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Ecb => "ecb",
            Mode::Cbc => "cbc",
            Mode::Ctr => "ctr",
            Mode::Gcm => "gcm",
            Mode::Xts => "xts",
            Mode::Hash => "hash",
            Mode::Seal => "seal",
        }
    }

    /// The measured operation that its time is made of.
    pub fn operation(self, direction: Direction) -> Operation {
        use Direction::{Decrypt, Encrypt};
        match (self, direction) {
            (Mode::Ecb, Encrypt) | (Mode::Hash, _) => Operation::EcbEncrypt,
            (Mode::Ecb, Decrypt) => Operation::EcbDecrypt,
            (Mode::Cbc, Encrypt) => Operation::CbcEncrypt,
            (Mode::Cbc, Decrypt) => Operation::CbcDecrypt,
            (Mode::Ctr, _) => Operation::Ctr,
            (Mode::Gcm | Mode::Seal, Encrypt) => Operation::GcmEncrypt,
            (Mode::Gcm | Mode::Seal, Decrypt) => Operation::GcmDecrypt,
            (Mode::Xts, Encrypt) => Operation::XtsEncrypt,
            (Mode::Xts, Decrypt) => Operation::XtsDecrypt,
        }
    }

    /// Whether one message can be cut among threads.
    pub fn splits(self, direction: Direction) -> bool {
        match self {
            Mode::Ecb | Mode::Ctr | Mode::Xts | Mode::Seal => true,
            Mode::Cbc => direction == Direction::Decrypt,
            Mode::Gcm | Mode::Hash => false,
        }
    }
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// What costs are measured of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// ECB encryption.
    EcbEncrypt,
    /// ECB decryption.
    EcbDecrypt,
    /// CBC encryption.
    CbcEncrypt,
    /// CBC decryption.
    CbcDecrypt,
    /// CTR, either way.
    Ctr,
    /// GCM encryption.
    GcmEncrypt,
    /// GCM decryption.
    GcmDecrypt,
    /// XTS encryption, the message one data unit.
    XtsEncrypt,
    /// XTS decryption, the message one data unit.
    XtsDecrypt,
}

/// All operations, each at the index of its number.
pub const OPERATIONS: [Operation; 9] = [
    Operation::EcbEncrypt,
    Operation::EcbDecrypt,
    Operation::CbcEncrypt,
    Operation::CbcDecrypt,
    Operation::Ctr,
    Operation::GcmEncrypt,
    Operation::GcmDecrypt,
    Operation::XtsEncrypt,
    Operation::XtsDecrypt,
];

impl Operation {
    /// Its name in stored profiles, that of `roundel bench`.
    pub fn name(self) -> &'static str {
        match self {
            Operation::EcbEncrypt => "ecb-encrypt",
            Operation::EcbDecrypt => "ecb-decrypt",
            Operation::CbcEncrypt => "cbc-encrypt",
            Operation::CbcDecrypt => "cbc-decrypt",
            Operation::Ctr => "ctr",
            Operation::GcmEncrypt => "gcm-encrypt",
            Operation::GcmDecrypt => "gcm-decrypt",
            Operation::XtsEncrypt => "xts-encrypt",
            Operation::XtsDecrypt => "xts-decrypt",
        }
    }

    /// Whether every block waits for the one before, so that batches gain nothing.
    pub fn is_serial(self) -> bool {
        self == Operation::CbcEncrypt
    }

    /// Whether it is defined for ciphers of this block length.
    pub fn defined_for(self, block_bytes: usize) -> bool {
        use Operation::{GcmDecrypt, GcmEncrypt, XtsDecrypt, XtsEncrypt};
        block_bytes == 16 || !matches!(self, GcmEncrypt | GcmDecrypt | XtsEncrypt | XtsDecrypt)
    }
}

/// What a plan must keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraints {
    /// Which strategies may be picked.
    pub policy: Policy,
    /// Tables and round keys, of one key and shared, may take so many bytes.
    pub memory_bytes: usize,
    /// Threads at most.
    pub cores: u16,
    /// The highest CPU level; what the CPU lacks, or the cap in force hides, is never picked.
    pub level: Level,
}

impl Default for Constraints {
    /// Constant-time strategies of at most [`Constraints::MEMORY_BYTES`] on one core at any level.
    fn default() -> Self {
        Constraints {
            policy: Policy::ConstantTime,
            memory_bytes: Self::MEMORY_BYTES,
            cores: 1,
            level: Level::HIGHEST,
        }
    }
}

impl Constraints {
    /// What a strategy may take unasked: 8 MiB. More must be allowed.
    pub const MEMORY_BYTES: usize = 8 << 20;

    /// The same on as many cores as this process may use.
    pub fn all_cores(self) -> Self {
        Constraints { cores: parallel::cores().min(usize::from(u16::MAX)) as u16, ..self }
    }

    /// Whether the choice keeps to policy, memory and level, and can run here.
    pub fn allow(&self, choice: &Choice) -> bool {
        let strategy = choice.strategy;
        self.policy.allows(strategy)
            && strategy.needs <= self.level
            && strategy.memory.per_key.saturating_add(strategy.memory.shared) <= self.memory_bytes
            && strategy.available()
    }
}

/// What somebody wants done.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The cipher.
    pub cipher: &'static Cipher,
    /// Length of the key; for XTS, of each.
    pub key_bytes: usize,
    /// The mode.
    pub mode: Mode,
    /// Which way.
    pub direction: Direction,
    /// Length of one message.
    pub message_bytes: u64,
    /// How many such messages there are under one key, over which its set-up is spread; [`Request::KEPT`] if the key is there already.
    pub messages_per_key: u64,
    /// Whether tables must be expected to have left the caches.
    pub cold: bool,
    /// What a plan must keep to.
    pub constraints: Constraints,
}

impl Request {
    /// So many messages that the key's set-up does not count.
    pub const KEPT: u64 = u64::MAX;

    /// One message to encrypt under a key of its own.
    pub fn fresh_key(
        cipher: &'static Cipher,
        key_bytes: usize,
        mode: Mode,
        message_bytes: u64,
        constraints: Constraints,
    ) -> Request {
        let direction = Direction::Encrypt;
        Request {
            cipher,
            key_bytes,
            mode,
            direction,
            message_bytes,
            messages_per_key: 1,
            cold: false,
            constraints,
        }
    }

    /// One message to encrypt under a key that is kept.
    pub fn kept_key(
        cipher: &'static Cipher,
        key_bytes: usize,
        mode: Mode,
        message_bytes: u64,
        constraints: Constraints,
    ) -> Request {
        Request {
            messages_per_key: Self::KEPT,
            ..Request::fresh_key(cipher, key_bytes, mode, message_bytes, constraints)
        }
    }
}

impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.cipher, other.cipher)
            && self.message_bytes == other.message_bytes
            && self.messages_per_key == other.messages_per_key
            && self.key_bytes == other.key_bytes
            && self.mode == other.mode
            && self.direction == other.direction
            && self.cold == other.cold
            && self.constraints == other.constraints
    }
}

impl Eq for Request {}

/// How to do it, and what it is predicted to take.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The cipher and the strategy.
    pub choice: Choice,
    /// Threads.
    pub threads: usize,
    /// What a thread takes at once; the message's length where there is one thread.
    pub chunk_bytes: u64,
    /// Predicted time of one message with its share of the key's set-up, in nanoseconds; `None` where the profile knows nothing of the cipher.
    pub predicted_ns: Option<f64>,
    /// Of that, the share of the key's set-up.
    pub setup_ns: f64,
    /// Of that, starting threads.
    pub threads_ns: f64,
    /// Whether memory, not the cipher, limits the rate.
    pub memory_bound: bool,
}

impl PartialEq for Plan {
    /// What is done is compared, not what it is predicted to take.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.choice.strategy, other.choice.strategy)
            && (self.threads, self.chunk_bytes) == (other.threads, other.chunk_bytes)
    }
}

impl Eq for Plan {}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.choice.cipher.name, self.choice.strategy.name)?;
        if self.threads > 1 {
            write!(f, " on {} threads in pieces of {} bytes", self.threads, self.chunk_bytes)?;
        }
        match self.predicted_ns {
            Some(ns) => write!(f, ", {ns:.0} ns"),
            None => write!(f, ", time unknown"),
        }
    }
}

//! What can go wrong, in classes that a caller can tell apart.

use std::io;

/// Result of the operations of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of opening, reading or serving a volume. Its message is one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The image does not exist.
    #[error("there is no input {0}")]
    NoInput(String),
    /// The first sector is not that of a BitLocker volume.
    #[error("this is not a BitLocker volume, or its first sector is damaged")]
    NotBitLocker,
    /// The metadata cannot be used; the text says what is wrong with it.
    #[error("the BitLocker metadata is damaged: {0}")]
    Damaged(String),
    /// The image ends too early; the text says before what.
    #[error("the image is truncated: it ends after {bytes} bytes, before {before}")]
    Truncated {
        /// Its length.
        bytes: u64,
        /// What should come later.
        before: String,
    },
    /// Checksums hold, but the metadata is not what was written with the volume's key.
    #[error(
        "the BitLocker metadata was altered: its checksum is right, but not the hash that is sealed with the volume's key"
    )]
    Altered,
    /// An encrypt-on-write volume without its bitmaps.
    #[error(
        "the bitmaps that tell which parts of this volume are encrypted are missing or damaged, and nothing else tells it"
    )]
    NoBitmaps,
    /// The volume has no protector of the kind that the secret is for.
    #[error("the volume has no protector for {wanted}: {there}")]
    NoProtector {
        /// What was given.
        wanted: &'static str,
        /// The kinds that are there, as a clause.
        there: String,
    },
    /// The recovery password is malformed; the text says where.
    #[error("the recovery password is malformed: {0}")]
    RecoveryPassword(String),
    /// The file is no external key.
    #[error("this is not a BEK file (external key): {0}")]
    BekFile(&'static str),
    /// The secret opens no protector of its kind.
    #[error("the {0} is wrong: it opens none of the volume's protectors")]
    WrongSecret(&'static str),
    /// The volume is encrypted and no secret was given.
    #[error("the volume is encrypted and opens by {0}")]
    SecretNeeded(String),
    /// A method, version or state that cannot be read.
    #[error("{0}")]
    Unsupported(String),
    /// The range begins behind the end.
    #[error("the range begins at byte {start}, but there are only {bytes} bytes")]
    Range {
        /// Where it was to begin.
        start: u64,
        /// Length of the volume.
        bytes: u64,
    },
    /// An image cannot be changed in place; the text says why.
    #[error("{0}")]
    InPlace(String),
    /// A thread panicked.
    #[error("a worker thread failed; this is a defect of roundel")]
    Worker,
    /// An error of the engine.
    #[error(transparent)]
    Engine(#[from] roundel::Error),
    /// The system refused to read, write or listen.
    #[error("cannot {action} {place}: {source}")]
    Io {
        /// What was tried: "read", "write".
        action: &'static str,
        /// The path, or "the output".
        place: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// The exit code that a command line should give: 1 other, 2 usage, 10 no input, 12 wrong secret, 20 damaged, 21 truncated.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::RecoveryPassword(_) => 2,
            Error::NoInput(_) => 10,
            Error::NoProtector { .. }
            | Error::BekFile(_)
            | Error::WrongSecret(_)
            | Error::SecretNeeded(_) => 12,
            Error::NotBitLocker | Error::Damaged(_) | Error::Altered | Error::NoBitmaps => 20,
            Error::Truncated { .. } => 21,
            _ => 1,
        }
    }

    pub(crate) fn io(action: &'static str, place: &str, source: io::Error) -> Self {
        Error::Io { action, place: place.to_owned(), source }
    }
}

//! What can go wrong, in classes that a caller can tell apart.

use std::io;

/// Result of the operations of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of sealing or opening. Its message is one sentence; offsets count bytes from the start of the sealed file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input does not exist.
    #[error("there is no input {0}")]
    NoInput(String),
    /// The output exists and replacing it was not allowed.
    #[error("{0} exists already: choose another name, or allow it to be replaced")]
    Exists(String),
    /// No identity opened any stanza of the header; or, in bare mode, the key or context is not that of the message.
    #[error("no given key opens this file: it was sealed for other recipients")]
    NoMatchingKey,
    /// The bare message's commitment does not belong to the key.
    #[error(
        "the key or the context is not that of this message, or the message's first 56 bytes are damaged"
    )]
    WrongBareKey,
    /// The passphrase does not open the header's passphrase stanza.
    #[error("the passphrase is wrong")]
    WrongPassphrase,
    /// The header cannot be opened by the kind of key that was given; the text says what is needed.
    #[error("{0}")]
    KeyKind(String),
    /// The first bytes are not those of a sealed file.
    #[error("this is not a file sealed by roundel, or its first line is damaged")]
    NotSealed,
    /// The header is malformed, or its checksum or its authenticator fails.
    #[error("the header is damaged: {0}")]
    Header(&'static str),
    /// Salt or commitment between header and chunks are damaged.
    #[error("the start of the payload at offset {offset} is damaged: its key commitment does not match")]
    Start {
        /// Where the salt begins.
        offset: u64,
    },
    /// A chunk does not verify; no lower chunk is damaged.
    #[error("chunk {chunk} at offset {offset} is damaged")]
    Chunk {
        /// Its number, from 0.
        chunk: u64,
        /// Where it begins.
        offset: u64,
    },
    /// The message is complete, and more bytes follow it.
    #[error("the sealed data ends at offset {offset}, but more bytes follow it")]
    Trailing {
        /// Where the first foreign byte is.
        offset: u64,
    },
    /// The file ends before the sealed data does.
    #[error("the file is truncated: it ends after {after} bytes{}", expected.map_or_else(String::new, |n| format!(", of {n}")))]
    Truncated {
        /// Its length now.
        after: u64,
        /// Its length when whole, if the header says.
        expected: Option<u64>,
    },
    /// The last chunk does not verify in data that was sealed as a stream, whose length nobody recorded: from the data alone a cut cannot be
    /// told from a change of its last chunk. Counted as truncation, by far the more frequent of the two.
    #[error(
        "the file is truncated after {after} bytes, or its last chunk ({chunk}, at offset {offset}) is damaged"
    )]
    Cut {
        /// The file's length.
        after: u64,
        /// Number of the last chunk.
        chunk: u64,
        /// Where it begins.
        offset: u64,
    },
    /// The input's length or modification time changed while it was read.
    #[error("{0} changed while it was being read: nothing was written, try again when it is at rest")]
    Changed(String),
    /// The range begins behind the end.
    #[error("the range begins at byte {start}, but there are only {bytes} bytes")]
    Range {
        /// Where it was to begin.
        start: u64,
        /// Length of the plaintext.
        bytes: u64,
    },
    /// The caller asked to stop.
    #[error("interrupted: nothing was left behind")]
    Interrupted,
    /// More than 2^38 chunks.
    #[error("the input is longer than the 4 PiB that one message can hold")]
    TooLong,
    /// The suite's name is unknown.
    #[error("there is no suite '{0}' in this version of roundel")]
    UnknownSuite(String),
    /// The cipher is not known to be sound, and the caller did not allow that.
    #[error("{cipher} is not for protecting data: {reason}")]
    Unsound {
        /// The cipher's name.
        cipher: &'static str,
        /// From the cipher's [`Standing`](roundel::Standing).
        reason: &'static str,
    },
    /// A recipient, identity or key file that cannot be used.
    #[error("{0}")]
    Key(String),
    /// An error of the engine: a key of the wrong length, no strategy that the policy allows.
    #[error(transparent)]
    Engine(#[from] roundel::Error),
    /// The system refused to read, write, create or rename.
    #[error("cannot {action} {place}: {source}")]
    Io {
        /// What was tried: "read", "write".
        action: &'static str,
        /// The path, or "standard input".
        place: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// The exit code that a command line should give.
    ///
    /// 1 other, 10 no input, 11 exists, 12 wrong key or passphrase, 20 damaged, 21 truncated, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::NoInput(_) => 10,
            Error::Exists(_) => 11,
            Error::NoMatchingKey | Error::WrongBareKey | Error::WrongPassphrase | Error::KeyKind(_) => 12,
            Error::NotSealed
            | Error::Header(_)
            | Error::Start { .. }
            | Error::Chunk { .. }
            | Error::Trailing { .. } => 20,
            Error::Truncated { .. } | Error::Cut { .. } => 21,
            Error::Interrupted => 130,
            _ => 1,
        }
    }

    pub(crate) fn io(action: &'static str, place: &str, source: io::Error) -> Self {
        Error::Io { action, place: place.to_owned(), source }
    }
}

impl From<Error> for io::Error {
    /// For [`Read`](io::Read) and [`Write`](io::Write): the error travels inside, and [`io::Error::downcast`] gets it back.
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Io { source, .. } => source.kind(),
            Error::Truncated { .. } | Error::Cut { .. } => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

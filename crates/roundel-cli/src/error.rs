//! What a verb can fail with, and the exit code of each.

use std::io;
use std::path::{Path, PathBuf};

/// A failure of a verb. Its message is one sentence: what happened and what to try.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The arguments make no sense.
    #[error("{0}")]
    Usage(String),
    /// The input is not there.
    #[error("{} does not exist", .0.display())]
    NoInput(PathBuf),
    /// The folders hold nothing to work on; the text says of what kind.
    #[error("there is no file{0} in the folders that were given")]
    NoFiles(&'static str),
    /// The output is there already.
    #[error("{} exists: --force replaces it", .0.display())]
    Exists(PathBuf),
    /// A key is there already.
    #[error("{} exists: a key is never replaced", .0.display())]
    KeyExists(PathBuf),
    /// The data does not authenticate.
    #[error("{0}")]
    Damaged(String),
    /// The data ends too early.
    #[error("{0}")]
    Truncated(String),
    /// Of several files, each said what was wrong.
    #[error("{failed} of {total} files failed")]
    SomeFailed {
        /// How many failed.
        failed: usize,
        /// Of how many.
        total: usize,
    },
    /// Sealing or opening failed.
    #[error("{0}")]
    Seal(roundel_seal::Error),
    /// A volume cannot be opened or read.
    #[error("{0}{1}")]
    Volume(roundel_volume::Error, &'static str),
    /// Ctrl-C; the text says what is kept.
    #[error("interrupted: {0}")]
    Interrupted(&'static str),
    /// Whoever read our output went away: we end quietly, as one whom SIGPIPE ended.
    #[error("the reader of the output went away")]
    BrokenPipe,
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// The exit code: 0 ok, 1 other, 2 usage, 3 some files failed, 10 no input, 11 exists, 12 wrong key or passphrase,
    /// 20 damaged, 21 truncated, 130 interrupted, 141 broken pipe.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Error::Other(_) => 1,
            Error::Usage(_) => 2,
            Error::SomeFailed { .. } => 3,
            Error::NoInput(_) | Error::NoFiles(_) => 10,
            Error::Exists(_) | Error::KeyExists(_) => 11,
            Error::Damaged(_) => 20,
            Error::Truncated(_) => 21,
            Error::Seal(error) => error.exit_code(),
            Error::Volume(error, _) => error.exit_code(),
            Error::Interrupted(_) => 130,
            Error::BrokenPipe => 141,
        }
    }

    /// Whether nothing is to be printed.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Error::BrokenPipe)
    }

    /// A failure to do something ("read", "write", "open") with a file.
    pub(crate) fn file(verb: &str, path: &Path, error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Error::BrokenPipe,
            io::ErrorKind::NotFound if verb == "open" => Error::NoInput(path.to_owned()),
            _ => Error::Other(format!("cannot {verb} {}: {}", path.display(), reason(&error))),
        }
    }
}

/// The system's words for an I/O error, without the number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Error::BrokenPipe,
            _ => Error::Other(reason(&error)),
        }
    }
}

impl From<roundel::Error> for Error {
    fn from(error: roundel::Error) -> Error {
        match error {
            roundel::Error::Authentication => Error::Damaged(error.to_string()),
            roundel::Error::NoStrategy { cipher } => Error::Usage(format!(
                "{cipher} has no strategy here whose timing is independent of secrets: --allow-timing-leaks allows others"
            )),
            roundel::Error::MemoryNotAllowed { strategy, bytes } => Error::Usage(format!(
                "strategy {strategy} takes {bytes} bytes of memory: --allow-memory allows as many"
            )),
            _ => Error::Usage(error.to_string()),
        }
    }
}

impl From<roundel_seal::Error> for Error {
    /// Where an option helps, the sentence names it.
    fn from(error: roundel_seal::Error) -> Error {
        use roundel_seal::Error as Seal;
        match error {
            Seal::NoInput(path) => Error::NoInput(path.into()),
            Seal::Exists(path) => Error::Exists(path.into()),
            Seal::Engine(error) => error.into(),
            Seal::Key(sentence) => Error::Usage(sentence),
            Seal::Unsound { .. } => {
                Error::Usage(format!("{error}; --allow-broken seals with it all the same"))
            }
            Seal::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => Error::BrokenPipe,
            Seal::Io { action, place, source } => {
                Error::Other(format!("cannot {action} {place}: {}", reason(&source)))
            }
            other => Error::Seal(other),
        }
    }
}

impl From<roundel_volume::Error> for Error {
    /// Where an option helps, the sentence names it.
    fn from(error: roundel_volume::Error) -> Error {
        use roundel_volume::Error as Volume;
        let hint = match &error {
            Volume::Altered => "; --despite altered-metadata reads on",
            Volume::NoBitmaps => "; --despite missing-bitmaps takes everything as encrypted",
            Volume::SecretNeeded(_) | Volume::NoProtector { .. } => {
                "; give --recovery-password, --password, --bek or --clear-key"
            }
            _ => "",
        };
        match error {
            Volume::NoInput(path) => Error::NoInput(path.into()),
            Volume::Engine(error) => error.into(),
            Volume::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => Error::BrokenPipe,
            Volume::Io { action, place, source } => {
                Error::Other(format!("cannot {action} {place}: {}", reason(&source)))
            }
            other => Error::Volume(other, hint),
        }
    }
}

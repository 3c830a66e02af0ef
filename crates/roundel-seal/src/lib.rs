//! # roundel-seal: authenticated encryption of files and streams
//!
//! A sealed file is a header, in which a random file key is wrapped for each recipient (in the style and by the library of
//! [age](https://age-encryption.org)), and a payload in C2SP's chunked-encryption construction, of which `Cobblestone-256` (AES-256-GCM) is the
//! default. `docs/FORMAT.md` describes every byte.
//!
//! | to | call |
//! |---|---|
//! | seal or open a file or a stream on all cores | [`seal()`], [`open()`] |
//! | decrypt a part | [`open_range`], or [`SealedReader`], which reads and seeks |
//! | verify without writing | [`check`] |
//! | save what is left of a damaged file | [`rescue()`] |
//! | look at a header without keys | [`inspect`] |
//! | seal or open inside a program | [`Sealer`] is a `Write`, [`Opener`] a `Read` |
//! | make and read keys | [`keys`] |
//!
//! ```
//! use roundel_seal::{Input, Lock, Options, Output, Suite, Unlock, keys};
//!
//! let pair = keys::generate();
//! let to = [keys::recipient(&pair.public)?];
//! let mut sealed = Vec::new();
//! let lock = Lock::Recipients { to: &to, suite: Suite::default() };
//! roundel_seal::seal(Input::reader(&b"a message"[..]), Output::writer(&mut sealed), &lock, &Options::default())?;
//!
//! use keys::age::secrecy::ExposeSecret;
//! let no_questions = std::sync::Arc::new(|_: &str| None);
//! let mine = keys::identities_file(pair.secret.expose_secret().as_bytes(), "my key", no_questions)?;
//! let mut opened = Vec::new();
//! let unlock = Unlock::Identities(&mine);
//! roundel_seal::open(Input::reader(&sealed[..]), Output::writer(&mut opened), &unlock, &Options::default())?;
//! assert_eq!(opened, b"a message");
//! # Ok::<(), roundel_seal::Error>(())
//! ```
//!
//! ## Promises
//!
//! * `Ok` means: the whole output is verified and at its name. On an error a file output is not there, and an old file of that name is as it was.
//! * Nothing unauthenticated is put out. A stream gets a verified prefix, then the error.
//! * The error, and the output, do not depend on the number of threads.
//! * Memory is bounded (512 KiB a thread) and does not grow with the file. Passphrases are the exception: scrypt's cost is memory.

mod ends;
mod error;
#[cfg(test)]
mod faults;
mod files;
mod header;
mod io;
mod jobs;
mod kdf;
pub mod keys;
mod payload;
mod reader;
mod rescue;
mod streams;
mod suite;
mod writer;

pub use error::{Error, Result};
pub use files::{Target, Temporary, remove_temporaries};
pub use header::{MAX_HEADER_BYTES, VERSION};
pub use keys::{BareKey, Lock, Unlock};
pub use payload::{CHUNK_BYTES, MAX_TEXT_BYTES, SEALED_CHUNK_BYTES, START_BYTES};
pub use reader::{Inspection, StanzaFacts, check, inspect, open, open_range};
pub use rescue::{Rescued, rescue};
pub use streams::{Opener, SealedReader, Sealer};
pub use suite::Suite;
pub use writer::seal;

use roundel::Policy;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Where bytes come from.
pub enum Input<'a> {
    /// A path. Regular files are read at offsets by all threads, others as streams.
    Path(PathBuf),
    /// Standard input; if that is a regular file, read at offsets from where it stands.
    Stdin,
    /// Any reader, as a stream.
    Reader(Box<dyn std::io::Read + Send + 'a>),
}

/// Where results go.
pub enum Output<'a> {
    /// A path. A regular file appears under its name when it is complete; a device or named pipe is written as a stream.
    Path(PathBuf),
    /// Standard output, as a stream.
    Stdout,
    /// Any writer, as a stream.
    Writer(Box<dyn std::io::Write + Send + 'a>),
}

impl<'a> Input<'a> {
    /// From a reader.
    pub fn reader(reader: impl std::io::Read + Send + 'a) -> Self {
        Input::Reader(Box::new(reader))
    }
}

impl<'a> Output<'a> {
    /// To a writer.
    pub fn writer(writer: impl std::io::Write + Send + 'a) -> Self {
        Output::Writer(Box::new(writer))
    }
}

/// How an operation runs; what it produces does not depend on these.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Which strategies may run the cipher. [`Policy::AnyTiming`] allows those whose timing depends on the key.
    pub policy: Policy,
    /// Allows sealing with ciphers that are not known to be sound. Opening is always allowed.
    pub allow_unsound: bool,
    /// Whether a file output is on the disk before it gets its name (fsync of file and folder).
    pub sync: bool,
    /// Whether an existing file may be replaced.
    pub replace: bool,
    /// Called by the working threads after each 512 KiB.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Looked at before each 512 KiB: once true, the operation ends with [`Error::Interrupted`] and leaves nothing.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            threads: 0,
            policy: Policy::ConstantTime,
            allow_unsound: false,
            sync: true,
            replace: false,
            progress: None,
            cancel: None,
        }
    }
}

impl Options<'_> {
    /// The same with as many of the threads as pay for a text of this length, if it is known.
    pub(crate) fn planned(&self, suite: Suite, text_bytes: Option<u64>) -> Self {
        let most = if self.threads == 0 { roundel::parallel::cores() } else { self.threads };
        let threads = text_bytes.map_or(most, |bytes| suite.threads(bytes, self.policy, most));
        Options { threads, ..*self }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// How far an operation is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Input bytes done; headers are not counted.
    pub done: u64,
    /// Input bytes in all, if known.
    pub total: Option<u64>,
}

/// What an operation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Bytes of plaintext that were sealed, put out or checked.
    pub text_bytes: u64,
    /// Bytes of sealed data that were written or read, the header included.
    pub sealed_bytes: u64,
    /// The suite's name.
    pub suite: String,
    /// The strategy that ran the cipher.
    pub strategy: &'static str,
    /// Threads that worked.
    pub threads: usize,
    /// Time for all of it.
    pub elapsed: Duration,
    /// Of that, the time spent waiting for the disk (zero without [`Options::sync`]).
    pub sync: Duration,
}

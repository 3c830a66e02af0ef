//! What the tests share: keys, texts, and every way to open a file.
#![allow(dead_code, unreachable_pub)]

use roundel_seal::keys::age::secrecy::ExposeSecret;
use roundel_seal::keys::{self, BoxIdentity, BoxRecipient};
use roundel_seal::{Error, Input, Lock, Options, Output, Report, Suite, Unlock};
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

/// A recipient and its identity.
pub struct Pair {
    pub to: Vec<BoxRecipient>,
    pub mine: Vec<BoxIdentity>,
}

pub fn pair() -> Pair {
    let pair = keys::generate();
    let silent = Arc::new(|_: &str| None);
    Pair {
        to: vec![keys::recipient(&pair.public).unwrap()],
        mine: keys::identities_file(pair.secret.expose_secret().as_bytes(), "test key", silent).unwrap(),
    }
}

impl Pair {
    pub fn lock(&self) -> Lock<'_> {
        Lock::Recipients { to: &self.to, suite: Suite::default() }
    }

    pub fn unlock(&self) -> Unlock<'_> {
        Unlock::Identities(&self.mine)
    }
}

/// Bytes of which no two chunks are alike.
pub fn text(len: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..len).map(|_| next()).collect()
}

pub fn fast() -> Options<'static> {
    Options { sync: false, threads: 1, ..Options::default() }
}

/// Seals from a stream to a stream: the header does not know the length.
pub fn seal_stream(text: &[u8], lock: &Lock<'_>) -> Vec<u8> {
    let mut sealed = Vec::new();
    roundel_seal::seal(Input::reader(text), Output::writer(&mut sealed), lock, &fast()).unwrap();
    sealed
}

/// Seals a file to a file: the header knows the length.
pub fn seal_file(text: &[u8], lock: &Lock<'_>) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (plain, sealed) = (folder.path().join("plain"), folder.path().join("sealed"));
    std::fs::write(&plain, text).unwrap();
    roundel_seal::seal(Input::Path(plain), Output::Path(sealed.clone()), lock, &fast()).unwrap();
    std::fs::read(sealed).unwrap()
}

/// From a stream to a stream: what was put out, and the result.
pub fn open_stream(
    sealed: &[u8],
    unlock: &Unlock<'_>,
    options: &Options<'_>,
) -> (Vec<u8>, Result<Report, Error>) {
    let mut out = Vec::new();
    let result = roundel_seal::open(Input::reader(sealed), Output::writer(&mut out), unlock, options);
    (out, result)
}

/// By `Opener`, in reads of an odd size. Asserts that a failure lasts.
pub fn open_reader(sealed: &[u8], unlock: &Unlock<'_>) -> (Vec<u8>, Result<(), Error>) {
    let mut reader = match roundel_seal::Opener::new(Input::reader(sealed), unlock, &fast()) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Err(error)),
    };
    let mut out = Vec::new();
    let mut buffer = [0; 1000];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (out, Ok(())),
            Ok(bytes) => out.extend_from_slice(&buffer[..bytes]),
            Err(error) => {
                assert!(reader.read(&mut buffer).is_err(), "a failed reader must keep failing");
                return (out, Err(error.downcast().expect("our own error travels inside")));
            }
        }
    }
}

/// By `SealedReader`, from the beginning to the end.
pub fn open_seeking(sealed: &[u8], unlock: &Unlock<'_>) -> (Vec<u8>, Result<(), Error>) {
    let mut reader = match roundel_seal::SealedReader::new(Cursor::new(sealed), unlock, &fast()) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Err(error)),
    };
    let mut out = Vec::new();
    let result = reader.read_to_end(&mut out);
    (out, result.map(|_| ()).map_err(|error| error.downcast().expect("our own error travels inside")))
}

/// From a file to a file. Asserts that the old file stays on failure, that nothing else is left, and gives the new contents.
pub fn open_file(folder: &Path, sealed: &[u8], unlock: &Unlock<'_>) -> Result<Vec<u8>, Error> {
    const OLD: &[u8] = b"what was there before";
    let (from, to) = (folder.join("sealed"), folder.join("out"));
    std::fs::write(&from, sealed).unwrap();
    std::fs::write(&to, OLD).unwrap();
    let options = Options { replace: true, ..fast() };
    let result = roundel_seal::open(Input::Path(from), Output::Path(to.clone()), unlock, &options);
    let now = std::fs::read(&to).unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 2, "nothing is left behind");
    match result {
        Ok(_) => Ok(now),
        Err(error) => {
            assert_eq!(now, OLD, "the old file is untouched");
            Err(error)
        }
    }
}

/// A range from a file to a writer.
pub fn open_range(
    folder: &Path,
    sealed: &[u8],
    start: u64,
    len: Option<u64>,
    unlock: &Unlock<'_>,
) -> Result<Vec<u8>, Error> {
    let from = folder.join("ranged");
    std::fs::write(&from, sealed).unwrap();
    let mut out = Vec::new();
    let output = Output::writer(&mut out);
    let result = roundel_seal::open_range(Input::Path(from.clone()), output, start, len, unlock, &fast());
    std::fs::remove_file(from).unwrap();
    result.map(|_| out)
}

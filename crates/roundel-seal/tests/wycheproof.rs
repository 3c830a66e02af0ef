//! The 70 cases of Wycheproof for C2SP chunked-encryption, through every way of opening.

mod common;

use common::*;
use roundel_seal::{BareKey, Error, Suite, Unlock};
use serde_json::Value;
use sha2::{Digest, Sha512};
use std::io::{Cursor, Read, Seek, SeekFrom};

fn hex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn inflate(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // Some of the files' streams lack their end; what they decompress to is complete.
    let _ = flate2::read::ZlibDecoder::new(data).read_to_end(&mut out);
    out
}

struct Case {
    name: String,
    key: Vec<u8>,
    context: Vec<u8>,
    sealed: Vec<u8>,
    valid: bool,
    flags: Vec<String>,
    /// Length and SHA-512 of the longest valid prefix of the message.
    prefix: Option<(usize, Vec<u8>)>,
}

fn cases(bits: usize) -> Vec<Case> {
    let path = format!(
        "{}/../../vectors/wycheproof/c2sp_chunked_encryption_aes_{bits}_gcm_test.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let group = &file["testGroups"][0];
    assert_eq!(group["sha"], "SHA-512");
    let tests = group["tests"].as_array().unwrap();
    tests
        .iter()
        .map(|test| Case {
            name: format!("Cobblestone-{bits} #{}: {}", test["tcId"], test["comment"]),
            key: hex(&test["key"]),
            context: hex(&test["ctx"]),
            sealed: inflate(&hex(&test["ct"])),
            valid: test["result"] == "valid",
            flags: test["flags"]
                .as_array()
                .unwrap()
                .iter()
                .map(|flag| flag.as_str().unwrap().into())
                .collect(),
            prefix: test["msgLength"].as_u64().map(|len| (len as usize, hex(&test["msgSha512"]))),
        })
        .collect()
}

impl Case {
    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|known| known == flag)
    }

    /// What was put out must be the whole message, or a verified prefix of it, and then the right kind of error.
    fn judge(&self, way: &str, out: &[u8], result: Result<(), Error>) {
        let name = format!("{}, {way}", self.name);
        match (&self.prefix, &result) {
            (Some((len, hash)), Ok(())) => {
                assert!(self.valid, "{name}: accepted");
                assert_eq!(out.len(), *len, "{name}");
                assert_eq!(Sha512::digest(out)[..], hash[..], "{name}");
            }
            (None, Ok(())) => panic!("{name}: accepted"),
            (Some((len, hash)), Err(error)) => {
                assert!(!self.valid, "{name}: refused: {error}");
                assert!(out.len() <= *len, "{name}: more than the valid prefix");
                if out.len() == *len {
                    assert_eq!(Sha512::digest(out)[..], hash[..], "{name}");
                }
            }
            (None, Err(_)) => assert!(out.is_empty(), "{name}: unauthenticated output"),
        }
        if let Err(error) = result {
            self.judge_error(&name, &error);
        }
    }

    fn judge_error(&self, name: &str, error: &Error) {
        let code = error.exit_code();
        match () {
            () if self.has("InvalidKeySize") => assert!(matches!(error, Error::Key(_)), "{name}: {error}"),
            () if self.has("Truncation") => assert_eq!(code, 21, "{name}: {error}"),
            () if self.has("WrongKey") || self.has("WrongContext") || self.has("HeaderFailure") => {
                assert_eq!(code, 12, "{name}: {error}");
            }
            () if self.has("ChunkReordering") => assert_eq!(code, 20, "{name}: {error}"),
            // Without a length in a header, a bad last chunk may be a cut one.
            () => assert!([20, 21].contains(&code), "{name}: {error}"),
        }
    }
}

#[test]
fn all_cases_by_all_ways() {
    let folder = tempfile::tempdir().unwrap();
    let ranges = tempfile::tempdir().unwrap();
    let mut count = 0;
    for (bits, suite) in [(128, Suite::COBBLESTONE_128), (256, Suite::COBBLESTONE_256)] {
        for case in cases(bits) {
            count += 1;
            let Ok(key) = BareKey::from_file_contents(&case.key, suite, &case.context) else {
                assert!(case.has("InvalidKeySize"), "{}", case.name);
                continue;
            };
            let unlock = Unlock::Bare(&key);
            for threads in [1, 3] {
                let options = roundel_seal::Options { threads, ..fast() };
                let (out, result) = open_stream(&case.sealed, &unlock, &options);
                case.judge("stream", &out, result.map(|_| ()));
            }
            let (out, result) = open_reader(&case.sealed, &unlock);
            case.judge("Opener", &out, result);
            let (out, result) = open_seeking(&case.sealed, &unlock);
            case.judge("SealedReader", &out, result);
            match open_file(folder.path(), &case.sealed, &unlock) {
                Ok(out) => case.judge("file", &out, Ok(())),
                Err(error) => case.judge("file", &[], Err(error)),
            }
            match open_range(ranges.path(), &case.sealed, 0, None, &unlock) {
                Ok(out) => case.judge("range", &out, Ok(())),
                Err(error) => case.judge("range", &[], Err(error)),
            }
            seek_from_the_end(&case, &unlock);
        }
    }
    assert_eq!(count, 70);
}

/// The end is vouched for by the last chunk: where that is valid, seeking from the end works even if other chunks are bad.
fn seek_from_the_end(case: &Case, unlock: &Unlock<'_>) {
    let reader = roundel_seal::SealedReader::new(Cursor::new(&case.sealed), unlock, &fast());
    let end = match reader {
        Ok(mut reader) => reader.seek(SeekFrom::End(0)).ok(),
        Err(_) => None,
    };
    assert_eq!(end.is_some(), case.valid || case.has("ValidFinalChunk"), "{}", case.name);
    if let (Some(end), Some((len, _)), true) = (end, &case.prefix, case.valid) {
        assert_eq!(end, *len as u64, "{}", case.name);
    }
}

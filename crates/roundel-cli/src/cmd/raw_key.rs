//! The key of a raw mode: on the command line, or in a file.

use crate::error::Error;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Where the key comes from.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(super) struct KeyOptions {
    /// Key; where the mode takes two, one after the other
    // Taken as text: a parser's error would print it.
    #[arg(long, value_name = "HEX")]
    key: Option<String>,
    /// File that holds the key: raw bytes or hexadecimal digits
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl KeyOptions {
    /// The key. A file whose length is no key's (by `accepts`) is taken as digits, if it can be.
    pub(super) fn read(&self, accepts: impl Fn(usize) -> bool) -> Result<Zeroizing<Vec<u8>>, Error> {
        match (&self.key, &self.key_file) {
            (Some(digits), _) => Ok(hex(digits).map_err(|why| Error::Usage(format!("--key: {why}")))?.0),
            (None, Some(path)) => {
                let contents = std::fs::read(path).map_err(|error| Error::file("open", path, error))?;
                let contents = Zeroizing::new(contents);
                let digits = std::str::from_utf8(contents.trim_ascii()).ok().and_then(|text| hex(text).ok());
                Ok(match digits {
                    Some(Bytes(key)) if !accepts(contents.len()) => key,
                    _ => contents,
                })
            }
            (None, None) => unreachable!("clap requires one of the group"),
        }
    }
}

/// A byte string of the command line.
#[derive(Clone)]
pub(super) struct Bytes(pub(super) Zeroizing<Vec<u8>>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

pub(super) fn hex(text: &str) -> Result<Bytes, String> {
    let nibble = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    if !text.len().is_multiple_of(2) {
        return Err("the number of hexadecimal digits is odd".to_owned());
    }
    let bytes: Option<Vec<u8>> =
        text.as_bytes().chunks_exact(2).map(|pair| Some(nibble(pair[0])? << 4 | nibble(pair[1])?)).collect();
    Ok(Bytes(bytes.ok_or("not hexadecimal digits")?.into()))
}

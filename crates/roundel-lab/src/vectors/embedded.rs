//! The repository's own vectors, packed into the program by `build.rs`.

use super::{VectorError, VectorFile, parse};
use flate2::read::ZlibDecoder;
use roundel::Cipher;
use std::io::Read;

/// Name and zlib-compressed text of each file.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/vectors.rs"));

/// Folders that hold vectors of more than one cipher.
const SHARED_FOLDERS: [&str; 3] = ["elephant", "modes", "wycheproof"];

/// The embedded files that concern the `ciphers`, parsed: those in the folder of each cipher's name, and the shared folders. A file
/// may hold cases of other ciphers too.
pub fn embedded(ciphers: &[&'static Cipher]) -> Result<Vec<VectorFile>, VectorError> {
    FILES
        .iter()
        .filter_map(|(name, packed)| Some((name, packed, name.split_once('/')?)))
        .filter(|(_, _, (folder, _))| {
            SHARED_FOLDERS.contains(folder) || ciphers.iter().any(|cipher| serves(folder, cipher))
        })
        .map(|(name, packed, (folder, file))| {
            let mut text = Vec::new();
            ZlibDecoder::new(*packed)
                .read_to_end(&mut text)
                .map_err(|error| VectorError::damaged(name, "embedded", error.to_string()))?;
            parse(name, &text, Some(&cipher_of(folder, file)))
        })
        .collect()
}

/// Whether the folder may hold vectors of the cipher: `hpc` serves `hpc` and `hpc-1999`.
fn serves(folder: &str, cipher: &Cipher) -> bool {
    cipher.name.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The cipher of a folder's NIST text: `rijndael/block192.txt` belongs to `rijndael-block192`.
fn cipher_of(folder: &str, file: &str) -> String {
    let variant = format!("{folder}-{}", file.split('.').next().unwrap_or_default());
    if roundel::cipher(&variant).is_ok() { variant } else { folder.to_owned() }
}

//! The repository's own vectors, packed into the program by `build.rs`.

use super::{VectorError, VectorFile, parse};
use flate2::read::ZlibDecoder;
use roundel::Cipher;
use std::io::Read;

/// Name and zlib-compressed text of each file.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/vectors.rs"));

/// Folders that hold vectors of more than one cipher.
const SHARED_FOLDERS: [&str; 2] = ["modes", "wycheproof"];

/// The embedded files that concern the `ciphers`, parsed: those in the folder of each cipher's name, and the shared folders.
pub fn embedded(ciphers: &[&'static Cipher]) -> Result<Vec<VectorFile>, VectorError> {
    FILES
        .iter()
        .filter_map(|(name, packed)| Some((name, packed, owner(name, ciphers)?)))
        .map(|(name, packed, cipher)| {
            let mut text = Vec::new();
            ZlibDecoder::new(*packed)
                .read_to_end(&mut text)
                .map_err(|error| VectorError::damaged(name, "embedded", error.to_string()))?;
            parse(name, &text, cipher)
        })
        .collect()
}

/// Whether the file is wanted (the outer option), and by which cipher (none for a shared folder). `rijndael/block192.txt`
/// belongs to the cipher `rijndael-block192`.
fn owner(name: &str, ciphers: &[&'static Cipher]) -> Option<Option<&'static str>> {
    let (folder, file) = name.split_once('/')?;
    if SHARED_FOLDERS.contains(&folder) {
        return Some(None);
    }
    let variant = format!("{folder}-{}", file.split('.').next()?);
    let is_variant = roundel::cipher(&variant).is_ok();
    let wanted = if is_variant { variant.as_str() } else { folder };
    ciphers.iter().find(|cipher| cipher.name == wanted).map(|cipher| Some(cipher.name))
}

//! Vector files: known answers as other people publish them, read into [`Case`]s.
//!
//! | format | what is in it | read by |
//! |---|---|---|
//! | NIST text | single blocks and Monte Carlo chains, `KEY=`, `PT=`, `CT=` | `nist` |
//! | JSON lines | modes, one case for each line (`vectors/modes`) | `lines` |
//! | JSON lines | disk sectors and diffusers (`vectors/elephant`) | `sectors` |
//! | Wycheproof JSON | modes, good and bad messages | `wycheproof` |
//!
//! The format is told by the content, never by the file's name. A case that a parser does not understand becomes
//! [`Test::NotImplemented`], which is counted and shown; a file that is damaged is an error. Parsers never panic.

mod embedded;
mod lines;
mod nist;
mod sectors;
mod wycheproof;

use crate::monte_carlo::{Chain, Outer};
use roundel::modes::SectorMode;
use roundel::modes::elephant::Layers;
use roundel::modes::hash::Construction;
use thiserror::Error;

pub use embedded::embedded;

/// A vector file, parsed.
#[derive(Clone, Debug)]
pub struct VectorFile {
    /// Where it came from: a path, or folder and name of an embedded file.
    pub name: String,
    /// Its cases, in the file's order.
    pub cases: Vec<Case>,
}

/// One vector.
#[derive(Clone, Debug)]
pub struct Case {
    /// Where it stands in its file: "KEYSIZE=128 I=7", "line 12", "tcId 3".
    pub label: String,
    /// The cipher's name or alias, whether or not such a cipher is registered.
    pub cipher: String,
    /// What it asks for.
    pub test: Test,
}

/// What one vector asks for.
#[derive(Clone, Debug)]
pub enum Test {
    /// One block under a key (ECB).
    Block(Block),
    /// One block of HPC under a key and a spice (tweak) that is not zero.
    Spiced {
        /// Key and texts.
        block: Block,
        /// The spice.
        spice: Vec<u8>,
    },
    /// A Monte Carlo chain: the outer iterations that the file holds, ascending.
    Chain {
        /// Mode and direction.
        chain: Chain,
        /// Key length in bytes.
        key_bytes: usize,
        /// The iterations, at least one.
        outers: Vec<Outer>,
    },
    /// A message in a mode.
    Message(Box<Message>),
    /// A disk sector.
    Sector(Box<Sector>),
    /// A sector through diffusers alone.
    Diffusion(Box<Diffusion>),
    /// A message and its digest by a block-cipher hash with 128-bit keys.
    Hash(Box<Hashed>),
    /// A message in C2SP's chunked encryption (Cobblestone).
    Chunked(Box<Chunked>),
    /// A case of a kind that this program cannot run, and which kind.
    NotImplemented(String),
}

/// One block under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The key.
    pub key: Vec<u8>,
    /// Plaintext, one block.
    pub plain: Vec<u8>,
    /// Ciphertext, as long.
    pub cipher: Vec<u8>,
}

/// The modes that cases come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Counter mode, whole-block counter.
    Ctr,
    /// CBC of whole blocks.
    Cbc,
    /// CBC with the padding of PKCS #7 (also called PKCS5).
    CbcPadded,
    /// XTS, one data unit; the key is K1 || K2.
    Xts,
    /// GCM with a 16-byte tag. GMAC is GCM with an empty text.
    Gcm,
    /// CCM with a tag as long as the message's.
    Ccm,
}

impl Mode {
    /// The name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Ctr => "CTR",
            Mode::Cbc => "CBC",
            Mode::CbcPadded => "CBC-PKCS5",
            Mode::Xts => "XTS",
            Mode::Gcm => "GCM",
            Mode::Ccm => "CCM",
        }
    }
}

/// A message in a mode. Fields that a mode does not use are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The mode.
    pub mode: Mode,
    /// The key; of XTS both keys.
    pub key: Vec<u8>,
    /// Initialisation vector, first counter block, nonce or data-unit number (little-endian).
    pub iv: Vec<u8>,
    /// Additional authenticated data.
    pub aad: Vec<u8>,
    /// Plaintext.
    pub plain: Vec<u8>,
    /// Ciphertext without the tag.
    pub cipher: Vec<u8>,
    /// The tag.
    pub tag: Vec<u8>,
    /// False if decryption must refuse it.
    pub valid: bool,
}

/// A disk sector in one of the sector modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sector {
    /// The mode.
    pub mode: SectorMode,
    /// The data's key, then the second key where the mode has one.
    pub key: Vec<u8>,
    /// The sector's number.
    pub number: u64,
    /// Plaintext: its length is the sector's.
    pub plain: Vec<u8>,
    /// Ciphertext, as long.
    pub cipher: Vec<u8>,
}

/// A sector through cycles of diffusers: no pattern, no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diffusion {
    /// The cycles.
    pub layers: Layers,
    /// The sector as encryption finds it.
    pub plain: Vec<u8>,
    /// The sector as encryption leaves it.
    pub diffused: Vec<u8>,
}

/// A message and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// How the cipher is used.
    pub construction: Construction,
    /// The message.
    pub message: Vec<u8>,
    /// The digest.
    pub digest: Vec<u8>,
}

/// A sealed message in C2SP's chunked encryption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunked {
    /// Length of the AEAD's key in bits: Cobblestone-128 or -256.
    pub key_bits: usize,
    /// Input key, of any length: a wrong one must be refused.
    pub key: Vec<u8>,
    /// Context.
    pub context: Vec<u8>,
    /// Header and chunks.
    pub sealed: Vec<u8>,
    /// Length and SHA-512 of the message; of an invalid one, of the longest prefix that may be released.
    pub message: Option<(u64, Vec<u8>)>,
    /// False if opening must fail.
    pub valid: bool,
}

/// A vector file that cannot be used.
#[derive(Debug, Error)]
pub enum VectorError {
    /// Not one of the formats.
    #[error("{file} is neither NIST text, nor JSON lines of modes or sectors, nor Wycheproof JSON")]
    UnknownFormat {
        /// The file's name.
        file: String,
    },
    /// NIST text without a cipher to run it with.
    #[error("{file} is NIST text, which does not name its cipher: say which with --cipher")]
    CipherNeeded {
        /// The file's name.
        file: String,
    },
    /// A damaged or truncated file.
    #[error("{file}, {place}: {what}")]
    Damaged {
        /// The file's name.
        file: String,
        /// "line 12", "tcId 3".
        place: String,
        /// What is wrong.
        what: String,
    },
}

impl VectorError {
    fn damaged(file: &str, place: impl Into<String>, what: impl Into<String>) -> Self {
        VectorError::Damaged { file: file.to_owned(), place: place.into(), what: what.into() }
    }
}

/// Parses a vector file of any of the formats. `cipher` is the cipher of NIST text, which does not name it; other formats
/// name theirs.
pub fn parse(file: &str, bytes: &[u8], cipher: Option<&str>) -> Result<VectorFile, VectorError> {
    let unknown = || VectorError::UnknownFormat { file: file.to_owned() };
    let text = std::str::from_utf8(bytes).map_err(|_| unknown())?;
    let cases = if text.trim_start().starts_with('{') {
        // A JSON-lines file has a whole object on its first line; Wycheproof's files are one object over many.
        let first = text.trim_start().lines().next().unwrap_or_default();
        if lines::is_line(first) {
            lines::parse(file, text)?
        } else if sectors::is_line(first) {
            sectors::parse(file, text)?
        } else {
            wycheproof::parse(file, text)?
        }
    } else if nist::has_fields(text) {
        let cipher = cipher.ok_or_else(|| VectorError::CipherNeeded { file: file.to_owned() })?;
        nist::parse(file, text, cipher)?
    } else {
        return Err(unknown());
    };
    Ok(VectorFile { name: file.to_owned(), cases })
}

/// The bytes of a hexadecimal string, or what is wrong with it.
fn unhex(text: &str) -> Result<Vec<u8>, String> {
    if !text.len().is_multiple_of(2) {
        return Err(format!("an odd number of hexadecimal digits ({})", text.len()));
    }
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.ok_or("a character that is no hexadecimal digit")?;
    Ok(digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

/// Upper-case hexadecimal, as in NIST's files.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests;

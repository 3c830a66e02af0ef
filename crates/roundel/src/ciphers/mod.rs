//! The registry: one folder per cipher, one line here.

use crate::{Cipher, Error};

pub mod hpc;
pub mod rijndael;

/// Every cipher. Whatever lists ciphers or strategies walks this.
pub static CIPHERS: &[&Cipher] =
    &[&hpc::CIPHER, &hpc::REPAIRED, &rijndael::CIPHER, &rijndael::BLOCK192, &rijndael::BLOCK256];

/// The cipher of this name or alias.
pub fn cipher(name: &str) -> Result<&'static Cipher, Error> {
    CIPHERS
        .iter()
        .copied()
        .find(|cipher| cipher.name == name || cipher.aliases.contains(&name))
        .ok_or_else(|| Error::UnknownCipher(name.to_owned()))
}

//! The registry: one folder per cipher, one line here.

use crate::{Cipher, Error};

pub(crate) mod bits;
pub mod cast256;
pub mod crypton;
pub mod deal;
pub mod dfc;
pub mod e2;
pub mod frog;
pub mod hpc;
#[cfg(test)]
mod known_answers;
pub mod loki97;
pub mod magenta;
pub mod mars;
pub mod rc6;
pub mod rijndael;
pub mod safer_plus;
pub mod serpent;
pub mod twofish;
pub(crate) mod words;

/// Every cipher. Whatever lists ciphers or strategies walks this.
// One line for each, so that additions merge.
#[rustfmt::skip]
pub static CIPHERS: &[&Cipher] = &[
    &cast256::CIPHER,
    &crypton::V05,
    &crypton::V10,
    &deal::CIPHER,
    &dfc::CIPHER,
    &e2::CIPHER,
    &frog::CIPHER,
    &hpc::CIPHER,
    &hpc::REPAIRED,
    &loki97::CIPHER,
    &magenta::CIPHER,
    &mars::CIPHER,
    &mars::ROUND1,
    &rc6::CIPHER,
    &rijndael::CIPHER,
    &rijndael::BLOCK192,
    &rijndael::BLOCK256,
    &safer_plus::CIPHER,
    &serpent::CIPHER,
    &twofish::CIPHER,
];

/// The cipher of this name or alias.
pub fn cipher(name: &str) -> Result<&'static Cipher, Error> {
    CIPHERS
        .iter()
        .copied()
        .find(|cipher| cipher.name == name || cipher.aliases.contains(&name))
        .ok_or_else(|| Error::UnknownCipher(name.to_owned()))
}

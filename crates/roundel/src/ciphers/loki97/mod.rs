//! LOKI97 (Lawrie Brown, Josef Pieprzyk, Jennifer Seberry; AES submission of June 1998).
//!
//! Sixteen rounds on two halves of 64 bits, with additions of subkeys outside a round function of two layers of S-boxes of 13 and 11 bits
//! around a bit permutation, steered by another subkey.
//!
//! **Known against it**: broken. Knudsen and Rijmen, "Weaknesses in LOKI97" (2nd AES conference, 1999): differential and linear attacks with
//! about 2^56 texts.
//!
//! **Constants**: the S-boxes are cubes in GF(2^13) and GF(2^11), computed at compile time; DELTA is the golden ratio's fraction.
//!
//! **Strategies**: `reference` permutes bit by bit; `lookup` transposes bits with three exchanges and interleaves two blocks.

use crate::{Cipher, KeySizes, Standing};

mod lookup;
mod reference;
mod schedule;
mod tables;
#[cfg(test)]
mod tests;

/// LOKI97.
pub static CIPHER: Cipher = Cipher {
    name: "loki97",
    aliases: &[],
    title: "LOKI97 (Brown, Pieprzyk, Seberry 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Broken(
        "differential and linear attacks with about 2^56 texts (Knudsen, Rijmen 1999)",
    ),
    strategies: &[reference::PLAIN, lookup::LOOKUP],
};

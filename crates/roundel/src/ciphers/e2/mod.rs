//! E2 (Masayuki Kanda and others, NTT; AES submission of June 1998), the forerunner of Camellia.
//!
//! A Feistel network of twelve rounds on two halves of eight bytes, between an initial and a final transformation that multiply 32-bit words by
//! subkeys. The round function substitutes, mixes linearly and substitutes again.
//!
//! **Known against it**: nothing on the full cipher; truncated differentials on eight rounds without the outer transformations (Matsui and
//! Tokita, FSE 1999). NTT replaced it with Camellia, and it has had little study since.
//!
//! **Constants**: the S-box is 97 x^127 + 225, the power in GF(2^8) and the rest modulo 256, made at compile time.
//!
//! **Strategies**: `reference` follows the description; `tables-64` merges the first S-box layer and the mixing into eight tables of 64-bit words
//! and interleaves two blocks.

use crate::{Cipher, KeySizes, Standing};

mod reference;
mod schedule;
mod tables;
mod tables_64;
#[cfg(test)]
mod tests;

/// E2.
pub static CIPHER: Cipher = Cipher {
    name: "e2",
    aliases: &[],
    title: "E2 (Kanda et al., NTT 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Unreviewed(
        "left the AES contest in round 1 and was replaced by Camellia; little analysis since 1999",
    ),
    strategies: &[reference::PLAIN, tables_64::TABLES_64],
};

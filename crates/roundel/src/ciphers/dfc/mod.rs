//! DFC, the Decorrelated Fast Cipher (Serge Vaudenay and others, ENS/CNRS and France Telecom; AES submission of June 1998), version 1.
//!
//! A Feistel network of eight rounds on two halves of 64 bits; the round function is a x + b modulo the prime 2^64 + 13, and then a fixed
//! "confusion" of a 64-entry table and two constants. The affine part gives a proof against a limited kind of attacks.
//!
//! **Known against it**: the margin is small. Knudsen and Rijmen (FSE 1999) attack six of the eight rounds; Coppersmith found that about one
//! key in 2^64 makes the cipher degenerate. Version 2 of 2000 has another key schedule and is not this one.
//!
//! **Constants**: the first 2144 bits of the fraction of e, computed at compile time.
//!
//! **Strategies**: `reference` reduces by division; `word` reduces with carries and interleaves four blocks. Both look a table up by secret bits.

use crate::{Cipher, KeySizes, Standing};

mod reference;
mod schedule;
mod tables;
#[cfg(test)]
mod tests;
mod word;

/// DFC; keys of up to 256 bits.
pub static CIPHER: Cipher = Cipher {
    name: "dfc",
    aliases: &[],
    title: "DFC (Vaudenay et al. 1998)",
    block_bytes: 16,
    keys: KeySizes { standard: &[16, 24, 32], also: Some((0, 32, 1)) },
    standing: Standing::Unreviewed(
        "left the AES contest in round 1 with six of its eight rounds attacked (Knudsen, Rijmen 1999)",
    ),
    strategies: &[reference::PLAIN, word::WORD],
};

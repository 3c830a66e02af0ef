//! FROG (Dianelos Georgoudis, Damian Leroux and Billy Simón Chaves, TecApro; AES submission of June 1998).
//!
//! The key is expanded into a secret "program" of 2304 bytes, eight records of 16 XOR bytes, a permutation of 256 bytes and a
//! "bomb" table of 16 positions, and a very simple interpreter runs it over the 16 bytes of the block: eight iterations of 16 steps,
//! each of which depends on the one before.
//!
//! **Byte order**: as in NIST's files, where every key and text is printed with the highest internal byte first. Internally all strings
//! are reversed.
//!
//! **Known against it**: weak keys. Wagner, Ferguson and Schneier (2nd AES conference, 1999): a differential attack with about 2^58 chosen
//! plaintexts for 2^-33 of the keys, a linear one with 2^56 known texts for 2^-31.8; decryption diffuses slowly, so that about 2^36 chosen
//! ciphertexts suffice for a fraction of keys.
//!
//! **Constants**: one table of 251 random bytes (`tables.rs`).
//!
//! **Strategies**: `reference` is the description; `lookup` runs four blocks interleaved.
//!
//! Setting a key up costs as much as encrypting 300 blocks: the program is made by FROG itself.

use crate::{Cipher, KeySizes, Standing};

mod lookup;
mod reference;
mod schedule;
mod tables;
#[cfg(test)]
mod tests;

/// FROG with a 128-bit block; keys of 5 to 125 bytes.
pub static CIPHER: Cipher = Cipher {
    name: "frog",
    aliases: &[],
    title: "FROG (Georgoudis, Leroux, Chaves 1998)",
    block_bytes: 16,
    keys: KeySizes { standard: &[16, 24, 32], also: Some((5, 125, 1)) },
    standing: Standing::Broken("weak keys fall to 2^36 chosen ciphertexts (Wagner, Ferguson, Schneier 1999)"),
    strategies: &[reference::PLAIN, lookup::LOOKUP],
};

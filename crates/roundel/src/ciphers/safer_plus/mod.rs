//! SAFER+ (James Massey, Gurgen Khachatrian, Melsik Kuregian; submitted to AES by Cylink, June 1998).
//!
//! A substitution-permutation network on sixteen bytes: 8, 12 or 16 rounds of key bytes added or XORed by turns, the exponentials 45^x
//! modulo 257 and their logarithms as S-boxes, and four layers of the pseudo-Hadamard transform (2a + b, a + b).
//!
//! **Byte order**: as in NIST's files, in which the designers' byte 1 is the last of the string. Bluetooth's E1 and libtomcrypt use the designers'
//! own order: reverse key and text to compare.
//!
//! **Known against it**: nothing on the full 128-bit version. For 256-bit keys Kelsey, Schneier and Wagner (2nd AES conference, 1999) give a
//! meet-in-the-middle attack of about 2^240 and a related-key attack of about 2^200: each subkey byte depends on one key byte only.
//!
//! **Constants**: powers of 45 modulo 257, also for the subkeys' biases; all made at compile time.
//!
//! **Strategies**: `reference` follows the description; `lanes-128` and `lanes-256` hold one block in each 128 bits and look S-boxes up in shuffles,
//! so that they run in constant time.

use crate::{Cipher, KeySizes, Standing};

mod lanes;
mod reference;
mod schedule;
mod split_keys;
mod tables;
#[cfg(test)]
mod tests;

/// SAFER+.
pub static CIPHER: Cipher = Cipher {
    name: "safer-plus",
    aliases: &[],
    title: "SAFER+ (Massey, Khachatrian, Kuregian 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Broken(
        "the 256-bit version falls to 2^240 work, by its key schedule (Kelsey et al. 1999); 128 bits stand",
    ),
    strategies: &[reference::PLAIN, lanes::LANES_128, lanes::LANES_256],
};

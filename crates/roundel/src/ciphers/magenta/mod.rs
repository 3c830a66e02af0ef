//! MAGENTA (Michael J. Jacobson Jr. and Klaus Huber, Deutsche Telekom; AES submission of June 1998).
//!
//! A Feistel network of six rounds (eight for 256-bit keys) on two halves of 64 bits. The round function puts 16 bytes, a half and a
//! subkey, twelve times through a layer of byte look-ups arranged like a fast Hadamard transform. The subkeys are pieces of the key in a
//! palindromic order.
//!
//! **Known against it**: broken on the day it was presented. Biham, Biryukov, Ferguson, Knudsen, Schneier and Shamir,
//! "Cryptanalysis of Magenta" (1998): the palindrome of subkeys lets the 128-bit version fall to about 2^64 chosen plaintexts and as much
//! work. Who can decrypt can encrypt with the halves exchanged.
//!
//! **Constants**: the S-box is exponentiation of x in GF(2^8) modulo 0x165, made at compile time.
//!
//! **Strategies**: `reference` is the description; `lookup` keeps two blocks in flight and leaves out the last layer's unused half.

use crate::{Cipher, KeySizes, Standing};

mod lookup;
mod reference;
mod tables;
#[cfg(test)]
mod tests;

/// MAGENTA.
pub static CIPHER: Cipher = Cipher {
    name: "magenta",
    aliases: &[],
    title: "MAGENTA (Jacobson, Huber 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Broken("2^64 chosen plaintexts, by its palindromic key order (Biham et al. 1998)"),
    strategies: &[reference::PLAIN, lookup::LOOKUP],
};

//! Rijndael (Joan Daemen and Vincent Rijmen, 1998), the Advanced Encryption Standard (FIPS 197).
//!
//! A substitution-permutation network on a state of 4 rows and Nb columns of bytes: 10, 12 or 14 rounds by the larger of key and
//! block. The 128-bit block is AES; the original proposal's blocks of 192 and 256 bits are here too, for data that
//! others encrypted with them (mcrypt's `RIJNDAEL_256`, ccrypt).
//!
//! **Known against it**: nothing practical. Biclique attacks gain a factor of about four on the full cipher; related-key
//! attacks on the 192- and 256-bit schedules need keys that no sound protocol makes.
//!
//! **Constants**: the S-box is inversion in GF(2^8) modulo 0x11B followed by an affine map; the round constants are powers of x.
//! All tables are derived from these rules at compile time (`tables.rs`).
//!
//! **Strategies**: `reference` follows the standard and multiplies byte by byte; `lookup` takes the products from tables. `transposed` keeps the state's
//! rows in words and works four bytes at a time; `ttable` does SubBytes and MixColumns by one table of words, with separate key schedules for the two
//! directions. `bitslice-64`, `-128` and `-256` evaluate the S-box as a circuit over the bits of 4, 8 and 16 blocks. `aes-round-128`, `-256` and `-512`
//! use the CPU's round instructions on one, two and four blocks a register, with all modes fused. Slices and rounds are constant-time, and so is
//! `reference`, whose S-box is arithmetic; what looks up is not.

use crate::{Cipher, KeySizes, Standing};

#[cfg(target_arch = "x86_64")]
mod aes_round;
mod bitslice;
mod circuit;
mod lookup;
mod reference;
mod schedule;
mod slicing;
mod tables;
mod transposed;
mod ttable;

/// AES: the 128-bit block.
pub static CIPHER: Cipher = Cipher {
    name: "rijndael",
    aliases: &["aes"],
    title: "Rijndael / AES (Daemen, Rijmen 1998; FIPS 197)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Sound,
    strategies: &[
        reference::BLOCK128,
        lookup::BLOCK128,
        transposed::BLOCK128,
        bitslice::W64,
        ttable::BLOCK128,
        bitslice::W128,
        bitslice::W256,
        #[cfg(target_arch = "x86_64")]
        aes_round::W128,
        #[cfg(target_arch = "x86_64")]
        aes_round::W256,
        #[cfg(target_arch = "x86_64")]
        aes_round::W512,
    ],
};

/// The original Rijndael's 192-bit block.
pub static BLOCK192: Cipher = Cipher {
    name: "rijndael-block192",
    aliases: &[],
    title: "Rijndael with a 192-bit block (Daemen, Rijmen 1998)",
    block_bytes: 24,
    keys: KeySizes::AES,
    standing: Standing::Sound,
    strategies: &[
        reference::BLOCK192,
        lookup::BLOCK192,
        ttable::BLOCK192,
        #[cfg(target_arch = "x86_64")]
        aes_round::large_blocks::BLOCK192_W128,
        #[cfg(target_arch = "x86_64")]
        aes_round::large_blocks::BLOCK192_W256,
    ],
};

/// The original Rijndael's 256-bit block.
pub static BLOCK256: Cipher = Cipher {
    name: "rijndael-block256",
    aliases: &[],
    title: "Rijndael with a 256-bit block (Daemen, Rijmen 1998)",
    block_bytes: 32,
    keys: KeySizes::AES,
    standing: Standing::Sound,
    strategies: &[
        reference::BLOCK256,
        lookup::BLOCK256,
        ttable::BLOCK256,
        #[cfg(target_arch = "x86_64")]
        aes_round::large_blocks::BLOCK256_W128,
        #[cfg(target_arch = "x86_64")]
        aes_round::large_blocks::BLOCK256_W256,
    ],
};

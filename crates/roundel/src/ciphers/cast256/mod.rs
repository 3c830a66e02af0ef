//! CAST-256 (Carlisle Adams, Howard Heys, Stafford Tavares and Michael Wiener, 1998; RFC 2612), AES candidate.
//!
//! An incomplete Feistel network on four big-endian words: 48 rounds, each of which passes one word through a mask, a
//! rotation and four S-boxes of 8 to 32 bits and XORs the result onto its neighbour. Twelve quad-rounds, six of them forward and six
//! reverse, so that decryption is encryption with the keys in the opposite order. Masks, additions and XORs alternate in three round
//! functions.
//!
//! Keys of 128, 160, 192, 224 and 256 bits; a short one acts like the same key padded with zeros.
//!
//! **Known against it**: nothing practical. Linear and multidimensional zero-correlation attacks reach 24 to 28 of 48 rounds, with
//! more work than any machine does (Wang, Wang, Hu 2008; Bogdanov and others 2012).
//!
//! **Constants**: the S-boxes are those of CAST-128 (RFC 2144), 32 bent functions each; the schedule's masks are the square
//! roots of 2 and 3 (`tables.rs`, `schedule.rs`).
//!
//! **Strategies**: `reference` follows the RFC. `interleaved` keeps three blocks in step. Both look tables up with
//! secret bytes.

use crate::{Cipher, KeySizes, Standing};

mod interleaved;
mod reference;
mod rounds;
mod schedule;
mod tables;

/// CAST-256.
pub static CIPHER: Cipher = Cipher {
    name: "cast256",
    aliases: &["cast6"],
    title: "CAST-256 (Adams, Heys, Tavares, Wiener 1998; RFC 2612)",
    block_bytes: 16,
    keys: KeySizes { standard: &[16, 24, 32], also: Some((16, 32, 4)) },
    standing: Standing::Sound,
    strategies: &[reference::STRATEGY, interleaved::STRATEGY],
};

#[cfg(test)]
mod tests {
    use super::CIPHER;
    use crate::ciphers::known_answers;

    #[test]
    fn known_answers() {
        known_answers::check(&CIPHER);
    }
}

//! Serpent (Ross Anderson, Eli Biham and Lars Knudsen, 1998), second in the AES contest.
//!
//! A substitution-permutation network of 32 rounds on four 32-bit words: a subkey is XORed on, one of eight 4-bit S-boxes is applied to
//! all 32 columns of bits, and a linear transformation of rotations, shifts and XORs mixes the words (the last round has a
//! second subkey in its place). It was made to be run *bitsliced*: an S-box is a circuit of Boolean instructions on whole words, so the
//! natural program has no table and constant time. This is Serpent-1, the form submitted to the contest.
//!
//! **Bytes**: four little-endian words X0 to X3, key bytes likewise, a key under 256 bits followed by one 1 bit: the order of NESSIE
//! and of all current libraries. NIST's files of 1998 print every string the other way round.
//!
//! **Known against it**: nothing practical. The best attacks reach 12 of the 32 rounds (multidimensional linear cryptanalysis; Nguyen, Wu,
//! Wang 2011) with almost the whole code book.
//!
//! **Constants**: the S-boxes were derived from those of DES by a published procedure with three criteria, which a test checks; the
//! constant of the key schedule is the golden ratio.
//!
//! **Strategies**: `reference` evaluates each S-box as a sum over its table. All others share one kernel (`rounds.rs`) over circuits of 13 to 16
//! instructions: `word` runs it on general registers, one block at a time; `bitslice-128` and `bitslice-256` on SIMD lanes, a lane for each
//! block, 8 and 16 blocks in flight, and hand single blocks to `word`. All are constant-time.

use crate::{Cipher, KeySizes, Standing};

mod bitslice;
mod circuits;
mod reference;
mod rounds;
mod sboxes;
mod schedule;
mod word;

/// Serpent-1.
pub static CIPHER: Cipher = Cipher {
    name: "serpent",
    aliases: &[],
    title: "Serpent (Anderson, Biham, Knudsen 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Sound,
    strategies: &[reference::PLAIN, word::WORD, bitslice::W128, bitslice::W256],
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

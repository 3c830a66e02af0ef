//! Twofish (Bruce Schneier, John Kelsey, Doug Whiting, David Wagner, Chris Hall and Niels Ferguson, 1998), AES finalist.
//!
//! A Feistel network of 16 rounds with whitening before and after, on four little-endian words. F passes two words
//! through g, which is four key-dependent 8-bit S-boxes and an MDS matrix, then a pseudo-Hadamard transform and two subkeys.
//! One-bit rotations around the XORs keep the word structure from lining up with the matrix.
//!
//! **Known against it**: nothing practical. The best attack by its designers reaches five rounds; Moriai and Yin's truncated
//! differentials (2000) give no key recovery on the full cipher.
//!
//! **Constants**: q0 and q1 come from eight 4-bit permutations that the designers found by search against stated criteria; the
//! MDS and Reed-Solomon matrices are given in the paper. Everything else is derived from them at compile time (`tables.rs`).
//!
//! **Strategies**: the S-boxes depend on the key, so the question is how much to compute beforehand. `reference` computes
//! everything for every byte, in constant time. `byteslice-128` and `byteslice-256` do so on 16 and 32 blocks at once, by byte shuffles:
//! constant time too, and the fastest for runs of blocks, but a single block costs as much as a batch.
//!
//! The others are the keying options of the Twofish book (1999, chapter 5), which differ only in how g is computed; for 128-bit keys:
//!
//! | strategy | made for each key, beside the subkeys | loads for a byte of g |
//! |---|---|---|
//! | `zero` | nothing | 3 |
//! | `minimal` | 1 KiB: the chain without its last two stages | 3 |
//! | `partial-shared` | nothing: 256 KiB of tables serve all keys | 2 |
//! | `partial` | 1 KiB: the chain without its last stage | 2 |
//! | `precomputed` | nothing: 256 MiB of tables serve all keys, if so much is allowed ([`crate::memory`]) | 1 |
//! | `full` | 4 KiB: the chain with the matrix | 1 |
//! | `compiled` | the same, and 4 KiB of code with the subkeys in it | 1 |
//!
//! Where the CPU has byte shuffles, subkeys and tables are computed by them (`shuffles.rs`), which shifts the crossovers: the full tables cost
//! about two blocks of zero keying more than the subkeys alone, not twenty.

use crate::{Cipher, KeySizes, Standing};

mod bytesliced;
mod keying;
mod reference;
mod schedule;
mod shuffles;
mod tables;

/// Twofish.
pub static CIPHER: Cipher = Cipher {
    name: "twofish",
    aliases: &[],
    title: "Twofish (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Sound,
    strategies: &[
        reference::STRATEGY,
        bytesliced::W128,
        bytesliced::W256,
        keying::zero::STRATEGY,
        keying::minimal::STRATEGY,
        keying::precomputed::STRATEGY,
        keying::partial_shared::STRATEGY,
        keying::partial::STRATEGY,
        keying::compiled::STRATEGY,
        keying::full::STRATEGY,
    ],
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

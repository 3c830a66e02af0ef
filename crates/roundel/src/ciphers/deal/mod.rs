//! DEAL (Lars Knudsen 1997; submitted to AES by Richard Outerbridge, 1998).
//!
//! A Feistel network on two halves of 64 bits whose round function is a whole DES encryption under a round key of its own: six rounds,
//! eight for 256-bit keys. The round keys are made by DES too, under a fixed key, in a chain.
//!
//! **Known against it**: certificational attacks below the key's length: Knudsen's own on six rounds with about 2^121 DES encryptions and 2^70
//! chosen plaintexts; Lucks (FSE 1999) on DEAL-192; Kelsey and Schneier (SAC 1999) show equivalent and related keys. It is as slow as triple
//! DES.
//!
//! **Constants**: the tables of DES (`tables.rs`). The submission's constants 80, 40, 20, 10 (hexadecimal, in the first byte) are followed, as the
//! test vectors are; the paper's notation read literally would give others.
//!
//! **Strategies**: `reference` runs DES bit by bit as the standard prints it; `sp-tables` merges S-boxes and P into eight tables, moves IP to the
//! outside (it commutes with the outer network) and interleaves blocks; `bitslice-128` and `bitslice-256` run 128 or 256 blocks on bit planes, in
//! constant time: by far the fastest from 4 KiB on, and the slowest for a few blocks.

use crate::{Cipher, KeySizes, Standing};

mod bitslice;
mod des;
mod reference;
mod sboxes;
mod schedule;
mod sp_tables;
mod tables;
#[cfg(test)]
mod tests;

/// DEAL.
pub static CIPHER: Cipher = Cipher {
    name: "deal",
    aliases: &[],
    title: "DEAL (Knudsen, Outerbridge 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Broken(
        "attacks below the key length, equivalent keys (Knudsen 1998, Lucks 1999, Kelsey and Schneier 1999)",
    ),
    strategies: &[reference::PLAIN, bitslice::W128, bitslice::W256, sp_tables::SP_TABLES],
};

/// The fixed key under which round keys are made.
const FIXED_KEY: u64 = 0x0123_4567_89AB_CDEF;

/// RK_i for the rounds of this key, by the given DES encryption under the fixed key.
fn round_keys(key: &[u8], des_fixed: impl Fn(u64) -> u64) -> Vec<u64> {
    let pieces: Vec<u64> = key.as_chunks().0.iter().map(|piece| u64::from_be_bytes(*piece)).collect();
    let rounds = if pieces.len() == 4 { 8 } else { 6 };
    let mut previous = 0;
    (0..rounds)
        .map(|i| {
            // No constant while the key's pieces are used for the first time, then one bit, moving right.
            let constant = if i < pieces.len() { 0 } else { 1 << (63 - (i - pieces.len())) };
            previous = des_fixed(pieces[i % pieces.len()] ^ previous ^ constant);
            previous
        })
        .collect()
}

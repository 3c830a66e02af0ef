//! CRYPTON (Chae Hoon Lim, Future Systems): version 0.5 as submitted to AES in June 1998, and version 1.0 of December 1998 with other S-boxes,
//! another bit permutation in even rounds and another key schedule.
//!
//! Twelve rounds on a 4 x 4 array of bytes: S-boxes, a masked exclusive or of rows, transposition, round key. Decryption is encryption with
//! other round keys.
//!
//! **Known against it**: no practical attack on twelve rounds; eight fall to 2^112 chosen plaintexts (Minier and Gilbert, FSE 2000). Version 0.5 has
//! about 2^32 weak 256-bit keys (Borst 1998), which version 1.0 removed. A short key and the same key with zero bytes appended are equivalent.
//!
//! **Constants**: S-boxes from 4-bit functions, made at compile time; round constants from fractions of square roots.
//!
//! **Strategies**: `reference` applies the layers one by one; `ttable` merges S-boxes and permutation into four tables of 32-bit words and
//! interleaves two blocks.

use crate::{Cipher, KeySizes, Standing};

mod layers;
mod reference;
mod schedule;
mod tables;
#[cfg(test)]
mod tests;
mod ttable;

/// Version 0.5, behind NIST's test values.
pub static V05: Cipher = Cipher {
    name: "crypton05",
    aliases: &[],
    title: "CRYPTON v0.5, as submitted (Lim 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Broken(
        "about 2^32 weak 256-bit keys, by its key schedule (Borst 1998); version 1.0 repairs it",
    ),
    strategies: &[reference::V05, ttable::V05],
};

/// Version 1.0.
pub static V10: Cipher = Cipher {
    name: "crypton10",
    aliases: &["crypton"],
    title: "CRYPTON v1.0 (Lim 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Unreviewed(
        "left the AES contest in round 1; eight of twelve rounds attacked (Minier, Gilbert 2000)",
    ),
    strategies: &[reference::V10, ttable::V10],
};

/// What differs between the versions.
trait Version: Send + Sync + 'static {
    /// The offset g = p of the even rounds' S-boxes and permutation; that of the odd rounds is 0.
    const EVEN: usize;
    /// S\[0\] to S\[3\].
    const SBOXES: &'static [[u8; 256]; 4];
    /// The merged tables of the fast strategy.
    const TABLES: &'static [[u32; 256]; 4];
    /// The encryption round keys from the padded key's words, the last one transformed.
    fn expand(key: &[u32; 8]) -> schedule::RoundKeys;
}

/// Version 0.5.
struct Submitted;

/// Version 1.0.
struct Revised;

impl Version for Submitted {
    const EVEN: usize = 1;
    const SBOXES: &'static [[u8; 256]; 4] = &tables::SBOXES_05;
    const TABLES: &'static [[u32; 256]; 4] = &tables::TABLES_05;
    fn expand(key: &[u32; 8]) -> schedule::RoundKeys {
        schedule::expand_05(key)
    }
}

impl Version for Revised {
    const EVEN: usize = 2;
    const SBOXES: &'static [[u8; 256]; 4] = &tables::SBOXES_10;
    const TABLES: &'static [[u32; 256]; 4] = &tables::TABLES_10;
    fn expand(key: &[u32; 8]) -> schedule::RoundKeys {
        schedule::expand_10(key)
    }
}

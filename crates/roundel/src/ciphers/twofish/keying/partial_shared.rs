//! Partial keying without tables for each key: under a 128-bit key the byte before the last key byte depends on one key byte alone, so that
//! 256 tables of 256 bytes for each byte position, 256 KiB in all, serve every key. They are made when the first key is.
//!
//! A key setup is that of zero keying, a byte of g costs what it costs in partial keying. Of the tables, a key touches 1 KiB,
//! which under a fresh key must come from the second-level cache or further.

use super::{INTERLEAVE, Keyable, KeyedG, keyed};
use crate::ciphers::twofish::schedule::stages;
use crate::ciphers::twofish::tables::{MQ, Q, STAGES};
use crate::simd::Level;
use crate::{Memory, Strategy, Timing, keying};
use std::sync::LazyLock;
use zeroize::Zeroize;

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "partial-shared",
    summary: "partial keying from tables for every value of a key byte, shared by all keys",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 4 * (40 + 4) + 32, shared: 4096 + 512 + 256 * 1024 },
    batch_blocks: INTERLEAVE,
    keying: keying!(|key| match key.len() {
        16 => keyed::<PartialShared<2>, 2>(key),
        24 => keyed::<PartialShared<3>, 3>(key),
        _ => keyed::<PartialShared<4>, 4>(key),
    }),
};

/// For each byte position, value of the key byte between its stages a and b, and input: the result of b.
static TABLES: LazyLock<Vec<[[u8; 256]; 256]>> = LazyLock::new(|| {
    let entry = |byte: usize, key: usize, x: usize| {
        let a = Q[STAGES[2][byte]][x];
        Q[STAGES[3][byte]][usize::from(a) ^ key]
    };
    (0..4).map(|byte| std::array::from_fn(|key| std::array::from_fn(|x| entry(byte, key, x)))).collect()
});

struct PartialShared<const K: usize> {
    /// The key's table for each byte position.
    tables: [&'static [u8; 256]; 4],
    /// The key words of g. The second from the end has chosen the tables; earlier ones (longer keys) and the last remain to be used.
    list: [u32; K],
}

impl<const K: usize> Default for PartialShared<K> {
    fn default() -> Self {
        PartialShared { tables: [&Q[0]; 4], list: [0; K] }
    }
}

impl<const K: usize> Keyable<K> for PartialShared<K> {
    #[inline(always)]
    fn set(&mut self, list: &[u32; K]) {
        let chosen = list[1].to_le_bytes().map(usize::from);
        self.tables = std::array::from_fn(|byte| &TABLES[byte][chosen[byte]]);
        self.list = *list;
    }
}

impl<const K: usize> PartialShared<K> {
    #[inline(always)]
    fn column<const BYTE: usize>(&self, x: usize) -> u32 {
        let x = stages::<BYTE, K, 2>(x, &self.list);
        MQ[BYTE][usize::from(self.tables[BYTE][x] ^ self.list[0].to_le_bytes()[BYTE])]
    }
}

impl<const K: usize> KeyedG for PartialShared<K> {
    #[inline(always)]
    fn g(&self, [x0, x1, x2, x3]: [usize; 4]) -> u32 {
        self.column::<0>(x0) ^ self.column::<1>(x1) ^ self.column::<2>(x2) ^ self.column::<3>(x3)
    }
}

impl<const K: usize> Drop for PartialShared<K> {
    /// The choice of tables is key material, too.
    fn drop(&mut self) {
        self.tables = [&Q[0]; 4];
        zeroize::optimization_barrier(&self.tables);
        self.list.zeroize();
    }
}

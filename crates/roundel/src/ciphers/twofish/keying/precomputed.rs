//! Full keying without a key setup: for each byte position and each pair of key bytes between its last three stages, the table that full
//! keying would make. 4 * 2^16 tables of 1 KiB, 256 MiB in all, serve every key.
//!
//! The Twofish book (1999, chapter 5) expected a thousand clocks less for a key. The tables are made when the first key is, by all cores, in
//! a fraction of a second, which is no longer than it would take to check a stored copy against a checksum. So there is none. Where the system has them,
//! pages of 2 MiB are asked for: with small ones, each of a fresh key's four tables costs a walk of the page tables besides its cache misses.

use super::{INTERLEAVE, Keyable, KeyedG, keyed};
use crate::ciphers::twofish::schedule::stages;
use crate::ciphers::twofish::tables::{MQ, Q, STAGES};
use crate::parallel;
use crate::simd::Level;
use crate::{Memory, Strategy, Timing, keying};
use memmap2::MmapMut;
use std::sync::LazyLock;
use zeroize::Zeroize;

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "precomputed",
    summary: "full keying from tables for every pair of key bytes, shared by all keys",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 4 * (40 + 4) + 32, shared: TABLES_BYTES },
    batch_blocks: INTERLEAVE,
    keying: keying!(|key| match key.len() {
        16 => keyed::<Precomputed<2>, 2>(key),
        24 => keyed::<Precomputed<3>, 3>(key),
        _ => keyed::<Precomputed<4>, 4>(key),
    }),
};

/// The words for all inputs of a byte position, as bytes.
type Table = [[u8; 4]; 256];

const TABLE_BYTES: usize = 1024;
/// Tables that share the first of their two key bytes.
const GROUP_BYTES: usize = 256 * TABLE_BYTES;
const TABLES_BYTES: usize = 4 * 256 * GROUP_BYTES;

/// By byte position, key byte between stages a and b, and key byte between b and c.
static TABLES: LazyLock<MmapMut> = LazyLock::new(|| {
    let mut map = MmapMut::map_anon(TABLES_BYTES).expect("the system gives the memory that was allowed");
    // Without large pages it is slower, not wrong.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    parallel::for_each_piece(parallel::cores(), &mut map, GROUP_BYTES, |offset, tables| {
        let group = offset / GROUP_BYTES;
        fill(group / 256, group % 256, tables.as_chunks_mut().0);
    });
    map
});

/// The tables of a byte position whose first key byte is `first`.
fn fill(byte: usize, first: usize, tables: &mut [[u8; TABLE_BYTES]]) {
    let [a, b] = [STAGES[2][byte], STAGES[3][byte]].map(|q| &Q[q]);
    let before: [u8; 256] = std::array::from_fn(|x| b[usize::from(a[x]) ^ first]);
    for (key, table) in tables.iter_mut().enumerate() {
        for (word, x) in table.as_chunks_mut().0.iter_mut().zip(before) {
            *word = MQ[byte][usize::from(x) ^ key].to_le_bytes();
        }
    }
}

/// The table of a byte position and its two key bytes.
#[inline(always)]
fn table(byte: usize, first: u8, second: u8) -> &'static Table {
    let tables = TABLES.as_chunks::<TABLE_BYTES>().0;
    let table = &tables[byte << 16 | usize::from(first) << 8 | usize::from(second)];
    table.as_chunks().0.try_into().expect("a quarter as many words as bytes")
}

struct Precomputed<const K: usize> {
    /// The key's table for each byte position.
    tables: [&'static Table; 4],
    /// The key words of g. The last two have chosen the tables; earlier ones (longer keys) remain to be used.
    list: [u32; K],
}

/// The tables of no key.
static NONE: Table = [[0; 4]; 256];

impl<const K: usize> Default for Precomputed<K> {
    fn default() -> Self {
        Precomputed { tables: [&NONE; 4], list: [0; K] }
    }
}

impl<const K: usize> Keyable<K> for Precomputed<K> {
    #[inline(always)]
    fn set(&mut self, list: &[u32; K]) {
        let (first, second) = (list[1].to_le_bytes(), list[0].to_le_bytes());
        self.tables = std::array::from_fn(|byte| table(byte, first[byte], second[byte]));
        self.list = *list;
    }
}

impl<const K: usize> KeyedG for Precomputed<K> {
    #[inline(always)]
    fn g(&self, [x0, x1, x2, x3]: [usize; 4]) -> u32 {
        let [t0, t1, t2, t3] = self.tables;
        let word = u32::from_le_bytes;
        word(t0[stages::<0, K, 2>(x0, &self.list)])
            ^ word(t1[stages::<1, K, 2>(x1, &self.list)])
            ^ word(t2[stages::<2, K, 2>(x2, &self.list)])
            ^ word(t3[stages::<3, K, 2>(x3, &self.list)])
    }
}

impl<const K: usize> Drop for Precomputed<K> {
    /// The choice of tables is key material, too.
    fn drop(&mut self) {
        self.tables = [&NONE; 4];
        zeroize::optimization_barrier(&self.tables);
        self.list.zeroize();
    }
}

//! Full keying: the four key-dependent S-boxes, each with its column of the matrix, as 4 KiB of tables for each key.

use super::KeyedG;
use crate::ciphers::twofish::schedule::{self, Subkeys, stages};
use crate::ciphers::twofish::tables::{MQ, Q, STAGES};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "full",
    summary: "full keying: four key-dependent 8-to-32-bit tables, two blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 4 * (1024 + 40), shared: 4096 + 512 },
    batch_blocks: INTERLEAVE,
    keying: keying!(|key| match key.len() {
        16 => Full::new::<2>(key),
        24 => Full::new::<3>(key),
        _ => Full::new::<4>(key),
    }),
};

/// Blocks in flight.
const INTERLEAVE: usize = 2;

struct Full {
    subkeys: Subkeys,
    g: Tables,
}

/// g as one look-up for each byte.
struct Tables([[u32; 256]; 4]);

impl Default for Tables {
    fn default() -> Self {
        Tables([[0; 256]; 4])
    }
}

impl Full {
    fn new<const K: usize>(key: &[u8]) -> Self {
        let key = schedule::words::<K>(key);
        let list = schedule::g_key(&key);
        let mut full = Full { subkeys: Subkeys::new(&key), g: Tables::default() };
        let [t0, t1, t2, t3] = &mut full.g.0;
        fill::<0, K>(t0, &list);
        fill::<1, K>(t1, &list);
        fill::<2, K>(t2, &list);
        fill::<3, K>(t3, &list);
        full
    }
}

/// The table of byte position `BYTE`. The first stage of all inputs is one vector pass; the look-ups go by eights, which
/// leaves six instructions for each under 128-bit keys.
#[inline(always)]
fn fill<const BYTE: usize, const K: usize>(table: &mut [u32; 256], list: &[u32; K]) {
    let key = list[K - 1].to_le_bytes()[BYTE];
    let first: [u8; 256] = std::array::from_fn(|x| Q[STAGES[4 - K][BYTE]][x] ^ key);
    for (entries, bytes) in table.as_chunks_mut::<8>().0.iter_mut().zip(first.as_chunks::<8>().0) {
        for (entry, &byte) in entries.iter_mut().zip(bytes) {
            *entry = MQ[BYTE][stages::<BYTE, K>(K - 1, byte, list)];
        }
    }
}

impl KeyedG for Tables {
    #[inline(always)]
    fn g0(&self, x: u32) -> u32 {
        let [t0, t1, t2, t3] = &self.0;
        let [x0, x1, x2, x3] = x.to_le_bytes().map(usize::from);
        t0[x0] ^ t1[x1] ^ t2[x2] ^ t3[x3]
    }

    #[inline(always)]
    fn g1(&self, x: u32) -> u32 {
        let [t0, t1, t2, t3] = &self.0;
        let [x0, x1, x2, x3] = x.to_le_bytes().map(usize::from);
        t0[x3] ^ t1[x0] ^ t2[x1] ^ t3[x2]
    }
}

impl Drop for Tables {
    /// Whole words with one barrier: `zeroize`'s volatile stores would take as long as a third of the key setup.
    fn drop(&mut self) {
        self.0 = [[0; 256]; 4];
        zeroize::optimization_barrier(&self.0);
    }
}

impl Kernel for Full {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (pairs, rest) = blocks.as_chunks_mut::<16>().0.as_chunks_mut::<INTERLEAVE>();
        pairs.iter_mut().for_each(|pair| super::encrypt(&self.subkeys, &self.g, pair));
        rest.iter_mut().for_each(|block| super::encrypt(&self.subkeys, &self.g, std::array::from_mut(block)));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (pairs, rest) = blocks.as_chunks_mut::<16>().0.as_chunks_mut::<INTERLEAVE>();
        pairs.iter_mut().for_each(|pair| super::decrypt(&self.subkeys, &self.g, pair));
        rest.iter_mut().for_each(|block| super::decrypt(&self.subkeys, &self.g, std::array::from_mut(block)));
    }
}

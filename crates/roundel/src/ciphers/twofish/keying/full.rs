//! Full keying: the four key-dependent S-boxes, each with its column of the matrix, as 4 KiB of tables for each key.

use super::KeyedG;
use crate::ciphers::twofish::schedule::{self, Subkeys, stages};
use crate::ciphers::twofish::tables::MQ;
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing};

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "full",
    summary: "full keying: four key-dependent 8-to-32-bit tables, two blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 4 * (1024 + 40), shared: 4096 + 512 },
    batch_blocks: INTERLEAVE,
    build: |key| match key.len() {
        16 => Box::new(Full::new::<2>(key)),
        24 => Box::new(Full::new::<3>(key)),
        _ => Box::new(Full::new::<4>(key)),
    },
};

/// Blocks in flight.
const INTERLEAVE: usize = 2;

struct Full {
    subkeys: Subkeys,
    g: Tables,
}

/// g as one look-up for each byte.
struct Tables([[u32; 256]; 4]);

impl Full {
    fn new<const K: usize>(key: &[u8]) -> Self {
        let key = schedule::words::<K>(key);
        let list = schedule::g_key(&key);
        let mut tables = [[0; 256]; 4];
        for (byte, table) in tables.iter_mut().enumerate() {
            for (x, entry) in (0..=255).zip(table) {
                *entry = MQ[byte][usize::from(stages(byte, x, &list))];
            }
        }
        Full { subkeys: schedule::subkeys(&key), g: Tables(tables) }
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

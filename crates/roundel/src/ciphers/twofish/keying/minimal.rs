//! Minimal keying: for each key 1 KiB of tables of the chain without its last two stages. Under 128-bit keys that is q0 or q1 XORed with
//! a key byte, so that it saves one XOR over zero keying; under longer keys one and two stages.

use super::{ByteTables, INTERLEAVE, Keyable, KeyedG, keyed};
use crate::ciphers::twofish::schedule;
use crate::ciphers::twofish::tables::{MQ, Q, STAGES};
use crate::simd::Level;
use crate::{Memory, Strategy, Timing, keying};
use zeroize::Zeroize;

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "minimal",
    summary: "minimal keying: four key-dependent tables of bytes, two stages left",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 4 * (40 + 1) + 1024, shared: 4096 + 512 },
    batch_blocks: INTERLEAVE,
    keying: keying!(|key| match key.len() {
        16 => keyed::<Minimal, 2>(key),
        24 => keyed::<Minimal, 3>(key),
        _ => keyed::<Minimal, 4>(key),
    }),
};

#[derive(Default)]
struct Minimal {
    /// The byte before the last but one stage.
    tables: ByteTables,
    /// The word between the last two.
    last: [u8; 4],
}

impl<const K: usize> Keyable<K> for Minimal {
    #[inline(always)]
    fn set(&mut self, list: &[u32; K]) {
        schedule::byte_tables::<K, 1>(list, &mut self.tables.0);
        self.last = list[0].to_le_bytes();
    }
}

impl KeyedG for Minimal {
    #[inline(always)]
    fn g(&self, [x0, x1, x2, x3]: [usize; 4]) -> u32 {
        let [t0, t1, t2, t3] = &self.tables.0;
        let [q0, q1, q2, q3] = STAGES[3].map(|q| &Q[q]);
        let stage = |q: &[u8; 256], x: u8, key: u8| usize::from(q[usize::from(x)] ^ key);
        MQ[0][stage(q0, t0[x0], self.last[0])]
            ^ MQ[1][stage(q1, t1[x1], self.last[1])]
            ^ MQ[2][stage(q2, t2[x2], self.last[2])]
            ^ MQ[3][stage(q3, t3[x3], self.last[3])]
    }
}

impl Drop for Minimal {
    fn drop(&mut self) {
        self.last.zeroize();
    }
}

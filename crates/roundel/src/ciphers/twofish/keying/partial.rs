//! Partial keying: for each key 1 KiB of tables of the chain without its last stage, which is in the fixed tables of the matrix.

use super::{ByteTables, INTERLEAVE, Keyable, KeyedG, keyed};
use crate::ciphers::twofish::schedule;
use crate::ciphers::twofish::tables::MQ;
use crate::simd::Level;
use crate::{Memory, Strategy, Timing, keying};

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "partial",
    summary: "partial keying: four key-dependent tables of bytes, then fixed ones",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 4 * 40 + 1024, shared: 4096 + 512 },
    batch_blocks: INTERLEAVE,
    keying: keying!(|key| match key.len() {
        16 => keyed::<Partial, 2>(key),
        24 => keyed::<Partial, 3>(key),
        _ => keyed::<Partial, 4>(key),
    }),
};

/// The byte before the last stage.
#[derive(Default)]
struct Partial(ByteTables);

impl<const K: usize> Keyable<K> for Partial {
    #[inline(always)]
    fn set(&mut self, list: &[u32; K]) {
        schedule::byte_tables::<K, 0>(list, &mut self.0.0);
    }
}

impl KeyedG for Partial {
    #[inline(always)]
    fn g(&self, [x0, x1, x2, x3]: [usize; 4]) -> u32 {
        let [t0, t1, t2, t3] = &self.0.0;
        let last = |mq: &[u32; 256], x: u8| mq[usize::from(x)];
        last(&MQ[0], t0[x0]) ^ last(&MQ[1], t1[x1]) ^ last(&MQ[2], t2[x2]) ^ last(&MQ[3], t3[x3])
    }
}

//! Zero keying: nothing is made for a key but its subkeys and the key words of g; every byte of g goes through all of its stages.

use super::{INTERLEAVE, Keyable, KeyedG, keyed};
use crate::ciphers::twofish::schedule::stages;
use crate::ciphers::twofish::tables::MQ;
use crate::simd::Level;
use crate::{Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "zero",
    summary: "zero keying: q0, q1 and the matrix as fixed tables",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 4 * (40 + 4), shared: 4096 + 512 },
    batch_blocks: INTERLEAVE,
    keying: keying!(|key| match key.len() {
        16 => keyed::<Zero<2>, 2>(key),
        24 => keyed::<Zero<3>, 3>(key),
        _ => keyed::<Zero<4>, 4>(key),
    }),
};

/// The key words of g.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Zero<const K: usize>([u32; K]);

impl<const K: usize> Default for Zero<K> {
    fn default() -> Self {
        Zero([0; K])
    }
}

impl<const K: usize> Keyable<K> for Zero<K> {
    #[inline(always)]
    fn set(&mut self, list: &[u32; K]) {
        self.0 = *list;
    }
}

impl<const K: usize> KeyedG for Zero<K> {
    #[inline(always)]
    fn g(&self, [x0, x1, x2, x3]: [usize; 4]) -> u32 {
        MQ[0][stages::<0, K, 0>(x0, &self.0)]
            ^ MQ[1][stages::<1, K, 0>(x1, &self.0)]
            ^ MQ[2][stages::<2, K, 0>(x2, &self.0)]
            ^ MQ[3][stages::<3, K, 0>(x3, &self.0)]
    }
}

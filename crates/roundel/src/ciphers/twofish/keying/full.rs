//! Full keying: the four key-dependent S-boxes, each with its column of the matrix, as 4 KiB of tables for each key.

use super::{INTERLEAVE, Keyable, KeyedG, keyed};
use crate::ciphers::twofish::schedule;
use crate::simd::Level;
use crate::{Memory, Strategy, Timing, keying};

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "full",
    summary: "full keying: four key-dependent 8-to-32-bit tables, two blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 4 * (1024 + 40), shared: 4096 + 512 },
    batch_blocks: INTERLEAVE,
    keying: keying!(|key| match key.len() {
        16 => keyed::<Full, 2>(key),
        24 => keyed::<Full, 3>(key),
        _ => keyed::<Full, 4>(key),
    }),
};

/// g as one look-up for each byte. Words are kept as bytes, which is what vectors store.
pub(super) struct Full(pub(super) [[[u8; 4]; 256]; 4]);

impl Default for Full {
    fn default() -> Self {
        Full([[[0; 4]; 256]; 4])
    }
}

impl<const K: usize> Keyable<K> for Full {
    #[inline(always)]
    fn set(&mut self, list: &[u32; K]) {
        schedule::full_tables(list, &mut self.0);
    }
}

impl KeyedG for Full {
    #[inline(always)]
    fn g(&self, [x0, x1, x2, x3]: [usize; 4]) -> u32 {
        let [t0, t1, t2, t3] = &self.0;
        let word = u32::from_le_bytes;
        word(t0[x0]) ^ word(t1[x1]) ^ word(t2[x2]) ^ word(t3[x3])
    }
}

impl Drop for Full {
    /// All at once with one barrier: `zeroize`'s volatile stores would take longer than the key setup.
    fn drop(&mut self) {
        crate::modes::wipe(self.0.as_flattened_mut().as_flattened_mut());
    }
}

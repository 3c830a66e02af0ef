//! Serpent over SIMD lanes: a lane is a block, a register one word of four or eight blocks. Two sets of four registers are interleaved,
//! since one set alone waits for its S-box circuits; the eight registers of state leave eight for temporaries.

use super::rounds;
use super::schedule::{Subkeys, Words, expand};
use super::word;
use crate::ciphers::words::{in_batches, load_lanes, store_lanes};
use crate::simd::{Avx2, Simd, Sse2, Vector};
use crate::{Kernel, Memory, Strategy, Timing, keying};

pub(super) const W128: Strategy = Strategy {
    name: "bitslice-128",
    summary: "128-bit lanes, eight blocks in flight",
    needs: Sse2::LEVEL,
    timing: Timing::Constant,
    memory: Memory { per_key: 33 * 16, shared: 0 },
    batch_blocks: 8,
    keying: keying!(|key| Bitslice::<Sse2, 128>::new(key)),
};

pub(super) const W256: Strategy = Strategy {
    name: "bitslice-256",
    summary: "256-bit lanes, sixteen blocks in flight",
    needs: Avx2::LEVEL,
    batch_blocks: 16,
    keying: keying!(|key| Bitslice::<Avx2, 256>::new(key)),
    ..W128
};

/// A single block costs less in general registers than as a padded batch.
const FEW_BYTES: usize = 16;

struct Bitslice<S: Simd, const BATCH: usize> {
    simd: S,
    keys: Subkeys,
}

impl<S: Simd, const BATCH: usize> Bitslice<S, BATCH> {
    fn new(key: &[u8]) -> Self {
        let simd = S::detect().expect("`Choice::kernel` has checked the level");
        Bitslice { simd, keys: expand(key) }
    }
}

impl<S: Simd, const BATCH: usize> Kernel for Bitslice<S, BATCH> {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (simd, keys) = (self.simd, &self.keys.0);
        simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| encrypt_batch(simd, keys, batch),
                    FEW_BYTES,
                    |few| word::encrypt(keys, few),
                )
            },
        );
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (simd, keys) = (self.simd, &self.keys.0);
        simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| decrypt_batch(simd, keys, batch),
                    FEW_BYTES,
                    |few| word::decrypt(keys, few),
                )
            },
        );
    }
}

#[inline(always)]
fn encrypt_batch<S: Simd>(simd: S, keys: &Words, batch: &mut [u8]) {
    let (first, second) = batch.split_at_mut(4 * S::V::BYTES);
    let mut states = [load_lanes(simd, first), load_lanes(simd, second)];
    rounds::encrypt(
        #[inline(always)]
        |word| simd.splat32(word),
        keys,
        &mut states,
    );
    let [x, y] = states;
    store_lanes(x, first);
    store_lanes(y, second);
}

#[inline(always)]
fn decrypt_batch<S: Simd>(simd: S, keys: &Words, batch: &mut [u8]) {
    let (first, second) = batch.split_at_mut(4 * S::V::BYTES);
    let mut states = [load_lanes(simd, first), load_lanes(simd, second)];
    rounds::decrypt(
        #[inline(always)]
        |word| simd.splat32(word),
        keys,
        &mut states,
    );
    let [x, y] = states;
    store_lanes(x, first);
    store_lanes(y, second);
}

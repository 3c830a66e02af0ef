//! CRYPTON layer by layer.

use super::layers::{State, gamma, pi, sigma, tau};
use super::schedule::{RoundKeys, decryption_keys, encryption_keys, even_offset};
use super::{Revised, Submitted, Version};
use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use std::marker::PhantomData;
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const V05: Strategy = strategy(keying!(|key| Reference::<Submitted>::new(key)));
pub(super) const V10: Strategy = strategy(keying!(|key| Reference::<Revised>::new(key)));

const fn strategy(keying: Keying) -> Strategy {
    Strategy {
        name: "reference",
        summary: "layer by layer, byte look-ups",
        needs: Level::Portable,
        timing: Timing::SecretDependent,
        memory: Memory { per_key: 2 * size_of::<RoundKeys>(), shared: 4 * 256 },
        batch_blocks: 1,
        keying,
    }
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference<V: Version> {
    encrypt: RoundKeys,
    decrypt: RoundKeys,
    #[zeroize(skip)]
    version: PhantomData<V>,
}

impl<V: Version> Reference<V> {
    fn new(key: &[u8]) -> Self {
        let encrypt = encryption_keys::<V>(key);
        Reference { encrypt, decrypt: decryption_keys::<V>(&encrypt), version: PhantomData }
    }

    /// Twelve rounds, the last without pi, which is absorbed in its key.
    fn run(keys: &RoundKeys, block: &mut [u8]) {
        let mut a: State = std::array::from_fn(|i| u32::from_le_bytes(block.as_chunks().0[i]));
        a = sigma(a, keys[0]);
        for (round, key) in keys.iter().enumerate().skip(1) {
            let offset = even_offset::<V>(round);
            a = gamma(a, V::SBOXES, offset);
            if round != 12 {
                a = pi(a, offset);
            }
            a = sigma(tau(a), *key);
        }
        block.copy_from_slice(a.map(u32::to_le_bytes).as_flattened());
    }
}

impl<V: Version> Kernel for Reference<V> {
    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(16).for_each(|block| Self::run(&self.encrypt, block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(16).for_each(|block| Self::run(&self.decrypt, block));
    }
}

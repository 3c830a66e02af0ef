//! S-boxes, pi and tau of a round as sixteen look-ups of 32-bit words in four tables of 1 KiB; two blocks interleaved.
//!
//! Row i after tau is the sum over k of S\[(i + k + p) mod 4\] of byte i of row k, in all four bytes, masked by M\[(i + k + p) mod 4\]: the masks of pi
//! depend on the same index as the S-boxes of gamma, so one table serves both.

use super::layers::State;
use super::schedule::{RoundKeys, decryption_keys, encryption_keys, even_offset};
use super::{Revised, Submitted, Version};
use crate::ciphers::words::{load, store};
use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use std::marker::PhantomData;
use std::sync::OnceLock;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks in flight.
const LANES: usize = 2;

pub(super) const V05: Strategy = strategy(keying!(|key| Ttable::<Submitted>::new(key)));
pub(super) const V10: Strategy = strategy(keying!(|key| Ttable::<Revised>::new(key)));

const fn strategy(keying: Keying) -> Strategy {
    Strategy {
        name: "ttable",
        summary: "32-bit tables, two blocks interleaved",
        needs: Level::Portable,
        timing: Timing::SecretDependent,
        memory: Memory { per_key: 2 * size_of::<RoundKeys>(), shared: 4 * 256 * 5 },
        batch_blocks: LANES,
        keying,
    }
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Keys(RoundKeys);

struct Ttable<V: Version> {
    encrypt: Keys,
    decrypt: OnceLock<Keys>,
    version: PhantomData<V>,
}

/// Gamma, pi and tau of a round with this offset.
#[inline(always)]
fn round<V: Version>(a: State, key: &State, offset: usize) -> State {
    let mut b = *key;
    for (i, row) in b.iter_mut().enumerate() {
        for (k, word) in a.iter().enumerate() {
            *row ^= V::TABLES[(i + k + offset) % 4][usize::from((word >> (8 * i)) as u8)];
        }
    }
    b
}

/// Gamma and tau of the last round.
#[inline(always)]
fn last_round<V: Version>(a: State, key: &State) -> State {
    let mut b = *key;
    for (i, row) in b.iter_mut().enumerate() {
        for (k, word) in a.iter().enumerate() {
            let byte = V::SBOXES[(i + k + V::EVEN) % 4][usize::from((word >> (8 * i)) as u8)];
            *row ^= u32::from(byte) << (8 * k);
        }
    }
    b
}

#[inline(always)]
fn run<V: Version, const N: usize>(keys: &RoundKeys, blocks: &mut [[u8; 16]; N]) {
    let mut states: [State; N] = std::array::from_fn(|n| {
        let state = load(&blocks[n]);
        std::array::from_fn(|i| state[i] ^ keys[0][i])
    });
    let (pairs, rest) = keys[1..12].as_chunks::<2>();
    for [odd, even] in pairs {
        for state in &mut states {
            *state = round::<V>(*state, odd, 0);
        }
        for state in &mut states {
            *state = round::<V>(*state, even, const { even_offset::<V>(2) });
        }
    }
    for (block, state) in blocks.iter_mut().zip(states) {
        let state = round::<V>(state, &rest[0], 0);
        store(last_round::<V>(state, &keys[12]), block);
    }
}

impl<V: Version> Ttable<V> {
    fn new(key: &[u8]) -> Self {
        let encrypt = Keys(encryption_keys::<V>(key));
        Ttable { encrypt, decrypt: OnceLock::new(), version: PhantomData }
    }

    fn decryption(&self) -> &RoundKeys {
        &self.decrypt.get_or_init(|| Keys(decryption_keys::<V>(&self.encrypt.0))).0
    }
}

fn run_all<V: Version>(keys: &RoundKeys, blocks: &mut [u8]) {
    let (groups, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
    groups.iter_mut().for_each(|group| run::<V, LANES>(keys, group));
    rest.iter_mut().for_each(|block| run::<V, 1>(keys, std::array::from_mut(block)));
}

impl<V: Version> Kernel for Ttable<V> {
    fn encrypt(&self, blocks: &mut [u8]) {
        run_all::<V>(&self.encrypt.0, blocks);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        run_all::<V>(self.decryption(), blocks);
    }

    fn prepare_decrypt(&self) {
        self.decryption();
    }
}

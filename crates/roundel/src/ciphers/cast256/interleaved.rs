//! Blocks in step: one block alone is a chain of 48 rounds, each of which waits for its look-ups.

use super::rounds::{f1, f2, f3, look_up};
use super::schedule::{QuadKeys, Schedule};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use std::array::from_fn;

pub(super) const STRATEGY: Strategy = Strategy {
    name: "interleaved",
    summary: "unrolled scalar code, three blocks in step",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 12 * 32, shared: 4096 },
    batch_blocks: INTERLEAVE,
    keying: keying!(|key| Interleaved(Schedule::new(key))),
};

/// Blocks in step.
const INTERLEAVE: usize = 3;

struct Interleaved(Schedule);

type Words = [u32; 4];

#[inline(always)]
fn forward(states: &mut [Words], keys: &QuadKeys) {
    let QuadKeys { km, kr } = keys;
    states
        .iter_mut()
        .for_each(|[_, _, c, d]| *c = f1(*c, look_up(km[0].wrapping_add(*d).rotate_left(kr[0]))));
    states.iter_mut().for_each(|[_, b, c, _]| *b = f2(*b, look_up((km[1] ^ *c).rotate_left(kr[1]))));
    states
        .iter_mut()
        .for_each(|[a, b, _, _]| *a = f3(*a, look_up(km[2].wrapping_sub(*b).rotate_left(kr[2]))));
    states
        .iter_mut()
        .for_each(|[a, _, _, d]| *d = f1(*d, look_up(km[3].wrapping_add(*a).rotate_left(kr[3]))));
}

#[inline(always)]
fn reverse(states: &mut [Words], keys: &QuadKeys) {
    let QuadKeys { km, kr } = keys;
    states
        .iter_mut()
        .for_each(|[a, _, _, d]| *d = f1(*d, look_up(km[3].wrapping_add(*a).rotate_left(kr[3]))));
    states
        .iter_mut()
        .for_each(|[a, b, _, _]| *a = f3(*a, look_up(km[2].wrapping_sub(*b).rotate_left(kr[2]))));
    states.iter_mut().for_each(|[_, b, c, _]| *b = f2(*b, look_up((km[1] ^ *c).rotate_left(kr[1]))));
    states
        .iter_mut()
        .for_each(|[_, _, c, d]| *c = f1(*c, look_up(km[0].wrapping_add(*d).rotate_left(kr[0]))));
}

/// Six forward and six reverse quad-rounds under keys in this order.
#[inline(always)]
fn crypt<'k, const N: usize>(
    blocks: &mut [[u8; 16]; N],
    first: impl Iterator<Item = &'k QuadKeys>,
    last: impl Iterator<Item = &'k QuadKeys>,
) {
    let mut states: [Words; N] =
        from_fn(|n| from_fn(|i| u32::from_be_bytes(from_fn(|byte| blocks[n][4 * i + byte]))));
    first.for_each(|keys| forward(&mut states, keys));
    last.for_each(|keys| reverse(&mut states, keys));
    for (block, words) in blocks.iter_mut().zip(states) {
        block.copy_from_slice(words.map(u32::to_be_bytes).as_flattened());
    }
}

impl Interleaved {
    #[inline(always)]
    fn encrypt_blocks<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let (first, last) = self.0.0.split_at(6);
        crypt(blocks, first.iter(), last.iter());
    }

    #[inline(always)]
    fn decrypt_blocks<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let (first, last) = self.0.0.split_at(6);
        crypt(blocks, last.iter().rev(), first.iter().rev());
    }
}

impl Kernel for Interleaved {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut::<16>().0.as_chunks_mut::<INTERLEAVE>();
        groups.iter_mut().for_each(|group| self.encrypt_blocks(group));
        rest.iter_mut().for_each(|block| self.encrypt_blocks(std::array::from_mut(block)));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut::<16>().0.as_chunks_mut::<INTERLEAVE>();
        groups.iter_mut().for_each(|group| self.decrypt_blocks(group));
        rest.iter_mut().for_each(|block| self.decrypt_blocks(std::array::from_mut(block)));
    }
}

//! Rounds unrolled by four, so that the renaming of the words costs nothing, and several blocks in step: one block alone
//! waits for its multiplications and rotations.

use super::Version;
use super::schedule::RoundKeys;
use super::tables::S;
use crate::ciphers::words;
use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use std::array::from_fn;

const fn strategy(keying: Keying) -> Strategy {
    Strategy {
        name: "interleaved",
        summary: "unrolled scalar code, two blocks in step",
        needs: Level::Portable,
        timing: Timing::SecretDependent,
        memory: Memory { per_key: 160, shared: 2048 },
        batch_blocks: INTERLEAVE,
        keying,
    }
}

pub(super) const FINAL: Strategy = strategy(keying!(|key| Interleaved(RoundKeys::new(key, Version::Final))));
pub(super) const ROUND1: Strategy =
    strategy(keying!(|key| Interleaved(RoundKeys::new(key, Version::Round1))));

/// Blocks in step.
const INTERLEAVE: usize = 2;

struct Interleaved(RoundKeys);

type Words = [u32; 4];

#[inline(always)]
fn s0(index: u8) -> u32 {
    S[usize::from(index)]
}

#[inline(always)]
fn s1(index: u8) -> u32 {
    S[256 + usize::from(index)]
}

/// The words that are named A, B, C, D after `I` renamings.
#[inline(always)]
fn renamed<const I: usize>(words: &mut Words) -> [&mut u32; 4] {
    let [w0, w1, w2, w3] = words;
    match I {
        0 => [w0, w1, w2, w3],
        1 => [w1, w2, w3, w0],
        2 => [w2, w3, w0, w1],
        _ => [w3, w0, w1, w2],
    }
}

/// A round of forward mixing (section 2.1); `I` is its number modulo 4.
#[inline(always)]
fn forward<const I: usize>(words: &mut Words) {
    let [a, b, c, d] = renamed::<I>(words);
    let [a0, a1, a2, a3] = a.to_le_bytes();
    *b = (*b ^ s0(a0)).wrapping_add(s1(a1));
    *c = c.wrapping_add(s0(a2));
    *d ^= s1(a3);
    *a = a.rotate_left(8);
    match I {
        0 => *a = a.wrapping_add(*d),
        1 => *a = a.wrapping_add(*b),
        _ => {}
    }
}

#[inline(always)]
fn undo_forward<const I: usize>(words: &mut Words) {
    let [a, b, c, d] = renamed::<I>(words);
    match I {
        0 => *a = a.wrapping_sub(*d),
        1 => *a = a.wrapping_sub(*b),
        _ => {}
    }
    // the bytes of a <<< 24
    let [a3, a0, a1, a2] = a.to_le_bytes();
    *a = a.rotate_left(24);
    *d ^= s1(a3);
    *c = c.wrapping_sub(s0(a2));
    *b = b.wrapping_sub(s1(a1)) ^ s0(a0);
}

/// A round of backwards mixing (section 2.4).
#[inline(always)]
fn backwards<const I: usize>(words: &mut Words) {
    let [a, b, c, d] = renamed::<I>(words);
    match I {
        2 => *a = a.wrapping_sub(*d),
        3 => *a = a.wrapping_sub(*b),
        _ => {}
    }
    let [a0, a1, a2, a3] = a.to_le_bytes();
    *b ^= s1(a0);
    *c = c.wrapping_sub(s0(a3));
    *d = d.wrapping_sub(s1(a2)) ^ s0(a1);
    *a = a.rotate_left(24);
}

#[inline(always)]
fn undo_backwards<const I: usize>(words: &mut Words) {
    let [a, b, c, d] = renamed::<I>(words);
    // the bytes of a <<< 8
    let [a1, a2, a3, a0] = a.to_le_bytes();
    *a = a.rotate_left(8);
    *d = (*d ^ s0(a1)).wrapping_add(s1(a2));
    *c = c.wrapping_add(s0(a3));
    *b ^= s1(a0);
    match I {
        2 => *a = a.wrapping_add(*d),
        3 => *a = a.wrapping_add(*b),
        _ => {}
    }
}

/// The keyed function E (section 2.3): L, M and R of a word and of the same word rotated by 13.
#[inline(always)]
fn e(a: u32, rotated: u32, keys: &[u32; 8], round: usize) -> (u32, u32, u32) {
    let m = a.wrapping_add(keys[2 * round]);
    let product = rotated.wrapping_mul(keys[2 * round + 1]);
    let r5 = product.rotate_left(5);
    let r10 = product.rotate_left(10);
    let l = S[(m & 511) as usize] ^ r5 ^ r10;
    (l.rotate_left(r10 & 31), m.rotate_left(r5 & 31), r10)
}

/// A round of the core (section 2.2); `FIRST` for the first eight, `I` is its number modulo 4.
#[inline(always)]
fn core<const I: usize, const FIRST: bool>(words: &mut Words, keys: &[u32; 8]) {
    let [a, b, c, d] = renamed::<I>(words);
    let rotated = a.rotate_left(13);
    let (l, m, r) = e(*a, rotated, keys, I);
    *a = rotated;
    *c = c.wrapping_add(m);
    let (added, xored) = if FIRST { (b, d) } else { (d, b) };
    *added = added.wrapping_add(l);
    *xored ^= r;
}

#[inline(always)]
fn undo_core<const I: usize, const FIRST: bool>(words: &mut Words, keys: &[u32; 8]) {
    let [a, b, c, d] = renamed::<I>(words);
    let rotated = *a;
    *a = a.rotate_left(19);
    let (l, m, r) = e(*a, rotated, keys, I);
    *c = c.wrapping_sub(m);
    let (added, xored) = if FIRST { (b, d) } else { (d, b) };
    *added = added.wrapping_sub(l);
    *xored ^= r;
}

/// Does the same to each block's words.
#[inline(always)]
fn each(states: &mut [Words], step: impl Fn(&mut Words)) {
    states.iter_mut().for_each(step);
}

#[inline(always)]
fn encrypt_core<const FIRST: bool>(states: &mut [Words], keys: &[u32; 8]) {
    each(states, |words| core::<0, FIRST>(words, keys));
    each(states, |words| core::<1, FIRST>(words, keys));
    each(states, |words| core::<2, FIRST>(words, keys));
    each(states, |words| core::<3, FIRST>(words, keys));
}

#[inline(always)]
fn decrypt_core<const FIRST: bool>(states: &mut [Words], keys: &[u32; 8]) {
    each(states, |words| undo_core::<3, FIRST>(words, keys));
    each(states, |words| undo_core::<2, FIRST>(words, keys));
    each(states, |words| undo_core::<1, FIRST>(words, keys));
    each(states, |words| undo_core::<0, FIRST>(words, keys));
}

#[inline(always)]
fn load(block: &[u8; 16], keys: &Words) -> Words {
    let words = words::load(block);
    from_fn(|i| words[i].wrapping_add(keys[i]))
}

#[inline(always)]
fn store(block: &mut [u8; 16], words: &Words, keys: &Words) {
    words::store(from_fn(|i| words[i].wrapping_sub(keys[i])), block);
}

impl Interleaved {
    #[inline(always)]
    fn encrypt_blocks<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let mut states: [Words; N] = from_fn(|n| load(&blocks[n], &self.0.input));
        for _ in 0..2 {
            each(&mut states, forward::<0>);
            each(&mut states, forward::<1>);
            each(&mut states, forward::<2>);
            each(&mut states, forward::<3>);
        }
        let (first, last) = self.0.core.split_at(2);
        first.iter().for_each(|keys| encrypt_core::<true>(&mut states, keys));
        last.iter().for_each(|keys| encrypt_core::<false>(&mut states, keys));
        for _ in 0..2 {
            each(&mut states, backwards::<0>);
            each(&mut states, backwards::<1>);
            each(&mut states, backwards::<2>);
            each(&mut states, backwards::<3>);
        }
        blocks.iter_mut().zip(&states).for_each(|(block, words)| store(block, words, &self.0.output));
    }

    #[inline(always)]
    fn decrypt_blocks<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let mut states: [Words; N] = from_fn(|n| load(&blocks[n], &self.0.output));
        for _ in 0..2 {
            each(&mut states, undo_backwards::<3>);
            each(&mut states, undo_backwards::<2>);
            each(&mut states, undo_backwards::<1>);
            each(&mut states, undo_backwards::<0>);
        }
        let (first, last) = self.0.core.split_at(2);
        last.iter().rev().for_each(|keys| decrypt_core::<false>(&mut states, keys));
        first.iter().rev().for_each(|keys| decrypt_core::<true>(&mut states, keys));
        for _ in 0..2 {
            each(&mut states, undo_forward::<3>);
            each(&mut states, undo_forward::<2>);
            each(&mut states, undo_forward::<1>);
            each(&mut states, undo_forward::<0>);
        }
        blocks.iter_mut().zip(&states).for_each(|(block, words)| store(block, words, &self.0.input));
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

//! The keying options of section 5.1: how much of g is computed for a key beforehand. The rounds around g are the same for all.

use super::schedule::Subkeys;
use crate::ciphers::words;
use std::array::from_fn;

pub(super) mod full;

/// g with a key in it (section 4.1): the key-dependent S-boxes and the matrix.
pub(super) trait KeyedG {
    /// g(x).
    fn g0(&self, x: u32) -> u32;

    /// g(x <<< 8): the rotation only renames the bytes.
    fn g1(&self, x: u32) -> u32;
}

type Words = [u32; 4];

/// Little-endian words (section 4), XORed with whitening words.
#[inline(always)]
fn load(block: &[u8; 16], whitening: &Words) -> Words {
    let words = words::load(block);
    from_fn(|i| words[i] ^ whitening[i])
}

#[inline(always)]
fn store(block: &mut [u8; 16], words: Words, whitening: &Words) {
    words::store(from_fn(|i| words[i] ^ whitening[i]), block);
}

/// F (section 4.1) of two words under two subkeys.
#[inline(always)]
fn f(g: &impl KeyedG, a: u32, b: u32, key: [u32; 2]) -> (u32, u32) {
    let t0 = g.g0(a);
    let t1 = g.g1(b);
    let sum = t0.wrapping_add(t1);
    (sum.wrapping_add(key[0]), sum.wrapping_add(t1).wrapping_add(key[1]))
}

/// Encrypts `N` blocks, interleaved round by round so that their latencies overlap.
#[inline(always)]
pub(super) fn encrypt<const N: usize>(keys: &Subkeys, g: &impl KeyedG, blocks: &mut [[u8; 16]; N]) {
    let mut states: [Words; N] = from_fn(|n| load(&blocks[n], &keys.input));
    for &[k0, k1, k2, k3] in &keys.rounds {
        for [a, b, c, d] in &mut states {
            let (f0, f1) = f(g, *a, *b, [k0, k1]);
            *c = (*c ^ f0).rotate_right(1);
            *d = d.rotate_left(1) ^ f1;
        }
        for [a, b, c, d] in &mut states {
            let (f0, f1) = f(g, *c, *d, [k2, k3]);
            *a = (*a ^ f0).rotate_right(1);
            *b = b.rotate_left(1) ^ f1;
        }
    }
    for (block, [a, b, c, d]) in blocks.iter_mut().zip(states) {
        store(block, [c, d, a, b], &keys.output);
    }
}

/// Decrypts `N` blocks, interleaved like [`encrypt`].
#[inline(always)]
pub(super) fn decrypt<const N: usize>(keys: &Subkeys, g: &impl KeyedG, blocks: &mut [[u8; 16]; N]) {
    let mut states: [Words; N] = from_fn(|n| {
        let [c, d, a, b] = load(&blocks[n], &keys.output);
        [a, b, c, d]
    });
    for &[k0, k1, k2, k3] in keys.rounds.iter().rev() {
        for [a, b, c, d] in &mut states {
            let (f0, f1) = f(g, *c, *d, [k2, k3]);
            *a = a.rotate_left(1) ^ f0;
            *b = (*b ^ f1).rotate_right(1);
        }
        for [a, b, c, d] in &mut states {
            let (f0, f1) = f(g, *a, *b, [k0, k1]);
            *c = c.rotate_left(1) ^ f0;
            *d = (*d ^ f1).rotate_right(1);
        }
    }
    for (block, words) in blocks.iter_mut().zip(states) {
        store(block, words, &keys.input);
    }
}

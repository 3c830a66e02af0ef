//! RC6 in general registers, one or two blocks at a time.
//!
//! A round is a chain of about eight cycles (2x + 1, multiply, rotate, XOR, rotate, add) with two halves side by side; a second block
//! fills what the first leaves idle.

use super::schedule::{RoundKeys, WORDS, expand};
use crate::ciphers::words::{load, store};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};

pub(super) const PAIRS: Strategy = Strategy {
    name: "word",
    summary: "32-bit registers, two blocks interleaved",
    needs: Level::Portable,
    timing: Timing::Constant,
    memory: Memory { per_key: 4 * WORDS, shared: 0 },
    batch_blocks: 2,
    keying: keying!(|key| Word { s: expand(key) }),
};

struct Word {
    s: RoundKeys,
}

impl Kernel for Word {
    fn encrypt(&self, blocks: &mut [u8]) {
        encrypt(&self.s.0, blocks);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        decrypt(&self.s.0, blocks);
    }
}

/// Encrypts whole blocks in place.
pub(super) fn encrypt(s: &[u32; WORDS], blocks: &mut [u8]) {
    in_pairs(blocks, |words| encrypt_words(s, words), |words| encrypt_words(s, words));
}

/// Decrypts whole blocks in place.
pub(super) fn decrypt(s: &[u32; WORDS], blocks: &mut [u8]) {
    in_pairs(blocks, |words| decrypt_words(s, words), |words| decrypt_words(s, words));
}

#[inline(always)]
fn in_pairs(
    blocks: &mut [u8],
    two: impl Fn([[u32; 4]; 2]) -> [[u32; 4]; 2],
    one: impl Fn([[u32; 4]; 1]) -> [[u32; 4]; 1],
) {
    let (pairs, rest) = blocks.as_chunks_mut::<32>();
    for pair in pairs {
        let [first, second] = pair.as_chunks_mut::<16>().0 else { unreachable!("32 bytes are two blocks") };
        let [x, y] = two([load(first), load(second)]);
        store(x, first);
        store(y, second);
    }
    for block in rest.as_chunks_mut::<16>().0 {
        let [x] = one([load(block)]);
        store(x, block);
    }
}

#[inline(always)]
fn f(x: u32) -> u32 {
    x.wrapping_mul(x.wrapping_add(x).wrapping_add(1)).rotate_left(5)
}

/// Round R of four: a word's place moves by one each round, so that none is copied.
#[inline(always)]
fn encrypt_round<const R: usize, const N: usize>(keys: &[u32; 8], blocks: &mut [[u32; 4]; N]) {
    let [a, b, c, d] = [R, (R + 1) % 4, (R + 2) % 4, (R + 3) % 4];
    for x in blocks {
        let (t, u) = (f(x[b]), f(x[d]));
        x[a] = (x[a] ^ t).rotate_left(u & 31).wrapping_add(keys[2 * R]);
        x[c] = (x[c] ^ u).rotate_left(t & 31).wrapping_add(keys[2 * R + 1]);
    }
}

#[inline(always)]
fn decrypt_round<const R: usize, const N: usize>(keys: &[u32; 8], blocks: &mut [[u32; 4]; N]) {
    let [a, b, c, d] = [R, (R + 1) % 4, (R + 2) % 4, (R + 3) % 4];
    for x in blocks {
        let (t, u) = (f(x[b]), f(x[d]));
        x[c] = x[c].wrapping_sub(keys[2 * R + 1]).rotate_right(t & 31) ^ u;
        x[a] = x[a].wrapping_sub(keys[2 * R]).rotate_right(u & 31) ^ t;
    }
}

#[inline(always)]
fn encrypt_words<const N: usize>(s: &[u32; WORDS], mut blocks: [[u32; 4]; N]) -> [[u32; 4]; N] {
    let (turns, last) = s[2..].as_chunks::<8>();
    for [_, b, _, d] in &mut blocks {
        *b = b.wrapping_add(s[0]);
        *d = d.wrapping_add(s[1]);
    }
    for keys in turns {
        encrypt_round::<0, N>(keys, &mut blocks);
        encrypt_round::<1, N>(keys, &mut blocks);
        encrypt_round::<2, N>(keys, &mut blocks);
        encrypt_round::<3, N>(keys, &mut blocks);
    }
    for [a, _, c, _] in &mut blocks {
        *a = a.wrapping_add(last[0]);
        *c = c.wrapping_add(last[1]);
    }
    blocks
}

#[inline(always)]
fn decrypt_words<const N: usize>(s: &[u32; WORDS], mut blocks: [[u32; 4]; N]) -> [[u32; 4]; N] {
    let (turns, last) = s[2..].as_chunks::<8>();
    for [a, _, c, _] in &mut blocks {
        *c = c.wrapping_sub(last[1]);
        *a = a.wrapping_sub(last[0]);
    }
    for keys in turns.iter().rev() {
        decrypt_round::<3, N>(keys, &mut blocks);
        decrypt_round::<2, N>(keys, &mut blocks);
        decrypt_round::<1, N>(keys, &mut blocks);
        decrypt_round::<0, N>(keys, &mut blocks);
    }
    for [_, b, _, d] in &mut blocks {
        *d = d.wrapping_sub(s[1]);
        *b = b.wrapping_sub(s[0]);
    }
    blocks
}

//! Cipher block chaining, fused.

use super::{Decrypt, Job, load, rounds, walk};
use crate::simd::{Aes, AesSimd, Block, Simd, Vector};

/// Encryption is one chain: a block costs its latency. The next plaintext block and the first round key are XORed into the last round
/// key beforehand, so that the last round's result is already the next block's state.
#[inline(always)]
pub(super) fn encrypt<const K: usize>(s: Aes, keys: &[Block; K], iv: &mut [u8], blocks: &mut [u8]) {
    let (blocks, _) = blocks.as_chunks_mut::<16>();
    let Some((first, _)) = blocks.split_first() else { return };
    let last_and_first = keys[K - 1] ^ keys[0];
    let mut state = s.load(iv) ^ s.load(first) ^ keys[0];
    let mut out = state;
    for i in 0..blocks.len() {
        for key in &keys[1..K - 1] {
            state = s.enc(state, *key);
        }
        // What follows: the next plaintext block; after the last one, nothing that is used.
        let next = s.load(&blocks[(i + 1).min(blocks.len() - 1)]);
        state = s.enc_last(state, last_and_first ^ next);
        out = state ^ next ^ keys[0];
        out.store(&mut blocks[i]);
    }
    out.store(iv);
}

struct CbcDecrypt<'k, const K: usize> {
    keys: &'k [Block; K],
    before: Block,
}

impl<const K: usize> Job for CbcDecrypt<'_, K> {
    #[inline(always)]
    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: &mut [u8]) {
        let mut x = load::<S, N>(s, chunk);
        let first = s.shift_in(self.before, x[0]);
        let one = s.narrow();
        self.before = one.load(&chunk[N * S::V::BYTES - 16..]);
        rounds(s, Decrypt, self.keys, &mut x);
        let last = s.repeat(self.keys[K - 1]);
        // From the end: a store then never covers ciphertext that is still to be XORed on.
        for i in (0..N).rev() {
            let at = i * S::V::BYTES;
            let before = if i == 0 { first } else { s.load(&chunk[at - 16..]) };
            s.dec_last(x[i], last ^ before).store(&mut chunk[at..]);
        }
    }
}

pub(super) fn decrypt<S: AesSimd, const K: usize>(s: S, keys: &[Block; K], iv: &mut [u8], blocks: &mut [u8]) {
    let mut job = CbcDecrypt { keys, before: s.narrow().load(iv) };
    walk(s, &mut job, blocks);
    job.before.store(iv);
}

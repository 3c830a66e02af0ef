//! Cipher block chaining, fused.

use super::{BATCH, Decrypt, Job, all_batches, load, rounds, walk};
use crate::simd::{Aes, AesSimd, Block, Simd, Task, Vector};

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

impl<const K: usize> Job<&mut [u8]> for CbcDecrypt<'_, K> {
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
    walk::<S, _, _, BATCH>(s, &mut job, blocks);
    job.before.store(iv);
}

struct EncryptUnits<'a, S, const K: usize> {
    s: S,
    keys: &'a [Block; K],
    ivs: &'a mut [u8],
    /// Units of `UNIT` bytes.
    blocks: &'a mut [u8],
}

/// The usual length of a sector: a constant, since addresses that are none break up the rounds of a group.
const UNIT: usize = 512;

/// Encryption of units side by side, a part of a register for each: eight chains hide the latency of each. AES-256 on sectors of 512 bytes
/// takes 0.28 cycles per byte, one chain after the other 3.5. Gives back how many units it encrypted: not those that do not fill the
/// registers, and none that is not a multiple of 512 bytes long.
pub(super) fn encrypt_units<S: AesSimd, const K: usize>(
    s: S,
    keys: &[Block; K],
    ivs: &mut [u8],
    unit_bytes: usize,
    blocks: &mut [u8],
) -> usize {
    if !unit_bytes.is_multiple_of(UNIT) {
        return 0;
    }
    let group = BATCH * S::V::BYTES / 16;
    let units = blocks.len() / unit_bytes / group * group;
    let (ivs, blocks) = (&mut ivs[..16 * units], &mut blocks[..units * unit_bytes]);
    if unit_bytes == UNIT {
        s.perform(EncryptUnits { s, keys, ivs, blocks });
        return units;
    }
    // Longer units are worked on 512 bytes of each at a time, in a place of their own: where they lie, multiples of 4096 bytes apart, they would
    // drive each other out of the first-level cache.
    let mut staged = [0; 4 * BATCH * UNIT];
    let staged = &mut staged[..group * UNIT];
    for (ivs, units) in ivs.chunks_exact_mut(16 * group).zip(blocks.chunks_exact_mut(group * unit_bytes)) {
        for at in (0..unit_bytes).step_by(UNIT) {
            for (part, unit) in staged.chunks_exact_mut(UNIT).zip(units.chunks_exact(unit_bytes)) {
                part.copy_from_slice(&unit[at..at + UNIT]);
            }
            s.perform(EncryptUnits { s, keys, ivs: &mut *ivs, blocks: &mut *staged });
            for (part, unit) in staged.chunks_exact(UNIT).zip(units.chunks_exact_mut(unit_bytes)) {
                unit[at..at + UNIT].copy_from_slice(part);
            }
        }
    }
    units
}

impl<S: AesSimd, const K: usize> Task for EncryptUnits<'_, S, K> {
    #[inline(always)]
    fn run(self) {
        let EncryptUnits { s, keys, ivs, blocks } = self;
        groups::<S, BATCH, K>(s, keys, ivs, blocks);
    }
}

/// All groups of as many units of `UNIT` bytes as `N` registers have parts.
#[inline(always)]
fn groups<S: AesSimd, const N: usize, const K: usize>(
    s: S,
    keys: &[Block; K],
    ivs: &mut [u8],
    blocks: &mut [u8],
) {
    let units = N * S::V::BYTES / 16;
    for (ivs, blocks) in ivs.chunks_exact_mut(16 * units).zip(blocks.chunks_exact_mut(units * UNIT)) {
        group::<S, N, K>(s, keys, ivs, blocks);
    }
}

/// One group; unit r is in register r's first part, unit r + `N` in its second, and so on. As in [`encrypt`], the last round's result is the next block's state.
#[inline(always)]
fn group<S: AesSimd, const N: usize, const K: usize>(
    s: S,
    keys: &[Block; K],
    ivs: &mut [u8],
    blocks: &mut [u8],
) {
    let (first, last) = (s.repeat(keys[0]), s.repeat(keys[K - 1]));
    let mut state = [s.zero(); N];
    for (r, state) in state.iter_mut().enumerate() {
        let iv = s.load_parts(&ivs[16 * r..], 16 * N);
        *state = iv ^ s.load_parts(&blocks[r * UNIT..], N * UNIT) ^ first;
    }
    for at in (0..UNIT).step_by(16) {
        for key in &keys[1..K - 1] {
            let key = s.repeat(*key);
            for state in state.iter_mut() {
                *state = s.enc(*state, key);
            }
        }
        // What follows: the next plaintext block; after the last one, nothing that is used.
        let next_at = (at + 16).min(UNIT - 16);
        for (r, state) in state.iter_mut().enumerate() {
            let next = s.load_parts(&blocks[r * UNIT + next_at..], N * UNIT) ^ first;
            *state = s.enc_last(*state, last ^ next);
            let out = *state ^ next;
            out.store_parts(&mut blocks[r * UNIT + at..], N * UNIT);
        }
    }
    for r in 0..N {
        let end = s.load_parts(&blocks[r * UNIT + UNIT - 16..], N * UNIT);
        end.store_parts(&mut ivs[16 * r..], 16 * N);
    }
}

struct DecryptUnits<'a, S, const K: usize> {
    s: S,
    keys: &'a [Block; K],
    ivs: &'a mut [u8],
    unit_bytes: usize,
    blocks: &'a mut [u8],
}

/// Decryption unit by unit, in the instruction set entered once.
pub(super) fn decrypt_units<S: AesSimd, const K: usize>(
    s: S,
    keys: &[Block; K],
    ivs: &mut [u8],
    unit_bytes: usize,
    blocks: &mut [u8],
) {
    s.perform(DecryptUnits { s, keys, ivs, unit_bytes, blocks });
}

impl<S: AesSimd, const K: usize> Task for DecryptUnits<'_, S, K> {
    #[inline(always)]
    fn run(self) {
        let DecryptUnits { s, keys, ivs, unit_bytes, blocks } = self;
        for (iv, unit) in ivs.as_chunks_mut::<16>().0.iter_mut().zip(blocks.chunks_exact_mut(unit_bytes)) {
            let mut job = CbcDecrypt { keys, before: s.narrow().load(iv) };
            all_batches::<S, _, _, BATCH>(s, &mut job, unit);
            job.before.store(iv);
        }
    }
}

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

struct EncryptUnits<'a, S, const K: usize> {
    s: S,
    keys: &'a [Block; K],
    ivs: &'a mut [u8],
    unit_bytes: usize,
    blocks: &'a mut [u8],
}

/// Encryption of units side by side, a register (or half of one) for each: eight chains hide the latency of each. AES-256 on 4096 sectors of
/// 512 bytes takes 0.25 cycles per byte, one chain after the other 3.5. Gives back how many units it encrypted: not those that do not fill
/// the registers, and none but of the two usual lengths of sectors, since addresses that are not constant break up the rounds.
pub(super) fn encrypt_units<S: AesSimd, const K: usize>(
    s: S,
    keys: &[Block; K],
    ivs: &mut [u8],
    unit_bytes: usize,
    blocks: &mut [u8],
) -> usize {
    let units_per_group = BATCH * S::V::BYTES / 16;
    let units = match unit_bytes {
        512 | 4096 => blocks.len() / unit_bytes / units_per_group * units_per_group,
        _ => 0,
    };
    s.perform(EncryptUnits {
        s,
        keys,
        ivs: &mut ivs[..16 * units],
        unit_bytes,
        blocks: &mut blocks[..units * unit_bytes],
    });
    units
}

impl<S: AesSimd, const K: usize> Task for EncryptUnits<'_, S, K> {
    #[inline(always)]
    fn run(self) {
        let EncryptUnits { s, keys, ivs, unit_bytes, blocks } = self;
        match unit_bytes {
            512 => groups::<S, BATCH, K, 512>(s, keys, ivs, blocks),
            4096 => groups::<S, BATCH, K, 4096>(s, keys, ivs, blocks),
            _ => {}
        }
    }
}

/// All groups of as many units of `UNIT` bytes as `N` registers have parts.
#[inline(always)]
fn groups<S: AesSimd, const N: usize, const K: usize, const UNIT: usize>(
    s: S,
    keys: &[Block; K],
    ivs: &mut [u8],
    blocks: &mut [u8],
) {
    let units = N * S::V::BYTES / 16;
    for (ivs, blocks) in ivs.chunks_exact_mut(16 * units).zip(blocks.chunks_exact_mut(units * UNIT)) {
        group::<S, N, K>(s, keys, ivs, UNIT, blocks);
    }
}

/// One group; unit r is in register r's first part, unit r + `N` in its second. As in [`encrypt`], the last round's result is the next block's state.
#[inline(always)]
fn group<S: AesSimd, const N: usize, const K: usize>(
    s: S,
    keys: &[Block; K],
    ivs: &mut [u8],
    unit_bytes: usize,
    blocks: &mut [u8],
) {
    let (first, last) = (s.repeat(keys[0]), s.repeat(keys[K - 1]));
    let mut state = [s.zero(); N];
    for (r, state) in state.iter_mut().enumerate() {
        let iv = s.load_parts(&ivs[16 * r..], 16 * N);
        *state = iv ^ s.load_parts(&blocks[r * unit_bytes..], N * unit_bytes) ^ first;
    }
    for at in (0..unit_bytes).step_by(16) {
        for key in &keys[1..K - 1] {
            let key = s.repeat(*key);
            for state in state.iter_mut() {
                *state = s.enc(*state, key);
            }
        }
        // What follows: the next plaintext block; after the last one, nothing that is used.
        let next_at = (at + 16).min(unit_bytes - 16);
        for (r, state) in state.iter_mut().enumerate() {
            let next = s.load_parts(&blocks[r * unit_bytes + next_at..], N * unit_bytes) ^ first;
            *state = s.enc_last(*state, last ^ next);
            let out = *state ^ next;
            out.store_parts(&mut blocks[r * unit_bytes + at..], N * unit_bytes);
        }
    }
    for r in 0..N {
        let end = s.load_parts(&blocks[r * unit_bytes + unit_bytes - 16..], N * unit_bytes);
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
            all_batches(s, &mut job, unit);
            job.before.store(iv);
        }
    }
}

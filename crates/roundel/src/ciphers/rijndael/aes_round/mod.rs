//! AES by the CPU's round instructions: one kernel over the token, so that one source runs on 128-bit registers (AES-NI, one
//! block each) and on registers of 256 and 512 bits (VAES, two and four blocks each).
//!
//! A round has a latency of four cycles and two start every cycle (Zen 3), so eight registers in flight keep the units busy: a batch
//! is eight registers, and a run's tail goes in batches of four, two and one. Every mode's inner loop is a [`Job`] that the walk over
//! batches drives, so that the data is read and written once.
//!
//! The larger blocks of Rijndael are in `large_blocks.rs`.

mod cbc;
mod ctr;
mod exchange;
mod gcm;
pub(super) mod large_blocks;
mod once;
mod schedule;
#[cfg(test)]
mod tests;
mod text;
mod xex;

use crate::modes::Ghash;
use crate::modes::cbc::encrypt_units_generic;
use crate::simd::{Aes, AesSimd, Block, Level, Simd, Task, Vaes, Vaes512, Vector};
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use gcm::Order;
use schedule::Keys;
use std::sync::OnceLock;
use text::{Apart, STREAM_BYTES, Text};

/// Registers in flight: latency (4) times throughput (2 a cycle).
const BATCH: usize = 8;

const fn strategy(name: &'static str, needs: Level, batch_blocks: usize, keying: Keying) -> Strategy {
    Strategy {
        name,
        summary: "the CPU's AES instructions, modes fused with the rounds",
        needs,
        timing: Timing::Constant,
        memory: Memory { per_key: 2 * 16 * 15, shared: 0 },
        batch_blocks,
        keying,
    }
}

pub(super) const W128: Strategy = strategy("aes-round-128", Level::Aes, BATCH, keying::<Aes>());
pub(super) const W256: Strategy = strategy("aes-round-256", Level::Vaes, 2 * BATCH, keying::<Vaes>());
pub(super) const W512: Strategy = strategy("aes-round-512", Level::Vaes512, 4 * BATCH, keying::<Vaes512>());

const fn keying<S: AesSimd>() -> Keying {
    Keying { once: once::encrypt::<S>, ..kept::<S>() }
}

/// With the whole key schedule made first.
const fn kept<S: AesSimd>() -> Keying {
    keying!(|key| match key.len() {
        16 => AesRound::<S, 11>::empty(), then |kernel| kernel.encrypt.expand128(kernel.s.narrow(), key);
        24 => AesRound::<S, 13>::empty(), then |kernel| kernel.encrypt.expand192(kernel.s.narrow(), key);
        _ => AesRound::<S, 15>::empty(), then |kernel| kernel.encrypt.expand256(kernel.s.narrow(), key);
    })
}

/// A keyed kernel with `K` round keys: 11, 13 or 15.
struct AesRound<S, const K: usize> {
    s: S,
    encrypt: Keys<K>,
    /// The equivalent inverse cipher's keys: made by the first decryption.
    decrypt: OnceLock<Keys<K>>,
}

impl<S: AesSimd, const K: usize> AesRound<S, K> {
    /// Without a key yet.
    #[inline(always)]
    fn empty() -> Self {
        let s = S::detect().expect("`Strategy::available` was asked before");
        AesRound { s, encrypt: Keys::zero(s.narrow()), decrypt: OnceLock::new() }
    }

    fn decrypt_keys(&self) -> &Keys<K> {
        self.decrypt.get_or_init(|| self.encrypt.inverse(self.s.narrow()))
    }
}

/// What is done to one batch of `N` registers (pairs of registers where a block takes two): `chunk` has exactly their length.
trait Job<T> {
    /// Length of a block.
    const BLOCK_BYTES: usize = 16;

    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: T);
}

/// A job over all whole blocks: full batches of `FULL` registers or pairs, then the tail in halving batches, at last a single block.
struct Walk<'a, S, J, T, const FULL: usize> {
    s: S,
    job: &'a mut J,
    blocks: T,
}

impl<S: AesSimd, J: Job<T>, T: Text, const FULL: usize> Task for Walk<'_, S, J, T, FULL> {
    #[inline(always)]
    fn run(self) {
        let Walk { s, job, blocks } = self;
        all_batches::<S, J, T, FULL>(s, job, blocks);
    }
}

#[inline(always)]
fn all_batches<S: AesSimd, J: Job<T>, T: Text, const FULL: usize>(s: S, job: &mut J, blocks: T) {
    let rest = batches::<S, J, T, FULL>(s, job, blocks);
    let rest = if FULL > 4 { batches::<S, J, T, 4>(s, job, rest) } else { rest };
    let rest = batches::<S, J, T, 2>(s, job, rest);
    let rest = batches::<S, J, T, 1>(s, job, rest);
    let rest = if S::V::BYTES > 32 { batches::<Aes, J, T, 2>(s.narrow(), job, rest) } else { rest };
    batches::<Aes, J, T, 1>(s.narrow(), job, rest);
}

fn walk<S: AesSimd, J: Job<T>, T: Text, const FULL: usize>(s: S, job: &mut J, blocks: T) {
    s.perform(Walk::<S, J, T, FULL> { s, job, blocks });
}

/// All batches of exactly `N` registers or pairs; gives back what is left.
#[inline(always)]
fn batches<S: AesSimd, J: Job<T>, T: Text, const N: usize>(s: S, job: &mut J, blocks: T) -> T {
    let mut rest = blocks;
    let bytes = N * (S::V::BYTES / 16) * J::BLOCK_BYTES;
    while rest.source().len() >= bytes {
        let (chunk, after) = rest.split_at(bytes);
        job.batch::<S, N>(s, chunk);
        rest = after;
    }
    rest
}

#[inline(always)]
fn load<S: AesSimd, const N: usize>(s: S, chunk: &[u8]) -> [S::V; N] {
    let mut x = [s.zero(); N];
    for (i, x) in x.iter_mut().enumerate() {
        *x = s.load(&chunk[i * S::V::BYTES..]);
    }
    x
}

/// Which way the rounds go.
trait Direction: Copy {
    /// Whether they are those of decryption.
    const INVERSE: bool;

    /// One middle round.
    fn round<S: AesSimd>(self, s: S, x: S::V, key: S::V) -> S::V;
    /// The last round.
    fn last<S: AesSimd>(self, s: S, x: S::V, key: S::V) -> S::V;
}

#[derive(Clone, Copy)]
struct Encrypt;

impl Direction for Encrypt {
    const INVERSE: bool = false;

    #[inline(always)]
    fn round<S: AesSimd>(self, s: S, x: S::V, key: S::V) -> S::V {
        s.enc(x, key)
    }

    #[inline(always)]
    fn last<S: AesSimd>(self, s: S, x: S::V, key: S::V) -> S::V {
        s.enc_last(x, key)
    }
}

/// The equivalent inverse cipher (FIPS 197, section 5.3.5), with its own keys.
#[derive(Clone, Copy)]
struct Decrypt;

impl Direction for Decrypt {
    const INVERSE: bool = true;

    #[inline(always)]
    fn round<S: AesSimd>(self, s: S, x: S::V, key: S::V) -> S::V {
        s.dec(x, key)
    }

    #[inline(always)]
    fn last<S: AesSimd>(self, s: S, x: S::V, key: S::V) -> S::V {
        s.dec_last(x, key)
    }
}

/// All rounds but the last, on `N` registers.
#[inline(always)]
fn rounds<S: AesSimd, D: Direction, const N: usize, const K: usize>(
    s: S,
    direction: D,
    keys: &[Block; K],
    x: &mut [S::V; N],
) {
    let key = s.repeat(keys[0]);
    for x in x.iter_mut() {
        *x = *x ^ key;
    }
    middle_rounds(s, direction, keys, x);
}

/// All rounds but the last, on `N` registers to which the first key was added.
#[inline(always)]
fn middle_rounds<S: AesSimd, D: Direction, const N: usize, const K: usize>(
    s: S,
    direction: D,
    keys: &[Block; K],
    x: &mut [S::V; N],
) {
    for key in &keys[1..K - 1] {
        let key = s.repeat(*key);
        for x in x.iter_mut() {
            *x = direction.round(s, *x, key);
        }
    }
}

struct Ecb<'k, D, const K: usize> {
    direction: D,
    keys: &'k [Block; K],
}

impl<D: Direction, const K: usize> Job<&mut [u8]> for Ecb<'_, D, K> {
    #[inline(always)]
    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: &mut [u8]) {
        let mut x = load::<S, N>(s, chunk);
        rounds(s, self.direction, self.keys, &mut x);
        let last = s.repeat(self.keys[K - 1]);
        for (i, x) in x.into_iter().enumerate() {
            self.direction.last(s, x, last).store(&mut chunk[i * S::V::BYTES..]);
        }
    }
}

impl<S: AesSimd, const K: usize> Kernel for AesRound<S, K> {
    fn encrypt(&self, blocks: &mut [u8]) {
        walk::<S, _, _, BATCH>(self.s, &mut Ecb { direction: Encrypt, keys: &self.encrypt.0 }, blocks);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        walk::<S, _, _, BATCH>(self.s, &mut Ecb { direction: Decrypt, keys: &self.decrypt_keys().0 }, blocks);
    }

    fn prepare_decrypt(&self) {
        self.decrypt_keys();
    }

    fn ctr_xor(&self, counter: &mut [u8], data: &mut [u8]) {
        ctr::xor(self.s, &self.encrypt.0, counter, data);
    }

    fn ctr_xor_into(&self, counter: &mut [u8], from: &[u8], to: &mut [u8]) {
        ctr::xor_into(self.s, &self.encrypt.0, counter, Apart::new(from, to), STREAM_BYTES);
    }

    fn cbc_encrypt(&self, iv: &mut [u8], blocks: &mut [u8]) {
        let s = self.s.narrow();
        s.enter(|| cbc::encrypt(s, &self.encrypt.0, iv, blocks));
    }

    fn cbc_decrypt(&self, iv: &mut [u8], blocks: &mut [u8]) {
        cbc::decrypt(self.s, &self.decrypt_keys().0, iv, blocks);
    }

    fn cbc_encrypt_units(&self, ivs: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
        let done = cbc::encrypt_units(self.s, &self.encrypt.0, ivs, unit_bytes, blocks);
        let (ivs, blocks) = (&mut ivs[16 * done..], &mut blocks[done * unit_bytes..]);
        // Too few for all parts of the registers, but for one part of each.
        let done = cbc::encrypt_units(self.s.narrow(), &self.encrypt.0, ivs, unit_bytes, blocks);
        let (ivs, blocks) = (&mut ivs[16 * done..], &mut blocks[done * unit_bytes..]);
        encrypt_units_generic(&|run| self.encrypt(run), 16, ivs, unit_bytes, blocks);
    }

    fn cbc_decrypt_units(&self, ivs: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
        cbc::decrypt_units(self.s, &self.decrypt_keys().0, ivs, unit_bytes, blocks);
    }

    fn xex_encrypt(&self, tweaks: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
        xex::crypt(self.s, Encrypt, &self.encrypt.0, tweaks, unit_bytes, blocks);
    }

    fn xex_decrypt(&self, tweaks: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
        xex::crypt(self.s, Decrypt, &self.decrypt_keys().0, tweaks, unit_bytes, blocks);
    }

    fn gcm_encrypt(&self, ghash: &mut Ghash, counter: &mut [u8; 16], data: &mut [u8]) {
        gcm::crypt(self.s, &self.encrypt.0, Order::CipherFirst, ghash, counter, data);
    }

    fn gcm_decrypt(&self, ghash: &mut Ghash, counter: &mut [u8; 16], data: &mut [u8]) {
        gcm::crypt(self.s, &self.encrypt.0, Order::HashFirst, ghash, counter, data);
    }

    fn gcm_encrypt_into(&self, ghash: &mut Ghash, counter: &mut [u8; 16], from: &[u8], to: &mut [u8]) {
        gcm::crypt(self.s, &self.encrypt.0, Order::CipherFirst, ghash, counter, Apart::new(from, to));
    }

    fn gcm_decrypt_into(&self, ghash: &mut Ghash, counter: &mut [u8; 16], from: &[u8], to: &mut [u8]) {
        gcm::decrypt_into(self.s, &self.encrypt.0, ghash, counter, Apart::new(from, to), STREAM_BYTES);
    }
}

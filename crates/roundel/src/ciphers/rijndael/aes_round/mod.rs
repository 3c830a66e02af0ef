//! AES by the CPU's round instructions: one kernel over the token, so that one source runs on 128-bit registers (AES-NI, one
//! block each) and on 256-bit registers (VAES, two blocks each).
//!
//! A round has a latency of four cycles and two start every cycle (Zen 3), so eight registers in flight keep the units busy: a batch
//! is eight registers, and a run's tail goes in batches of four, two and one. Every mode's inner loop is a [`Job`] that the walk over
//! batches drives, so that the data is read and written once.

mod cbc;
mod ctr;
mod gcm;
mod schedule;
#[cfg(test)]
mod tests;

use crate::modes::Ghash;
use crate::simd::{Aes, AesSimd, Block, Level, Simd, Task, Vaes, Vector};
use crate::{Kernel, Memory, Strategy, Timing};
use gcm::Direction;
use schedule::Keys;
use std::sync::OnceLock;

/// Registers in flight: latency (4) times throughput (2 a cycle).
const BATCH: usize = 8;

const fn strategy(
    name: &'static str,
    needs: Level,
    batch_blocks: usize,
    build: fn(&[u8]) -> Box<dyn Kernel>,
) -> Strategy {
    Strategy {
        name,
        summary: "the CPU's AES instructions, modes fused with the rounds",
        needs,
        timing: Timing::Constant,
        memory: Memory { per_key: 2 * 16 * 15, shared: 0 },
        batch_blocks,
        build,
    }
}

pub(super) const W128: Strategy = strategy("aes-round-128", Level::Aes, BATCH, build::<Aes>);
pub(super) const W256: Strategy = strategy("aes-round-256", Level::Vaes, 2 * BATCH, build::<Vaes>);

fn build<S: AesSimd>(key: &[u8]) -> Box<dyn Kernel> {
    let s = S::detect().expect("`Strategy::available` was asked before");
    match key.len() {
        16 => AesRound::<S, 11>::boxed(s, |keys| keys.expand128(s.narrow(), key)),
        24 => AesRound::<S, 13>::boxed(s, |keys| keys.expand192(s.narrow(), key)),
        32 => AesRound::<S, 15>::boxed(s, |keys| keys.expand256(s.narrow(), key)),
        bytes => unreachable!("the cipher takes no key of {bytes} bytes"),
    }
}

/// A keyed kernel with `K` round keys: 11, 13 or 15.
struct AesRound<S, const K: usize> {
    s: S,
    encrypt: Keys<K>,
    /// The equivalent inverse cipher's keys: made by the first decryption.
    decrypt: OnceLock<Keys<K>>,
}

impl<S: AesSimd, const K: usize> AesRound<S, K> {
    /// The keys are made in their place: a copy would cost as much as the schedule, and stay behind on the stack.
    fn boxed(s: S, expand: impl FnOnce(&mut Keys<K>)) -> Box<dyn Kernel> {
        let mut kernel = Box::new(AesRound { s, encrypt: Keys::zero(s.narrow()), decrypt: OnceLock::new() });
        expand(&mut kernel.encrypt);
        kernel
    }

    fn decrypt_keys(&self) -> &Keys<K> {
        self.decrypt.get_or_init(|| self.encrypt.inverse(self.s.narrow()))
    }
}

/// What is done to one batch of `N` registers: `chunk` has exactly their length.
trait Job {
    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: &mut [u8]);
}

/// A job over all whole blocks: full batches, then the tail in halving batches, at last a single block.
struct Walk<'a, S, J> {
    s: S,
    job: &'a mut J,
    blocks: &'a mut [u8],
}

impl<S: AesSimd, J: Job> Task for Walk<'_, S, J> {
    #[inline(always)]
    fn run(self) {
        let Walk { s, job, blocks } = self;
        let rest = batches::<S, J, BATCH>(s, job, blocks);
        let rest = batches::<S, J, 4>(s, job, rest);
        let rest = batches::<S, J, 2>(s, job, rest);
        let rest = batches::<S, J, 1>(s, job, rest);
        batches::<Aes, J, 1>(s.narrow(), job, rest);
    }
}

fn walk<S: AesSimd>(s: S, job: &mut impl Job, blocks: &mut [u8]) {
    s.perform(Walk { s, job, blocks });
}

/// All batches of exactly `N` registers; gives back what is left.
#[inline(always)]
fn batches<'d, S: AesSimd, J: Job, const N: usize>(s: S, job: &mut J, blocks: &'d mut [u8]) -> &'d mut [u8] {
    let mut chunks = blocks.chunks_exact_mut(N * S::V::BYTES);
    for chunk in &mut chunks {
        job.batch::<S, N>(s, chunk);
    }
    chunks.into_remainder()
}

#[inline(always)]
fn load<S: AesSimd, const N: usize>(s: S, chunk: &[u8]) -> [S::V; N] {
    let mut x = [s.zero(); N];
    for (i, x) in x.iter_mut().enumerate() {
        *x = s.load(&chunk[i * S::V::BYTES..]);
    }
    x
}

#[inline(always)]
fn store<S: AesSimd, const N: usize>(x: [S::V; N], chunk: &mut [u8]) {
    for (i, x) in x.into_iter().enumerate() {
        x.store(&mut chunk[i * S::V::BYTES..]);
    }
}

/// All encryption rounds but the last, on `N` registers.
#[inline(always)]
fn encrypt_rounds<S: AesSimd, const N: usize, const K: usize>(s: S, keys: &[Block; K], x: &mut [S::V; N]) {
    let key = s.repeat(keys[0]);
    for x in x.iter_mut() {
        *x = *x ^ key;
    }
    for key in &keys[1..K - 1] {
        let key = s.repeat(*key);
        for x in x.iter_mut() {
            *x = s.enc(*x, key);
        }
    }
}

/// All rounds of the equivalent inverse cipher but the last, on `N` registers.
#[inline(always)]
fn decrypt_rounds<S: AesSimd, const N: usize, const K: usize>(s: S, keys: &[Block; K], x: &mut [S::V; N]) {
    let key = s.repeat(keys[0]);
    for x in x.iter_mut() {
        *x = *x ^ key;
    }
    for key in &keys[1..K - 1] {
        let key = s.repeat(*key);
        for x in x.iter_mut() {
            *x = s.dec(*x, key);
        }
    }
}

struct EcbEncrypt<'k, const K: usize>(&'k [Block; K]);

impl<const K: usize> Job for EcbEncrypt<'_, K> {
    #[inline(always)]
    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: &mut [u8]) {
        let mut x = load::<S, N>(s, chunk);
        encrypt_rounds(s, self.0, &mut x);
        let last = s.repeat(self.0[K - 1]);
        for x in x.iter_mut() {
            *x = s.enc_last(*x, last);
        }
        store::<S, N>(x, chunk);
    }
}

struct EcbDecrypt<'k, const K: usize>(&'k [Block; K]);

impl<const K: usize> Job for EcbDecrypt<'_, K> {
    #[inline(always)]
    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: &mut [u8]) {
        let mut x = load::<S, N>(s, chunk);
        decrypt_rounds(s, self.0, &mut x);
        let last = s.repeat(self.0[K - 1]);
        for x in x.iter_mut() {
            *x = s.dec_last(*x, last);
        }
        store::<S, N>(x, chunk);
    }
}

impl<S: AesSimd, const K: usize> Kernel for AesRound<S, K> {
    fn encrypt(&self, blocks: &mut [u8]) {
        walk(self.s, &mut EcbEncrypt(&self.encrypt.0), blocks);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        walk(self.s, &mut EcbDecrypt(&self.decrypt_keys().0), blocks);
    }

    fn prepare_decrypt(&self) {
        self.decrypt_keys();
    }

    fn ctr_xor(&self, counter: &mut [u8], data: &mut [u8]) {
        ctr::xor(self.s, &self.encrypt.0, counter, data);
    }

    fn cbc_encrypt(&self, iv: &mut [u8], blocks: &mut [u8]) {
        let s = self.s.narrow();
        s.enter(|| cbc::encrypt(s, &self.encrypt.0, iv, blocks));
    }

    fn cbc_decrypt(&self, iv: &mut [u8], blocks: &mut [u8]) {
        cbc::decrypt(self.s, &self.decrypt_keys().0, iv, blocks);
    }

    fn gcm_encrypt(&self, ghash: &mut Ghash, counter: &mut [u8; 16], data: &mut [u8]) {
        gcm::crypt(self.s, &self.encrypt.0, Direction::Encrypt, ghash, counter, data);
    }

    fn gcm_decrypt(&self, ghash: &mut Ghash, counter: &mut [u8; 16], data: &mut [u8]) {
        gcm::crypt(self.s, &self.encrypt.0, Direction::Decrypt, ghash, counter, data);
    }
}

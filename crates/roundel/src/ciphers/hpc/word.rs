//! Four blocks at once in 64-bit registers; the spice compiled out where it is zero.
//!
//! Each step is done on all blocks before the next, so that the four dependency chains overlap.

use super::schedule::{BLOCK_BITS, ExpandedKey, PI19, SPICE_BYTES, Schedule, words};
use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks in flight. See the module's figures before changing it.
const LANES: usize = 4;

const fn strategy(keying: Keying) -> Strategy {
    Strategy {
        name: "word",
        summary: "64-bit words, four blocks interleaved",
        needs: Level::Portable,
        timing: Timing::SecretDependent,
        memory: Memory { per_key: size_of::<Word<NoSpice>>(), shared: 0 },
        batch_blocks: LANES,
        keying,
    }
}

pub(super) const SUBMITTED: Strategy = strategy(keying!(|key| Word::new(Schedule::Submitted, key, NoSpice)));
pub(super) const REPAIRED: Strategy = strategy(keying!(|key| Word::new(Schedule::Repaired, key, NoSpice)));

pub(super) fn with_spice(schedule: Schedule, key: &[u8], spice: &[u8; SPICE_BYTES]) -> Box<dyn Kernel> {
    let mut eight = [0; 8];
    eight.iter_mut().zip(words(spice)).for_each(|(to, word)| *to = word);
    Box::new(Word::new(schedule, key, Words(eight)))
}

/// The tweak: eight words that the compiler sees to be zero, or not.
trait Spice: Send + Sync + Zeroize {
    fn word(&self, index: usize) -> u64;
}

#[derive(Zeroize)]
struct NoSpice;

impl Spice for NoSpice {
    #[inline(always)]
    fn word(&self, _: usize) -> u64 {
        0
    }
}

#[derive(Zeroize)]
struct Words([u64; 8]);

impl Spice for Words {
    #[inline(always)]
    fn word(&self, index: usize) -> u64 {
        self.0[index]
    }
}

#[derive(ZeroizeOnDrop)]
struct Word<S: Spice> {
    key: ExpandedKey,
    spice: S,
}

/// The same word of N blocks.
type Lanes<const N: usize> = [u64; N];

impl<S: Spice> Word<S> {
    fn new(schedule: Schedule, key: &[u8], spice: S) -> Self {
        Word { key: ExpandedKey::new(schedule, key), spice }
    }

    /// The table, offset by a constant up to 22: the low byte of `word` then needs no bounds check.
    #[inline(always)]
    fn look_up(&self, offset: usize, word: u64) -> u64 {
        let table: &[u64; 256] = self.key.kx[offset..].first_chunk().expect("the offset is at most 22");
        table[word as usize & 255]
    }

    #[inline(always)]
    fn encrypt_round<const N: usize>(&self, i: usize, s0: &mut Lanes<N>, s1: &mut Lanes<N>) {
        let spice = |index: usize| self.spice.word(index);
        let t = spice(i);
        for n in 0..N {
            let (mut a, mut b) = (s0[n], s1[n]);
            // steps 1 and 2
            let k = self.look_up(0, a);
            b = b.wrapping_add(k);
            a ^= k << 8;
            b ^= a;
            a = a.wrapping_sub(b >> 11);
            a ^= b << 2;
            a = a.wrapping_sub(spice(i ^ 4));
            // step 3
            a = a.wrapping_add((a << 32) ^ (PI19 + BLOCK_BITS as u64));
            a ^= a >> 17;
            a ^= a >> 34;
            // step 4
            a ^= t;
            a = a.wrapping_add(t << 5);
            b = b.wrapping_add(t >> 4);
            a ^= t >> 4;
            // step 5
            a = a.wrapping_add(a << (22 + (a & 31)));
            a ^= a >> 23;
            a = a.wrapping_sub(spice(i ^ 7));
            // step 6
            let k = self.look_up(0, a);
            let kk = self.look_up(3 * i + 1, a);
            let m = kk ^ k;
            b ^= k;
            a ^= kk << 8;
            b = b.wrapping_add(m >> 5);
            a = a.wrapping_sub(m << 12);
            a ^= m & !255;
            b = b.wrapping_add(a);
            // step 7
            a = a.wrapping_add(b << 3);
            a ^= spice(i ^ 2);
            a = a.wrapping_add(self.key.kx[BLOCK_BITS + 16 + i]);
            a = a.wrapping_add(a << 22);
            a ^= b >> 4;
            a = a.wrapping_add(spice(i ^ 1));
            a ^= a >> (33 + i);
            (s0[n], s1[n]) = (a, b);
        }
    }

    #[inline(always)]
    fn decrypt_round<const N: usize>(&self, i: usize, s0: &mut Lanes<N>, s1: &mut Lanes<N>) {
        let spice = |index: usize| self.spice.word(index);
        let t = spice(i);
        for n in 0..N {
            let (mut a, mut b) = (s0[n], s1[n]);
            // step 7 undone
            a ^= a >> (33 + i);
            a = a.wrapping_sub(spice(i ^ 1));
            a ^= b >> 4;
            a = a.wrapping_sub(a.wrapping_sub(a << 22) << 22);
            a = a.wrapping_sub(self.key.kx[BLOCK_BITS + 16 + i]);
            a ^= spice(i ^ 2);
            a = a.wrapping_sub(b << 3);
            // step 6 undone
            b = b.wrapping_sub(a);
            let k = self.look_up(0, a);
            let kk = self.look_up(3 * i + 1, a);
            let m = kk ^ k;
            a ^= m & !255;
            a = a.wrapping_add(m << 12);
            b = b.wrapping_sub(m >> 5);
            a ^= kk << 8;
            b ^= k;
            // step 5 undone
            a = a.wrapping_add(spice(i ^ 7));
            a ^= a >> 23;
            a ^= a >> 46;
            let shift = 22 + (a & 31);
            a = a.wrapping_sub(a.wrapping_sub(a << shift) << shift);
            // step 4 undone
            a ^= t >> 4;
            b = b.wrapping_sub(t >> 4);
            a = a.wrapping_sub(t << 5);
            a ^= t;
            // step 3 undone
            a ^= a >> 17;
            let c = PI19 + BLOCK_BITS as u64;
            a = a.wrapping_sub((a.wrapping_sub(c) << 32) ^ c);
            // steps 2 and 1 undone
            a = a.wrapping_add(spice(i ^ 4));
            a ^= b << 2;
            a = a.wrapping_add(b >> 11);
            b ^= a;
            let k = self.look_up(0, a);
            a ^= k << 8;
            b = b.wrapping_sub(k);
            (s0[n], s1[n]) = (a, b);
        }
    }

    #[inline(always)]
    fn encrypt_lanes<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let kx = &self.key.kx;
        let (mut s0, mut s1) = load(blocks);
        s0 = s0.map(|word| word.wrapping_add(kx[BLOCK_BITS]));
        s1 = s1.map(|word| word.wrapping_add(kx[BLOCK_BITS + 1]));
        for i in 0..8 {
            self.encrypt_round(i, &mut s0, &mut s1);
        }
        s0 = s0.map(|word| word.wrapping_add(kx[BLOCK_BITS + 8]));
        s1 = s1.map(|word| word.wrapping_add(kx[BLOCK_BITS + 9]));
        store(blocks, s0, s1);
    }

    #[inline(always)]
    fn decrypt_lanes<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let kx = &self.key.kx;
        let (mut s0, mut s1) = load(blocks);
        s0 = s0.map(|word| word.wrapping_sub(kx[BLOCK_BITS + 8]));
        s1 = s1.map(|word| word.wrapping_sub(kx[BLOCK_BITS + 9]));
        for i in (0..8).rev() {
            self.decrypt_round(i, &mut s0, &mut s1);
        }
        s0 = s0.map(|word| word.wrapping_sub(kx[BLOCK_BITS]));
        s1 = s1.map(|word| word.wrapping_sub(kx[BLOCK_BITS + 1]));
        store(blocks, s0, s1);
    }
}

#[inline(always)]
fn load<const N: usize>(blocks: &[[u8; 16]; N]) -> (Lanes<N>, Lanes<N>) {
    let words = blocks.map(u128::from_be_bytes);
    (words.map(|block| (block >> 64) as u64), words.map(|block| block as u64))
}

#[inline(always)]
fn store<const N: usize>(blocks: &mut [[u8; 16]; N], s0: Lanes<N>, s1: Lanes<N>) {
    for (block, (a, b)) in blocks.iter_mut().zip(s0.into_iter().zip(s1)) {
        *block = (u128::from(a) << 64 | u128::from(b)).to_be_bytes();
    }
}

impl<S: Spice> Kernel for Word<S> {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (quads, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        quads.iter_mut().for_each(|quad| self.encrypt_lanes(quad));
        rest.iter_mut().for_each(|block| self.encrypt_lanes(std::array::from_mut(block)));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (quads, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        quads.iter_mut().for_each(|quad| self.decrypt_lanes(quad));
        rest.iter_mut().for_each(|block| self.decrypt_lanes(std::array::from_mut(block)));
    }
}

//! HPC-Medium step by step as described, one block at a time, the spice always in.

use super::schedule::{BLOCK_BITS, ExpandedKey, PI19, Schedule};
use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use std::num::Wrapping as W;
use zeroize::{Zeroize, ZeroizeOnDrop};

const fn strategy(keying: Keying) -> Strategy {
    Strategy {
        name: "reference",
        summary: "step by step, one block",
        needs: Level::Portable,
        timing: Timing::SecretDependent,
        memory: Memory { per_key: size_of::<Reference>(), shared: 0 },
        batch_blocks: 1,
        keying,
    }
}

pub(super) const SUBMITTED: Strategy = strategy(keying!(|key| Reference::new(Schedule::Submitted, key)));
pub(super) const REPAIRED: Strategy = strategy(keying!(|key| Reference::new(Schedule::Repaired, key)));

#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Reference {
    key: ExpandedKey,
    pub(super) spice: [u64; 8],
}

impl Reference {
    pub(super) fn new(schedule: Schedule, key: &[u8]) -> Self {
        Reference { key: ExpandedKey::new(schedule, key), spice: [0; 8] }
    }

    fn kx(&self, index: usize) -> W<u64> {
        W(self.key.kx[index & 255])
    }

    fn spice(&self, index: usize) -> W<u64> {
        W(self.spice[index])
    }

    fn encrypt_block(&self, block: &mut [u8; 16]) {
        let [mut s0, mut s1] = load(block);
        s0 += self.kx(BLOCK_BITS);
        s1 += self.kx(BLOCK_BITS + 1);
        for i in 0..8 {
            // step 1
            let k = self.kx(low_byte(s0));
            s1 += k;
            s0 ^= k << 8;
            s1 ^= s0;
            // step 2
            s0 -= s1 >> 11;
            s0 ^= s1 << 2;
            s0 -= self.spice(i ^ 4);
            // step 3
            s0 += (s0 << 32) ^ W(PI19 + BLOCK_BITS as u64);
            s0 ^= s0 >> 17;
            s0 ^= s0 >> 34;
            // step 4
            let t = self.spice(i);
            s0 ^= t;
            s0 += t << 5;
            s1 += t >> 4;
            s0 ^= t >> 4;
            // step 5
            s0 += s0 << (22 + (s0.0 & 31) as usize);
            s0 ^= s0 >> 23;
            s0 -= self.spice(i ^ 7);
            // step 6
            let t = low_byte(s0);
            let k = self.kx(t);
            let mut kk = self.kx(t + 3 * i + 1);
            s1 ^= k;
            s0 ^= kk << 8;
            kk ^= k;
            s1 += kk >> 5;
            s0 -= kk << 12;
            s0 ^= kk & W(!255);
            s1 += s0;
            // step 7
            s0 += s1 << 3;
            s0 ^= self.spice(i ^ 2);
            s0 += self.kx(BLOCK_BITS + 16 + i);
            s0 += s0 << 22;
            s0 ^= s1 >> 4;
            s0 += self.spice(i ^ 1);
            s0 ^= s0 >> (33 + i);
        }
        store(block, [s0 + self.kx(BLOCK_BITS + 8), s1 + self.kx(BLOCK_BITS + 9)]);
    }

    fn decrypt_block(&self, block: &mut [u8; 16]) {
        let [mut s0, mut s1] = load(block);
        s0 -= self.kx(BLOCK_BITS + 8);
        s1 -= self.kx(BLOCK_BITS + 9);
        for i in (0..8).rev() {
            // step 7 undone
            s0 ^= s0 >> (33 + i);
            s0 -= self.spice(i ^ 1);
            s0 ^= s1 >> 4;
            let u = s0 - (s0 << 22);
            s0 -= u << 22;
            s0 -= self.kx(BLOCK_BITS + 16 + i);
            s0 ^= self.spice(i ^ 2);
            s0 -= s1 << 3;
            // step 6 undone
            s1 -= s0;
            let t = low_byte(s0);
            let (k, kk) = (self.kx(t), self.kx(t + 3 * i + 1));
            let m = kk ^ k;
            s0 ^= m & W(!255);
            s0 += m << 12;
            s1 -= m >> 5;
            s0 ^= kk << 8;
            s1 ^= k;
            // step 5 undone
            s0 += self.spice(i ^ 7);
            s0 ^= s0 >> 23;
            s0 ^= s0 >> 46;
            let n = 22 + (s0.0 & 31) as usize;
            let u = s0 - (s0 << n);
            s0 -= u << n;
            // step 4 undone
            let t = self.spice(i);
            s0 ^= t >> 4;
            s1 -= t >> 4;
            s0 -= t << 5;
            s0 ^= t;
            // step 3 undone: one line undoes both shifts, by 17 and by 34
            s0 ^= s0 >> 17;
            let c = W(PI19 + BLOCK_BITS as u64);
            let u = s0 - c;
            s0 -= (u << 32) ^ c;
            // step 2 undone
            s0 += self.spice(i ^ 4);
            s0 ^= s1 << 2;
            s0 += s1 >> 11;
            // step 1 undone
            s1 ^= s0;
            let k = self.kx(low_byte(s0));
            s0 ^= k << 8;
            s1 -= k;
        }
        store(block, [s0 - self.kx(BLOCK_BITS), s1 - self.kx(BLOCK_BITS + 1)]);
    }
}

fn low_byte(word: W<u64>) -> usize {
    word.0 as usize & 255
}

/// A block is two big-endian words.
fn load(block: &[u8; 16]) -> [W<u64>; 2] {
    let block = u128::from_be_bytes(*block);
    [W((block >> 64) as u64), W(block as u64)]
}

fn store(block: &mut [u8; 16], [s0, s1]: [W<u64>; 2]) {
    *block = (u128::from(s0.0) << 64 | u128::from(s1.0)).to_be_bytes();
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.encrypt_block(block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.decrypt_block(block));
    }
}

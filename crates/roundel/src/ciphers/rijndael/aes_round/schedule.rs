//! The key schedules by AES instructions (FIPS 197, section 5.2).
//!
//! SubWord is taken from the last-round instruction instead of `aeskeygenassist`: with the same word in all four columns, ShiftRows
//! changes nothing, so `enc_last(word in all columns, k)` is `SubWord(word)` in all columns XOR `k`. With the running XOR of the older
//! key as `k`, a step's critical path is one shuffle and one instruction: 5 cycles (Zen 3).

use crate::ciphers::rijndael::schedule::xtime_bytes;
use crate::simd::{Aes, AesSimd, Block, Simd, Vector};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// `K` round keys in the order in which a direction uses them; for larger blocks, as many registers of four words.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Keys<const K: usize>(pub(super) [Block; K]);

/// Byte shuffle indices: word `w` of the register in every column, rotated by RotWord if `rotate`.
const fn word_everywhere(w: u8, rotate: bool) -> [u8; 16] {
    let mut index = [0; 16];
    let mut i = 0;
    while i < 16 {
        index[i] = 4 * w + (i as u8 + rotate as u8) % 4;
        i += 1;
    }
    index
}

/// Byte shuffle indices: all words moved up by `words`, zeros below.
const fn words_up(words: u8) -> [u8; 16] {
    let mut index = [0x80; 16];
    let mut i = 4 * words;
    while i < 16 {
        index[i as usize] = i - 4 * words;
        i += 1;
    }
    index
}

/// The running XOR of the words: w0, w0^w1, w0^w1^w2, w0^w1^w2^w3.
#[inline(always)]
fn running_xor(s: Aes, words: Block) -> Block {
    let pairs = words ^ words.shuffle8(s.broadcast128(&words_up(1)));
    pairs ^ pairs.shuffle8(s.broadcast128(&words_up(2)))
}

/// `old`'s running XOR ^ SubWord(RotWord(last word of `recent`)) ^ Rcon.
#[inline(always)]
fn rotated_step(s: Aes, old: Block, recent: Block, rcon: u32) -> Block {
    let word = recent.shuffle8(s.broadcast128(&word_everywhere(3, true)));
    s.enc_last(word, running_xor(s, old) ^ s.splat32(rcon))
}

/// The same without rotation and round constant: the middle step of 256-bit keys.
#[inline(always)]
fn plain_step(s: Aes, old: Block, recent: Block) -> Block {
    let word = recent.shuffle8(s.broadcast128(&word_everywhere(3, false)));
    s.enc_last(word, running_xor(s, old))
}

/// Rcon[i]: x^(i-1) in GF(2^8), from i = 1; 29 for a 128-bit key and a 256-bit block.
const RCON: [u32; 29] = {
    let mut powers = [1; 29];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = xtime_bytes(powers[i - 1]);
        i += 1;
    }
    powers
};

impl<const K: usize> Keys<K> {
    /// All zero: to be expanded in place.
    #[inline(always)]
    pub(super) fn zero(s: Aes) -> Self {
        Keys([s.zero(); K])
    }

    /// From a key of 16 bytes.
    pub(super) fn expand128(&mut self, s: Aes, key: &[u8]) {
        s.enter(|| each128(s, key, K, |i, key| self.0[i] = key));
    }

    /// From a key of 24 bytes.
    pub(super) fn expand192(&mut self, s: Aes, key: &[u8]) {
        s.enter(|| each192(s, key, K, |i, key| self.0[i] = key));
    }

    /// From a key of 32 bytes.
    pub(super) fn expand256(&mut self, s: Aes, key: &[u8]) {
        s.enter(|| each256(s, key, K, |i, key| self.0[i] = key));
    }

    /// The keys of the equivalent inverse cipher (FIPS 197, section 5.3.5): reversed, InvMixColumns on all but the ends.
    pub(super) fn inverse(&self, s: Aes) -> Self {
        s.enter(|| {
            let mut keys = self.0;
            keys.reverse();
            for key in &mut keys[1..K - 1] {
                *key = s.inv_mix_columns(*key);
            }
            Keys(keys)
        })
    }
}

/// The first `count` round keys of a 16-byte key, in the order of encryption.
#[inline(always)]
pub(super) fn each128(s: Aes, key: &[u8], count: usize, mut take: impl FnMut(usize, Block)) {
    let mut recent = s.load(key);
    take(0, recent);
    for i in 1..count {
        recent = rotated_step(s, recent, recent, RCON[i - 1]);
        take(i, recent);
    }
}

/// Those of a 24-byte key: each step makes six words, which are packed four to a round key.
#[inline(always)]
pub(super) fn each192(s: Aes, key: &[u8], count: usize, mut take: impl FnMut(usize, Block)) {
    // Words 0 to 3, and words 4 and 5 in the lower half; what the upper half holds is never used.
    let mut low = s.load(key);
    let mut high = s.load(&key[8..]);
    high = high.unpack_hi64(high);
    for i in 0..count.div_ceil(3) {
        // Two steps, twelve words, three round keys: low | high+low' | low'+high'.
        let (low2, high2) = step192(s, low, high, RCON[2 * i]);
        let three = [low, high.unpack_lo64(low2), low2.unpack_hi64(high2.unpack_lo64(high2))];
        for (at, key) in (3 * i..count).zip(three) {
            take(at, key);
        }
        (low, high) = step192(s, low2, high2, RCON[2 * i + 1]);
    }
}

/// Those of a 32-byte key.
#[inline(always)]
pub(super) fn each256(s: Aes, key: &[u8], count: usize, mut take: impl FnMut(usize, Block)) {
    let mut pair = [s.load(key), s.load(&key[16..])];
    for (i, rcon) in RCON.into_iter().enumerate().take(count.div_ceil(2)) {
        for (at, key) in (2 * i..count).zip(pair) {
            take(at, key);
        }
        pair[0] = rotated_step(s, pair[0], pair[1], rcon);
        pair[1] = plain_step(s, pair[1], pair[0]);
    }
}

/// The next six words of a 192-bit key.
#[inline(always)]
fn step192(s: Aes, low: Block, high: Block, rcon: u32) -> (Block, Block) {
    let word = high.shuffle8(s.broadcast128(&word_everywhere(1, true)));
    let low = s.enc_last(word, running_xor(s, low) ^ s.splat32(rcon));
    let last = low.shuffle8(s.broadcast128(&word_everywhere(3, false)));
    (low, high ^ high.shuffle8(s.broadcast128(&words_up(1))) ^ last)
}

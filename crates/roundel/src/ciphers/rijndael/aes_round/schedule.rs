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
        s.enter(|| {
            let mut recent = s.load(key);
            self.0[0] = recent;
            for (slot, rcon) in self.0[1..].iter_mut().zip(RCON) {
                recent = rotated_step(s, recent, recent, rcon);
                *slot = recent;
            }
        });
    }

    /// From a key of 24 bytes: each step makes six words, which are packed four to a round key.
    pub(super) fn expand192(&mut self, s: Aes, key: &[u8]) {
        s.enter(|| {
            // Words 0 to 3, and words 4 and 5 in the lower half; what the upper half holds is never used.
            let mut low = s.load(key);
            let mut high = s.load(&key[8..]);
            high = high.unpack_hi64(high);
            for (i, slots) in self.0.chunks_mut(3).enumerate() {
                // Two steps, twelve words, three round keys: low | high+low' | low'+high'.
                let (low2, high2) = step192(s, low, high, RCON[2 * i]);
                let three = [low, high.unpack_lo64(low2), low2.unpack_hi64(high2.unpack_lo64(high2))];
                for (slot, key) in slots.iter_mut().zip(three) {
                    *slot = key;
                }
                (low, high) = step192(s, low2, high2, RCON[2 * i + 1]);
            }
        });
    }

    /// From a key of 32 bytes.
    pub(super) fn expand256(&mut self, s: Aes, key: &[u8]) {
        s.enter(|| {
            let mut pair = [s.load(key), s.load(&key[16..])];
            for (slots, rcon) in self.0.chunks_mut(2).zip(RCON) {
                for (slot, key) in slots.iter_mut().zip(pair) {
                    *slot = key;
                }
                pair[0] = rotated_step(s, pair[0], pair[1], rcon);
                pair[1] = plain_step(s, pair[1], pair[0]);
            }
        });
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

/// The next six words of a 192-bit key.
#[inline(always)]
fn step192(s: Aes, low: Block, high: Block, rcon: u32) -> (Block, Block) {
    let word = high.shuffle8(s.broadcast128(&word_everywhere(1, true)));
    let low = s.enc_last(word, running_xor(s, low) ^ s.splat32(rcon));
    let last = low.shuffle8(s.broadcast128(&word_everywhere(3, false)));
    (low, high ^ high.shuffle8(s.broadcast128(&words_up(1))) ^ last)
}

//! The key schedules by AES instructions (FIPS 197, section 5.2).
//!
//! SubWord is taken from the last-round instruction instead of `aeskeygenassist`: with the same word in all four columns, ShiftRows
//! changes nothing, so `enc_last(word in all columns, k)` is `SubWord(word)` in all columns XOR `k`. With the running XOR of the older
//! key as `k`, a step's critical path is one shuffle and one instruction: 5 cycles (Zen 3).

use crate::simd::{Aes, AesSimd, Block, Simd, Vector};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// `K` round keys in the order in which a direction uses them.
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

/// Rcon[i]: x^(i-1) in GF(2^8), from i = 1.
const RCON: [u32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1B, 0x36];

impl Keys<11> {
    /// From a key of 16 bytes.
    #[inline(always)]
    pub(super) fn aes128(s: Aes, key: &[u8]) -> Self {
        s.enter(|| {
            let mut keys = [s.load(key); 11];
            for i in 1..11 {
                keys[i] = rotated_step(s, keys[i - 1], keys[i - 1], RCON[i - 1]);
            }
            Keys(keys)
        })
    }
}

impl Keys<13> {
    /// From a key of 24 bytes: each step makes six words, which are packed four to a round key.
    #[inline(always)]
    pub(super) fn aes192(s: Aes, key: &[u8]) -> Self {
        s.enter(|| {
            let mut words = [0; 16 * 14];
            let mut low = s.load(key);
            // Words 4 and 5 in the lower half; what the upper half holds is overwritten below.
            let mut high = s.load(&key[8..]);
            high = high.unpack_hi64(high);
            for i in 0..9 {
                low.store(&mut words[24 * i..]);
                high.store(&mut words[24 * i + 16..]);
                if i == 8 {
                    break;
                }
                let word = high.shuffle8(s.broadcast128(&word_everywhere(1, true)));
                low = s.enc_last(word, running_xor(s, low) ^ s.splat32(RCON[i]));
                let last = low.shuffle8(s.broadcast128(&word_everywhere(3, false)));
                high = high ^ high.shuffle8(s.broadcast128(&words_up(1))) ^ last;
            }
            let mut keys = [s.zero(); 13];
            for (i, key) in keys.iter_mut().enumerate() {
                *key = s.load(&words[16 * i..]);
            }
            words.zeroize();
            Keys(keys)
        })
    }
}

impl Keys<15> {
    /// From a key of 32 bytes.
    #[inline(always)]
    pub(super) fn aes256(s: Aes, key: &[u8]) -> Self {
        s.enter(|| {
            let mut keys = [s.load(key); 15];
            keys[1] = s.load(&key[16..]);
            for i in 2..15 {
                keys[i] = if i % 2 == 0 {
                    rotated_step(s, keys[i - 2], keys[i - 1], RCON[i / 2 - 1])
                } else {
                    plain_step(s, keys[i - 2], keys[i - 1])
                };
            }
            Keys(keys)
        })
    }
}

impl<const K: usize> Keys<K> {
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

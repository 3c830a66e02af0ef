//! MARS in the order and letters of "MARS: a candidate cipher for AES" (1999): slow and plain.
//!
//! Its S-box is looked up with bytes of key and text.

use super::Version;
use super::tables::S;
use crate::ciphers::words::{load, store};
use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

const fn strategy(keying: Keying) -> Strategy {
    Strategy {
        name: "reference",
        summary: "from the paper, one round after the other",
        needs: Level::Portable,
        timing: Timing::SecretDependent,
        memory: Memory { per_key: 160, shared: 2048 },
        batch_blocks: 1,
        keying,
    }
}

pub(super) const FINAL: Strategy = strategy(keying!(|key| Reference::new(key, Version::Final)));
pub(super) const ROUND1: Strategy = strategy(keying!(|key| Reference::new(key, Version::Round1)));

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    k: [u32; 40],
}

/// Byte `n` of a word, 0 being the least significant.
fn byte(word: u32, n: u32) -> usize {
    (word >> (8 * n) & 255) as usize
}

fn s(word: u32) -> u32 {
    S[(word & 511) as usize]
}

/// Round 2: four times 10 words from an array of 15 (section 3.1 of the revised paper).
fn expand_final(k: &[u32]) -> [u32; 40] {
    let n = k.len();
    let mut expanded = [0; 40];
    let mut t = [0u32; 15];
    t[..n].copy_from_slice(k);
    t[n] = n as u32;
    for j in 0..4 {
        for i in 0..15 {
            t[i] ^= (t[(i + 8) % 15] ^ t[(i + 13) % 15]).rotate_left(3) ^ (4 * i + j) as u32;
        }
        for _ in 0..4 {
            for i in 0..15 {
                t[i] = t[i].wrapping_add(s(t[(i + 14) % 15])).rotate_left(9);
            }
        }
        for i in 0..10 {
            expanded[10 * j + i] = t[4 * i % 15];
        }
    }
    t.zeroize();
    expanded
}

/// Round 1: all 40 words at once.
fn expand_round1(k: &[u32]) -> [u32; 40] {
    let n = k.len();
    // t[i] is the paper's T[i - 7]
    let mut t = [0u32; 47];
    t[..7].copy_from_slice(&S[..7]);
    for i in 0..39 {
        t[i + 7] = (t[i] ^ t[i + 5]).rotate_left(3) ^ k[i % n] ^ i as u32;
    }
    t[46] = n as u32;
    let words = &mut t[7..];
    for _ in 0..7 {
        for i in 1..40 {
            words[i] = words[i].wrapping_add(s(words[i - 1])).rotate_left(9);
        }
        words[0] = words[0].wrapping_add(s(words[39])).rotate_left(9);
    }
    let mut expanded = [0; 40];
    for i in 0..40 {
        expanded[7 * i % 40] = words[i];
    }
    t.zeroize();
    expanded
}

/// M: the inner bits of the runs of ten or more equal bits, never bits 0, 1 and 31; but round 1 counts a missing bit 32 as zero.
fn run_mask(w: u32, version: Version) -> u32 {
    let bit = |l: usize| w >> l & 1;
    let mut mask = 0;
    let mut start = 0;
    while start < 32 {
        let end = (start..32).find(|&l| bit(l) != bit(start)).unwrap_or(32);
        if end - start >= 10 {
            let top = if version == Version::Round1 && end == 32 && bit(31) == 0 { 32 } else { end - 1 };
            for l in (start + 1).max(2)..top {
                mask |= 1 << l;
            }
        }
        start = end;
    }
    mask
}

impl Reference {
    /// Key expansion and the repair of the multipliers (section 3).
    fn new(key: &[u8], version: Version) -> Self {
        let words: Vec<u32> = key.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let mut k = match version {
            Version::Final => expand_final(&words),
            Version::Round1 => expand_round1(&words),
        };
        for i in (5..=35).step_by(2) {
            let j = (k[i] & 3) as usize;
            let w = k[i] | 3;
            let r = match version {
                Version::Final => k[i - 1],
                Version::Round1 => k[i + 3],
            };
            k[i] = w ^ (S[265 + j].rotate_left(r & 31) & run_mask(w, version));
        }
        Reference { k }
    }

    /// The keyed function E (section 2.3).
    fn e(&self, a: u32, i: usize) -> (u32, u32, u32) {
        let mut m = a.wrapping_add(self.k[4 + 2 * i]);
        let mut r = a.rotate_left(13).wrapping_mul(self.k[5 + 2 * i]);
        let mut l = s(m);
        r = r.rotate_left(5);
        m = m.rotate_left(r & 31);
        l ^= r;
        r = r.rotate_left(5);
        l ^= r;
        l = l.rotate_left(r & 31);
        (l, m, r)
    }

    fn encrypt_block(&self, block: &mut [u8; 16]) {
        let p = load(block);
        let [mut a, mut b, mut c, mut d] = std::array::from_fn(|i| p[i].wrapping_add(self.k[i]));
        // forward mixing
        for i in 0..8 {
            b ^= S[byte(a, 0)];
            b = b.wrapping_add(S[256 + byte(a, 1)]);
            c = c.wrapping_add(S[byte(a, 2)]);
            d ^= S[256 + byte(a, 3)];
            a = a.rotate_left(8);
            match i {
                0 | 4 => a = a.wrapping_add(d),
                1 | 5 => a = a.wrapping_add(b),
                _ => {}
            }
            (a, b, c, d) = (b, c, d, a);
        }
        // keyed core
        for i in 0..16 {
            let (l, m, r) = self.e(a, i);
            a = a.rotate_left(13);
            c = c.wrapping_add(m);
            if i < 8 {
                b = b.wrapping_add(l);
                d ^= r;
            } else {
                d = d.wrapping_add(l);
                b ^= r;
            }
            (a, b, c, d) = (b, c, d, a);
        }
        // backwards mixing
        for i in 0..8 {
            match i {
                2 | 6 => a = a.wrapping_sub(d),
                3 | 7 => a = a.wrapping_sub(b),
                _ => {}
            }
            b ^= S[256 + byte(a, 0)];
            c = c.wrapping_sub(S[byte(a, 3)]);
            d = d.wrapping_sub(S[256 + byte(a, 2)]);
            d ^= S[byte(a, 1)];
            a = a.rotate_left(24);
            (a, b, c, d) = (b, c, d, a);
        }
        let words = [a, b, c, d];
        store(std::array::from_fn(|i| words[i].wrapping_sub(self.k[36 + i])), block);
    }

    fn decrypt_block(&self, block: &mut [u8; 16]) {
        let p = load(block);
        let [mut a, mut b, mut c, mut d] = std::array::from_fn(|i| p[i].wrapping_add(self.k[36 + i]));
        for i in (0..8).rev() {
            (a, b, c, d) = (d, a, b, c);
            a = a.rotate_left(8);
            d ^= S[byte(a, 1)];
            d = d.wrapping_add(S[256 + byte(a, 2)]);
            c = c.wrapping_add(S[byte(a, 3)]);
            b ^= S[256 + byte(a, 0)];
            match i {
                2 | 6 => a = a.wrapping_add(d),
                3 | 7 => a = a.wrapping_add(b),
                _ => {}
            }
        }
        for i in (0..16).rev() {
            (a, b, c, d) = (d, a, b, c);
            a = a.rotate_left(19);
            let (l, m, r) = self.e(a, i);
            c = c.wrapping_sub(m);
            if i < 8 {
                b = b.wrapping_sub(l);
                d ^= r;
            } else {
                d = d.wrapping_sub(l);
                b ^= r;
            }
        }
        for i in (0..8).rev() {
            (a, b, c, d) = (d, a, b, c);
            match i {
                0 | 4 => a = a.wrapping_sub(d),
                1 | 5 => a = a.wrapping_sub(b),
                _ => {}
            }
            a = a.rotate_left(24);
            d ^= S[256 + byte(a, 3)];
            c = c.wrapping_sub(S[byte(a, 2)]);
            b = b.wrapping_sub(S[256 + byte(a, 1)]);
            b ^= S[byte(a, 0)];
        }
        let words = [a, b, c, d];
        store(std::array::from_fn(|i| words[i].wrapping_sub(self.k[i])), block);
    }
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.encrypt_block(block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.decrypt_block(block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The specification's examples of the repair.
    #[test]
    fn run_masks() {
        assert_eq!(run_mask(0xF7FE_A20B, Version::Final), 0x03FC_0000);
        assert_eq!(run_mask(0x003A_0F0B, Version::Final), 0x7F80_0000);
        assert_eq!(run_mask(0x056F_000F, Version::Round1), 0x0000_7FE0);
        assert_eq!(run_mask(0x0027_D1D3, Version::Round1), 0xFF80_0000);
    }
}

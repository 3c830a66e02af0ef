//! Look-ups in the two S-boxes (10 KiB, in the first-level cache), P as a transposition of 8 x 8 bits, two blocks interleaved.

use super::schedule::{Subkeys, subkeys};
use super::tables::{S1, S2};
use crate::ciphers::bits::transpose;
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks in flight: a round is a chain of two look-ups and the transposition.
const LANES: usize = 2;

pub(super) const LOOKUP: Strategy = Strategy {
    name: "lookup",
    summary: "S-box look-ups, two blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: size_of::<Subkeys>(), shared: S1.len() + S2.len() },
    batch_blocks: LANES,
    keying: keying!(|key| Lookup { subkeys: subkeys(key, f) }),
};

#[derive(Zeroize, ZeroizeOnDrop)]
struct Lookup {
    subkeys: Subkeys,
}

/// S1 at the low 13 bits.
#[inline(always)]
fn s1(index: u64) -> u8 {
    S1[index as usize & 0x1FFF]
}

/// S2 at the low 11 bits.
#[inline(always)]
fn s2(index: u64) -> u8 {
    S2[index as usize & 0x7FF]
}

#[inline(always)]
fn f(a: u64, b: u64) -> u64 {
    // Keyed exchange: differing bits of the halves, where the key says so.
    let differing = (a ^ a >> 32) & b & 0xFFFF_FFFF;
    let v = a ^ differing ^ differing << 32;
    let p = transpose(u64::from_le_bytes([
        s1(v << 8 & 0x1F00 | v >> 56),
        s2(v >> 48),
        s1(v >> 40),
        s2(v >> 32),
        s2(v >> 24),
        s1(v >> 16),
        s2(v >> 8),
        s1(v),
    ]));
    let [p0, p1, p2, p3, p4, p5, p6, p7] = p.to_le_bytes().map(u64::from);
    u64::from_le_bytes([
        s1(b >> 24 & 0x1F00 | p0),
        s1(b >> 29 & 0x1F00 | p1),
        s2(b >> 34 & 0x700 | p2),
        s2(b >> 37 & 0x700 | p3),
        s1(b >> 40 & 0x1F00 | p4),
        s1(b >> 45 & 0x1F00 | p5),
        s2(b >> 50 & 0x700 | p6),
        s2(b >> 53 & 0x700 | p7),
    ])
}

#[inline(always)]
fn load<const N: usize>(blocks: &[[u8; 16]; N]) -> ([u64; N], [u64; N]) {
    let words = blocks.map(u128::from_be_bytes);
    (words.map(|word| (word >> 64) as u64), words.map(|word| word as u64))
}

#[inline(always)]
fn store<const N: usize>(blocks: &mut [[u8; 16]; N], first: [u64; N], second: [u64; N]) {
    *blocks = std::array::from_fn(|n| (u128::from(first[n]) << 64 | u128::from(second[n])).to_be_bytes());
}

impl Lookup {
    #[inline(always)]
    fn encrypt_lanes<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let (mut l, mut r) = load(blocks);
        for &[first, second, third] in &self.subkeys {
            for n in 0..N {
                let a = r[n].wrapping_add(first);
                (l[n], r[n]) = (a.wrapping_add(third), l[n] ^ f(a, second));
            }
        }
        store(blocks, r, l);
    }

    #[inline(always)]
    fn decrypt_lanes<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let (mut r, mut l) = load(blocks);
        for &[first, second, third] in self.subkeys.iter().rev() {
            for n in 0..N {
                let a = l[n].wrapping_sub(third);
                (l[n], r[n]) = (r[n] ^ f(a, second), a.wrapping_sub(first));
            }
        }
        store(blocks, l, r);
    }
}

impl Kernel for Lookup {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        groups.iter_mut().for_each(|group| self.encrypt_lanes(group));
        rest.iter_mut().for_each(|block| self.encrypt_lanes(std::array::from_mut(block)));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        groups.iter_mut().for_each(|group| self.decrypt_lanes(group));
        rest.iter_mut().for_each(|block| self.decrypt_lanes(std::array::from_mut(block)));
    }
}

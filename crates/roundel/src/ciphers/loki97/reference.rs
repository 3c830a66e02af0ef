//! LOKI97 as described: the four layers of f one after the other, P bit by bit.

use super::schedule::{Subkeys, subkeys};
use super::tables::{S1, S2};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "from the description, P bit by bit",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: size_of::<Subkeys>(), shared: S1.len() + S2.len() },
    batch_blocks: 1,
    keying: keying!(|key| Reference { subkeys: subkeys(key, f) }),
};

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    subkeys: Subkeys,
}

/// W\[high..low\] of the description: those bits as a number.
fn bits(word: u64, high: u32, low: u32) -> usize {
    (word >> low & ((1 << (high - low + 1)) - 1)) as usize
}

/// KP: bits of the halves change places where the key has ones.
fn keyed_exchange(a: u64, b: u64) -> u64 {
    let (al, ar, m) = ((a >> 32) as u32, a as u32, b as u32);
    u64::from(al & !m | ar & m) << 32 | u64::from(ar & !m | al & m)
}

/// E and Sa: overlapping slices through the S-boxes, a0 on top.
fn first_layer(v: u64) -> [u8; 8] {
    [
        S1[bits(v, 4, 0) << 8 | bits(v, 63, 56)],
        S2[bits(v, 58, 48)],
        S1[bits(v, 52, 40)],
        S2[bits(v, 42, 32)],
        S2[bits(v, 34, 24)],
        S1[bits(v, 28, 16)],
        S2[bits(v, 18, 8)],
        S1[bits(v, 12, 0)],
    ]
}

/// P: bit b of a_j goes to bit 8b + j.
fn permute(a: [u8; 8]) -> u64 {
    (0..64).fold(0, |p, i| {
        let (j, b) = (i % 8, i / 8);
        p | u64::from(a[j] >> b & 1) << (8 * b + j)
    })
}

/// Sb: each byte of p with some of the key's high bits above it, the most significant byte first.
fn second_layer(p: u64, b: u64) -> u64 {
    let [p7, p6, p5, p4, p3, p2, p1, p0] = p.to_be_bytes().map(usize::from);
    u64::from_be_bytes([
        S2[bits(b, 63, 61) << 8 | p7],
        S2[bits(b, 60, 58) << 8 | p6],
        S1[bits(b, 57, 53) << 8 | p5],
        S1[bits(b, 52, 48) << 8 | p4],
        S2[bits(b, 47, 45) << 8 | p3],
        S2[bits(b, 44, 42) << 8 | p2],
        S1[bits(b, 41, 37) << 8 | p1],
        S1[bits(b, 36, 32) << 8 | p0],
    ])
}

pub(super) fn f(a: u64, b: u64) -> u64 {
    second_layer(permute(first_layer(keyed_exchange(a, b))), b)
}

fn halves(block: &[u8]) -> [u64; 2] {
    [0, 8].map(|at| u64::from_be_bytes(std::array::from_fn(|i| block[at + i])))
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            let [mut l, mut r] = halves(block);
            for [first, second, third] in self.subkeys {
                let a = r.wrapping_add(first);
                (l, r) = (a.wrapping_add(third), l ^ f(a, second));
            }
            block.copy_from_slice([r, l].map(u64::to_be_bytes).as_flattened());
        }
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            let [mut r, mut l] = halves(block);
            for [first, second, third] in self.subkeys.into_iter().rev() {
                let a = l.wrapping_sub(third);
                (l, r) = (r ^ f(a, second), a.wrapping_sub(first));
            }
            block.copy_from_slice([l, r].map(u64::to_be_bytes).as_flattened());
        }
    }
}

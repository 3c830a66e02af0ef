//! A few blocks under a key of their own: each round key is used as soon as it is made, so the key schedule and the rounds run side by
//! side, and no round key is ever written to memory.

use super::schedule::{each128, each192, each256};
use super::{kept, load};
use crate::simd::{Aes, AesSimd, Block, Simd, Vector};

/// The most blocks that have registers beside the schedule: for a GCM message of 64 bytes its four, the hash key and the tag's mask.
const MOST_BLOCKS: usize = 6;

/// Encrypts whole blocks in place, under a key of any length that AES takes.
pub(super) fn encrypt<S: AesSimd>(key: &[u8], blocks: &mut [u8]) {
    let s = Aes::detect().expect("`Strategy::available` was asked before");
    match blocks.len() / 16 {
        0 => (),
        1 => run::<1>(s, key, blocks),
        2 => run::<2>(s, key, blocks),
        3 => run::<3>(s, key, blocks),
        4 => run::<4>(s, key, blocks),
        5 => run::<5>(s, key, blocks),
        MOST_BLOCKS => run::<MOST_BLOCKS>(s, key, blocks),
        _ => (kept::<S>().once)(key, blocks),
    }
}

/// Exactly `N` blocks.
fn run<const N: usize>(s: Aes, key: &[u8], blocks: &mut [u8]) {
    s.enter(|| {
        let mut x = load::<Aes, N>(s, blocks);
        match key.len() {
            16 => each128(s, key, 11, |i, key| round(s, &mut x, i, 11, key)),
            24 => each192(s, key, 13, |i, key| round(s, &mut x, i, 13, key)),
            _ => each256(s, key, 15, |i, key| round(s, &mut x, i, 15, key)),
        }
        for (x, block) in x.into_iter().zip(blocks.as_chunks_mut::<16>().0) {
            x.store(block);
        }
    });
}

/// What is done with round key `i` of `count`.
#[inline(always)]
fn round<const N: usize>(s: Aes, x: &mut [Block; N], i: usize, count: usize, key: Block) {
    for x in x {
        *x = match i {
            0 => *x ^ key,
            _ if i + 1 < count => s.enc(*x, key),
            _ => s.enc_last(*x, key),
        };
    }
}

//! DEAL over DES as FIPS 46-3 prints it: every permutation bit by bit.

use super::tables::{E, IP, P, PC1, PC2, S, SHIFTS};
use super::{FIXED_KEY, round_keys};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "DES bit by bit from FIPS 46-3",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 8 * 16 * 8, shared: size_of_val(&S) },
    batch_blocks: 1,
    keying: keying!(|key| Reference::new(key)),
};

/// Output bit j is input bit `table[j]`; bits are numbered from 1 at the left of a value of `width` bits.
fn permute(input: u64, width: usize, table: &[u8]) -> u64 {
    table.iter().fold(0, |out, &bit| out << 1 | input >> (width - usize::from(bit)) & 1)
}

/// FP: the inverse of IP.
fn final_permutation(input: u64) -> u64 {
    IP.iter().enumerate().fold(0, |out, (j, &bit)| out | (input >> (63 - j) & 1) << (64 - u32::from(bit)))
}

/// The sixteen 48-bit round keys of DES.
pub(super) fn des_schedule(key: u64) -> [u64; 16] {
    let cd = permute(key, 64, &PC1);
    let (mut c, mut d) = (cd >> 28, cd & 0xFFF_FFFF);
    SHIFTS.map(|shift| {
        let rotate = |half: u64| (half << shift | half >> (28 - shift)) & 0xFFF_FFFF;
        (c, d) = (rotate(c), rotate(d));
        permute(c << 28 | d, 56, &PC2)
    })
}

/// The function f of DES: expansion, key, S-boxes, P.
fn f(half: u64, key: u64) -> u64 {
    let groups = permute(half, 32, &E) ^ key;
    let substituted = S.iter().enumerate().fold(0, |out, (j, sbox)| {
        let group = groups >> (42 - 6 * j) & 0x3F;
        let (row, column) = (group >> 4 & 2 | group & 1, group >> 1 & 15);
        out << 4 | u64::from(sbox[(16 * row + column) as usize])
    });
    permute(substituted, 32, &P)
}

fn des_encrypt(keys: &[u64; 16], block: u64) -> u64 {
    let block = permute(block, 64, &IP);
    let (mut l, mut r) = (block >> 32, block & 0xFFFF_FFFF);
    for &key in keys {
        (l, r) = (r, l ^ f(r, key));
    }
    final_permutation(r << 32 | l)
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    /// The DES round keys of each round.
    rounds: Vec<[u64; 16]>,
}

impl Reference {
    fn new(key: &[u8]) -> Self {
        let fixed = des_schedule(FIXED_KEY);
        let mut keys = round_keys(key, |block| des_encrypt(&fixed, block));
        let rounds = keys.iter().map(|&key| des_schedule(key)).collect();
        keys.zeroize();
        Reference { rounds }
    }
}

fn load(block: &[u8]) -> (u64, u64) {
    let half = |bytes: &[u8]| u64::from_be_bytes(bytes.try_into().expect("a half is 8 bytes"));
    (half(&block[..8]), half(&block[8..]))
}

fn store(block: &mut [u8], (l, r): (u64, u64)) {
    block[..8].copy_from_slice(&l.to_be_bytes());
    block[8..].copy_from_slice(&r.to_be_bytes());
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            let (mut l, mut r) = load(block);
            for keys in &self.rounds {
                (l, r) = (r ^ des_encrypt(keys, l), l);
            }
            store(block, (l, r));
        }
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            let (mut l, mut r) = load(block);
            for keys in self.rounds.iter().rev() {
                (l, r) = (r, l ^ des_encrypt(keys, r));
            }
            store(block, (l, r));
        }
    }
}

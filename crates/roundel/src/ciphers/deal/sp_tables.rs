//! DEAL with IP and FP moved to the outside: they are linear, so they commute with the exclusive or of the outer network, and a block costs one
//! pair of each for all of its 96 or 128 rounds of DES.

use super::des::{self, Halves, RoundKey};
use super::schedule::des_schedule;
use super::{FIXED_KEY, round_keys};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use std::array::from_fn;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks in flight.
const LANES: usize = 2;

pub(super) const SP_TABLES: Strategy = Strategy {
    name: "sp-tables",
    summary: "merged S-box and P tables, two blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 8 * 16 * 8, shared: size_of_val(&des::SP) + 8 * 128 * 8 },
    batch_blocks: LANES,
    keying: keying!(|key| SpTables::new(key)),
};

static FIXED_ROUND_KEYS: [RoundKey; 16] = des_schedule(FIXED_KEY);

#[derive(Zeroize, ZeroizeOnDrop)]
struct SpTables {
    /// The DES round keys of each round.
    rounds: Vec<[RoundKey; 16]>,
}

impl SpTables {
    fn new(key: &[u8]) -> Self {
        let mut keys = round_keys(key, |block| des::encrypt(&FIXED_ROUND_KEYS, block));
        let rounds = keys.iter().map(|&key| des_schedule(key)).collect();
        keys.zeroize();
        SpTables { rounds }
    }

    #[inline(always)]
    fn encrypt_lanes<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let (mut l, mut r) = load(blocks);
        for keys in &self.rounds {
            let out = des::rounds(keys, l);
            (l, r) = (xor(r, out), l);
        }
        store(blocks, l, r);
    }

    #[inline(always)]
    fn decrypt_lanes<const N: usize>(&self, blocks: &mut [[u8; 16]; N]) {
        let (mut l, mut r) = load(blocks);
        for keys in self.rounds.iter().rev() {
            let out = des::rounds(keys, r);
            (l, r) = (r, xor(l, out));
        }
        store(blocks, l, r);
    }
}

#[inline(always)]
fn xor<const N: usize>(a: [Halves; N], b: [Halves; N]) -> [Halves; N] {
    from_fn(|n| [a[n][0] ^ b[n][0], a[n][1] ^ b[n][1]])
}

/// The left and the right half of each block, in IP's order.
#[inline(always)]
fn load<const N: usize>(blocks: &[[u8; 16]; N]) -> ([Halves; N], [Halves; N]) {
    let words = blocks.map(u128::from_be_bytes);
    let left = words.map(|word| des::initial_permutation((word >> 64) as u64));
    (left, words.map(|word| des::initial_permutation(word as u64)))
}

#[inline(always)]
fn store<const N: usize>(blocks: &mut [[u8; 16]; N], l: [Halves; N], r: [Halves; N]) {
    *blocks = from_fn(|n| {
        let (l, r) = (des::final_permutation(l[n]), des::final_permutation(r[n]));
        (u128::from(l) << 64 | u128::from(r)).to_be_bytes()
    });
}

impl Kernel for SpTables {
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

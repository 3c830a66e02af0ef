//! AES on bit planes: plane i holds bit i of every byte of a batch, the S-box is a boolean circuit (`circuit.rs`), and no address or branch
//! depends on a secret, in the key schedule neither.
//!
//! One source for every width. Planes are 64-bit words (4 blocks) or vectors of 128-bit parts, in which byte p of a part holds the bit of
//! byte p of 8 blocks (E. Käsper and P. Schwabe, "Faster and timing-attack resistant AES-GCM", CHES 2009).
//!
//! ShiftRows is never done. After round i the columns are i rotations behind ("pending"), which only changes
//! where MixColumns finds the other bytes of a column, and how round keys are arranged; four rotations are none
//! (A. Adomnicai and T. Peyrin, "Fixslicing AES-like ciphers", TCHES 2021).

use super::circuit::{Plane, Planes, inv_sub_bytes, sub_bytes};
use super::schedule::{MAX_ROUND_KEYS, RoundKeys};
use super::slicing::{BLOCK, Lanes, Slicing, Words};
use crate::ciphers::bits::transpose;
use crate::modes::wipe;
use crate::simd::{Avx2, Level, Ssse3};
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::optimization_barrier;

/// The widest batch: 16 blocks.
const MAX_BATCH: usize = 16 * BLOCK;

const fn strategy<S: Slicing>(name: &'static str, needs: Level) -> Strategy {
    Strategy {
        name,
        summary: "constant-time: bit planes and a boolean S-box",
        needs,
        timing: Timing::Constant,
        memory: Memory { per_key: size_of::<Bitslice<S>>(), shared: 0 },
        batch_blocks: S::BLOCKS,
        keying: keying!(|key| Bitslice::<S>::new(key)),
    }
}

pub(super) const W64: Strategy = strategy::<Words>("bitslice-64", Level::Portable);
pub(super) const W128: Strategy = strategy::<Lanes<Ssse3>>("bitslice-128", Level::Ssse3);
pub(super) const W256: Strategy = strategy::<Lanes<Avx2>>("bitslice-256", Level::Avx2);

struct Bitslice<S: Slicing> {
    slicing: S,
    keys: [Planes<S::Plane>; MAX_ROUND_KEYS],
    rounds: usize,
}

impl<S: Slicing> Bitslice<S> {
    fn new(key: &[u8]) -> Self {
        let slicing = S::detect();
        let round_keys = RoundKeys::<4>::expand(key, sub_word);
        let mut keys = [[slicing.zero(); 8]; MAX_ROUND_KEYS];
        slicing.enter(
            #[inline(always)]
            || {
                for (round, (planes, key)) in keys.iter_mut().zip(round_keys.as_slice()).enumerate() {
                    *planes = slicing.repeat(&arrange(key, round));
                }
            },
        );
        Bitslice { slicing, keys, rounds: round_keys.as_slice().len() - 1 }
    }

    /// Four rounds are written out, one for each number of pending ShiftRows; 9, 11 or 13 rounds end after the first or the third.
    #[inline(always)]
    fn encrypt_batch(&self, batch: &mut [u8]) {
        let s = self.slicing;
        let last = self.rounds;
        let mut state = xor(s.load(batch), &self.keys[0]);
        let mut next = 1;
        loop {
            state = round::<S, 1>(s, state, &self.keys[next]);
            if next + 1 == last {
                break;
            }
            state = round::<S, 2>(s, state, &self.keys[next + 1]);
            state = round::<S, 3>(s, state, &self.keys[next + 2]);
            if next + 3 == last {
                break;
            }
            state = round::<S, 0>(s, state, &self.keys[next + 3]);
            next += 4;
        }
        state = xor(sub_bytes(state), &self.keys[last]);
        s.store(self.settle(state), batch);
    }

    /// The same backwards.
    #[inline(always)]
    fn decrypt_batch(&self, batch: &mut [u8]) {
        let s = self.slicing;
        let mut state = xor(self.settle(s.load(batch)), &self.keys[self.rounds]);
        state = inv_sub_bytes(state);
        // The key of the last round, counted from 1, with one pending.
        let mut next = (self.rounds - 2) / 4 * 4 + 1;
        let mut three = self.rounds.is_multiple_of(4);
        loop {
            if three {
                state = inv_round::<S, 3>(s, state, &self.keys[next + 2]);
                state = inv_round::<S, 2>(s, state, &self.keys[next + 1]);
            }
            state = inv_round::<S, 1>(s, state, &self.keys[next]);
            if next == 1 {
                break;
            }
            state = inv_round::<S, 0>(s, state, &self.keys[next - 1]);
            next -= 4;
            three = true;
        }
        s.store(xor(state, &self.keys[0]), batch);
    }

    /// Does the ShiftRows that are pending after the last round, or undoes them: two, or none.
    #[inline(always)]
    fn settle(&self, mut state: Planes<S::Plane>) -> Planes<S::Plane> {
        if !self.rounds.is_multiple_of(4) {
            for plane in &mut state {
                *plane = self.slicing.shift_rows_twice(*plane);
            }
        }
        state
    }

    /// Runs `each` on full batches in place, and on what is left in a buffer of one batch.
    #[inline(always)]
    fn batches(&self, blocks: &mut [u8], each: impl Fn(&mut [u8])) {
        let batch_bytes = BLOCK * S::BLOCKS;
        let blocks = blocks.as_chunks_mut::<BLOCK>().0.as_flattened_mut();
        let mut buffer = [0; MAX_BATCH];
        self.slicing.enter(
            #[inline(always)]
            || {
                for batch in blocks.chunks_mut(batch_bytes) {
                    let full = batch.len() == batch_bytes;
                    if !full {
                        buffer[..batch.len()].copy_from_slice(batch);
                    }
                    each(if full { &mut *batch } else { &mut buffer[..batch_bytes] });
                    if !full {
                        batch.copy_from_slice(&buffer[..batch.len()]);
                        wipe(&mut buffer);
                    }
                }
            },
        );
    }
}

impl<S: Slicing> Kernel for Bitslice<S> {
    fn encrypt(&self, blocks: &mut [u8]) {
        self.batches(
            blocks,
            #[inline(always)]
            |batch| self.encrypt_batch(batch),
        );
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.batches(
            blocks,
            #[inline(always)]
            |batch| self.decrypt_batch(batch),
        );
    }
}

impl<S: Slicing> Drop for Bitslice<S> {
    fn drop(&mut self) {
        self.keys = [[self.slicing.zero(); 8]; MAX_ROUND_KEYS];
        optimization_barrier(&self.keys);
    }
}

/// SubBytes on the bytes of a word by the circuit: plane i is byte i of the transposed 8 x 8 bits.
fn sub_word(word: u32) -> u32 {
    let bits = transpose(u64::from(word));
    let planes = sub_bytes(std::array::from_fn(|i| (bits >> (8 * i)) as u32));
    let bits = (0..8).fold(0, |bits, i| bits | u64::from(planes[i] & 0xFF) << (8 * i));
    transpose(bits) as u32 ^ 0x6363_6363
}

/// A round key as the state is when it is added: `round` ShiftRows pending, and from the first round on with the S-box's constant.
#[inline(always)]
fn arrange(key: &[u32; 4], round: usize) -> [u8; BLOCK] {
    let constant = if round == 0 { 0 } else { 0x6363_6363 };
    let mut block = [0; BLOCK];
    for (column, bytes) in block.as_chunks_mut().0.iter_mut().enumerate() {
        let byte = |row: usize| key[(column + 3 * round * row) % 4] & 0xFF << (8 * row);
        *bytes = (byte(0) ^ byte(1) ^ byte(2) ^ byte(3) ^ constant).to_le_bytes();
    }
    block
}

#[inline(always)]
fn xor<P: Plane>(mut state: Planes<P>, other: &Planes<P>) -> Planes<P> {
    for (plane, other) in state.iter_mut().zip(other) {
        *plane = *plane ^ *other;
    }
    state
}

#[inline(always)]
fn round<S: Slicing, const PENDING: usize>(
    s: S,
    state: Planes<S::Plane>,
    key: &Planes<S::Plane>,
) -> Planes<S::Plane> {
    xor(mix_columns::<S, PENDING>(s, sub_bytes(state)), key)
}

#[inline(always)]
fn inv_round<S: Slicing, const PENDING: usize>(
    s: S,
    state: Planes<S::Plane>,
    key: &Planes<S::Plane>,
) -> Planes<S::Plane> {
    inv_sub_bytes(inv_mix_columns::<S, PENDING>(s, xor(state, key)))
}

/// With t = a ^ (next row), MixColumns is 2 t ^ (next row) ^ (t two rows on); plane 7 of t feeds back as 0x1B.
#[inline(always)]
fn mix_columns<S: Slicing, const PENDING: usize>(s: S, a: Planes<S::Plane>) -> Planes<S::Plane> {
    let mut next = a;
    let mut t = a;
    for i in 0..8 {
        next[i] = s.down::<1, PENDING>(a[i]);
        t[i] = a[i] ^ next[i];
    }
    let mut mixed = a;
    for i in 0..8 {
        mixed[i] = next[i] ^ s.down::<2, PENDING>(t[i]) ^ t[(i + 7) % 8];
        if matches!(i, 1 | 3 | 4) {
            mixed[i] = mixed[i] ^ t[7];
        }
    }
    mixed
}

/// InvMixColumns is MixColumns after adding 4 (a ^ a two rows on) to each row.
#[inline(always)]
fn inv_mix_columns<S: Slicing, const PENDING: usize>(s: S, a: Planes<S::Plane>) -> Planes<S::Plane> {
    let mut u = a;
    for i in 0..8 {
        u[i] = a[i] ^ s.down::<2, PENDING>(a[i]);
    }
    let w = u[6] ^ u[7];
    let times_4 = [u[6], w, u[0] ^ u[7], u[1] ^ u[6], u[2] ^ w, u[3] ^ u[7], u[4], u[5]];
    mix_columns::<S, PENDING>(s, xor(a, &times_4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciphers::rijndael::tables::SBOX;

    #[test]
    fn words_are_substituted_as_by_the_table() {
        for x in 0..=255u8 {
            let bytes = [x, x ^ 0xFF, x.wrapping_mul(3), 0];
            let want = u32::from_le_bytes(bytes.map(|byte| SBOX[usize::from(byte)]));
            assert_eq!(sub_word(u32::from_le_bytes(bytes)), want);
        }
    }
}

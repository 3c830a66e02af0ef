//! Rijndael byte by byte, with tables for the S-box and for the products of MixColumns (AES proposal, 5.1).

use super::schedule::RoundKeys;
use super::tables::{INV_SBOX, SBOX, TIMES_2, TIMES_3, TIMES_9, TIMES_11, TIMES_13, TIMES_14, shift_offsets};
use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};

const fn strategy(keying: Keying, per_key: usize) -> Strategy {
    Strategy {
        name: "lookup",
        summary: "byte-wise, S-box and products in GF(2^8) by tables of 256 bytes",
        needs: Level::Portable,
        timing: Timing::SecretDependent,
        memory: Memory { per_key, shared: 8 * 256 },
        batch_blocks: 1,
        keying,
    }
}

pub(super) const BLOCK128: Strategy =
    strategy(keying!(|key| Lookup::<4>::new(key)), size_of::<RoundKeys<4>>());
pub(super) const BLOCK192: Strategy =
    strategy(keying!(|key| Lookup::<6>::new(key)), size_of::<RoundKeys<6>>());
pub(super) const BLOCK256: Strategy =
    strategy(keying!(|key| Lookup::<8>::new(key)), size_of::<RoundKeys<8>>());

struct Lookup<const NB: usize> {
    keys: RoundKeys<NB>,
}

type State<const NB: usize> = [[u8; 4]; NB];

impl<const NB: usize> Lookup<NB> {
    fn new(key: &[u8]) -> Self {
        Lookup { keys: RoundKeys::expand_by_table(key) }
    }

    fn encrypt_block(&self, block: &mut [u8]) {
        let [first, middle @ .., last] = self.keys.as_slice() else { unreachable!("at least 11 keys") };
        let mut state = add(load(block), first);
        for key in middle {
            state = add(substitute_and_shift(state).map(mix), key);
        }
        state = add(substitute_and_shift(state), last);
        block.copy_from_slice(state.as_flattened());
    }

    fn decrypt_block(&self, block: &mut [u8]) {
        let [first, middle @ .., last] = self.keys.as_slice() else { unreachable!("at least 11 keys") };
        let mut state = add(load(block), last);
        for key in middle.iter().rev() {
            state = add(unshift_and_substitute(state), key).map(unmix);
        }
        state = add(unshift_and_substitute(state), first);
        block.copy_from_slice(state.as_flattened());
    }
}

#[inline(always)]
fn load<const NB: usize>(block: &[u8]) -> State<NB> {
    std::array::from_fn(|column| std::array::from_fn(|row| block[4 * column + row]))
}

/// AddRoundKey.
#[inline(always)]
fn add<const NB: usize>(state: State<NB>, key: &[u32; NB]) -> State<NB> {
    std::array::from_fn(|column| (u32::from_le_bytes(state[column]) ^ key[column]).to_le_bytes())
}

/// SubBytes and ShiftRows.
#[inline(always)]
fn substitute_and_shift<const NB: usize>(state: State<NB>) -> State<NB> {
    let offsets = const { shift_offsets(NB) };
    std::array::from_fn(|column| {
        std::array::from_fn(|row| SBOX[usize::from(state[(column + offsets[row]) % NB][row])])
    })
}

/// InvShiftRows and InvSubBytes.
#[inline(always)]
fn unshift_and_substitute<const NB: usize>(state: State<NB>) -> State<NB> {
    let offsets = const { shift_offsets(NB) };
    std::array::from_fn(|column| {
        std::array::from_fn(|row| INV_SBOX[usize::from(state[(column + NB - offsets[row]) % NB][row])])
    })
}

/// MixColumns on one column.
#[inline(always)]
fn mix(column: [u8; 4]) -> [u8; 4] {
    let by = |table: &[u8; 256], row: usize| table[usize::from(column[row % 4])];
    std::array::from_fn(|row| {
        by(&TIMES_2, row) ^ by(&TIMES_3, row + 1) ^ column[(row + 2) % 4] ^ column[(row + 3) % 4]
    })
}

/// InvMixColumns on one column.
#[inline(always)]
fn unmix(column: [u8; 4]) -> [u8; 4] {
    let by = |table: &[u8; 256], row: usize| table[usize::from(column[row % 4])];
    std::array::from_fn(|row| {
        by(&TIMES_14, row) ^ by(&TIMES_11, row + 1) ^ by(&TIMES_13, row + 2) ^ by(&TIMES_9, row + 3)
    })
}

impl<const NB: usize> Kernel for Lookup<NB> {
    fn block_bytes(&self) -> usize {
        4 * NB
    }

    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(4 * NB).for_each(|block| self.encrypt_block(block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.chunks_exact_mut(4 * NB).for_each(|block| self.decrypt_block(block));
    }
}

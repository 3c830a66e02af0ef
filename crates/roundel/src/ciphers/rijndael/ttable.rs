//! T-tables (AES proposal, 5.2.1): a round is four look-ups and four XORs for each 32-bit column.
//!
//! Decryption is the equivalent inverse cipher, whose key schedule is made when it is first needed.

use super::schedule::RoundKeys;
use super::tables::{DECRYPT, ENCRYPT, INV_SBOX, SBOX, shift_offsets};
use crate::simd::Level;
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use std::sync::OnceLock;

const fn strategy(keying: Keying, per_key: usize) -> Strategy {
    Strategy {
        name: "ttable",
        summary: "32-bit columns, S-box and MixColumns in one look-up",
        needs: Level::Portable,
        timing: Timing::SecretDependent,
        memory: Memory { per_key, shared: 2 * (4 * 1024 + 256) },
        batch_blocks: 1,
        keying,
    }
}

pub(super) const BLOCK128: Strategy = strategy(keying!(|key| Ttable::<4>::new(key)), size_of::<Ttable<4>>());
pub(super) const BLOCK192: Strategy = strategy(keying!(|key| Ttable::<6>::new(key)), size_of::<Ttable<6>>());
pub(super) const BLOCK256: Strategy = strategy(keying!(|key| Ttable::<8>::new(key)), size_of::<Ttable<8>>());

struct Ttable<const NB: usize> {
    encrypt: RoundKeys<NB>,
    decrypt: OnceLock<RoundKeys<NB>>,
}

impl<const NB: usize> Ttable<NB> {
    fn new(key: &[u8]) -> Self {
        Ttable { encrypt: RoundKeys::expand_by_table(key), decrypt: OnceLock::new() }
    }

    fn decryption_keys(&self) -> &RoundKeys<NB> {
        self.decrypt.get_or_init(|| self.encrypt.inverse())
    }
}

/// One direction of the cipher: its tables, and from which column each row of a new column comes.
struct Direction<const NB: usize> {
    tables: &'static [[u32; 256]; 4],
    sbox: &'static [u8; 256],
    offsets: [usize; 4],
}

/// The columns, one or two to a word.
type State = [u64; 6];

impl<const NB: usize> Direction<NB> {
    /// Eight columns, old and new, do not fit the registers of x86-64 one by one: in pairs they run in 15.6 cycles per byte
    /// instead of 28. Four go better singly: 9.7 instead of 11.6 (Zen 3).
    const COLUMNS_PER_WORD: usize = if NB == 8 { 2 } else { 1 };

    const FORWARD: Self = Direction { tables: &ENCRYPT, sbox: &SBOX, offsets: shift_offsets(NB) };
    const BACKWARD: Self = {
        let [a, b, c, d] = shift_offsets(NB);
        Direction { tables: &DECRYPT, sbox: &INV_SBOX, offsets: [a, NB - b, NB - c, NB - d] }
    };

    /// A state from its columns.
    #[inline(always)]
    fn state(column: impl Fn(usize) -> u32) -> State {
        let mut state = [0; 6];
        for i in 0..NB {
            state[i / Self::COLUMNS_PER_WORD] |= u64::from(column(i)) << (32 * (i % Self::COLUMNS_PER_WORD));
        }
        state
    }

    /// The bytes that meet in column `column` after (Inv)ShiftRows, row 0 first.
    #[inline(always)]
    fn gather(&self, state: &State, column: usize) -> [usize; 4] {
        std::array::from_fn(|row| {
            let from = (column + self.offsets[row]) % NB;
            let word = state[from / Self::COLUMNS_PER_WORD];
            usize::from((word >> (32 * (from % Self::COLUMNS_PER_WORD) + 8 * row)) as u8)
        })
    }

    #[inline(always)]
    fn block(&self, keys: &[[u32; NB]], block: &mut [u8]) {
        let [first, middle @ .., last] = keys else { unreachable!("at least 11 keys") };
        let mut state = Self::state(|column| {
            let bytes = block[4 * column..4 * column + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes) ^ first[column]
        });
        let [t0, t1, t2, t3] = self.tables;
        for key in middle {
            state = Self::state(|column| {
                let [a, b, c, d] = self.gather(&state, column);
                t0[a] ^ t1[b] ^ t2[c] ^ t3[d] ^ key[column]
            });
        }
        for (column, to) in block.chunks_exact_mut(4).enumerate() {
            let bytes = self.gather(&state, column).map(|byte| self.sbox[byte]);
            to.copy_from_slice(&(u32::from_le_bytes(bytes) ^ last[column]).to_le_bytes());
        }
    }
}

impl<const NB: usize> Kernel for Ttable<NB> {
    fn block_bytes(&self) -> usize {
        4 * NB
    }

    fn encrypt(&self, blocks: &mut [u8]) {
        let keys = self.encrypt.as_slice();
        let direction = const { Direction::FORWARD };
        blocks.chunks_exact_mut(4 * NB).for_each(|block| direction.block(keys, block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let keys = self.decryption_keys().as_slice();
        let direction = const { Direction::BACKWARD };
        blocks.chunks_exact_mut(4 * NB).for_each(|block| direction.block(keys, block));
    }

    fn prepare_decrypt(&self) {
        self.decryption_keys();
    }
}

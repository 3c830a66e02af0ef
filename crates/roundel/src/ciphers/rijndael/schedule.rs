//! The key schedule (FIPS 197, 5.2; AES proposal, 4.3) on words, for every block size, and its form for the equivalent inverse cipher.

use super::tables::SBOX;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The most round keys that there are: 14 rounds and the key before them.
pub(super) const MAX_ROUND_KEYS: usize = 15;

/// One key of NB columns for each round, and one before them; row 0 of a column is the lowest byte of its word.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub(super) struct RoundKeys<const NB: usize> {
    keys: [[u32; NB]; MAX_ROUND_KEYS],
    rounds: usize,
}

impl<const NB: usize> RoundKeys<NB> {
    /// KeyExpansion. `sub_word` is SubBytes on the four bytes of a word: by table, or computed where timing must be constant.
    #[inline(always)]
    pub(super) fn expand(key: &[u8], sub_word: impl Fn(u32) -> u32) -> Self {
        let nk = key.len() / 4;
        let rounds = nk.max(NB) + 6;
        let mut this = RoundKeys { keys: [[0; NB]; MAX_ROUND_KEYS], rounds };
        let words = &mut this.keys.as_flattened_mut()[..NB * (rounds + 1)];
        for (word, bytes) in words.iter_mut().zip(key.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("chunks of four"));
        }
        let mut rcon = 1u8;
        let mut temp = words[nk - 1];
        for start in (nk..words.len()).step_by(nk) {
            temp = sub_word(temp.rotate_right(8)) ^ u32::from(rcon);
            rcon = (rcon << 1) ^ (0x1B & (rcon >> 7).wrapping_neg());
            for i in start..words.len().min(start + nk) {
                if nk == 8 && i - start == 4 {
                    temp = sub_word(temp);
                }
                temp ^= words[i - nk];
                words[i] = temp;
            }
        }
        this
    }

    /// KeyExpansion with a table for the S-box: addresses depend on the key.
    pub(super) fn expand_by_table(key: &[u8]) -> Self {
        Self::expand(key, |word| u32::from_le_bytes(word.to_le_bytes().map(|byte| SBOX[usize::from(byte)])))
    }

    /// The keys of the equivalent inverse cipher (FIPS 197, 5.3.5): in reverse order, all but the outer two through InvMixColumns.
    pub(super) fn inverse(&self) -> Self {
        let mut this = RoundKeys { keys: [[0; NB]; MAX_ROUND_KEYS], rounds: self.rounds };
        for (to, from) in this.keys.iter_mut().zip(self.as_slice().iter().rev()) {
            *to = from.map(inv_mix_column);
        }
        this.keys[0] = self.keys[self.rounds];
        this.keys[self.rounds] = self.keys[0];
        this
    }

    /// Each round key through `f`: another arrangement of its words.
    pub(super) fn map(mut self, f: impl Fn([u32; NB]) -> [u32; NB]) -> Self {
        for key in &mut self.keys {
            *key = f(*key);
        }
        self
    }

    /// From the key before the first round to that of the last.
    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[[u32; NB]] {
        &self.keys[..=self.rounds]
    }
}

/// Each byte of the word times x in GF(2^8).
#[inline(always)]
pub(super) const fn xtime_bytes(word: u32) -> u32 {
    ((word & 0x7F7F_7F7F) << 1) ^ (((word >> 7) & 0x0101_0101) * 0x1B)
}

/// MixColumns on one column: with t = a ^ next row, 2 a ^ 3 next ^ ... = 2 t ^ next ^ (t two rows on).
#[inline(always)]
fn mix_column(column: u32) -> u32 {
    let next = column.rotate_right(8);
    let t = column ^ next;
    xtime_bytes(t) ^ next ^ t.rotate_right(16)
}

/// InvMixColumns on one column: its polynomial is MixColumns' times 4 x^2 + 5 (AES proposal, 5.3 gives the factors).
#[inline(always)]
fn inv_mix_column(column: u32) -> u32 {
    let opposite = column ^ column.rotate_right(16);
    mix_column(column ^ xtime_bytes(xtime_bytes(opposite)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, section 5.1.3's example column (also in many textbooks): db 13 53 45 goes to 8e 4d a1 bc.
    #[test]
    fn columns_mix_and_unmix() {
        let column = u32::from_le_bytes([0xDB, 0x13, 0x53, 0x45]);
        let mixed = u32::from_le_bytes([0x8E, 0x4D, 0xA1, 0xBC]);
        assert_eq!(mix_column(column), mixed);
        assert_eq!(inv_mix_column(mixed), column);
    }

    /// FIPS 197, appendix A.1: the last word for the key 2b7e1516 28aed2a6 abf71588 09cf4f3c is b6630ca6.
    #[test]
    fn expands_the_standards_key() {
        let key = 0x2B7E_1516_28AE_D2A6_ABF7_1588_09CF_4F3Cu128.to_be_bytes();
        let keys = RoundKeys::<4>::expand_by_table(&key);
        assert_eq!(keys.as_slice().len(), 11);
        assert_eq!(keys.as_slice()[10][3], u32::from_be(0xB663_0CA6));
    }
}

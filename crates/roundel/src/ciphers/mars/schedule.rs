//! Both key schedules, arranged for speed: the stirring passes are one serial chain, in which each step's index is ready one
//! instruction after its sum.

use super::Version;
use super::tables::S;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The 40 expanded key words, grouped as encryption uses them.
#[derive(Debug, Zeroize, ZeroizeOnDrop)]
pub(super) struct RoundKeys {
    /// K\[0..4\].
    pub(super) input: [u32; 4],
    /// K\[4..36\]: an addend and an odd multiplier for each round of the core, four rounds in each row.
    pub(super) core: [[u32; 8]; 4],
    /// K\[36..40\].
    pub(super) output: [u32; 4],
}

impl RoundKeys {
    pub(super) fn new(key: &[u8], version: Version) -> Self {
        let mut k = match version {
            Version::Final => expand_final(key),
            Version::Round1 => expand_round1(key),
        };
        for i in (5..=35).step_by(2) {
            let w = k[i] | 3;
            let runs = run_mask(w, version);
            if runs != 0 {
                let by = match version {
                    Version::Final => k[i - 1],
                    Version::Round1 => k[i + 3],
                };
                k[i] = w ^ S[265 + (k[i] & 3) as usize].rotate_left(by & 31) & runs;
            } else {
                k[i] = w;
            }
        }
        let keys = RoundKeys {
            input: std::array::from_fn(|i| k[i]),
            core: std::array::from_fn(|row| std::array::from_fn(|i| k[4 + 8 * row + i])),
            output: std::array::from_fn(|i| k[36 + i]),
        };
        k.zeroize();
        keys
    }
}

/// One pass of stirring: each word plus S at the low nine bits of the word before, rotated by 9. `index` is what the last word of
/// the pass before left: the low nine bits of a rotated sum are its top nine bits.
#[inline(always)]
fn stir(words: &mut [u32], index: &mut usize) {
    for word in words {
        let sum = word.wrapping_add(S[*index]);
        *word = sum.rotate_left(9);
        *index = (sum >> 23) as usize;
    }
}

fn expand_final(key: &[u8]) -> [u32; 40] {
    let mut k = [0; 40];
    let mut t = [0u32; 15];
    let (words, _) = key.as_chunks::<4>();
    for (t, &word) in t.iter_mut().zip(words) {
        *t = u32::from_le_bytes(word);
    }
    t[words.len()] = words.len() as u32;
    for (j, k) in (0..).zip(k.as_chunks_mut::<10>().0) {
        for i in 0..15 {
            t[i] ^= (t[(i + 8) % 15] ^ t[(i + 13) % 15]).rotate_left(3) ^ (4 * i as u32 + j);
        }
        let mut index = (t[14] & 511) as usize;
        for _ in 0..4 {
            stir(&mut t, &mut index);
        }
        *k = std::array::from_fn(|i| t[4 * i % 15]);
    }
    t.zeroize();
    k
}

fn expand_round1(key: &[u8]) -> [u32; 40] {
    // t[i] is T[i - 7] of the paper
    let mut t = [0u32; 47];
    t[..7].copy_from_slice(&S[..7]);
    let (words, _) = key.as_chunks::<4>();
    for (i, &word) in (0..39).zip(words.iter().cycle()) {
        t[i + 7] = (t[i] ^ t[i + 5]).rotate_left(3) ^ u32::from_le_bytes(word) ^ i as u32;
    }
    t[46] = words.len() as u32;
    let (_, stirred) = t.split_at_mut(7);
    let mut index = (stirred[0] & 511) as usize;
    for _ in 0..7 {
        stir(&mut stirred[1..], &mut index);
        stir(&mut stirred[..1], &mut index);
    }
    let mut k = [0; 40];
    for (i, &word) in stirred.iter().enumerate() {
        k[7 * i % 40] = word;
    }
    t.zeroize();
    k
}

/// The inner bits of the runs of ten or more equal bits of `w`.
#[inline(always)]
fn run_mask(w: u32, version: Version) -> u32 {
    // bit l: bits l and l+1 are equal; then nine such in a row, at the lowest
    let pairs = !(w ^ w >> 1) & 0x7FFF_FFFF;
    let two = pairs & pairs >> 1;
    let four = two & two >> 2;
    let eight = four & four >> 4;
    let nine = eight & pairs >> 8;
    if nine == 0 {
        return 0;
    }
    let two = nine | nine << 1;
    let four = two | two << 2;
    let mask = (four | four << 4) << 1 & !3;
    match version {
        Version::Final => mask,
        // a run of zeros that reaches the top goes on beyond it
        Version::Round1 => mask | mask << 1 & !w & 0x8000_0000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_masks() {
        assert_eq!(run_mask(0xF7FE_A20B, Version::Final), 0x03FC_0000);
        assert_eq!(run_mask(0x003A_0F0B, Version::Final), 0x7F80_0000);
        assert_eq!(run_mask(0x056F_000F, Version::Round1), 0x0000_7FE0);
        assert_eq!(run_mask(0x0027_D1D3, Version::Round1), 0xFF80_0000);
    }

    /// The specification's worked example.
    #[test]
    fn zero_key() {
        let keys = RoundKeys::new(&[0; 16], Version::Final);
        assert_eq!(keys.input, [0x2AE4_0B2B, 0xFDA6_6D93, 0x3ED3_15DD, 0x7E92_0930]);
        assert_eq!(keys.output, [0x6FEF_A543, 0xA66C_BD33, 0x8101_F2B9, 0x1D83_9246]);
        let keys = RoundKeys::new(&[0; 16], Version::Round1);
        assert_eq!(keys.input, [0xB1A4_A724, 0xA4EB_FE6C, 0x8C31_F1FF, 0x46F2_1B7F]);
        assert_eq!(keys.output, [0x1DD6_2186, 0xB1E4_E06C, 0xE37C_58BC, 0xA1F6_A479]);
    }
}

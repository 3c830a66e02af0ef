//! The key schedule: a table of 256 words filled from constants, mixed with the key and stirred three times over.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// Length of the spice in bytes.
pub const SPICE_BYTES: usize = 64;

/// The first 19 digits of pi.
pub(super) const PI19: u64 = 3141592653589793238;
/// The first 19 digits of e.
const E19: u64 = 2718281828459045235;
/// The first 20 digits of the square root of 2.
const R220: u64 = 14142135623730950488;
/// The number of the sub-cipher for blocks of 65 to 128 bits.
const HPC_MEDIUM: u64 = 3;
/// The block's length in bits, which enters constants and table positions.
pub(super) const BLOCK_BITS: usize = 128;

/// Look-ups go up to index 255 + 3*7 + 1; a copy of the first words behind the table saves reducing the index.
const COPIED: usize = 22;

/// Which of the two key schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The one of the AES submission, June 1998.
    Submitted,
    /// The designer's repair of May 1999.
    Repaired,
}

/// The expanded key: KX\[0..256\], then the copy of its first words.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub(super) struct ExpandedKey {
    pub(super) kx: [u64; 256 + COPIED],
}

/// The big-endian words of a byte string.
pub(super) fn words(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|word| u64::from_be_bytes(word.try_into().expect("chunks of 8")))
}

impl ExpandedKey {
    pub(super) fn new(schedule: Schedule, key: &[u8]) -> Self {
        let mut expanded = ExpandedKey { kx: [0; 256 + COPIED] };
        let kx: &mut [u64; 256] = expanded.kx.first_chunk_mut().expect("the table proper");
        fill(kx, 8 * key.len() as u64);
        for (slot, word) in kx.iter_mut().zip(words(key)) {
            *slot ^= word;
        }
        match schedule {
            Schedule::Submitted => stir::<false>(kx),
            Schedule::Repaired => stir::<true>(kx),
        }
        let (table, copy) = expanded.kx.split_at_mut(256);
        copy.copy_from_slice(&table[..COPIED]);
        expanded
    }
}

fn fill(kx: &mut [u64; 256], key_bits: u64) {
    kx[0] = PI19.wrapping_add(HPC_MEDIUM);
    kx[1] = E19.wrapping_mul(key_bits);
    kx[2] = R220.rotate_left(3);
    for i in 3..256 {
        kx[i] = kx[i - 1].wrapping_add(kx[i - 2] ^ kx[i - 3].rotate_right(23));
    }
}

/// Three passes over the table with a state of eight words. The repair is the addition to s2.
fn stir<const REPAIRED: bool>(kx: &mut [u64; 256]) {
    let [mut s0, mut s1, mut s2, mut s3, mut s4, mut s5, mut s6, mut s7] =
        *kx.last_chunk::<8>().expect("the table has 256 words");
    for pass in 0..3 {
        for i in 0..256 {
            let word = kx[i];
            s0 ^= (word ^ kx[(i + 83) & 255]).wrapping_add(kx[s0 as usize & 255]);
            if REPAIRED {
                s2 = s2.wrapping_add(word);
            }
            s1 = s1.wrapping_add(s0);
            s3 ^= s2;
            s5 = s5.wrapping_sub(s4);
            s7 ^= s6;
            s3 = s3.wrapping_add(s0 >> 13);
            s4 ^= s1 << 11;
            s5 ^= s3 << (s1 & 31);
            s6 = s6.wrapping_add(s2 >> 17);
            s7 |= s3.wrapping_add(s4);
            s2 = s2.wrapping_sub(s5);
            s0 = s0.wrapping_sub(s6 ^ i as u64);
            s1 ^= s5.wrapping_add(PI19);
            s2 = s2.wrapping_add(s7 >> pass);
            s2 ^= s1;
            s4 = s4.wrapping_sub(s3);
            s6 ^= s5;
            s0 = s0.wrapping_add(s7);
            kx[i] = s2.wrapping_add(s6);
        }
    }
}

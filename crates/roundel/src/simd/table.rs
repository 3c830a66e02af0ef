//! Look-ups in a table of 256 bytes without a secret-dependent address: every byte of a register at once.

use super::{Simd, Vector};

/// `table[x]` for each byte x: sixteen shuffles by the low nibble, one for each row of the table, of which the bits of the high
/// nibble then select one, pairwise, as in a knock-out tournament. About 35 instructions for a register, whatever the bytes.
#[inline(always)]
pub fn look_up<S: Simd>(s: S, table: &[u8; 256], x: S::V) -> S::V {
    let low = x & s.splat32(0x0F0F_0F0F);
    let rows = table.as_chunks::<16>().0;
    let row = |r: usize| s.broadcast128(&rows[r]).shuffle8(low);
    // Each bit of the high nibble moved to its byte's top bit; what crosses from the neighbouring byte stays below it.
    let (bit4, bit5, bit6, bit7) = (x.shl32::<3>(), x.shl32::<2>(), x.shl32::<1>(), x);
    let pair = |r: usize| row(r).select8(row(r + 1), bit4);
    let four = |r: usize| pair(r).select8(pair(r + 2), bit5);
    let eight = |r: usize| four(r).select8(four(r + 4), bit6);
    eight(0).select8(eight(8), bit7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    fn all_bytes<S: Simd>(token: Option<S>) {
        let Some(s) = token else { return };
        let table = std::array::from_fn(|i| (i * 167 + 13) as u8);
        let bytes: [u8; 256] = std::array::from_fn(|i| i as u8);
        for part in bytes.chunks(S::V::BYTES) {
            let mut found = [0; 32];
            s.enter(|| look_up(s, &table, s.load(part)).store(&mut found));
            for (byte, found) in part.iter().zip(found) {
                assert_eq!(found, table[usize::from(*byte)], "{byte} at level {}", S::LEVEL);
            }
        }
    }

    #[test]
    fn every_byte_is_found() {
        all_bytes(Portable::detect());
        #[cfg(target_arch = "x86_64")]
        {
            all_bytes(crate::simd::Ssse3::detect());
            all_bytes(crate::simd::Avx2::detect());
        }
    }
}

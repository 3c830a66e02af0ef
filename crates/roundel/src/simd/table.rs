//! Look-ups in a table of 256 bytes without a secret-dependent address: every byte of a register at once.

use super::{Simd, Vector};

/// `table[x]` for each byte x: sixteen shuffles by the low nibble, one for each row of the table, of which the bits of the high
/// nibble then select one, pairwise, as in a knock-out tournament. About 35 instructions for a register, whatever the bytes.
// Functions, not closures: a closure is not always inlined, and then runs without the instruction set.
#[inline(always)]
pub fn look_up<S: Simd>(s: S, table: &[u8; 256], x: S::V) -> S::V {
    let bits = [x.shl32::<3>(), x.shl32::<2>(), x.shl32::<1>(), x];
    let low = x & s.splat32(0x0F0F_0F0F);
    eight(s, table, low, bits, 0).select8(eight(s, table, low, bits, 8), bits[3])
}

/// Bits 4 to 7 of each byte moved to its top bit; what crosses from the neighbouring byte stays below it.
type Bits<V> = [V; 4];

#[inline(always)]
fn row<S: Simd>(s: S, table: &[u8; 256], low: S::V, r: usize) -> S::V {
    s.broadcast128(&table.as_chunks().0[r]).shuffle8(low)
}

#[inline(always)]
fn pair<S: Simd>(s: S, table: &[u8; 256], low: S::V, bits: Bits<S::V>, r: usize) -> S::V {
    row(s, table, low, r).select8(row(s, table, low, r + 1), bits[0])
}

#[inline(always)]
fn four<S: Simd>(s: S, table: &[u8; 256], low: S::V, bits: Bits<S::V>, r: usize) -> S::V {
    pair(s, table, low, bits, r).select8(pair(s, table, low, bits, r + 2), bits[1])
}

#[inline(always)]
fn eight<S: Simd>(s: S, table: &[u8; 256], low: S::V, bits: Bits<S::V>, r: usize) -> S::V {
    four(s, table, low, bits, r).select8(four(s, table, low, bits, r + 4), bits[2])
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

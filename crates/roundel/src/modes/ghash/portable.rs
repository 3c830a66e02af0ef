//! GHASH without carry-less multiplication instructions: integer multiplication with holes, in constant time.
//!
//! Where only every fourth bit of both factors is set, a sum of partial products fits into the three bits between, so that the low bit of each
//! group of four is the sum modulo 2: the carry-less product (Thomas Pornin's method in BearSSL). The high half of a product is the
//! low half of the product of the bit-reversed factors.

/// Absorbs blocks: state = (state + block) H for each.
pub(super) fn absorb(h: &[u8; 16], state: &mut [u8; 16], blocks: &[[u8; 16]]) {
    let key = Key::new(u128::from_be_bytes(*h));
    let mut sum = u128::from_be_bytes(*state);
    for block in blocks {
        sum = key.multiply(sum ^ u128::from_be_bytes(*block));
    }
    *state = sum.to_be_bytes();
}

/// One in every four bits, from bit 0 on.
const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;

/// The low 64 bits of the carry-less product.
///
/// A sum of 16 partial products could carry out of a group only in the topmost group, where the carry leaves the word.
#[inline(always)]
fn low_product(x: u64, y: u64) -> u64 {
    let split = |v: u64| [0, 1, 2, 3].map(|i| v & (EVERY_FOURTH << i));
    let (x, y) = (split(x), split(y));
    let mut product = 0;
    for i in 0..4 {
        let sum = (0..4).fold(0, |sum, j| sum ^ x[j].wrapping_mul(y[(i + 4 - j) % 4]));
        product |= sum & (EVERY_FOURTH << i);
    }
    product
}

/// A factor's halves and their sum, as they are and with the bits reversed.
struct Key {
    forward: [u64; 3],
    reversed: [u64; 3],
}

impl Key {
    fn new(factor: u128) -> Self {
        let (high, low) = ((factor >> 64) as u64, factor as u64);
        let forward = [low, high, low ^ high];
        Key { forward, reversed: forward.map(u64::reverse_bits) }
    }

    /// The product in GF(2^128), in GCM's bit order.
    fn multiply(&self, x: u128) -> u128 {
        let x = Key::new(x);
        // Karatsuba: low, high and middle products of 127 bits each.
        let [low, high, middle] = [0, 1, 2].map(|i| {
            let low = low_product(x.forward[i], self.forward[i]);
            let high = low_product(x.reversed[i], self.reversed[i]).reverse_bits() >> 1;
            u128::from(high) << 64 | u128::from(low)
        });
        let middle = middle ^ low ^ high;
        // 255 bits, with x^0 on top after a shift by one.
        let (high, low) = (high ^ middle >> 64, low ^ middle << 64);
        let (high, low) = (high << 1 | low >> 127, low << 1);
        reduce(high, low)
    }
}

/// Reduces modulo x^128 + x^7 + x^2 + x + 1: `low` holds x^128 to x^255, highest coefficient in the lowest bit.
#[inline(always)]
fn reduce(high: u128, low: u128) -> u128 {
    // x^(128+i) = x^i + x^(1+i) + x^(2+i) + x^(7+i); to the right is up. What leaves on the right is folded once more.
    let fold = |v: u128| v ^ v >> 1 ^ v >> 2 ^ v >> 7;
    let out = low << 127 ^ low << 126 ^ low << 121;
    high ^ fold(low) ^ fold(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modes::ghash::multiply_bit_by_bit;

    #[test]
    fn products_equal_the_definition() {
        let mut x = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C834_u128;
        for _ in 0..2000 {
            let y = x.wrapping_mul(0x2545_F491_4F6C_DD1D).rotate_left(77);
            for (x, y) in [(x, y), (1 << (x as u32 % 128), y), (!0, y), (0, y), (!0, !0)] {
                assert_eq!(Key::new(y).multiply(x), multiply_bit_by_bit(x, y), "{x:032x} times {y:032x}");
            }
            x = x.rotate_left(41) ^ y;
        }
    }
}

//! The key schedule: nine calls of G, whose output bytes are dealt out to the sixteen subkeys. Strings of eight bytes are big-endian words.

use super::tables::SBOX;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The starting value.
const V0: u64 = 0x0123_4567_89AB_CDEF;

/// The sixteen subkeys, k1 first.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Subkeys {
    keys: [[u8; 16]; 16],
}

/// S on eight bytes.
#[inline(always)]
pub(super) fn substitute(word: u64) -> u64 {
    u64::from_be_bytes(word.to_be_bytes().map(|byte| SBOX[usize::from(byte)]))
}

impl Subkeys {
    /// `f` is P(S(X)).
    pub(super) fn new(key: &[u8], f: impl Fn(u64) -> u64) -> Self {
        let mut y = [0; 4];
        y.iter_mut().zip(key.as_chunks().0).for_each(|(to, word)| *to = u64::from_be_bytes(*word));
        // What a short key lacks is v0 after three (K3) and four (K4) times S.
        let k3 = substitute(substitute(substitute(V0)));
        let given = key.len() / 8;
        if given < 3 {
            y[2] = k3;
        }
        if given < 4 {
            y[3] = substitute(k3);
        }
        let mut v = g(&mut y, V0, &f)[3];
        let mut subkeys = Subkeys { keys: [[0; 16]; 16] };
        for i in 0..8 {
            let l = g(&mut y, v, &f);
            v = l[3];
            for (at, byte) in l.map(u64::to_be_bytes).as_flattened().iter().enumerate() {
                let (h, p) = (at / 16, at % 16);
                let n = 2 * (p % 4) + p / 8 + 8 * (p / 4 % 2);
                subkeys.keys[n][2 * i + h] = *byte;
            }
        }
        y.zeroize();
        subkeys
    }

    /// k_n, n from 1 to 16, as four big-endian words.
    #[inline(always)]
    pub(super) fn words(&self, n: usize) -> [u32; 4] {
        std::array::from_fn(|i| u32::from_be_bytes(self.keys[n - 1].as_chunks().0[i]))
    }

    /// k' and k'' of rounds 1 to 12.
    pub(super) fn rounds(&self) -> [[u64; 2]; 12] {
        std::array::from_fn(|r| {
            std::array::from_fn(|half| u64::from_be_bytes(self.keys[r].as_chunks().0[half]))
        })
    }
}

/// G: replaces X1..X4 by Y1..Y4 and returns L1..L4.
#[inline(always)]
fn g(x: &mut [u64; 4], u: u64, f: &impl Fn(u64) -> u64) -> [u64; 4] {
    let mut l = u;
    std::array::from_fn(|i| {
        x[i] = f(x[i]);
        l = f(l) ^ x[i];
        l
    })
}

/// The inverse of an odd number modulo 2^32, by Newton's iteration: an odd number inverts itself to three bits, and each step doubles them.
pub(super) fn inverse(a: u32) -> u32 {
    (0..4).fold(a, |x, _| x.wrapping_mul(2u32.wrapping_sub(a.wrapping_mul(x))))
}

#[cfg(test)]
mod tests {
    use super::super::tables::mix;
    use super::*;

    #[test]
    fn linear_map_is_the_printed_matrix() {
        let rows = [0x7E, 0xB7, 0xDB, 0xED, 0xDC, 0xE6, 0x73, 0xB9];
        for j in 0..8 {
            let out = mix(1 << (56 - 8 * j)).to_be_bytes();
            assert!((0..8).all(|i| out[i] == rows[i] >> (7 - j) & 1), "input byte {j}");
        }
    }

    #[test]
    fn inverses_are_inverses() {
        assert!([1, 3, 0xDEAD_BEEF, u32::MAX].iter().all(|&a| inverse(a).wrapping_mul(a) == 1));
    }
}

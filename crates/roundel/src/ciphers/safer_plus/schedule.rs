//! Subkeys: a register of the key bytes and their sum, each byte rotated by 3 bits from one subkey to the next.

use super::tables::{BIAS, MAX_SUBKEYS};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The 2r + 1 subkeys in the designers' byte order.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Subkeys {
    subkeys: [[u8; 16]; MAX_SUBKEYS],
    count: usize,
}

impl Subkeys {
    /// From a key in the interface's byte order.
    pub(super) fn new(key: &[u8]) -> Self {
        let register_bytes = key.len() + 1;
        // Twice over, so that sixteen bytes from any start stand in one piece.
        let mut register = [0; 2 * MAX_SUBKEYS];
        register.iter_mut().zip(key.iter().rev()).for_each(|(to, byte)| *to = *byte);
        register[key.len()] = key.iter().fold(0, |sum, byte| sum ^ byte);
        register.copy_within(..register_bytes, register_bytes);
        let mut subkeys = [[0; 16]; MAX_SUBKEYS];
        for (i, subkey) in subkeys[..register_bytes].iter_mut().enumerate() {
            let piece: &[u8; 16] = register[i..].first_chunk().expect("the register stands there twice");
            *subkey =
                std::array::from_fn(|j| piece[j].rotate_left(3 * i as u32 % 8).wrapping_add(BIAS[i][j]));
        }
        register.zeroize();
        Subkeys { subkeys, count: register_bytes }
    }

    /// P and Q of each round, first round first.
    pub(super) fn rounds(&self) -> &[[[u8; 16]; 2]] {
        self.subkeys[..self.count].as_chunks().0
    }

    /// P of the output transformation.
    pub(super) fn last(&self) -> &[u8; 16] {
        &self.subkeys[self.count - 1]
    }
}

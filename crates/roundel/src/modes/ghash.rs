//! GHASH (SP 800-38D, section 6.4): the universal hash of GCM.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// GHASH under a hash key H = E(0): absorbs blocks, gives the 16-byte hash.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Ghash {
    h: u128,
    state: u128,
}

impl Ghash {
    /// Starts with the hash key: the encryption of the zero block.
    pub fn new(h: &[u8; 16]) -> Self {
        Ghash { h: u128::from_be_bytes(*h), state: 0 }
    }

    /// The state back to zero, the key kept: for the next message.
    pub fn reset(&mut self) {
        self.state = 0;
    }

    /// Absorbs `data`, padded with zero bytes to whole blocks.
    pub fn update(&mut self, data: &[u8]) {
        for block in data.chunks(16) {
            let mut padded = [0; 16];
            padded[..block.len()].copy_from_slice(block);
            self.state = multiply(self.state ^ u128::from_be_bytes(padded), self.h);
        }
    }

    /// Absorbs the lengths block: bits of the additional data, bits of the text.
    pub fn update_lengths(&mut self, aad_bytes: u64, text_bytes: u64) {
        let lengths = u128::from(aad_bytes) << 67 | u128::from(text_bytes) << 3;
        self.update(&lengths.to_be_bytes());
    }

    /// The hash of what was absorbed.
    pub fn value(&self) -> [u8; 16] {
        self.state.to_be_bytes()
    }
}

/// The product in GF(2^128) in GCM's bit order (the first bit of the block is x^0): bit by bit, all 128 steps.
fn multiply(x: u128, y: u128) -> u128 {
    let (mut product, mut v) = (0, y);
    for bit in 0..128 {
        product ^= v & ((x >> (127 - bit)) & 1).wrapping_neg();
        v = (v >> 1) ^ (0xE1u128 << 120 & (v & 1).wrapping_neg());
    }
    product
}

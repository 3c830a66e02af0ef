//! XTS (IEEE 1619, SP 800-38E) with ciphertext stealing: each data unit (sector) has a number; no authentication.
//!
//! Tweak of a unit: E(K2, number as 16 little-endian bytes); of its j-th block: that times x^j in GF(2^128), little-endian, feedback 0x87.

use super::{LONG_RUN_BYTES, OnRun, RUN_BYTES, xor_in_place};
use crate::{Error, Kernel};

const BLOCK: usize = 16;

/// XTS over two kernels: one for the data (K1), one for the tweaks (K2).
pub struct Xts<'k> {
    data: &'k dyn Kernel,
    tweak: &'k dyn Kernel,
}

/// Units whose tweaks are encrypted in one call: enough to fill every strategy's batch.
const UNITS_PER_RUN: usize = 64;

impl<'k> Xts<'k> {
    /// XTS over kernels keyed with the two halves of the XTS key. Only for blocks of 128 bits.
    pub fn new(data: &'k dyn Kernel, tweak: &'k dyn Kernel) -> Result<Self, Error> {
        for kernel in [data, tweak] {
            if kernel.block_bytes() != BLOCK {
                return Err(Error::BlockSize { mode: "XTS", block_bytes: kernel.block_bytes() });
            }
        }
        Ok(Xts { data, tweak })
    }

    /// Encrypts consecutive data units of `unit_bytes`, numbered from `first_unit`. The last may be shorter, but not under 16 bytes;
    /// a unit that is not whole blocks ends in ciphertext stealing.
    pub fn encrypt(&self, first_unit: u128, unit_bytes: usize, data: &mut [u8]) -> Result<(), Error> {
        self.run(first_unit, unit_bytes, data, Direction::Encrypt)
    }

    /// The inverse of [`encrypt`](Xts::encrypt).
    pub fn decrypt(&self, first_unit: u128, unit_bytes: usize, data: &mut [u8]) -> Result<(), Error> {
        self.run(first_unit, unit_bytes, data, Direction::Decrypt)
    }

    fn run(
        &self,
        first_unit: u128,
        unit_bytes: usize,
        data: &mut [u8],
        direction: Direction,
    ) -> Result<(), Error> {
        let last = if unit_bytes == 0 { 0 } else { data.len() % unit_bytes };
        if unit_bytes < BLOCK || (1..BLOCK).contains(&last) {
            return Err(Error::DataLength {
                mode: "XTS",
                requires: "data units of at least 16 bytes",
                got: if unit_bytes < BLOCK { unit_bytes } else { last },
            });
        }
        let mut number = first_unit;
        let mut tweaks = [0; UNITS_PER_RUN * BLOCK];
        for units in data.chunks_mut(unit_bytes.saturating_mul(UNITS_PER_RUN)) {
            let count = units.len().div_ceil(unit_bytes);
            let tweaks = &mut tweaks[..count * BLOCK];
            for tweak in tweaks.chunks_exact_mut(BLOCK) {
                tweak.copy_from_slice(&number.to_le_bytes());
                number = number.wrapping_add(1);
            }
            self.tweak.encrypt(tweaks);
            if unit_bytes.is_multiple_of(BLOCK) && units.len().is_multiple_of(BLOCK) {
                self.xex(tweaks, unit_bytes, units, direction);
            } else {
                for (tweak, unit) in tweaks.chunks_exact_mut(BLOCK).zip(units.chunks_mut(unit_bytes)) {
                    self.stealing(tweak, unit, direction);
                }
            }
        }
        Ok(())
    }

    fn xex(&self, tweaks: &mut [u8], unit_bytes: usize, blocks: &mut [u8], direction: Direction) {
        match direction {
            Direction::Encrypt => self.data.xex_encrypt(tweaks, unit_bytes, blocks),
            Direction::Decrypt => self.data.xex_decrypt(tweaks, unit_bytes, blocks),
        }
    }

    /// One unit that may end in a partial block (IEEE 1619, 5.3.2 and 5.4.2).
    fn stealing(&self, tweak: &mut [u8], unit: &mut [u8], direction: Direction) {
        let partial = unit.len() % BLOCK;
        if partial == 0 {
            return self.xex(tweak, unit.len(), unit, direction);
        }
        let (bulk, end) = unit.split_at_mut(unit.len() - partial - BLOCK);
        self.xex(tweak, bulk.len().max(BLOCK), bulk, direction);
        // Decryption uses the last two tweaks in the other order.
        let mut first: [u8; BLOCK] = tweak.try_into().expect("a tweak is one block");
        let mut second = double(u128::from_le_bytes(first)).to_le_bytes();
        if let Direction::Decrypt = direction {
            std::mem::swap(&mut first, &mut second);
        }
        let (whole, rest) = end.split_at_mut(BLOCK);
        self.xex(&mut first, BLOCK, whole, direction);
        whole[..partial].swap_with_slice(rest);
        self.xex(&mut second, BLOCK, whole, direction);
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Encrypt,
    Decrypt,
}

/// Multiplication by x in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, without a branch.
#[inline(always)]
pub(crate) fn double(tweak: u128) -> u128 {
    (tweak << 1) ^ (0x87 & (tweak >> 127).wrapping_neg())
}

/// XEX with any cipher: tweaks XORed on, a run through the cipher, tweaks XORed on again.
pub(crate) fn xex_generic(cipher: OnRun<'_>, tweaks: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
    if unit_bytes < LONG_RUN_BYTES {
        xex_in_runs(cipher, tweaks, unit_bytes, blocks, &mut [0; RUN_BYTES]);
    } else {
        xex_in_runs(cipher, tweaks, unit_bytes, blocks, &mut [0; LONG_RUN_BYTES]);
    }
}

/// `masks` has place for the tweaks of a run.
fn xex_in_runs(cipher: OnRun<'_>, tweaks: &mut [u8], unit_bytes: usize, blocks: &mut [u8], masks: &mut [u8]) {
    for (tweak, unit) in tweaks.chunks_exact_mut(BLOCK).zip(blocks.chunks_mut(unit_bytes)) {
        let mut t = u128::from_le_bytes((&*tweak).try_into().expect("a tweak is one block"));
        for run in unit.chunks_mut(masks.len()) {
            let masks = &mut masks[..run.len()];
            for mask in masks.chunks_exact_mut(BLOCK) {
                mask.copy_from_slice(&t.to_le_bytes());
                t = double(t);
            }
            xor_in_place(run, masks);
            cipher(run);
            xor_in_place(run, masks);
        }
        tweak.copy_from_slice(&t.to_le_bytes());
    }
}

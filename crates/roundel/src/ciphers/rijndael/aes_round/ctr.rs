//! Counter mode, fused: counters are made in registers and the key stream is XORed onto the data by the last round.

use super::{Job, encrypt_rounds, walk};
use crate::simd::{AesSimd, Block, Vector};
use zeroize::Zeroize;

/// Reverses the bytes of a block.
pub(super) const REVERSE: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/// Block i is the number i, little-endian.
pub(super) const NUMBERS: [[u8; 16]; 16] = {
    let mut numbers = [[0; 16]; 16];
    let mut i = 0;
    while i < 16 {
        numbers[i][0] = i as u8;
        i += 1;
    }
    numbers
};

struct CtrXor<'k, const K: usize> {
    keys: &'k [Block; K],
    counter: u128,
}

impl<const K: usize> CtrXor<'_, K> {
    /// The next counters as big-endian blocks.
    #[inline(always)]
    fn counters<S: AesSimd, const N: usize>(&mut self, s: S) -> [S::V; N] {
        let blocks = N * S::V::BYTES / 16;
        let first = self.counter;
        self.counter = first.wrapping_add(blocks as u128);
        let mut x = [s.zero(); N];
        if (first as u64).checked_add(blocks as u64 - 1).is_some() {
            let first = s.broadcast128(&first.to_le_bytes());
            let reverse = s.broadcast128(&REVERSE);
            for (i, x) in x.iter_mut().enumerate() {
                let number = s.load(&NUMBERS.as_flattened()[i * S::V::BYTES..]);
                *x = first.add64(number).shuffle8(reverse);
            }
        } else {
            // The low 64 bits wrap within this batch: once in 2^64 blocks.
            let mut bytes = [0; 32];
            for (i, x) in x.iter_mut().enumerate() {
                for part in 0..S::V::BYTES / 16 {
                    let counter = first.wrapping_add((i * S::V::BYTES / 16 + part) as u128);
                    bytes[16 * part..16 * part + 16].copy_from_slice(&counter.to_be_bytes());
                }
                *x = s.load(&bytes);
            }
        }
        x
    }
}

impl<const K: usize> Job for CtrXor<'_, K> {
    #[inline(always)]
    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: &mut [u8]) {
        let mut x = self.counters::<S, N>(s);
        encrypt_rounds(s, self.keys, &mut x);
        let last = s.repeat(self.keys[K - 1]);
        for (i, x) in x.into_iter().enumerate() {
            let part = &mut chunk[i * S::V::BYTES..];
            s.enc_last(x, last ^ s.load(part)).store(part);
        }
    }
}

#[inline(always)]
pub(super) fn xor<S: AesSimd, const K: usize>(s: S, keys: &[Block; K], counter: &mut [u8], data: &mut [u8]) {
    let first = counter.try_into().expect("a counter is one block");
    let mut job = CtrXor { keys, counter: u128::from_be_bytes(first) };
    let (whole, tail) = data.split_at_mut(data.len() & !15);
    walk(s, &mut job, whole);
    if !tail.is_empty() {
        let mut block = [0; 16];
        block[..tail.len()].copy_from_slice(tail);
        job.batch::<_, 1>(s.narrow(), &mut block);
        tail.copy_from_slice(&block[..tail.len()]);
        block.zeroize();
    }
    counter.copy_from_slice(&job.counter.to_be_bytes());
}

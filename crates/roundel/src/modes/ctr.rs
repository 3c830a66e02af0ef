//! Counter mode (SP 800-38A, 6.5). The whole block is one big-endian counter that wraps modulo 2^(8*block bytes).

use super::{LONG_RUN_BYTES, MAX_BLOCK, OnRun, RUN_BYTES, check_iv, wipe, xor_in_place};
use crate::{Error, Kernel};

/// CTR over a kernel: any length, in pieces of any length.
pub struct Ctr<'k> {
    kernel: &'k dyn Kernel,
    counter: [u8; MAX_BLOCK],
    /// The key-stream block that the last piece ended in.
    partial: [u8; MAX_BLOCK],
    /// How much of `partial` is used up; 0 when the next byte starts a block.
    used: usize,
}

impl<'k> Ctr<'k> {
    /// CTR from a first counter block.
    pub fn new(kernel: &'k dyn Kernel, counter: &[u8]) -> Result<Self, Error> {
        check_iv("CTR", kernel.block_bytes(), counter.len())?;
        let mut this = Ctr { kernel, counter: [0; MAX_BLOCK], partial: [0; MAX_BLOCK], used: 0 };
        this.counter[..counter.len()].copy_from_slice(counter);
        Ok(this)
    }

    /// CTR from a first counter block, `blocks` blocks further on.
    pub fn at_block(kernel: &'k dyn Kernel, counter: &[u8], blocks: u64) -> Result<Self, Error> {
        let mut this = Ctr::new(kernel, counter)?;
        advance(&mut this.counter[..counter.len()], blocks);
        Ok(this)
    }

    /// XORs the next bytes of the key stream onto `data`: encrypts or decrypts.
    pub fn apply(&mut self, data: &mut [u8]) {
        let size = self.kernel.block_bytes();
        let mut data = data;
        if self.used != 0 {
            let (head, rest) = data.split_at_mut(data.len().min(size - self.used));
            xor_in_place(head, &self.partial[self.used..]);
            self.used = (self.used + head.len()) % size;
            data = rest;
        }
        let (whole, tail) = data.split_at_mut(data.len() / size * size);
        self.kernel.ctr_xor(&mut self.counter[..size], whole);
        if !tail.is_empty() {
            self.partial = [0; MAX_BLOCK];
            self.kernel.ctr_xor(&mut self.counter[..size], &mut self.partial[..size]);
            xor_in_place(tail, &self.partial);
            self.used = tail.len();
        }
    }
}

impl Drop for Ctr<'_> {
    fn drop(&mut self) {
        wipe(&mut self.partial);
    }
}

/// Adds to a big-endian counter.
#[inline(always)]
pub(crate) fn advance(counter: &mut [u8], blocks: u64) {
    if let Ok(block) = <&mut [u8; 16]>::try_from(&mut *counter) {
        *block = u128::from_be_bytes(*block).wrapping_add(u128::from(blocks)).to_be_bytes();
        return;
    }
    let mut carry = u128::from(blocks);
    for byte in counter.iter_mut().rev() {
        carry += u128::from(*byte);
        *byte = carry as u8;
        carry >>= 8;
    }
}

/// Fills a buffer with counters, encrypts it and XORs it onto the data, a run at a time.
pub(crate) fn xor_generic(encrypt: OnRun<'_>, counter: &mut [u8], data: &mut [u8]) {
    if data.len() < LONG_RUN_BYTES {
        xor_in_runs::<RUN_BYTES>(encrypt, counter, data);
    } else {
        xor_in_runs::<LONG_RUN_BYTES>(encrypt, counter, data);
    }
}

fn xor_in_runs<const RUN: usize>(encrypt: OnRun<'_>, counter: &mut [u8], data: &mut [u8]) {
    let size = counter.len();
    let mut stream = [0; RUN];
    for run in data.chunks_mut(RUN / size * size) {
        let stream = &mut stream[..run.len().div_ceil(size) * size];
        fill_with_counters(counter, stream);
        encrypt(stream);
        xor_in_place(run, stream);
    }
    let used = data.len().div_ceil(size) * size;
    wipe(&mut stream[..used.min(RUN)]);
}

/// Consecutive counters, one per block. The 128-bit case counts in registers: byte by byte it costs 4 cycles per byte.
#[inline(always)]
pub(super) fn fill_with_counters(counter: &mut [u8], stream: &mut [u8]) {
    if let Ok(block) = <&mut [u8; 16]>::try_from(&mut *counter) {
        let mut number = u128::from_be_bytes(*block);
        for slot in stream.as_chunks_mut().0 {
            *slot = number.to_be_bytes();
            number = number.wrapping_add(1);
        }
        *block = number.to_be_bytes();
    } else {
        for slot in stream.chunks_exact_mut(counter.len()) {
            slot.copy_from_slice(counter);
            advance(counter, 1);
        }
    }
}

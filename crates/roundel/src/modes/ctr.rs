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

    /// [`apply`](Ctr::apply) that reads at `from` and writes at `to`.
    ///
    /// # Panics
    /// If the two are not of one length.
    pub fn apply_into(&mut self, from: &[u8], to: &mut [u8]) {
        assert_eq!(from.len(), to.len(), "a text and the place for it");
        let size = self.kernel.block_bytes();
        let (head, rest) = from.split_at(from.len().min((size - self.used) % size));
        let (whole, tail) = rest.split_at(rest.len() / size * size);
        let (to_head, to_rest) = to.split_at_mut(head.len());
        let (to_whole, to_tail) = to_rest.split_at_mut(whole.len());
        to_head.copy_from_slice(head);
        self.apply(to_head);
        self.kernel.ctr_xor_into(&mut self.counter[..size], whole, to_whole);
        to_tail.copy_from_slice(tail);
        self.apply(to_tail);
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
    xor_with(encrypt, counter, data, fill_with_counters);
}

/// The same with [`fill_with_counters32`]. Nothing in it depends on the counter's value.
pub(super) fn xor32_generic(encrypt: OnRun<'_>, counter: &mut [u8; 16], data: &mut [u8]) {
    xor_with(encrypt, counter, data, fill_with_counters32);
}

#[inline(always)]
fn xor_with(encrypt: OnRun<'_>, counter: &mut [u8], data: &mut [u8], fill: impl Fn(&mut [u8], &mut [u8])) {
    if data.len() < LONG_RUN_BYTES {
        xor_in_runs::<RUN_BYTES>(encrypt, counter, data, fill);
    } else {
        xor_in_runs::<LONG_RUN_BYTES>(encrypt, counter, data, fill);
    }
}

#[inline(always)]
fn xor_in_runs<const RUN: usize>(
    encrypt: OnRun<'_>,
    counter: &mut [u8],
    data: &mut [u8],
    fill: impl Fn(&mut [u8], &mut [u8]),
) {
    let size = counter.len();
    let mut stream = [0; RUN];
    for run in data.chunks_mut(RUN / size * size) {
        let stream = &mut stream[..run.len().div_ceil(size) * size];
        fill(counter, stream);
        encrypt(stream);
        xor_in_place(run, stream);
    }
    let used = data.len().div_ceil(size) * size;
    wipe(&mut stream[..used.min(RUN)]);
}

/// Consecutive counters, one per block.
#[inline(always)]
pub(super) fn fill_with_counters(counter: &mut [u8], stream: &mut [u8]) {
    match counter.len() {
        16 => count::<0>(counter, stream),
        24 => count::<8>(counter, stream),
        32 => count::<16>(counter, stream),
        bytes => unreachable!("no cipher has blocks of {bytes} bytes"),
    }
}

/// Consecutive counters of 16 bytes of which the last 32 bits count, modulo 2^32, as GCM's do.
#[inline(always)]
fn fill_with_counters32(counter: &mut [u8], stream: &mut [u8]) {
    let counter: &mut [u8; 16] = counter.try_into().expect("GCM is over blocks of 16 bytes");
    let first = u128::from_be_bytes(*counter);
    let (rest, mut number) = (first & !u128::from(u32::MAX), first as u32);
    for slot in stream.as_chunks_mut().0 {
        *slot = (rest | u128::from(number)).to_be_bytes();
        number = number.wrapping_add(1);
    }
    *counter = (rest | u128::from(number)).to_be_bytes();
}

/// Counts in registers: byte by byte it costs 4 cycles per byte. A counter is `HEAD` bytes, which carries reach, and 128 bits.
#[inline(always)]
fn count<const HEAD: usize>(counter: &mut [u8], stream: &mut [u8]) {
    let (head, low) = counter.split_at_mut(HEAD);
    let low: &mut [u8; 16] = low.try_into().expect("the length was looked at");
    let mut padded = [0; 16];
    padded[16 - HEAD..].copy_from_slice(head);
    let (mut high, mut number) = (u128::from_be_bytes(padded), u128::from_be_bytes(*low));
    for slot in stream.chunks_exact_mut(HEAD + 16) {
        slot[..HEAD].copy_from_slice(&high.to_be_bytes()[16 - HEAD..]);
        slot[HEAD..].copy_from_slice(&number.to_be_bytes());
        let carry;
        (number, carry) = number.overflowing_add(1);
        high = high.wrapping_add(carry.into());
    }
    head.copy_from_slice(&high.to_be_bytes()[16 - HEAD..]);
    *low = number.to_be_bytes();
}

#[cfg(test)]
mod tests {
    use super::{advance, fill_with_counters, fill_with_counters32};

    /// Filling counts in registers, advancing byte by byte where a block is longer than 16 bytes.
    #[test]
    fn counters_carry_into_every_byte() {
        for size in [16, 24, 32] {
            for ones in 0..=size {
                let mut first = vec![0x5A; size];
                first[size - ones..].fill(0xFF);
                let mut want = first.clone();
                let mut stream = vec![0; 3 * size];
                fill_with_counters(&mut first, &mut stream);
                for (block, slot) in stream.chunks(size).enumerate() {
                    assert_eq!(slot, want, "block {block} of {size} bytes after {ones} of ones");
                    advance(&mut want, 1);
                }
                assert_eq!(first, want, "the next counter of {size} bytes after {ones} of ones");
            }
        }
    }

    /// GCM's wrap at 32 bits and leave the rest of the block alone.
    #[test]
    fn short_counters_do_not_carry() {
        for before in 0..4_u32 {
            let mut counter = [0xFF; 16];
            counter[12..].copy_from_slice(&(u32::MAX - before).to_be_bytes());
            let mut stream = [0; 16 * 4];
            fill_with_counters32(&mut counter, &mut stream);
            for (slot, block) in stream.as_chunks::<16>().0.iter().chain([&counter]).zip(0..) {
                assert_eq!(slot[..12], [0xFF; 12]);
                assert_eq!(slot[12..], (u32::MAX - before).wrapping_add(block).to_be_bytes());
            }
        }
    }
}

//! Counter mode, fused: counters are made in registers and the key stream is XORed onto the data by the last round.

use super::text::{Apart, Streamed};
use super::{BATCH, Encrypt, Job, Text, middle_rounds, walk};
use crate::modes::wipe_block;
use crate::simd::{Aes, AesSimd, Block, Simd, Vector, unordered};

/// No load of a register crosses a cache line where the counter is even, as GCM's first is.
#[repr(align(64))]
struct Aligned<const N: usize>([[u8; 16]; N]);

/// The most blocks of a batch.
const MAX_BLOCKS: usize = 32;

/// Block i is the last byte of a counter, i modulo 256, with zeros before it; so many that a batch may start at any.
static LAST_BYTES: Aligned<{ 256 + MAX_BLOCKS }> = {
    let mut blocks = [[0; 16]; 256 + MAX_BLOCKS];
    let mut i = 0;
    while i < blocks.len() {
        blocks[i][15] = i as u8;
        i += 1;
    }
    Aligned(blocks)
};

/// As many blocks of zeros, then of ones.
static FROM_HERE: [[u8; 16]; 2 * MAX_BLOCKS] = {
    let mut blocks = [[0; 16]; 2 * MAX_BLOCKS];
    let mut i = MAX_BLOCKS;
    while i < blocks.len() {
        blocks[i] = [0xFF; 16];
        i += 1;
    }
    blocks
};

/// A counter, with the first round key on it: all but the last byte change only every 256 blocks, so that one XOR with a constant
/// makes a register of counters. Beside the rounds every instruction counts, since half of them take a place from the AES units. The price is an
/// address and a branch by the last byte: counters are public, and where GCM's is not, since its nonce was hashed, it goes without fused loops.
#[derive(Clone, Copy)]
pub(super) struct Counter {
    /// The next counter without its last byte.
    page: u128,
    /// Its last byte.
    last: usize,
    /// The part that counts: 128 bits, 32 in GCM.
    mask: u128,
    key: Block,
    /// `page` as a block, XOR `key`.
    keyed: Block,
}

impl Counter {
    #[inline(always)]
    pub(super) fn new(s: Aes, block: [u8; 16], mask: u128, key: Block) -> Self {
        let next = u128::from_be_bytes(block);
        let mut this = Counter { page: next & !0xFF, last: usize::from(next as u8), mask, key, keyed: key };
        this.keyed = this.keyed_page(s);
        this
    }

    pub(super) fn to_block(self) -> [u8; 16] {
        (self.page | self.last as u128).to_be_bytes()
    }

    #[inline(always)]
    fn keyed_page(&self, s: Aes) -> Block {
        s.broadcast128(&self.page.to_be_bytes()) ^ self.key
    }

    /// The next counters in `N` registers, the first round key added.
    #[inline(always)]
    pub(super) fn take<S: AesSimd, const N: usize>(&mut self, s: S) -> [S::V; N] {
        let blocks = N * S::V::BYTES / 16;
        let keyed = s.repeat(self.keyed);
        let bytes = LAST_BYTES.0[self.last..][..blocks].as_flattened();
        let mut x = [s.zero(); N];
        for (i, x) in x.iter_mut().enumerate() {
            *x = keyed ^ s.load(&bytes[i * S::V::BYTES..]);
        }
        self.last += blocks;
        if self.last >= 256 {
            // From the block on whose last byte is 0, all others have changed.
            self.last -= 256;
            self.page = (self.page & !self.mask) | (self.page.wrapping_add(256) & self.mask);
            self.keyed = self.keyed_page(s.narrow());
            let change = s.repeat(self.keyed) ^ keyed;
            let changed = FROM_HERE[MAX_BLOCKS + self.last - blocks..][..blocks].as_flattened();
            for (i, x) in x.iter_mut().enumerate() {
                *x = *x ^ (change & s.load(&changed[i * S::V::BYTES..]));
            }
        }
        x
    }
}

pub(super) struct CtrXor<'k, const K: usize> {
    pub(super) keys: &'k [Block; K],
    pub(super) counter: Counter,
}

impl<T: Text, const K: usize> Job<T> for CtrXor<'_, K> {
    #[inline(always)]
    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: T) {
        let mut x = self.counter.take::<S, N>(s);
        middle_rounds(s, Encrypt, self.keys, &mut x);
        xor_last(s, self.keys, x, chunk);
    }
}

/// The last round, the result XORed onto `chunk`: the data goes into the round key.
#[inline(always)]
pub(super) fn xor_last<S: AesSimd, T: Text, const N: usize, const K: usize>(
    s: S,
    keys: &[Block; K],
    x: [S::V; N],
    mut chunk: T,
) {
    let last = s.repeat(keys[K - 1]);
    for (i, x) in x.into_iter().enumerate() {
        let at = i * S::V::BYTES;
        let text = s.load(&chunk.source()[at..]);
        chunk.put(s, at, s.enc_last(x, last ^ text));
    }
}

/// Data of any length; a partial block at the end uses up a counter.
#[inline(always)]
pub(super) fn xor_all<S: AesSimd, T: Text, const K: usize>(s: S, job: &mut CtrXor<'_, K>, data: T) {
    let len = data.source().len();
    let (whole, mut tail) = data.split_at(len & !15);
    walk::<S, _, _, BATCH>(s, job, whole);
    let rest = len % 16;
    if rest != 0 {
        let mut block = [0; 16];
        block[..rest].copy_from_slice(tail.source());
        walk::<S, _, _, BATCH>(s, job, &mut block[..]);
        tail.target().copy_from_slice(&block[..rest]);
        wipe_block(&mut block);
    }
}

pub(super) fn xor<S: AesSimd, T: Text, const K: usize>(s: S, keys: &[Block; K], counter: &mut [u8], data: T) {
    let counter: &mut [u8; 16] = counter.try_into().expect("a counter is one block");
    let mut job = CtrXor { keys, counter: Counter::new(s.narrow(), *counter, u128::MAX, keys[0]) };
    xor_all(s, &mut job, data);
    *counter = job.counter.to_block();
}

/// [`xor`] to another place, past the caches if there are `stream_from` bytes.
pub(super) fn xor_into<S: AesSimd, const K: usize>(
    s: S,
    keys: &[Block; K],
    counter: &mut [u8],
    text: Apart<'_>,
    stream_from: usize,
) {
    let Some(head) = text.head(stream_from) else { return xor(s, keys, counter, text) };
    let (head, text) = text.split_at(head);
    xor(s, keys, counter, head);
    unordered(|leave| xor(s, keys, counter, Streamed { text, leave }));
}

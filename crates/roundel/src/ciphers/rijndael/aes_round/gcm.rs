//! GCM, fused: the hash of one batch of ciphertext is woven between the rounds of a batch of key stream, since the multiplier is idle
//! while the AES units work. Encrypting, the hash runs one batch behind; decrypting, it takes the batch that is about to be
//! decrypted.

use super::ctr::{self, Counter, CtrXor};
use super::{BATCH, Job};
use crate::modes::Ghash;
use crate::modes::ghash::clmul::{self, Products, Table};
use crate::simd::{AesSimd, Block, Task, Vector};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Encryption: the ciphertext is hashed after it was made.
    CipherFirst,
    /// Decryption: the ciphertext is hashed before it is overwritten.
    HashFirst,
}

pub(super) fn crypt<S: AesSimd, const K: usize>(
    s: S,
    keys: &[Block; K],
    order: Order,
    ghash: &mut Ghash,
    counter: &mut [u8; 16],
    data: &mut [u8],
) {
    let mut job = CtrXor { keys, counter: Counter::wrapping_at_32_bits(*counter) };
    let mut fused = 0;
    if data.len() >= Ghash::LONG_BYTES
        && let Some((state, table)) = ghash.state_and_table()
    {
        let batch = BATCH * S::V::BYTES;
        fused = data.len() / batch * batch;
        s.perform(Fused { s, order, job: &mut job, state, table, batches: &mut data[..fused] });
    }
    let rest = &mut data[fused..];
    match order {
        Order::CipherFirst => {
            ctr::xor_all(s, &mut job, rest);
            ghash.update(rest);
        }
        Order::HashFirst => {
            ghash.update(rest);
            ctr::xor_all(s, &mut job, rest);
        }
    }
    *counter = job.counter.to_block();
}

struct Fused<'a, 'k, S, const K: usize> {
    s: S,
    order: Order,
    job: &'a mut CtrXor<'k, K>,
    state: &'a mut [u8; 16],
    table: &'a Table,
    /// Whole batches, at least one.
    batches: &'a mut [u8],
}

impl<S: AesSimd, const K: usize> Task for Fused<'_, '_, S, K> {
    #[inline(always)]
    fn run(self) {
        let Fused { s, order, job, state, table, batches } = self;
        let size = BATCH * S::V::BYTES;
        let mut sum = clmul::load_reversed(s.narrow(), state);
        if order == Order::CipherFirst {
            job.batch::<S, BATCH>(s, &mut batches[..size]);
            for at in (size..batches.len()).step_by(size) {
                let (done, rest) = batches.split_at_mut(at);
                sum = fused_batch(s, job, sum, table, &mut rest[..size], Some(&done[at - size..]));
            }
            let last = batches.len() - size;
            let (blocks, _) = batches[last..].as_chunks();
            sum = clmul::absorb_batch(s, table, sum, blocks);
        } else {
            for batch in batches.chunks_exact_mut(size) {
                sum = fused_batch(s, job, sum, table, batch, None);
            }
        }
        clmul::store_reversed(s.narrow(), sum, state);
    }
}

/// The key stream onto `batch`, and the hash of `ciphertext`, or of `batch` as it was. Gives back the new state of the hash.
#[inline(always)]
fn fused_batch<S: AesSimd, const K: usize>(
    s: S,
    job: &mut CtrXor<'_, K>,
    state: Block,
    table: &Table,
    batch: &mut [u8],
    ciphertext: Option<&[u8]>,
) -> Block {
    let parts = S::V::BYTES / 16;
    let keys = job.keys;
    let mut x = job.counter.take::<S, BATCH>(s);
    let key = s.repeat(keys[0]);
    for x in x.iter_mut() {
        *x = *x ^ key;
    }
    let hashed = ciphertext.unwrap_or(batch);
    let mut products = Products::zero(s);
    let mut carried = s.shift_in(state, s.zero());
    // One register of ciphertext in each of the first rounds; nine rounds are the fewest (128-bit keys).
    for i in 0..BATCH {
        let key = s.repeat(keys[1 + i]);
        for x in x.iter_mut() {
            *x = s.enc(*x, key);
        }
        let text = clmul::load_reversed(s, &hashed[i * S::V::BYTES..]) ^ carried;
        carried = s.zero();
        products.add_nth(s, table, (BATCH - i) * parts, text);
        s.tie(&mut x, products.sums());
    }
    let state = products.reduce(s);
    for key in &keys[1 + BATCH..K - 1] {
        let key = s.repeat(*key);
        for x in x.iter_mut() {
            *x = s.enc(*x, key);
        }
    }
    ctr::xor_last(s, keys, x, batch);
    state
}

//! GCM, fused: the hash of one batch of ciphertext is woven between the rounds of a batch of key stream, since the multiplier is idle
//! while the AES units work. Encrypting, the hash runs behind; decrypting, it takes the batch that is about to be
//! decrypted.

use super::ctr::{self, Counter, CtrXor};
use super::text::{Apart, Streamed};
use super::{BATCH, Text, batches as all_of};
use crate::modes::Ghash;
use crate::modes::ghash::clmul::{self, POWERS, Products, Steps, Table};
use crate::simd::{AesSimd, Block, Task, Vector, unordered};

/// Encrypting, so many batches is the cipher ahead of the hash. With one, the hash waits for the batch just made to come back from memory, and the
/// work that waits fills the queues: 16 of 75 cycles (Zen 3).
const AHEAD: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Encryption: the ciphertext is hashed after it was made.
    CipherFirst,
    /// Decryption: the ciphertext is hashed before it is overwritten.
    HashFirst,
}

pub(super) fn crypt<S: AesSimd, T: Text, const K: usize>(
    s: S,
    keys: &[Block; K],
    order: Order,
    ghash: &mut Ghash,
    counter: &mut [u8; 16],
    data: T,
) {
    let mut job = CtrXor { keys, counter: Counter::new(s.narrow(), *counter, u32::MAX.into(), keys[0]) };
    let mut rest = data;
    let len = rest.source().len();
    if len >= Ghash::LONG_BYTES
        && let Some((state, table)) = ghash.state_and_table()
    {
        let batch = BATCH * S::V::BYTES;
        let (batches, after) = rest.split_at(len / batch * batch);
        s.perform(Fused { s, order, job: &mut job, state, table, batches });
        rest = after;
    }
    match order {
        Order::CipherFirst => {
            ctr::xor_all(s, &mut job, rest.again());
            ghash.update(rest.target());
        }
        Order::HashFirst => {
            ghash.update(rest.source());
            ctr::xor_all(s, &mut job, rest);
        }
    }
    *counter = job.counter.to_block();
}

/// Decryption to another place, past the caches if there are `stream_from` bytes. (Encryption reads back what it wrote, to hash it.)
pub(super) fn decrypt_into<S: AesSimd, const K: usize>(
    s: S,
    keys: &[Block; K],
    ghash: &mut Ghash,
    counter: &mut [u8; 16],
    text: Apart<'_>,
    stream_from: usize,
) {
    let Some(head) = text.head(stream_from) else {
        return crypt(s, keys, Order::HashFirst, ghash, counter, text);
    };
    let (head, text) = text.split_at(head);
    crypt(s, keys, Order::HashFirst, ghash, counter, head);
    unordered(|leave| crypt(s, keys, Order::HashFirst, ghash, counter, Streamed { text, leave }));
}

struct Fused<'a, 'k, S, T, const K: usize> {
    s: S,
    order: Order,
    job: &'a mut CtrXor<'k, K>,
    state: &'a mut [u8; 16],
    table: &'a Table,
    /// Whole batches, at least one.
    batches: T,
}

impl<S: AesSimd, T: Text, const K: usize> Task for Fused<'_, '_, S, T, K> {
    /// Encrypting, the first batches are encrypted before the loop, and the last ones hashed after it.
    #[inline(always)]
    fn run(self) {
        let Fused { s, order, job, state, table, mut batches } = self;
        let (size, len) = (BATCH * S::V::BYTES, batches.source().len());
        let mut sum = clmul::load_reversed(s.narrow(), state);
        let ahead = match order {
            Order::HashFirst => 0,
            Order::CipherFirst => usize::min(AHEAD * size, len),
        };
        all_of::<S, _, _, BATCH>(s, job, batches.again().split_at(ahead).0);
        let woven = len - ahead;
        for start in (0..woven).step_by(16 * POWERS) {
            let end = usize::min(start + 16 * POWERS, woven);
            let powers = table.last((end - start) / 16);
            let mut products = Products::zero(s);
            let mut carried = s.shift_in(sum, s.zero());
            for at in (start..end).step_by(size) {
                let hash = Steps::new(s, powers.after((at - start) / 16), carried);
                carried = s.zero();
                let (mut done, rest) = batches.again().split_at(at + ahead);
                let ciphertext = if ahead == 0 { None } else { Some(&done.target()[at..][..size]) };
                let (batch, _) = rest.split_at(size);
                fused_batch(s, job, hash, &mut products, batch, ciphertext);
            }
            sum = products.reduce(s);
        }
        if ahead > 0 {
            sum = clmul::absorb_run(s, table, sum, batches.target()[woven..].as_chunks().0);
        }
        clmul::store_reversed(s.narrow(), sum, state);
    }
}

/// The key stream onto `batch`, and the hash of `ciphertext`, or of `batch` as it was.
///
/// The vector units bound this loop (four on Zen 3, two of which do AES). For 256 bytes under a 256-bit key there are 112 AES instructions, 24
/// multiplications of five operations each, and 66 more: 8 for counters, 8 for the data, 8 to reverse bytes, 12 for sums of halves, 24 to add
/// products, the rest shared reductions: about 300 operations, 75 cycles. So the steps of the hash are spread evenly over all rounds: collected
/// in some, they leave two of the four units idle in the others.
#[inline(always)]
fn fused_batch<S: AesSimd, T: Text, const K: usize>(
    s: S,
    job: &mut CtrXor<'_, K>,
    mut hash: Steps<'_, S>,
    products: &mut Products<S>,
    batch: T,
    ciphertext: Option<&[u8]>,
) {
    let keys = job.keys;
    let mut x = job.counter.take::<S, BATCH>(s);
    let text = ciphertext.unwrap_or(batch.source());
    // A macro: a loop of this length would not be unrolled, and the places of the steps not be constants.
    macro_rules! half_rounds {
        ($($half:literal)*) => { $(
            if $half < 2 * (K - 2) {
                let key = s.repeat(keys[1 + $half / 2]);
                for x in &mut x[$half % 2 * 4..][..4] {
                    *x = s.enc(*x, key);
                }
                let step = |half: usize| half * Steps::<S>::COUNT / (2 * (K - 2));
                if step($half + 1) > step($half) {
                    hash.step(step($half), text, products);
                }
                s.tie(&mut x, products.sums());
            }
        )* };
    }
    half_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
    ctr::xor_last(s, keys, x, batch);
}

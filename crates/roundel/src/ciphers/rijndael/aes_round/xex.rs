//! XEX, the inside of XTS, fused: eight registers of tweaks wait in memory, and their successors are made between the rounds.
//!
//! Tweaks are little-endian polynomials modulo x^128 + x^7 + x^2 + x + 1 (IEEE 1619, 5.2). A batch of eight registers moves on by as many bytes as
//! a register has blocks: the bytes that leave at the top come back as their carry-less product with 0x87.

use super::{BATCH, Direction, load, rounds};
use crate::simd::{Aes, AesSimd, Block, Simd, Task, Vector};

/// The bytes of a tweak moved up by `n`, zeros below.
const fn bytes_up(n: usize) -> [u8; 16] {
    let mut index = [0x80; 16];
    let mut i = n;
    while i < 16 {
        index[i] = (i - n) as u8;
        i += 1;
    }
    index
}

/// The top `n` bytes of a tweak moved to the bottom, zeros above.
const fn top_bytes(n: usize) -> [u8; 16] {
    let mut index = [0x80; 16];
    let mut i = 0;
    while i < n {
        index[i] = (16 - n + i) as u8;
        i += 1;
    }
    index
}

/// The longest register.
const MAX_BYTES: usize = 64;

/// x^7 + x^2 + x + 1.
const FEEDBACK: u64 = 0x87;

/// Times x^BITS; `REST` is 64 - `BITS`.
#[inline(always)]
fn times_x<S: AesSimd, const BITS: i32, const REST: i32>(s: S, tweak: S::V) -> S::V {
    let out = tweak.shr64::<REST>();
    tweak.shl64::<BITS>() ^ s.zero().unpack_lo64(out) ^ s.clmul_hi_lo(out, s.splat64(FEEDBACK))
}

/// The tweaks of the next batch: times x^8 for each block that a register holds.
#[inline(always)]
fn next_batch<S: AesSimd>(s: S, tweak: S::V) -> S::V {
    let bytes = S::V::BYTES / 16;
    let out = tweak.shuffle8(s.broadcast128(&top_bytes(bytes)));
    tweak.shuffle8(s.broadcast128(&bytes_up(bytes))) ^ s.clmul_lo(out, s.splat64(FEEDBACK))
}

/// The first register of a unit's tweaks.
#[inline(always)]
fn first_register<S: AesSimd>(s: S, first: Block) -> S::V {
    let mut register = s.repeat(first);
    for _ in 1..S::V::BYTES / 16 {
        // One more part is right each time.
        register = s.shift_in(first, times_x::<S, 1, 63>(s, register));
    }
    register
}

/// Register `i` of a unit's first batch, given those before it: no chain is longer than three.
#[inline(always)]
fn later_register<S: AesSimd>(s: S, made: &[S::V; BATCH], i: usize) -> S::V {
    match (i, S::V::BYTES) {
        (0, _) => made[0],
        (1, 16) => times_x::<S, 1, 63>(s, made[0]),
        (2..4, 16) => times_x::<S, 2, 62>(s, made[i - 2]),
        (_, 16) => times_x::<S, 4, 60>(s, made[i - 4]),
        (1, 32) => times_x::<S, 2, 62>(s, made[0]),
        (2..4, 32) => times_x::<S, 4, 60>(s, made[i - 2]),
        (_, 32) => times_x::<S, 8, 56>(s, made[i - 4]),
        (1, _) => times_x::<S, 4, 60>(s, made[0]),
        (2..4, _) => times_x::<S, 8, 56>(s, made[i - 2]),
        _ => times_x::<S, 16, 48>(s, made[i - 4]),
    }
}

/// The tweaks of a unit's first batch.
#[inline(always)]
fn first_batch<S: AesSimd>(s: S, first: Block) -> [S::V; BATCH] {
    let mut t = [first_register(s, first); BATCH];
    for i in 1..BATCH {
        t[i] = later_register(s, &t, i);
    }
    t
}

struct Xex<'a, S, D, const K: usize> {
    s: S,
    direction: D,
    keys: &'a [Block; K],
    tweaks: &'a mut [u8],
    unit_bytes: usize,
    blocks: &'a mut [u8],
}

pub(super) fn crypt<S: AesSimd, D: Direction, const K: usize>(
    s: S,
    direction: D,
    keys: &[Block; K],
    tweaks: &mut [u8],
    unit_bytes: usize,
    blocks: &mut [u8],
) {
    s.perform(Xex { s, direction, keys, tweaks, unit_bytes, blocks });
}

impl<S: AesSimd, D: Direction, const K: usize> Task for Xex<'_, S, D, K> {
    #[inline(always)]
    fn run(self) {
        let Xex { s, direction, keys, tweaks, unit_bytes, blocks } = self;
        let one = s.narrow();
        let tweaks = tweaks.as_chunks_mut::<16>().0;
        let Some(first) = tweaks.first() else { return };
        let mut t = first_batch(s, one.load(first));
        for (at, unit) in blocks.chunks_mut(unit_bytes).enumerate() {
            let next_unit = tweaks.get(at + 1).map_or(one.zero(), |next| one.load(next));
            let Some(tweak) = tweaks.get_mut(at) else { return };
            let whole_batches = unit.len().is_multiple_of(BATCH * S::V::BYTES);
            let (bulk, last) = unit.split_at_mut(last_batch_of(unit.len(), BATCH * S::V::BYTES));
            for batch in bulk.chunks_exact_mut(BATCH * S::V::BYTES) {
                t = full_batch(s, direction, keys, t, SameUnit, batch);
            }
            if whole_batches {
                store_first(s, next_batch(s, t[0]), tweak);
                t = full_batch(s, direction, keys, t, NextUnit(first_register(s, next_unit)), last);
            } else {
                partial_batch(s, direction, keys, t, last, tweak);
                t = first_batch(s, next_unit);
            }
        }
    }
}

/// Where a unit's last batch begins, whole or not.
fn last_batch_of(unit_bytes: usize, batch_bytes: usize) -> usize {
    unit_bytes.saturating_sub(1) / batch_bytes * batch_bytes
}

/// Keeps a register's first block.
#[inline(always)]
fn store_first<S: AesSimd>(_: S, register: S::V, block: &mut [u8; 16]) {
    let mut bytes = [0; MAX_BYTES];
    register.store(&mut bytes);
    block.copy_from_slice(&bytes[..16]);
}

/// What tweaks come after a batch.
trait After<S: AesSimd>: Copy {
    /// Register `i` of them, given this batch's and those that were made already.
    fn register(self, s: S, tweaks: &[S::V; BATCH], made: &[S::V; BATCH], i: usize) -> S::V;
}

/// Those of the same unit's next batch.
#[derive(Clone, Copy)]
struct SameUnit;

impl<S: AesSimd> After<S> for SameUnit {
    #[inline(always)]
    fn register(self, s: S, tweaks: &[S::V; BATCH], _: &[S::V; BATCH], i: usize) -> S::V {
        next_batch(s, tweaks[i])
    }
}

/// Those of another unit, whose first register this is.
#[derive(Clone, Copy)]
struct NextUnit<V>(V);

impl<S: AesSimd> After<S> for NextUnit<S::V> {
    #[inline(always)]
    fn register(self, s: S, _: &[S::V; BATCH], made: &[S::V; BATCH], i: usize) -> S::V {
        if i == 0 { self.0 } else { later_register(s, made, i) }
    }
}

/// One full batch; gives back the tweaks that come after.
#[inline(always)]
fn full_batch<S: AesSimd, D: Direction, const K: usize>(
    s: S,
    direction: D,
    keys: &[Block; K],
    tweaks: [S::V; BATCH],
    after: impl After<S>,
    batch: &mut [u8],
) -> [S::V; BATCH] {
    let mut x = [s.zero(); BATCH];
    for (i, x) in x.iter_mut().enumerate() {
        *x = s.load(&batch[i * S::V::BYTES..]) ^ tweaks[i];
    }
    let key = s.repeat(keys[0]);
    for x in x.iter_mut() {
        *x = *x ^ key;
    }
    let mut next = tweaks;
    for (i, key) in keys[1..K - 1].iter().enumerate() {
        let key = s.repeat(*key);
        for x in x.iter_mut() {
            *x = direction.round(s, *x, key);
        }
        if i < BATCH {
            next[i] = after.register(s, &tweaks, &next, i);
        }
    }
    finish(s, direction, keys, x, tweaks, batch);
    next
}

/// What is left of a unit after its full batches; `tweak` becomes the one that follows.
#[inline(always)]
fn partial_batch<S: AesSimd, D: Direction, const K: usize>(
    s: S,
    direction: D,
    keys: &[Block; K],
    tweaks: [S::V; BATCH],
    rest: &mut [u8],
    tweak: &mut [u8; 16],
) {
    let mut bytes = [0; MAX_BYTES * BATCH];
    for (i, t) in tweaks.into_iter().enumerate() {
        t.store(&mut bytes[i * S::V::BYTES..]);
    }
    let mut at = 0;
    at = tail::<S, D, K, 4>(s, direction, keys, &bytes, rest, at);
    at = tail::<S, D, K, 2>(s, direction, keys, &bytes, rest, at);
    at = tail::<S, D, K, 1>(s, direction, keys, &bytes, rest, at);
    at = tail::<Aes, D, K, 2>(s.narrow(), direction, keys, &bytes, rest, at);
    at = tail::<Aes, D, K, 1>(s.narrow(), direction, keys, &bytes, rest, at);
    tweak.copy_from_slice(&bytes[at..at + 16]);
}

/// Where whole `N` registers are left after `at`, their blocks; gives back where to go on.
#[inline(always)]
fn tail<S: AesSimd, D: Direction, const K: usize, const N: usize>(
    s: S,
    direction: D,
    keys: &[Block; K],
    tweaks: &[u8; MAX_BYTES * BATCH],
    rest: &mut [u8],
    at: usize,
) -> usize {
    let end = at + N * S::V::BYTES;
    if end > rest.len() || end > tweaks.len() {
        return at;
    }
    let tweaks = load::<S, N>(s, &tweaks[at..end]);
    let blocks = &mut rest[at..end];
    let mut x = load::<S, N>(s, blocks);
    for (x, tweak) in x.iter_mut().zip(tweaks) {
        *x = *x ^ tweak;
    }
    rounds(s, direction, keys, &mut x);
    finish(s, direction, keys, x, tweaks, blocks);
    end
}

/// The last round, with the tweaks in the round key.
#[inline(always)]
fn finish<S: AesSimd, D: Direction, const N: usize, const K: usize>(
    s: S,
    direction: D,
    keys: &[Block; K],
    x: [S::V; N],
    tweaks: [S::V; N],
    blocks: &mut [u8],
) {
    let last = s.repeat(keys[K - 1]);
    for i in 0..N {
        direction.last(s, x[i], last ^ tweaks[i]).store(&mut blocks[i * S::V::BYTES..]);
    }
}

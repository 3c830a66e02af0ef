//! One block in each 128 bits of a register, four registers at once.
//!
//! * **Keys**: a subkey is split into its bytes at the X places and at the A places, zero elsewhere, so that one exclusive or and one
//!   addition do all of it.
//! * **S-boxes**: exponentials are wanted at eight of a block's bytes and logarithms at the other eight, so two registers are sorted into one of X
//!   bytes and one of A bytes, looked up whole (`simd::table`) and merged again.
//! * **Linear layer**: with y = x + (x with the members of each pair exchanged), the transform is y + (x's first members). A layer's shuffle is
//!   merged into the next layer's two operands.

use super::schedule::Subkeys;
use super::tables::{EXP, LOG, MAX_SUBKEYS, SHUFFLE, UNSHUFFLE, is_x_place};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Ssse3};
use crate::simd::{Level, Simd, Vector, table};
use crate::{Kernel, Memory, Strategy, Timing};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Registers in flight: pairs of them share look-ups, and two pairs hide the latency of the linear layer.
const REGISTERS: usize = 4;

const fn strategy(
    name: &'static str,
    needs: Level,
    build: fn(&[u8]) -> Box<dyn Kernel>,
    blocks: usize,
) -> Strategy {
    Strategy {
        name,
        summary: "a block in each 128 bits, S-boxes by shuffles",
        needs,
        timing: Timing::Constant,
        memory: Memory { per_key: size_of::<SplitKeys>(), shared: 512 },
        batch_blocks: REGISTERS * blocks,
        build,
    }
}

pub(super) const LANES_128: Strategy =
    strategy("lanes-128", Level::Ssse3, |key| Lanes::<Ssse3>::boxed(key), 1);
pub(super) const LANES_256: Strategy = strategy("lanes-256", Level::Avx2, |key| Lanes::<Avx2>::boxed(key), 2);

/// Each subkey as (bytes to XOR, bytes to add), in the interface's byte order; zero where the other applies.
#[derive(Zeroize, ZeroizeOnDrop)]
struct SplitKeys {
    keys: [[[u8; 16]; 2]; MAX_SUBKEYS],
    rounds: usize,
}

impl SplitKeys {
    fn new(key: &[u8]) -> Self {
        let subkeys = Subkeys::new(key);
        let mut split = SplitKeys { keys: [[[0; 16]; 2]; MAX_SUBKEYS], rounds: subkeys.rounds().len() };
        let all = subkeys.rounds().as_flattened().iter().chain([subkeys.last()]);
        for (i, (to, subkey)) in split.keys.iter_mut().zip(all).enumerate() {
            // P of a round (and of the output) is XORed at the X places, Q is added there.
            let xor_at_x = i % 2 == 0;
            for (j, &byte) in subkey.iter().enumerate() {
                to[usize::from(is_x_place(j) != xor_at_x)][15 - j] = byte;
            }
        }
        split
    }
}

struct Lanes<S> {
    simd: S,
    keys: SplitKeys,
}

/// A byte shuffle from a table of sources in the designers' order, for registers in the interface's (reversed) order.
const fn reversed(from: [usize; 16]) -> [u8; 16] {
    let mut out = [0; 16];
    let mut j = 0;
    while j < 16 {
        out[15 - j] = 15 - from[j] as u8;
        j += 1;
    }
    out
}

/// The same, of the partner of each source in its pair.
const fn partners(from: [usize; 16]) -> [u8; 16] {
    let mut swapped = from;
    let mut j = 0;
    while j < 16 {
        swapped[j] = from[j ^ 1];
        j += 1;
    }
    reversed(swapped)
}

const IDENTITY: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Ones at the first (or second) member of each pair, designers' order reversed.
const FIRST: [u8; 16] = [0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255];
const SECOND: [u8; 16] = [255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0];

/// Top bits at the X places, reversed (the pattern is its own mirror image).
const X_PLACES: [u8; 16] = [255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255];

/// Exchanges X and A places: byte 0 with 1, 2 with 3.
const EXCHANGE: [u8; 16] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];

impl<S: Simd> Lanes<S> {
    fn boxed(key: &[u8]) -> Box<dyn Kernel> {
        let simd = S::detect().expect("the strategy is only built where its level is available");
        Box::new(Lanes { simd, keys: SplitKeys::new(key) })
    }

    /// S-boxes on a pair of registers: one table at the X places, the other at the A places.
    #[inline(always)]
    fn substitute(&self, pair: &mut [S::V; 2], at_x: &[u8; 256], at_a: &[u8; 256]) {
        let s = self.simd;
        let places = s.broadcast128(&X_PLACES);
        let exchange = s.broadcast128(&EXCHANGE);
        let [first, second] = *pair;
        // X bytes of the first where they are, those of the second at the first's A places; and the other way round.
        let second = second.shuffle8(exchange);
        let x = table::look_up(s, at_x, second.select8(first, places));
        let a = table::look_up(s, at_a, first.select8(second, places));
        *pair = [a.select8(x, places), x.select8(a, places).shuffle8(exchange)];
    }

    #[inline(always)]
    fn linear(&self, x: S::V) -> S::V {
        let s = self.simd;
        let first = s.broadcast128(&FIRST);
        let layer = |x: S::V, partner: S::V| x.add8(partner).add8(x & first);
        let partner = x.shuffle8(s.broadcast128(&const { partners(IDENTITY) }));
        let straight = s.broadcast128(&const { reversed(SHUFFLE) });
        let crossed = s.broadcast128(&const { partners(SHUFFLE) });
        (0..3).fold(layer(x, partner), |y, _| layer(y.shuffle8(straight), y.shuffle8(crossed)))
    }

    /// The inverse transform of a pair is (a - b, 2b - a): x minus the partner, and the second members once more.
    #[inline(always)]
    fn inverse_linear(&self, x: S::V) -> S::V {
        let s = self.simd;
        let second = s.broadcast128(&SECOND);
        let layer = |x: S::V, partner: S::V| x.sub8(partner).add8(x & second);
        let partner = x.shuffle8(s.broadcast128(&const { partners(IDENTITY) }));
        let straight = s.broadcast128(&const { reversed(UNSHUFFLE) });
        let crossed = s.broadcast128(&const { partners(UNSHUFFLE) });
        (0..3).fold(layer(x, partner), |y, _| layer(y.shuffle8(straight), y.shuffle8(crossed)))
    }

    #[inline(always)]
    fn encrypt_batch(&self, batch: &mut [S::V; REGISTERS]) {
        let s = self.simd;
        let (rounds, [last, ..]) = self.keys.keys.split_at(2 * self.keys.rounds) else {
            unreachable!("an output key follows the rounds' keys")
        };
        for [p, q] in rounds.as_chunks().0 {
            *batch = batch.map(|x| (x ^ s.broadcast128(&p[0])).add8(s.broadcast128(&p[1])));
            batch.as_chunks_mut().0.iter_mut().for_each(|pair| self.substitute(pair, &EXP, &LOG));
            *batch = batch.map(|x| (x ^ s.broadcast128(&q[0])).add8(s.broadcast128(&q[1])));
            *batch = batch.map(|x| self.linear(x));
        }
        *batch = batch.map(|x| (x ^ s.broadcast128(&last[0])).add8(s.broadcast128(&last[1])));
    }

    #[inline(always)]
    fn decrypt_batch(&self, batch: &mut [S::V; REGISTERS]) {
        let s = self.simd;
        let (rounds, [last, ..]) = self.keys.keys.split_at(2 * self.keys.rounds) else {
            unreachable!("an output key follows the rounds' keys")
        };
        *batch = batch.map(|x| x.sub8(s.broadcast128(&last[1])) ^ s.broadcast128(&last[0]));
        for [p, q] in rounds.as_chunks().0.iter().rev() {
            *batch = batch.map(|x| self.inverse_linear(x));
            *batch = batch.map(|x| x.sub8(s.broadcast128(&q[1])) ^ s.broadcast128(&q[0]));
            batch.as_chunks_mut().0.iter_mut().for_each(|pair| self.substitute(pair, &LOG, &EXP));
            *batch = batch.map(|x| x.sub8(s.broadcast128(&p[1])) ^ s.broadcast128(&p[0]));
        }
    }

    /// Whole batches where they stand; the rest in a batch of its own.
    #[inline(always)]
    fn run(&self, blocks: &mut [u8], work: impl Fn(&Self, &mut [S::V; REGISTERS])) {
        let batch_bytes = REGISTERS * S::V::BYTES;
        let mut batches = blocks.chunks_exact_mut(batch_bytes);
        for batch in &mut batches {
            self.run_batch(batch, &work);
        }
        let rest = batches.into_remainder();
        let whole = rest.len() / 16 * 16;
        if whole != 0 {
            let mut padded = [0; REGISTERS * 32];
            padded[..whole].copy_from_slice(&rest[..whole]);
            self.run_batch(&mut padded[..batch_bytes], &work);
            rest[..whole].copy_from_slice(&padded[..whole]);
        }
    }

    #[inline(always)]
    fn run_batch(&self, bytes: &mut [u8], work: &impl Fn(&Self, &mut [S::V; REGISTERS])) {
        let mut batch = std::array::from_fn(|i| self.simd.load(&bytes[i * S::V::BYTES..]));
        work(self, &mut batch);
        for (part, x) in bytes.chunks_exact_mut(S::V::BYTES).zip(batch) {
            x.store(part);
        }
    }
}

impl<S: Simd> Kernel for Lanes<S> {
    fn encrypt(&self, blocks: &mut [u8]) {
        self.simd.enter(
            #[inline(always)]
            || {
                self.run(
                    blocks,
                    #[inline(always)]
                    |this, batch| this.encrypt_batch(batch),
                )
            },
        );
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.simd.enter(
            #[inline(always)]
            || {
                self.run(
                    blocks,
                    #[inline(always)]
                    |this, batch| this.decrypt_batch(batch),
                )
            },
        );
    }
}

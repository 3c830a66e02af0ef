//! One block in each 128 bits of a register, in pairs of registers, two pairs at once.
//!
//! * **Keys**: one exclusive or and one addition do all of a subkey (`split_keys.rs`).
//! * **S-boxes**: exponentials are wanted at eight of a block's bytes and logarithms at the other eight, so two registers are sorted into one of X
//!   bytes and one of A bytes, looked up whole (`simd::table`) and merged again.
//! * **Linear layer**: with y = x + (x with the members of each pair exchanged), the transform is y + (x's first members). A layer's shuffle is
//!   merged into the next layer's two operands.

use super::split_keys::{SplitKey, SplitKeys, X_PLACES};
use super::tables::{EXP, LOG, SHUFFLE, UNSHUFFLE};
use crate::ciphers::words::in_batches;
use crate::simd::{Avx2, Level, Simd, Ssse3, Vector, table};
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};

const fn strategy(name: &'static str, needs: Level, keying: Keying, batch_blocks: usize) -> Strategy {
    Strategy {
        name,
        summary: "a block in each 128 bits, S-boxes by shuffles",
        needs,
        timing: Timing::Constant,
        memory: Memory { per_key: size_of::<SplitKeys>(), shared: 512 },
        batch_blocks,
        keying,
    }
}

pub(super) const LANES_128: Strategy =
    strategy("lanes-128", Level::Ssse3, keying!(|key| Lanes::<Ssse3, 64, 32>::new(key)), 4);
pub(super) const LANES_256: Strategy =
    strategy("lanes-256", Level::Avx2, keying!(|key| Lanes::<Avx2, 128, 64>::new(key)), 8);

/// Batches of `BATCH` bytes: two pairs of registers; few blocks go in batches of one pair, `PAIR` bytes.
struct Lanes<S, const BATCH: usize, const PAIR: usize> {
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

/// Exchanges X and A places: byte 0 with 1, 2 with 3.
const EXCHANGE: [u8; 16] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];

impl<S: Simd, const BATCH: usize, const PAIR: usize> Lanes<S, BATCH, PAIR> {
    fn new(key: &[u8]) -> Self {
        let simd = S::detect().expect("the strategy is only built where its level is available");
        let narrow = Ssse3::detect().expect("part of every level that a strategy here needs");
        Lanes { simd, keys: SplitKeys::new(narrow, key) }
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

    /// x + partner + the first members: (2a + b, a + b) of each pair.
    #[inline(always)]
    fn pht(&self, x: S::V, partner: S::V) -> S::V {
        x.add8(partner).add8(x & self.simd.broadcast128(&FIRST))
    }

    /// x - partner + the second members: (a - b, 2b - a) of each pair.
    #[inline(always)]
    fn inverse_pht(&self, x: S::V, partner: S::V) -> S::V {
        x.sub8(partner).add8(x & self.simd.broadcast128(&SECOND))
    }

    #[inline(always)]
    fn linear(&self, x: S::V) -> S::V {
        let s = self.simd;
        let straight = s.broadcast128(&const { reversed(SHUFFLE) });
        let crossed = s.broadcast128(&const { partners(SHUFFLE) });
        let mut y = self.pht(x, x.shuffle8(s.broadcast128(&const { partners(IDENTITY) })));
        for _ in 0..3 {
            y = self.pht(y.shuffle8(straight), y.shuffle8(crossed));
        }
        y
    }

    #[inline(always)]
    fn inverse_linear(&self, x: S::V) -> S::V {
        let s = self.simd;
        let straight = s.broadcast128(&const { reversed(UNSHUFFLE) });
        let crossed = s.broadcast128(&const { partners(UNSHUFFLE) });
        let mut y = self.inverse_pht(x, x.shuffle8(s.broadcast128(&const { partners(IDENTITY) })));
        for _ in 0..3 {
            y = self.inverse_pht(y.shuffle8(straight), y.shuffle8(crossed));
        }
        y
    }

    #[inline(always)]
    fn add_key(&self, x: &mut S::V, [xor, add]: &SplitKey) {
        *x = (*x ^ self.simd.broadcast128(xor)).add8(self.simd.broadcast128(add));
    }

    #[inline(always)]
    fn remove_key(&self, x: &mut S::V, [xor, add]: &SplitKey) {
        *x = x.sub8(self.simd.broadcast128(add)) ^ self.simd.broadcast128(xor);
    }

    #[inline(always)]
    fn encrypt_batch<const N: usize>(&self, bytes: &mut [u8]) {
        let mut batch = self.load::<N>(bytes);
        for [p, q] in self.keys.rounds() {
            for pair in &mut batch {
                for x in pair.iter_mut() {
                    self.add_key(x, p);
                }
                self.substitute(pair, &EXP, &LOG);
                for x in pair {
                    self.add_key(x, q);
                    *x = self.linear(*x);
                }
            }
        }
        for x in batch.as_flattened_mut() {
            self.add_key(x, self.keys.last());
        }
        self.store(batch, bytes);
    }

    #[inline(always)]
    fn decrypt_batch<const N: usize>(&self, bytes: &mut [u8]) {
        let mut batch = self.load::<N>(bytes);
        for x in batch.as_flattened_mut() {
            self.remove_key(x, self.keys.last());
        }
        for [p, q] in self.keys.rounds().iter().rev() {
            for pair in &mut batch {
                for x in pair.iter_mut() {
                    *x = self.inverse_linear(*x);
                    self.remove_key(x, q);
                }
                self.substitute(pair, &LOG, &EXP);
                for x in pair {
                    self.remove_key(x, p);
                }
            }
        }
        self.store(batch, bytes);
    }

    /// N pairs of registers.
    #[inline(always)]
    fn load<const N: usize>(&self, bytes: &[u8]) -> [[S::V; 2]; N] {
        let mut batch = [[self.simd.zero(); 2]; N];
        for (i, x) in batch.as_flattened_mut().iter_mut().enumerate() {
            *x = self.simd.load(&bytes[i * S::V::BYTES..]);
        }
        batch
    }

    #[inline(always)]
    fn store<const N: usize>(&self, batch: [[S::V; 2]; N], bytes: &mut [u8]) {
        for (i, x) in batch.as_flattened().iter().enumerate() {
            x.store(&mut bytes[i * S::V::BYTES..]);
        }
    }
}

impl<S: Simd, const BATCH: usize, const PAIR: usize> Kernel for Lanes<S, BATCH, PAIR> {
    fn encrypt(&self, blocks: &mut [u8]) {
        self.simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| self.encrypt_batch::<2>(batch),
                    PAIR,
                    #[inline(always)]
                    |few| {
                        in_batches::<PAIR>(
                            few,
                            #[inline(always)]
                            |pair| self.encrypt_batch::<1>(pair),
                            0,
                            |_| (),
                        )
                    },
                );
            },
        );
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| self.decrypt_batch::<2>(batch),
                    PAIR,
                    #[inline(always)]
                    |few| {
                        in_batches::<PAIR>(
                            few,
                            #[inline(always)]
                            |pair| self.decrypt_batch::<1>(pair),
                            0,
                            |_| (),
                        )
                    },
                );
            },
        );
    }
}

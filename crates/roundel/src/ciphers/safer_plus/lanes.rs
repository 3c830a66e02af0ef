//! One block in each 128 bits of a register, in pairs of registers, two pairs at once.
//!
//! * **Keys**: a subkey is split into its bytes at the X places and at the A places, zero elsewhere, so that one exclusive or and one
//!   addition do all of it.
//! * **S-boxes**: exponentials are wanted at eight of a block's bytes and logarithms at the other eight, so two registers are sorted into one of X
//!   bytes and one of A bytes, looked up whole (`simd::table`) and merged again.
//! * **Linear layer**: with y = x + (x with the members of each pair exchanged), the transform is y + (x's first members). A layer's shuffle is
//!   merged into the next layer's two operands.

use super::schedule::Subkeys;
use super::tables::{EXP, LOG, MAX_SUBKEYS, SHUFFLE, UNSHUFFLE};
use crate::ciphers::words::in_batches;
use crate::simd::{Avx2, Level, Simd, Ssse3, Vector, table};
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

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

/// A subkey as the bytes to XOR and the bytes to add, in the interface's byte order; zero where the other applies.
type SplitKey = [[u8; 16]; 2];

#[derive(Zeroize, ZeroizeOnDrop)]
struct SplitKeys {
    keys: [SplitKey; MAX_SUBKEYS],
    rounds: usize,
}

impl SplitKeys {
    fn new(key: &[u8]) -> Self {
        let subkeys = Subkeys::new(key);
        let mut split = SplitKeys { keys: [[[0; 16]; 2]; MAX_SUBKEYS], rounds: subkeys.rounds().len() };
        let all = subkeys.rounds().as_flattened().iter().chain([subkeys.last()]);
        for (i, (to, subkey)) in split.keys.iter_mut().zip(all).enumerate() {
            // P of a round (and of the output) is XORed at the X places, Q is added there.
            let at_x = u128::from_le_bytes(X_PLACES);
            let subkey = u128::from_be_bytes(*subkey);
            let (x, a) = ((subkey & at_x).to_le_bytes(), (subkey & !at_x).to_le_bytes());
            *to = if i % 2 == 0 { [x, a] } else { [a, x] };
        }
        split
    }

    /// P and Q of each round.
    fn rounds(&self) -> &[[SplitKey; 2]] {
        self.keys[..2 * self.rounds].as_chunks().0
    }

    /// P of the output transformation.
    fn last(&self) -> &SplitKey {
        &self.keys[2 * self.rounds]
    }
}

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

/// Top bits at the X places, reversed (the pattern is its own mirror image).
const X_PLACES: [u8; 16] = [255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255];

/// Exchanges X and A places: byte 0 with 1, 2 with 3.
const EXCHANGE: [u8; 16] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];

impl<S: Simd, const BATCH: usize, const PAIR: usize> Lanes<S, BATCH, PAIR> {
    fn new(key: &[u8]) -> Self {
        let simd = S::detect().expect("the strategy is only built where its level is available");
        Lanes { simd, keys: SplitKeys::new(key) }
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

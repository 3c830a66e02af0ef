//! The cost model. A message of n blocks under a kept key takes
//!
//! ```text
//! n <= B:  the measured time of a message that short, interpolated between the lengths in KNOTS
//! n >  B:  call + (n / B) batch + tail(n mod B),   tail(r) = time of a message of r blocks - call
//! ```
//!
//! where B is the strategy's batch. A key adds its set-up; tables that left the caches add what it takes to get them back. A message
//! longer than the caches goes at most at the memory's rate, shared by all threads; starting a thread costs what was measured.

use super::data::{OPERATIONS, Operation};
use crate::{CIPHERS, Cipher};

/// Lengths in blocks at which short messages are measured: 1, 2, 3, 4, 6, 8, ... as far as the batch goes.
pub const KNOTS: [u32; 15] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192];

/// A model's rates are kept for so many threads; further ones are extrapolated.
pub const MAX_CORES: usize = 64;

/// The longest message, in blocks, whose excess under a fresh key is told apart from one of a single block.
const WARM_BLOCKS: f64 = 16.0;

/// Costs of one operation of one strategy under one length of key, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// The key: what a message of one block under a fresh key takes more than under a kept one.
    pub setup_ns: f32,
    /// What 16 blocks under a fresh key take more beside `setup_ns`: key-dependent tables are not in the nearest cache yet.
    pub warm_ns: f32,
    /// What the first message takes more when tables and code have left the nearer caches.
    pub cold_ns: f32,
    /// Per message, beside its batches.
    pub call_ns: f32,
    /// Blocks in a batch; 1 for serial operations.
    pub batch_blocks: u32,
    /// Per batch.
    pub batch_ns: f32,
    /// Time of a message of as many blocks as [`KNOTS`] says, those shorter than a batch; 1 block always.
    pub short_ns: [f32; KNOTS.len()],
}

impl Curve {
    /// Nanoseconds of a message of this many blocks under a kept key, everything in the caches.
    #[inline]
    pub fn message_ns(&self, blocks: u64) -> f64 {
        let batch = u64::from(self.batch_blocks);
        if blocks <= batch {
            return self.short(blocks as u32);
        }
        let (batches, tail) = (blocks / batch, (blocks % batch) as u32);
        let tail_ns = if tail == 0 { 0.0 } else { (self.short(tail) - f64::from(self.call_ns)).max(0.0) };
        f64::from(self.call_ns) + batches as f64 * f64::from(self.batch_ns) + tail_ns
    }

    /// The same for at most a batch.
    #[inline]
    fn short(&self, blocks: u32) -> f64 {
        if blocks == 0 {
            return f64::from(self.call_ns).max(0.0);
        }
        let index = knot_below(blocks);
        let (low, low_ns) = (KNOTS[index], f64::from(self.short_ns[index]));
        if blocks == low && (low < self.batch_blocks || low == 1) {
            return low_ns;
        }
        let whole_ns = f64::from(self.call_ns) + f64::from(self.batch_ns);
        let (high, high_ns) = match KNOTS.get(index + 1) {
            Some(&knot) if knot < self.batch_blocks => (knot, f64::from(self.short_ns[index + 1])),
            _ => (self.batch_blocks, whole_ns),
        };
        if blocks >= high {
            return whole_ns;
        }
        low_ns + (high_ns - low_ns) * f64::from(blocks - low) / f64::from(high - low)
    }

    /// What a fresh key adds to a message of this many blocks.
    #[inline]
    pub fn key_ns(&self, blocks: u64) -> f64 {
        f64::from(self.setup_ns) + f64::from(self.warm_ns) * (blocks as f64).min(WARM_BLOCKS) / WARM_BLOCKS
    }

    /// Nanoseconds per block of long messages.
    #[inline]
    pub fn block_ns(&self) -> f64 {
        f64::from(self.batch_ns) / f64::from(self.batch_blocks)
    }

    /// Half-way between two, for a length of key that was not measured.
    fn between(&self, other: &Curve) -> Curve {
        let mean = |a: f32, b: f32| (a + b) / 2.0;
        let mut short_ns = self.short_ns;
        for (own, other) in short_ns.iter_mut().zip(other.short_ns) {
            *own = mean(*own, other);
        }
        Curve {
            setup_ns: mean(self.setup_ns, other.setup_ns),
            warm_ns: mean(self.warm_ns, other.warm_ns),
            cold_ns: mean(self.cold_ns, other.cold_ns),
            call_ns: mean(self.call_ns, other.call_ns),
            batch_blocks: self.batch_blocks,
            batch_ns: mean(self.batch_ns, other.batch_ns),
            short_ns,
        }
    }
}

/// The last of [`KNOTS`] that is not above this count of blocks: two for each doubling.
#[inline]
fn knot_below(blocks: u32) -> usize {
    let log = blocks.ilog2();
    if log == 0 {
        return 0;
    }
    let half = (blocks >> (log - 1)) & 1;
    ((2 * log - 1 + half) as usize).min(KNOTS.len() - 1)
}

/// Costs of a strategy under one length of key, by [`Operation`].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Costs {
    curves: [Option<Curve>; OPERATIONS.len()],
}

impl Costs {
    /// The operation's, if it was measured.
    #[inline]
    pub fn curve(&self, operation: Operation) -> Option<&Curve> {
        self.curves[operation as usize].as_ref()
    }

    /// Sets the operation's.
    pub fn set(&mut self, operation: Operation, curve: Curve) {
        self.curves[operation as usize] = Some(curve);
    }

    fn between(&self, other: &Costs) -> Costs {
        let mut costs = Costs::default();
        for operation in OPERATIONS {
            if let (Some(a), Some(b)) = (self.curve(operation), other.curve(operation)) {
                costs.set(operation, a.between(b));
            }
        }
        costs
    }
}

/// Lengths of key at which costs are kept; others take the nearest.
const KEY_BYTES: [usize; 3] = [16, 24, 32];

/// Costs of a cipher: by length of key, then in the order of its strategies.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CipherCosts {
    by_key: [Vec<Option<Costs>>; KEY_BYTES.len()],
}

/// What does not depend on the cipher. Rates are for 1, 2, ... threads; where the lists end, the last entry is extrapolated.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Starting one more thread and waiting for its end.
    pub thread_start_ns: f32,
    /// How much faster than one thread so many are, memory aside: 1.0 first.
    pub speed_up: Vec<f32>,
    /// Nanoseconds per byte that all threads together need for reading and writing main memory in place.
    pub memory_byte_ns: Vec<f32>,
    /// Messages up to this length run from the caches.
    pub near_bytes: u64,
    /// Messages from this length on run from main memory.
    pub far_bytes: u64,
}

impl Machine {
    /// The speed-up of so many threads. Beyond the cores that were measured each further one gains what the last did: extrapolated.
    pub fn speed_up(&self, threads: usize) -> f64 {
        match (self.speed_up.get(threads.saturating_sub(1)), self.speed_up.last()) {
            (Some(&known), _) => f64::from(known),
            (None, Some(&last)) => f64::from(last) * threads as f64 / self.speed_up.len() as f64,
            (None, None) => threads as f64,
        }
    }

    /// Nanoseconds per byte of main memory for so many threads. Beyond the measured cores the memory gains nothing: a limit that is on
    /// the safe side where sockets or channels would add some.
    pub fn memory_byte_ns(&self, threads: usize) -> f64 {
        let index = threads.clamp(1, self.memory_byte_ns.len().max(1)) - 1;
        self.memory_byte_ns.get(index).map_or(0.0, |&ns| f64::from(ns))
    }

    /// The share of a message that comes from main memory, 0 to 1, growing with the logarithm between the two lengths.
    pub fn far_share(&self, bytes: u64) -> f64 {
        if bytes <= self.near_bytes || self.far_bytes <= self.near_bytes {
            return if bytes >= self.far_bytes { 1.0 } else { 0.0 };
        }
        let log = |bytes: u64| (bytes.max(1) as f64).log2();
        ((log(bytes) - log(self.near_bytes)) / (log(self.far_bytes) - log(self.near_bytes))).min(1.0)
    }
}

/// What sealing a file takes beside its cipher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SealCosts {
    /// Opening, header, wrapping of the key: once.
    pub file_ns: f32,
    /// Reading and writing: per byte of one thread, beside the cipher.
    pub byte_ns: f32,
    /// How much faster two threads are, all in all.
    pub speed_up: f32,
}

/// The costs of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// In the order of [`CIPHERS`].
    ciphers: Vec<CipherCosts>,
    /// What does not depend on the cipher.
    pub machine: Machine,
    /// What sealing a file takes; `None` where it was not measured.
    pub seal: Option<SealCosts>,
    /// Median relative error of its predictions on lengths that it was not fitted to; 0 where none was measured.
    pub median_error: f32,
    /// The error that nine in ten of those stay under.
    pub most_error: f32,
    /// Whether it was measured on this machine, and not estimated from another.
    pub measured: bool,
}

impl Profile {
    /// A profile that knows nothing of any cipher.
    pub fn new(machine: Machine) -> Profile {
        let ciphers = vec![CipherCosts::default(); CIPHERS.len()];
        Profile { ciphers, machine, seal: None, median_error: 0.0, most_error: 0.0, measured: false }
    }

    /// Sets the costs of a strategy, by its place in the cipher's list, under a length of key that is one of 16, 24 and 32 bytes.
    /// Others are ignored.
    pub fn set(&mut self, cipher: &'static Cipher, strategy: usize, key_bytes: usize, costs: Costs) {
        let (Some(cipher_index), Some(key)) =
            (index_of(cipher), KEY_BYTES.iter().position(|&bytes| bytes == key_bytes))
        else {
            return;
        };
        let list = &mut self.ciphers[cipher_index].by_key[key];
        list.resize(cipher.strategies.len(), None);
        if let Some(slot) = list.get_mut(strategy) {
            *slot = Some(costs);
        }
    }

    /// Fills in 192-bit keys where only 128 and 256 bits were measured: half-way.
    pub fn fill_in(&mut self) {
        for cipher in &mut self.ciphers {
            let [low, middle, high] = &mut cipher.by_key;
            middle.resize(low.len().min(high.len()), None);
            for (slot, ends) in middle.iter_mut().zip(low.iter().zip(high.iter())) {
                if let (None, (Some(low), Some(high))) = (&slot, ends) {
                    *slot = Some(low.between(high));
                }
            }
        }
    }

    /// Costs of the cipher's strategies, in their order, under the nearest measured length of key; empty where nothing is known.
    #[inline]
    pub fn strategies(&self, cipher: &'static Cipher, key_bytes: usize) -> &[Option<Costs>] {
        let Some(index) = index_of(cipher) else { return &[] };
        let nearest = match key_bytes {
            0..=19 => [0, 1, 2],
            20..=27 => [1, 2, 0],
            _ => [2, 1, 0],
        };
        let lists = &self.ciphers[index].by_key;
        nearest.into_iter().map(|key| &lists[key][..]).find(|list| !list.is_empty()).unwrap_or(&[])
    }

    /// The costs that are kept for exactly this length of key.
    pub(super) fn exactly(&self, cipher_index: usize, key_bytes: usize) -> &[Option<Costs>] {
        let key = KEY_BYTES.iter().position(|&bytes| bytes == key_bytes);
        key.and_then(|key| Some(&self.ciphers.get(cipher_index)?.by_key[key][..])).unwrap_or(&[])
    }
}

/// The cipher's place in the registry.
#[inline]
fn index_of(cipher: &'static Cipher) -> Option<usize> {
    CIPHERS.iter().position(|known| std::ptr::eq(*known, cipher))
}

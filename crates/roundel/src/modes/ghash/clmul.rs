//! GHASH by carry-less multiplication, generic over the token: PCLMULQDQ, one block a register, or VPCLMULQDQ, two.
//!
//! Blocks are byte-reversed into little-endian numbers, so that the first bit, x^0, is on top. The product of two such numbers has
//! x^0 one place too low; H is therefore kept as H/x, and a power as H^n/x (Gueron and Kounavis, 2010). Products are summed
//! unreduced over a batch, by Karatsuba's rule with three multiplications a register, and reduced once.

use super::Ghash;
use crate::simd::{Aes, AesSimd, Block, Simd, Task, Vector};
use std::sync::Arc;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Powers in the table: a batch of eight 256-bit registers.
pub(crate) const POWERS: usize = 16;

/// The powers of H, the highest first: `powers[POWERS - n]` is H^n/x.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct Table {
    powers: [Block; POWERS],
    /// Each power's two halves added, in the low half.
    sums: [Block; POWERS],
}

pub(super) type SharedTable = Arc<Table>;

/// Byte shuffle indices that reverse a block.
const REVERSE: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
/// Byte shuffle indices that swap a block's halves.
const SWAP: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];
/// x^128 + x^7 + x^2 + x + 1 divided by x, top 64 bits: x^0 + x^1 + x^6.
const POLYNOMIAL: u64 = 0xC2 << 56;

/// Reversed, as all numbers here are kept in memory but the table's.
#[inline(always)]
pub(crate) fn store_reversed(s: Aes, number: Block, bytes: &mut [u8; 16]) {
    number.shuffle8(s.broadcast128(&REVERSE)).store(bytes);
}

/// The key for [`absorb`]: H/x. Where H has a term x^0, on top, the polynomial is added before all bits move up.
pub(super) fn key(s: Aes, h: &[u8; 16]) -> [u8; 16] {
    let mut key = [0; 16];
    s.enter(|| {
        let h = load_reversed(s, h);
        // Each half's top bit: the lower one is carried over, the upper one, in all 32-bit lanes, becomes a mask.
        let top = h.shr64::<63>();
        let mask = s.zero().sub32(top.shuffle8(s.broadcast128(&TOP_BIT_EVERYWHERE)));
        let polynomial = s.broadcast128(&(u128::from(POLYNOMIAL) << 64 | 1).to_le_bytes());
        let shifted = h.shl64::<1>() | s.zero().unpack_lo64(top);
        store_reversed(s, shifted ^ (polynomial & mask), &mut key);
    });
    key
}

/// Byte shuffle indices that copy byte 8 to the low byte of each 32-bit lane.
const TOP_BIT_EVERYWHERE: [u8; 16] = {
    let mut index = [0x80; 16];
    let mut lane = 0;
    while lane < 16 {
        index[lane] = 8;
        lane += 4;
    }
    index
};

/// The sum of both halves of each block, in both halves.
#[inline(always)]
fn sum_of_halves<S: AesSimd>(s: S, x: S::V) -> S::V {
    x ^ x.shuffle8(s.broadcast128(&SWAP))
}

/// Byte-reversed blocks.
#[inline(always)]
pub(crate) fn load_reversed<S: AesSimd>(s: S, bytes: &[u8]) -> S::V {
    s.load(bytes).shuffle8(s.broadcast128(&REVERSE))
}

/// A sum of unreduced products, each 128-bit part by itself.
pub(crate) struct Products<S: AesSimd> {
    low: S::V,
    /// Products of sums of halves: Karatsuba's middle term before low and high are added.
    middle: S::V,
    high: S::V,
}

impl<S: AesSimd> Products<S> {
    #[inline(always)]
    pub(crate) fn zero(s: S) -> Self {
        Products { low: s.zero(), middle: s.zero(), high: s.zero() }
    }

    /// Adds `x` times a power.
    #[inline(always)]
    fn add(&mut self, s: S, x: S::V, power: S::V, power_sum: S::V) {
        self.low = self.low ^ s.clmul_lo(x, power);
        self.high = self.high ^ s.clmul_hi(x, power);
        self.middle = self.middle ^ s.clmul_lo(sum_of_halves(s, x), power_sum);
    }

    /// Adds `x`, whose first block is the `n`-th from the end, times its powers: H^n, H^(n-1), ...
    #[inline(always)]
    pub(crate) fn add_nth(&mut self, s: S, table: &Table, n: usize, x: S::V) {
        let power = s.load_blocks(&table.powers[POWERS - n..]);
        let power_sum = s.load_blocks(&table.sums[POWERS - n..]);
        self.add(s, x, power, power_sum);
    }

    /// For [`AesSimd::tie`].
    #[inline(always)]
    pub(crate) fn sums(&mut self) -> [&mut S::V; 3] {
        [&mut self.low, &mut self.middle, &mut self.high]
    }

    /// The sum of all parts.
    #[inline(always)]
    fn fold(self, s: S) -> Products<Aes> {
        Products { low: s.fold(self.low), middle: s.fold(self.middle), high: s.fold(self.high) }
    }

    /// The sum of all parts, reduced: the lowest 64 bits, which are the highest coefficients, are folded up twice.
    #[inline(always)]
    pub(crate) fn reduce(self, s: S) -> Block {
        let one = s.narrow();
        let Products { low, middle, high } = self.fold(s);
        let swap = one.broadcast128(&SWAP);
        let polynomial = one.splat64(POLYNOMIAL);
        let middle = middle ^ high ^ low ^ low.shuffle8(swap) ^ one.clmul_lo(low, polynomial);
        high ^ middle.shuffle8(swap) ^ one.clmul_lo(middle, polynomial)
    }
}

/// The reduced product of two blocks.
#[inline(always)]
fn multiply(s: Aes, x: Block, h: Block, h_sum: Block) -> Block {
    let mut products = Products::zero(s);
    products.add(s, x, h, h_sum);
    products.reduce(s)
}

impl Table {
    pub(super) fn shared(s: Aes, key: &[u8; 16]) -> SharedTable {
        let mut table = Arc::new(Table { powers: [s.zero(); POWERS], sums: [s.zero(); POWERS] });
        let slots = Arc::get_mut(&mut table).expect("not shared yet");
        s.enter(|| {
            let h = load_reversed(s, key);
            let h_sum = sum_of_halves(s, h);
            let (mut power, mut sum) = (h, h_sum);
            for n in 1..=POWERS {
                slots.powers[POWERS - n] = power;
                slots.sums[POWERS - n] = sum;
                power = multiply(s, power, h, h_sum);
                sum = sum_of_halves(s, power);
            }
        });
        table
    }
}

/// Blocks in one batch of registers.
struct Absorb<'a, S> {
    s: S,
    key: &'a [u8; 16],
    state: &'a mut [u8; 16],
    table: Option<&'a Table>,
    blocks: &'a [[u8; 16]],
}

/// Absorbs blocks, with the table where there is one or where they are many enough to make it.
#[inline(always)]
pub(super) fn absorb<S: AesSimd>(
    s: S,
    key: &[u8; 16],
    state: &mut [u8; 16],
    table: &mut Option<SharedTable>,
    blocks: &[[u8; 16]],
) {
    if table.is_none() && blocks.len() >= Ghash::LONG_BYTES / 16 {
        *table = Some(Table::shared(s.narrow(), key));
    }
    s.perform(Absorb { s, key, state, table: table.as_deref(), blocks });
}

impl<S: AesSimd> Task for Absorb<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Absorb { s, key, state, table, blocks } = self;
        let one = s.narrow();
        let mut sum = load_reversed(one, state);
        match table {
            Some(table) if blocks.len() > 1 => {
                let (batches, rest) = blocks.as_chunks::<POWERS>();
                for batch in batches {
                    sum = absorb_batch(s, table, sum, batch);
                }
                if !rest.is_empty() {
                    sum = absorb_batch(s, table, sum, rest);
                }
            }
            _ => {
                let h = load_reversed(one, key);
                let h_sum = sum_of_halves(one, h);
                for block in blocks {
                    sum = multiply(one, sum ^ load_reversed(one, block), h, h_sum);
                }
            }
        }
        store_reversed(one, sum, state);
    }
}

/// Up to [`POWERS`] blocks with one reduction.
#[inline(always)]
pub(crate) fn absorb_batch<S: AesSimd>(s: S, table: &Table, state: Block, blocks: &[[u8; 16]]) -> Block {
    let parts = S::V::BYTES / 16;
    let one = s.narrow();
    let mut products = Products::zero(s);
    let mut carried = s.shift_in(state, s.zero());
    let whole = blocks.len() / parts * parts;
    for at in (0..whole).step_by(parts) {
        let x = load_reversed(s, blocks[at..].as_flattened()) ^ carried;
        carried = s.zero();
        products.add_nth(s, table, blocks.len() - at, x);
    }
    let mut products = products.fold(s);
    if let Some(last) = blocks[whole..].first() {
        let mut x = load_reversed(one, last);
        if whole == 0 {
            x = x ^ state;
        }
        products.add_nth(one, table, 1, x);
    }
    products.reduce(one)
}

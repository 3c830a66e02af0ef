//! GHASH by carry-less multiplication, generic over the token: PCLMULQDQ, one block a register, or VPCLMULQDQ, two or four.
//!
//! Blocks are byte-reversed into little-endian numbers, so that the first bit, x^0, is on top. The product of two such numbers has
//! x^0 one place too low; H is therefore kept as H/x, and a power as H^n/x (Gueron and Kounavis, 2010). Products are summed
//! unreduced over up to 64 blocks, by Karatsuba's rule with three multiplications a register, and reduced once.

use super::Ghash;
use crate::simd::{Aes, AesSimd, Block, Simd, Task, Vector};
use std::sync::Arc;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Powers in the table, so many blocks to a reduction: four batches of eight 256-bit registers, two of 512 bits.
pub(crate) const POWERS: usize = 64;

/// Blocks whose sums of halves lie together: two 512-bit registers, four of 256 bits or eight of 128.
const OCTET: usize = 8;

/// Blocks to a reduction where there is no table.
const QUAD: usize = 4;

/// The powers of H, the highest first: `powers[POWERS - n]` is H^n/x.
#[derive(Zeroize, ZeroizeOnDrop)]
#[repr(align(64))]
pub(crate) struct Table {
    powers: [Block; POWERS],
    /// The powers' two halves added, packed: of each eight powers, the sums of the first and fifth, the second and sixth, and so on.
    sums: [Block; POWERS / 2],
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
        self.add_outer(s, x, power);
        self.middle = self.middle ^ s.clmul_lo(sum_of_halves(s, x), power_sum);
    }

    /// Adds the products of low halves and of high halves.
    #[inline(always)]
    fn add_outer(&mut self, s: S, x: S::V, power: S::V) {
        self.low = self.low ^ s.clmul_lo(x, power);
        self.high = self.high ^ s.clmul_hi(x, power);
    }

    /// Adds `x`, whose first block is the `n`-th from the end, times its powers: H^n, H^(n-1), ...
    #[inline(always)]
    fn add_nth(&mut self, s: S, table: &Table, n: usize, x: S::V) {
        let power = s.load_blocks(&table.powers[POWERS - n..]);
        self.add(s, x, power, sum_of_halves(s, power));
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
        let mut table = Arc::new(Table { powers: [s.zero(); POWERS], sums: [s.zero(); POWERS / 2] });
        let slots = Arc::get_mut(&mut table).expect("not shared yet");
        s.perform(Fill { s, table: slots, key });
        table
    }

    /// The powers up to the n-th times the n-th are the next n: all independent, so that their latencies overlap.
    #[inline(always)]
    fn fill(&mut self, s: Aes, h: Block) {
        self.powers[POWERS - 1] = h;
        let mut n = 1;
        while n < POWERS {
            let top = self.powers[POWERS - n];
            let top_sum = sum_of_halves(s, top);
            for i in 1..=n {
                self.powers[POWERS - n - i] = multiply(s, self.powers[POWERS - i], top, top_sum);
            }
            n *= 2;
        }
        for (sums, octet) in self.sums.chunks_exact_mut(OCTET / 2).zip(self.powers.chunks_exact(OCTET)) {
            let (front, back) = octet.split_at(OCTET / 2);
            for ((sum, a), b) in sums.iter_mut().zip(front).zip(back) {
                *sum = a.unpack_lo64(*b) ^ a.unpack_hi64(*b);
            }
        }
    }

    /// The powers for a text of `blocks` blocks, a multiple of eight, from its first block on.
    #[inline(always)]
    pub(crate) fn last(&self, blocks: usize) -> Powers<'_> {
        Powers { powers: &self.powers[POWERS - blocks..], sums: &self.sums[(POWERS - blocks) / 2..] }
    }
}

struct Fill<'a> {
    s: Aes,
    table: &'a mut Table,
    key: &'a [u8; 16],
}

impl Task for Fill<'_> {
    #[inline(always)]
    fn run(self) {
        self.table.fill(self.s, load_reversed(self.s, self.key));
    }
}

/// The powers for some blocks, the highest for the first: a part of a [`Table`].
#[derive(Clone, Copy)]
pub(crate) struct Powers<'t> {
    powers: &'t [Block],
    sums: &'t [Block],
}

impl<'t> Powers<'t> {
    /// Those after `blocks` blocks, a multiple of eight.
    #[inline(always)]
    pub(crate) fn after(self, blocks: usize) -> Powers<'t> {
        Powers { powers: &self.powers[blocks..], sums: &self.sums[blocks / 2..] }
    }
}

/// The multiplication of a batch of eight registers with its powers, cut into twelve steps of like cost, to be placed between the
/// rounds of a cipher.
///
/// Registers go in pairs, three steps each: outer products of one, of the other, middle products of both, whose sums of halves take three
/// instructions together. The pair with the first block, and with it the hash so far, comes last, so that nothing waits
/// for the reduction before.
pub(crate) struct Steps<'a, S: AesSimd> {
    s: S,
    powers: Powers<'a>,
    carried: S::V,
    pair: [S::V; 2],
}

impl<'a, S: AesSimd> Steps<'a, S> {
    pub(crate) const COUNT: usize = 12;

    /// For a batch of eight registers; `carried` is XORed onto its first block.
    #[inline(always)]
    pub(crate) fn new(s: S, powers: Powers<'a>, carried: S::V) -> Self {
        let blocks = 8 * S::V::BYTES / 16;
        // Of known lengths: no step checks them again.
        let powers = Powers { powers: &powers.powers[..blocks], sums: &powers.sums[..blocks / 2] };
        Steps { s, powers, carried, pair: [s.zero(); 2] }
    }

    /// Step `i` of [`COUNT`](Self::COUNT), in order, on the batch `text`.
    #[inline(always)]
    pub(crate) fn step(&mut self, i: usize, text: &[u8], products: &mut Products<S>) {
        let s = self.s;
        let parts = S::V::BYTES / 16;
        let pair = (i / 3 + 1) % 4;
        // The pair's first register, and the distance to the other: four blocks. Each octet has as many pairs as that is registers.
        let distance = OCTET / 2 / parts;
        let first = pair / distance * 2 * distance + pair % distance;
        if i % 3 < 2 {
            let register = first + (i % 3) * distance;
            let mut x = s.opaque(load_reversed(s, &text[register * S::V::BYTES..]));
            if register == 0 {
                x = x ^ self.carried;
            }
            products.add_outer(s, x, s.load_blocks(&self.powers.powers[register * parts..]));
            self.pair[i % 3] = x;
        } else {
            let [a, b] = self.pair;
            let sums = a.unpack_lo64(b) ^ a.unpack_hi64(b);
            let power_sums = s.load_blocks(&self.powers.sums[pair * parts..]);
            let both = s.clmul_lo(sums, power_sums) ^ s.clmul_hi(sums, power_sums);
            products.middle = products.middle ^ both;
        }
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
                for run in blocks.chunks(POWERS) {
                    sum = absorb_run(s, table, sum, run);
                }
            }
            _ => sum = absorb_few(one, load_reversed(one, key), sum, blocks),
        }
        store_reversed(one, sum, state);
    }
}

/// Without a table: one multiplication and reduction after the other, whose latency is all the time of a short message; so, where there are
/// enough, four blocks to a reduction. H^2 to H^4 are made beside the blocks that go ahead.
#[inline(always)]
fn absorb_few(s: Aes, h: Block, state: Block, blocks: &[[u8; 16]]) -> Block {
    let h_sum = sum_of_halves(s, h);
    let mut sum = state;
    let (ahead, quads) = blocks.as_rchunks::<QUAD>();
    for block in ahead {
        sum = multiply(s, sum ^ load_reversed(s, block), h, h_sum);
    }
    if quads.is_empty() {
        return sum;
    }
    let h2 = multiply(s, h, h, h_sum);
    let h2_sum = sum_of_halves(s, h2);
    let powers = [multiply(s, h2, h2, h2_sum), multiply(s, h, h2, h2_sum), h2, h];
    for quad in quads {
        let mut products = Products::zero(s);
        for (block, power) in quad.iter().zip(powers) {
            let x = load_reversed(s, block) ^ sum;
            sum = s.zero();
            products.add(s, x, power, sum_of_halves(s, power));
        }
        sum = products.reduce(s);
    }
    sum
}

/// Up to [`POWERS`] blocks with one reduction.
#[inline(always)]
pub(crate) fn absorb_run<S: AesSimd>(s: S, table: &Table, state: Block, blocks: &[[u8; 16]]) -> Block {
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
    for (at, block) in blocks.iter().enumerate().skip(whole) {
        let mut x = load_reversed(one, block);
        if at == 0 {
            x = x ^ state;
        }
        products.add_nth(one, table, blocks.len() - at, x);
    }
    products.reduce(one)
}

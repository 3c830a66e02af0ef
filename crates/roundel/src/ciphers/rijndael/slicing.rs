//! Ways to hold a batch of AES blocks in bit planes: 64-bit words, or vectors of 128-bit parts.

use super::circuit::{Plane, Planes};
use crate::simd::{Simd, Vector};

pub(super) const BLOCK: usize = 16;

/// A way to hold a batch in planes.
pub(super) trait Slicing: Copy + Send + Sync + 'static {
    type Plane: Plane + Send + Sync;
    /// Blocks in a batch.
    const BLOCKS: usize;

    fn detect() -> Self;

    /// Runs `f` compiled for the instruction set.
    fn enter<R>(self, f: impl FnOnce() -> R) -> R;

    fn zero(self) -> Self::Plane;

    /// A batch of blocks into planes.
    fn load(self, blocks: &[u8]) -> Planes<Self::Plane>;

    /// A batch of copies of one block into planes.
    fn repeat(self, block: &[u8; BLOCK]) -> Planes<Self::Plane>;

    /// The inverse of `load`.
    fn store(self, planes: Planes<Self::Plane>, blocks: &mut [u8]);

    /// Every byte is replaced by the one `ROWS` rows further down in its column, when `PENDING` ShiftRows have not been done.
    fn down<const ROWS: usize, const PENDING: usize>(self, plane: Self::Plane) -> Self::Plane;

    /// ShiftRows twice, which is its own inverse.
    fn shift_rows_twice(self, plane: Self::Plane) -> Self::Plane;
}

/// Planes in 64-bit words, 4 blocks: the bit of block b's byte in row r and column c is bit 16 r + 4 c + b.
#[derive(Clone, Copy)]
pub(super) struct Words;

/// Exchanges the bits of `b` under `mask` with those of `a` under `mask << SHIFT`.
#[inline(always)]
fn swap_bits<const SHIFT: u32>(a: &mut u64, b: &mut u64, mask: u64) {
    let swap = ((*a >> SHIFT) ^ *b) & mask;
    *b ^= swap;
    *a ^= swap << SHIFT;
}

/// Bit i of byte q of word j goes to bit j of byte q of word i.
#[inline(always)]
fn transpose_words(w: &mut [u64; 8]) {
    for i in 0..4 {
        let [a, b] = w.get_disjoint_mut([2 * i, 2 * i + 1]).expect("different");
        swap_bits::<1>(a, b, 0x5555_5555_5555_5555);
    }
    for i in [0, 1, 4, 5] {
        let [a, b] = w.get_disjoint_mut([i, i + 2]).expect("different");
        swap_bits::<2>(a, b, 0x3333_3333_3333_3333);
    }
    for i in 0..4 {
        let [a, b] = w.get_disjoint_mut([i, i + 4]).expect("different");
        swap_bits::<4>(a, b, 0x0F0F_0F0F_0F0F_0F0F);
    }
}

/// The four bytes of a column to the even bytes of a word.
#[inline(always)]
fn spread(column: u32) -> u64 {
    let x = u64::from(column);
    let x = (x | x << 16) & 0x0000_FFFF_0000_FFFF;
    (x | x << 8) & 0x00FF_00FF_00FF_00FF
}

/// The columns 0 and 2 of a block, bytes interleaved, and the columns 1 and 3.
#[inline(always)]
fn interleave(block: &[u8; BLOCK]) -> [u64; 2] {
    let block = u128::from_le_bytes(*block);
    let column = |c: u32| spread((block >> (32 * c)) as u32);
    [column(0) | column(2) << 8, column(1) | column(3) << 8]
}

/// The inverse of `spread`.
#[inline(always)]
fn gather(x: u64) -> u32 {
    let x = x & 0x00FF_00FF_00FF_00FF;
    let x = (x | x >> 8) & 0x0000_FFFF_0000_FFFF;
    (x | x >> 16) as u32
}

impl Slicing for Words {
    type Plane = u64;
    const BLOCKS: usize = 4;

    fn detect() -> Self {
        Words
    }

    #[inline(always)]
    fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }

    fn zero(self) -> u64 {
        0
    }

    /// Word b holds the columns 0 and 2 of block b, word 4 + b the columns 1 and 3, bytes interleaved.
    #[inline(always)]
    fn load(self, blocks: &[u8]) -> Planes<u64> {
        let mut words = [0; 8];
        for (b, block) in blocks.as_chunks::<BLOCK>().0.iter().enumerate() {
            [words[b], words[4 + b]] = interleave(block);
        }
        transpose_words(&mut words);
        words
    }

    #[inline(always)]
    fn repeat(self, block: &[u8; BLOCK]) -> Planes<u64> {
        let [even, odd] = interleave(block);
        let mut words = [even, even, even, even, odd, odd, odd, odd];
        transpose_words(&mut words);
        words
    }

    #[inline(always)]
    fn store(self, mut words: Planes<u64>, blocks: &mut [u8]) {
        transpose_words(&mut words);
        for (b, block) in blocks.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let (even, odd) = (words[b], words[4 + b]);
            let columns = [gather(even), gather(odd), gather(even >> 8), gather(odd >> 8)];
            *block = std::array::from_fn(|p| columns[p / 4].to_le_bytes()[p % 4]);
        }
    }

    /// A row is 16 bits: rotating by rows is rotating the word, and columns that wrap inside a row come from one row less.
    #[inline(always)]
    fn down<const ROWS: usize, const PENDING: usize>(self, plane: u64) -> u64 {
        let columns = const { (ROWS * PENDING % 4) as u32 };
        let rows = const { ROWS as u32 };
        let near = plane.rotate_right(16 * rows + 4 * columns);
        if columns == 0 {
            return near;
        }
        // The first 4 - columns columns of each row need no wrap.
        let stay = const { (0xFFFF >> (4 * (ROWS * PENDING % 4))) * 0x0001_0001_0001_0001 };
        let wrapped = plane.rotate_right((16 * rows + 4 * columns + 48) % 64);
        (near & stay) | (wrapped & !stay)
    }

    /// Rows 1 and 3 turn by two columns, half a row.
    #[inline(always)]
    fn shift_rows_twice(self, plane: u64) -> u64 {
        let swap = (plane ^ (plane >> 8)) & 0x00FF_0000_00FF_0000;
        plane ^ swap ^ (swap << 8)
    }
}

/// Planes in vectors: each 128-bit part is a batch of 8 blocks.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S>(S);

/// Byte shuffles for [`Slicing::down`], by rows and pending ShiftRows.
static DOWN: [[[u8; 16]; 4]; 3] = {
    let mut tables = [[[0; 16]; 4]; 3];
    let mut i = 0;
    while i < 3 * 4 * 16 {
        let (rows, pending, p) = (i / 64, i / 16 % 4, i % 16);
        let (column, row) = (p / 4, p % 4);
        tables[rows][pending][p] = (4 * ((column + rows * pending) % 4) + (row + rows) % 4) as u8;
        i += 1;
    }
    tables
};

static SHIFT_ROWS_TWICE: [u8; 16] = [0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12, 5, 14, 7];

/// Exchanges the bits of `b` under `mask` with those of `a` under `mask << SHIFT`.
#[inline(always)]
fn swap_lanes<V: Vector, const SHIFT: i32>(a: &mut V, b: &mut V, mask: V) {
    let swap = (a.shr64::<SHIFT>() ^ *b) & mask;
    *b = *b ^ swap;
    *a = *a ^ swap.shl64::<SHIFT>();
}

/// Bit i of a byte of vector j goes to bit j of that byte of vector i.
#[inline(always)]
fn transpose_lanes<S: Simd>(s: S, x: &mut [S::V; 8]) {
    let mask = s.splat32(0x5555_5555);
    for i in 0..4 {
        let [a, b] = x.get_disjoint_mut([2 * i, 2 * i + 1]).expect("different");
        swap_lanes::<_, 1>(a, b, mask);
    }
    let mask = s.splat32(0x3333_3333);
    for i in [0, 1, 4, 5] {
        let [a, b] = x.get_disjoint_mut([i, i + 2]).expect("different");
        swap_lanes::<_, 2>(a, b, mask);
    }
    let mask = s.splat32(0x0F0F_0F0F);
    for i in 0..4 {
        let [a, b] = x.get_disjoint_mut([i, i + 4]).expect("different");
        swap_lanes::<_, 4>(a, b, mask);
    }
}

impl<S: Simd> Slicing for Lanes<S> {
    type Plane = S::V;
    const BLOCKS: usize = S::V::BYTES / 2;

    fn detect() -> Self {
        Lanes(S::detect().expect("`Strategy::available` was asked before"))
    }

    #[inline(always)]
    fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        self.0.enter(f)
    }

    #[inline(always)]
    fn zero(self) -> S::V {
        self.0.zero()
    }

    #[inline(always)]
    fn load(self, blocks: &[u8]) -> Planes<S::V> {
        let mut planes = [self.0.zero(); 8];
        for (i, plane) in planes.iter_mut().enumerate() {
            *plane = self.0.load(&blocks[i * S::V::BYTES..]);
        }
        transpose_lanes(self.0, &mut planes);
        planes
    }

    #[inline(always)]
    fn repeat(self, block: &[u8; BLOCK]) -> Planes<S::V> {
        let mut planes = [self.0.broadcast128(block); 8];
        transpose_lanes(self.0, &mut planes);
        planes
    }

    #[inline(always)]
    fn store(self, mut planes: Planes<S::V>, blocks: &mut [u8]) {
        transpose_lanes(self.0, &mut planes);
        for (i, plane) in planes.into_iter().enumerate() {
            plane.store(&mut blocks[i * S::V::BYTES..]);
        }
    }

    #[inline(always)]
    fn down<const ROWS: usize, const PENDING: usize>(self, plane: S::V) -> S::V {
        plane.shuffle8(self.0.broadcast128(&DOWN[ROWS][PENDING]))
    }

    #[inline(always)]
    fn shift_rows_twice(self, plane: S::V) -> S::V {
        plane.shuffle8(self.0.broadcast128(&SHIFT_ROWS_TWICE))
    }
}

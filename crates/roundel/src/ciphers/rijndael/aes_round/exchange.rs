//! What turns the instruction's ShiftRows into that of six or eight columns.
//!
//! Half h holds columns 0 to 3 (h = 0) or the others (h = 1); of six columns the last two stand twice, as 4 5 4 5. ShiftRows of the large block
//! brings to each place a byte of its row from another column, and the instruction brings to it the byte of its row that stands some places on. So each
//! byte must first get to that place: bytes that belong into the other half are exchanged with those at the same places there, then each
//! half is shuffled. That one exchange suffices, and the same in both halves, is checked when the constants are made.

use super::Direction;
use crate::ciphers::rijndael::tables::shift_offsets;
use crate::simd::{AesSimd, Vector};

/// The constants of one block size and direction.
struct Indices {
    /// 0xFF where the halves exchange their bytes.
    swapped: [u8; 16],
    /// The shuffle of each half.
    shuffle: [[u8; 16]; 2],
}

/// The column at a place of a half.
const fn column_at(nb: usize, half: usize, place: usize) -> usize {
    if half == 0 { place } else { 4 + place % (nb - 4) }
}

/// The column that the large block's ShiftRows, or its inverse, brings to a place.
const fn wanted(nb: usize, inverse: bool, half: usize, place: usize, row: usize) -> usize {
    let offset = shift_offsets(nb)[row];
    (column_at(nb, half, place) + if inverse { nb - offset } else { offset }) % nb
}

/// Where a wanted column stands, as (half, place). Of two places it is the second if a column of the first half that is also wanted stands at
/// the first.
const fn home(nb: usize, inverse: bool, half: usize, row: usize, column: usize) -> (usize, usize) {
    if column < 4 {
        return (0, column);
    }
    let mut place = 0;
    while place < 4 {
        if nb < 8 && wanted(nb, inverse, half, place, row) == column - 4 {
            return (1, column - 4 + (nb - 4));
        }
        place += 1;
    }
    (1, column - 4)
}

const fn indices(nb: usize, inverse: bool) -> Indices {
    let mut this = Indices { swapped: [0; 16], shuffle: [[0; 16]; 2] };
    let mut kept = [false; 16];
    let mut i = 0;
    while i < 2 * 16 {
        let (half, place, row) = (i / 16, i / 4 % 4, i % 4);
        let (from, at) = home(nb, inverse, half, row, wanted(nb, inverse, half, place, row));
        let byte = 4 * at + row;
        if from == half {
            kept[byte] = true;
        } else {
            this.swapped[byte] = 0xFF;
        }
        assert!(!(kept[byte] && this.swapped[byte] != 0), "a byte is exchanged in both halves or in none");
        // The instruction takes a place's byte from as many places on as the row's number; its inverse from as many before.
        let before = (place + if inverse { 4 - row } else { row }) % 4;
        this.shuffle[half][4 * before + row] = byte as u8;
        i += 1;
    }
    this
}

/// The constants in registers.
#[derive(Clone, Copy)]
pub(super) struct Exchange<V> {
    swapped: V,
    shuffle: [V; 2],
}

impl<V: Vector> Exchange<V> {
    #[inline(always)]
    pub(super) fn new<S: AesSimd<V = V>, D: Direction, const NB: usize>(s: S) -> Self {
        let Indices { swapped, shuffle: [low, high] } = const { &indices(NB, D::INVERSE) };
        Exchange { swapped: s.broadcast128(swapped), shuffle: [s.broadcast128(low), s.broadcast128(high)] }
    }

    /// As two selections, of which the optimiser makes what suits the registers. By XOR both take three operations together, but one after the
    /// other: a tenth slower on 128 bits, a sixth on 256.
    #[inline(always)]
    pub(super) fn apply(self, [low, high]: [V; 2]) -> [V; 2] {
        let mixed = [low.select8(high, self.swapped), high.select8(low, self.swapped)];
        [mixed[0].shuffle8(self.shuffle[0]), mixed[1].shuffle8(self.shuffle[1])]
    }
}

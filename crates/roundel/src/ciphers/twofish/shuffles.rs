//! The bytes' way through h as shuffles: q0 and q1 without a look-up in memory, for 16 or 32 bytes at once.
//!
//! q0 and q1 are each two steps "mix two nibbles, substitute each" (section 4.3.5), and a substitution of nibbles is one
//! shuffle. A step here takes *mixed* bytes, which hold a' low and b' high, looks both up, and XORs what the two contribute to the
//! next step's mixed nibbles: mixing is linear, so the tables contain it, and key bytes between the stages are mixed too. The last step
//! gives the products with 1, 5B and EF that the matrix needs. No address depends on a secret.
//!
//! Two uses: g of many blocks (`bytesliced.rs`), and key setups, where the inputs of h are known beforehand: the subkeys, and the
//! tables of the keying options. There the first q of every input is a constant.

use super::schedule::Subkeys;
use super::tables::{MDS, MDS_FIELD, NIBBLES, STAGES, gmul, nibble, q};
use crate::modes::wipe;
use crate::simd::{Simd, Vector};

/// A substitution of nibbles.
pub(super) type Table = [u8; 16];

/// A list of h with mixed bytes.
#[derive(Clone, Copy)]
pub(super) struct MixedList<const K: usize>([u32; K]);

impl<const K: usize> MixedList<K> {
    #[inline(always)]
    pub(super) fn new(list: &[u32; K]) -> Self {
        MixedList(list.map(mixed))
    }

    /// Byte `BYTE` of word `i` in all bytes.
    #[inline(always)]
    fn splat<S: Simd, const BYTE: usize>(&self, s: S, i: usize) -> S::V {
        s.splat32(u32::from(self.0[i].to_le_bytes()[BYTE]) * 0x0101_0101)
    }

    /// Byte `BYTE` of word `i`.
    pub(super) fn byte(&self, i: usize, byte: usize) -> u8 {
        self.0[i].to_le_bytes()[byte]
    }
}

/// Each byte with nibbles a and b as a' = a + b and b' = a + ror4(b, 1) + 8a (`mix_nibbles` in tables.rs), a' low and b' high.
const fn mixed(word: u32) -> u32 {
    let (a, b) = (word >> 4 & 0x0F0F_0F0F, word & 0x0F0F_0F0F);
    let high = a ^ a << 3 & 0x0808_0808 ^ b >> 1 & 0x0707_0707 ^ b << 3 & 0x0808_0808;
    a ^ b | high << 4
}

/// What a high nibble contributes to a mixed byte.
const fn from_high(a: u8) -> u8 {
    mixed((a as u32) << 4) as u8
}

/// What a low nibble contributes.
const fn from_low(b: u8) -> u8 {
    mixed(b as u32) as u8
}

/// A byte before its first stage: what its low and its high nibble look up.
pub(super) static START: [Table; 2] = {
    let mut tables = [[0; 16]; 2];
    let mut n = 0;
    while n < 16 {
        tables[0][n] = from_low(n as u8);
        tables[1][n] = from_high(n as u8);
        n += 1;
    }
    tables
};

/// For q0 and q1, the first step: t0 gives a high nibble, t1 a low one.
pub(super) static FIRST: [[Table; 2]; 2] = {
    let mut tables = [[[0; 16]; 2]; 2];
    let mut n = 0;
    while n < 32 {
        let (q, n4) = (n / 16, n % 16);
        tables[q][0][n4] = from_high(nibble(NIBBLES[q][0], n4 as u8));
        tables[q][1][n4] = from_low(nibble(NIBBLES[q][1], n4 as u8));
        n += 1;
    }
    tables
};

/// The second step, when another stage follows: q's result has t3's nibble high, t2's low.
pub(super) static SECOND: [[Table; 2]; 2] = {
    let mut tables = [[[0; 16]; 2]; 2];
    let mut n = 0;
    while n < 32 {
        let (q, n4) = (n / 16, n % 16);
        tables[q][0][n4] = from_low(nibble(NIBBLES[q][2], n4 as u8));
        tables[q][1][n4] = from_high(nibble(NIBBLES[q][3], n4 as u8));
        n += 1;
    }
    tables
};

/// The factors that the matrix has.
const FACTORS: [u8; 3] = [0x01, 0x5B, 0xEF];

/// The second step with each of the factors: of the last stage, and with factor 1 of any whose result shall not be mixed.
static PRODUCTS: [[[Table; 2]; 3]; 2] = {
    let mut tables = [[[[0; 16]; 2]; 3]; 2];
    let mut n = 0;
    while n < 96 {
        let (q, factor, n4) = (n / 48, n / 16 % 3, n % 16);
        let low = nibble(NIBBLES[q][2], n4 as u8);
        let high = nibble(NIBBLES[q][3], n4 as u8) << 4;
        tables[q][factor][0][n4] = gmul(FACTORS[factor], low, MDS_FIELD);
        tables[q][factor][1][n4] = gmul(FACTORS[factor], high, MDS_FIELD);
        n += 1;
    }
    tables
};

/// Looks up low and high nibbles.
#[inline(always)]
pub(super) fn step<S: Simd, const N: usize>(s: S, bytes: &mut [S::V; N], low: &Table, high: &Table) {
    let (low, high) = (s.broadcast128(low), s.broadcast128(high));
    let nibbles = s.splat32(0x0F0F_0F0F);
    for x in bytes {
        *x = low.shuffle8(*x & nibbles) ^ high.shuffle8(x.shr32::<4>() & nibbles);
    }
}

/// The last stage of mixed bytes in position `BYTE`, times their column of the matrix, added to the result's bytes.
#[inline(always)]
pub(super) fn add_column<S: Simd, const BYTE: usize, const N: usize>(
    s: S,
    mut bytes: [S::V; N],
    sum: &mut [[S::V; N]; 4],
) {
    let q = STAGES[4][BYTE];
    step(s, &mut bytes, &FIRST[q][0], &FIRST[q][1]);
    for (factor, tables) in FACTORS.iter().zip(&PRODUCTS[q]) {
        let mut product = bytes;
        step(s, &mut product, &tables[0], &tables[1]);
        for (row, sum) in sum.iter_mut().enumerate() {
            if MDS[row][BYTE] == *factor {
                for n in 0..N {
                    sum[n] = sum[n] ^ product[n];
                }
            }
        }
    }
}

/// From the first q's mixed result to the mixed byte before stage `last` (1: before the last but one, 0: before the last).
#[inline(always)]
fn middle_stages<S: Simd, const K: usize, const BYTE: usize>(s: S, list: &MixedList<K>, x: S::V) -> S::V {
    let mut bytes = [x ^ list.splat::<S, BYTE>(s, K - 1)];
    // no loop: each stage's q shall be chosen by the compiler
    if K > 3 {
        middle_stage::<S, K, BYTE>(s, list, 2, &mut bytes);
    }
    if K > 2 {
        middle_stage::<S, K, BYTE>(s, list, 1, &mut bytes);
    }
    middle_stage::<S, K, BYTE>(s, list, 0, &mut bytes);
    bytes[0]
}

/// A stage that is neither the first nor the last, with the key byte of word `i` of the list after it.
#[inline(always)]
fn middle_stage<S: Simd, const K: usize, const BYTE: usize>(
    s: S,
    list: &MixedList<K>,
    i: usize,
    bytes: &mut [S::V; 1],
) {
    let q = STAGES[3 - i][BYTE];
    step(s, bytes, &FIRST[q][0], &FIRST[q][1]);
    step(s, bytes, &SECOND[q][0], &SECOND[q][1]);
    bytes[0] = bytes[0] ^ list.splat::<S, BYTE>(s, i);
}

/// The four rows of result bytes as words. In each 128-bit part, bytes 4v to 4v+3 make its four words of vector v.
#[inline(always)]
fn words<V: Vector>([r0, r1, r2, r3]: [V; 4]) -> [V; 4] {
    let (even_lo, even_hi) = (r0.unpack_lo8(r2), r0.unpack_hi8(r2));
    let (odd_lo, odd_hi) = (r1.unpack_lo8(r3), r1.unpack_hi8(r3));
    [
        even_lo.unpack_lo8(odd_lo),
        even_lo.unpack_hi8(odd_lo),
        even_hi.unpack_lo8(odd_hi),
        even_hi.unpack_hi8(odd_hi),
    ]
}

/// q0 and q1 of all bytes, mixed, for vectors of one 128-bit part and of two: of each run of 32 bytes, [`words`] gives two parts' words in
/// another order, so that the inputs are reordered for it.
static MIXED_Q: [[[u8; 256]; 2]; 2] = {
    let mut tables = [[[0; 256]; 2]; 2];
    let mut n = 0;
    while n < 256 {
        // part, vector and word of the place n in 32 bytes
        let (part, vector, word) = (n / 16 % 2, n / 4 % 4, n % 4);
        let of_two_parts = n / 32 * 32 + 8 * vector + 4 * part + word;
        let mut which = 0;
        while which < 2 {
            tables[0][which][n] = mixed(q(which, n as u8) as u32) as u8;
            tables[1][which][n] = mixed(q(which, of_two_parts as u8) as u32) as u8;
            which += 1;
        }
        n += 1;
    }
    tables
};

/// The full table of byte position `BYTE`.
#[inline(always)]
fn fill_column<S: Simd, const K: usize, const BYTE: usize>(
    s: S,
    list: &MixedList<K>,
    table: &mut [[u8; 4]; 256],
) {
    let inputs = &MIXED_Q[usize::from(S::V::BYTES == 32)][STAGES[4 - K][BYTE]];
    for (at, entries) in (0..256).step_by(S::V::BYTES).zip(table.chunks_exact_mut(S::V::BYTES)) {
        let x = middle_stages::<S, K, BYTE>(s, list, s.load(&inputs[at..]));
        let mut rows = [[s.zero()]; 4];
        add_column::<S, BYTE, 1>(s, [x], &mut rows);
        let [[r0], [r1], [r2], [r3]] = rows;
        let bytes = entries.as_flattened_mut();
        let [a, b, c, d] = words([r0, r1, r2, r3]);
        a.store(bytes);
        b.store(&mut bytes[S::V::BYTES..]);
        c.store(&mut bytes[2 * S::V::BYTES..]);
        d.store(&mut bytes[3 * S::V::BYTES..]);
    }
}

/// The chain of byte position `BYTE` up to the key byte of `list[LAST]`, for all 256 bytes: what partial keying (0) and minimal keying (1)
/// tabulate.
#[inline(always)]
fn fill_bytes<S: Simd, const K: usize, const LAST: usize, const BYTE: usize>(
    s: S,
    list: &[u32; K],
    table: &mut [u8; 256],
) {
    let (inputs, q) = (&MIXED_Q[0][STAGES[4 - K][BYTE]], STAGES[3 - LAST][BYTE]);
    let last = s.splat32(u32::from(list[LAST].to_le_bytes()[BYTE]) * 0x0101_0101);
    let list = MixedList::new(list);
    for (at, bytes) in (0..256).step_by(S::V::BYTES).zip(table.chunks_exact_mut(S::V::BYTES)) {
        let mut x = [s.load(&inputs[at..]) ^ list.splat::<S, BYTE>(s, K - 1)];
        if K > 3 {
            middle_stage::<S, K, BYTE>(s, &list, 2, &mut x);
        }
        if K > 2 && LAST < 1 {
            middle_stage::<S, K, BYTE>(s, &list, 1, &mut x);
        }
        step(s, &mut x, &FIRST[q][0], &FIRST[q][1]);
        step(s, &mut x, &PRODUCTS[q][0][0], &PRODUCTS[q][0][1]);
        (x[0] ^ last).store(bytes);
    }
}

/// [`fill_bytes`] of all four positions. `LAST` is under `K - 1`.
pub(super) fn byte_tables<S: Simd, const K: usize, const LAST: usize>(
    s: S,
    list: &[u32; K],
    [t0, t1, t2, t3]: &mut [[u8; 256]; 4],
) {
    s.enter(
        #[inline(always)]
        || {
            fill_bytes::<S, K, LAST, 0>(s, list, t0);
            fill_bytes::<S, K, LAST, 1>(s, list, t1);
            fill_bytes::<S, K, LAST, 2>(s, list, t2);
            fill_bytes::<S, K, LAST, 3>(s, list, t3);
        },
    );
}

/// The full tables of g: the whole chain and the matrix.
pub(super) fn full_tables<S: Simd, const K: usize>(
    s: S,
    list: &[u32; K],
    [t0, t1, t2, t3]: &mut [[[u8; 4]; 256]; 4],
) {
    let list = &MixedList::new(list);
    s.enter(
        #[inline(always)]
        || {
            fill_column::<S, K, 0>(s, list, t0);
            fill_column::<S, K, 1>(s, list, t1);
            fill_column::<S, K, 2>(s, list, t2);
            fill_column::<S, K, 3>(s, list, t3);
        },
    );
}

/// q0 and q1 of 2i and of 2i + 1 for i = 0 to 31, mixed, in the orders for one part and for two (as [`MIXED_Q`]): here pairs of subkeys
/// shall come out in their order.
static SUBKEY_INPUTS: [[[[u8; 32]; 2]; 2]; 2] = {
    let mut inputs = [[[[0; 32]; 2]; 2]; 2];
    let mut n = 0;
    while n < 128 {
        let (which, odd, place) = (n / 64, n / 32 % 2, n % 32);
        let (part, vector, word) = (place / 16, place / 4 % 4, place % 4);
        let of_two_parts = 8 * vector + 4 * (word / 2) + 2 * part + word % 2;
        inputs[0][which][odd][place] = mixed(q(which, (2 * place + odd) as u8) as u32) as u8;
        inputs[1][which][odd][place] = mixed(q(which, (2 * of_two_parts + odd) as u8) as u32) as u8;
        n += 1;
    }
    inputs
};

/// h of inputs with four equal bytes: even or odd ones, from place `at` on.
#[inline(always)]
fn h_of_inputs<S: Simd, const K: usize>(s: S, list: &MixedList<K>, odd: usize, at: usize) -> [S::V; 4] {
    let inputs = &SUBKEY_INPUTS[usize::from(S::V::BYTES == 32)];
    let input = |byte: usize| &inputs[STAGES[4 - K][byte]][odd][at..];
    let mut rows = [[s.zero()]; 4];
    add_column::<S, 0, 1>(s, [middle_stages::<S, K, 0>(s, list, s.load(input(0)))], &mut rows);
    add_column::<S, 1, 1>(s, [middle_stages::<S, K, 1>(s, list, s.load(input(1)))], &mut rows);
    add_column::<S, 2, 1>(s, [middle_stages::<S, K, 2>(s, list, s.load(input(2)))], &mut rows);
    add_column::<S, 3, 1>(s, [middle_stages::<S, K, 3>(s, list, s.load(input(3)))], &mut rows);
    let [[r0], [r1], [r2], [r3]] = rows;
    words([r0, r1, r2, r3])
}

/// The expanded key words K0 to K39 (section 4.3.4).
pub(super) fn subkeys<S: Simd, const K: usize>(s: S, key: &[[u32; 2]; K]) -> Subkeys {
    let even = &MixedList::new(&key.map(|pair| pair[0]));
    let odd = &MixedList::new(&key.map(|pair| pair[1]));
    // h of numbers beyond 39 comes out too
    let mut bytes = [0; 4 * 64];
    s.enter(
        #[inline(always)]
        || {
            let mut places = bytes.chunks_exact_mut(2 * S::V::BYTES);
            for at in (0..32).step_by(S::V::BYTES) {
                let (a, b) = (h_of_inputs(s, even, 0, at), h_of_inputs(s, odd, 1, at));
                for (&a, b) in a.iter().zip(b) {
                    let b = b.rotl32::<8, 24>();
                    let sum = a.add32(b);
                    let double = sum.add32(b).rotl32::<9, 23>();
                    let place = places.next().expect("64 numbers have their places");
                    sum.unpack_lo32(double).store(place);
                    sum.unpack_hi32(double).store(&mut place[S::V::BYTES..]);
                }
            }
        },
    );
    let subkeys = Subkeys::from_bytes(&bytes);
    wipe(&mut bytes);
    subkeys
}

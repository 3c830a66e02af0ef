//! The key schedule: 192 rounds in one serial chain, unrolled over the period of its rotations so that these are constants.

use super::rounds::{f1, f2, f3, look_up_rotated};
use crate::simd::opaque_word;
use zeroize::{Zeroize, optimization_barrier};

/// The keys of a quad-round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QuadKeys {
    /// Masking keys.
    pub(super) km: [u32; 4],
    /// Rotation keys, 0 to 31.
    pub(super) kr: [u32; 4],
}

/// The keys of the twelve quad-rounds.
#[derive(Debug)]
pub(super) struct Schedule(pub(super) [QuadKeys; 12]);

impl Drop for Schedule {
    fn drop(&mut self) {
        self.0 = [QuadKeys::default(); 12];
        optimization_barrier(&self.0);
    }
}

/// Tm of all 192 rounds: the first is 2^30 times the square root of 2, each further one grows by 2^30 times the square root of 3. As a
/// table and not a running sum, each costs one instruction of the chain.
static TM: [[u32; 8]; 24] = {
    let mut table = [[0; 8]; 24];
    let mut round = 0;
    while round < 192 {
        table[round / 8][round % 8] = 0x5A82_7999u32.wrapping_add(0x6ED9_EBA1u32.wrapping_mul(round as u32));
        round += 1;
    }
    table
};

/// Tr of round `round`: 19 and 17 more for each further, modulo 32, so that four octaves are a period.
const fn tr(round: u32) -> u32 {
    (19 + 17 * round) % 32
}

/// A round with f1 and one with f2. The second's input is an exclusive or with the first's result: with the word before it masked already, and
/// hidden from the optimiser, which would put the mask last, it is there a cycle earlier.
#[inline(always)]
fn f1_f2(x: &mut u32, y: &mut u32, f1_input: u32, f1_tr: u32, f2_tm: u32, f2_tr: u32) {
    let masked = opaque_word(f2_tm ^ *x);
    let change = f1(0, look_up_rotated(f1_input, f1_tr));
    *x ^= change;
    *y = f2(*y, look_up_rotated(masked ^ change, f2_tr));
}

/// A forward octave, the first, second, third or fourth of its period.
#[inline(always)]
fn octave<const NUMBER: u32>(words: &mut [u32; 8], tm: &[u32; 8]) {
    let [a, b, c, d, e, f, g, h] = words;
    let tr = |round| tr(8 * NUMBER + round);
    f1_f2(g, f, tm[0].wrapping_add(*h), tr(0), tm[1], tr(1));
    *e = f3(*e, look_up_rotated(tm[2].wrapping_sub(*f), tr(2)));
    f1_f2(d, c, tm[3].wrapping_add(*e), tr(3), tm[4], tr(4));
    *b = f3(*b, look_up_rotated(tm[5].wrapping_sub(*c), tr(5)));
    f1_f2(a, h, tm[6].wrapping_add(*b), tr(6), tm[7], tr(7));
}

fn quad_keys(&[a, b, c, d, e, f, g, h]: &[u32; 8]) -> QuadKeys {
    QuadKeys { km: [h, f, d, b], kr: [a & 31, c & 31, e & 31, g & 31] }
}

impl Schedule {
    /// Two octaves for each quad-round. Short keys are padded with zeros.
    pub(super) fn new(key: &[u8]) -> Self {
        let mut words = [0; 8];
        for (word, &bytes) in words.iter_mut().zip(key.as_chunks().0) {
            *word = u32::from_be_bytes(bytes);
        }
        let mut schedule = Schedule([QuadKeys::default(); 12]);
        for ([first, second], tm) in schedule.0.as_chunks_mut().0.iter_mut().zip(TM.as_chunks::<4>().0) {
            octave::<0>(&mut words, &tm[0]);
            octave::<1>(&mut words, &tm[1]);
            *first = quad_keys(&words);
            octave::<2>(&mut words, &tm[2]);
            octave::<3>(&mut words, &tm[3]);
            *second = quad_keys(&words);
        }
        words.zeroize();
        schedule
    }
}

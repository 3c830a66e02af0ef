//! The key schedule: 192 rounds in one serial chain, unrolled over the period of its rotations so that these are constants.

use super::rounds::{f1, f2, f3};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The keys of a quad-round.
#[derive(Clone, Copy, Debug, Default, Zeroize)]
pub(super) struct QuadKeys {
    /// Masking keys.
    pub(super) km: [u32; 4],
    /// Rotation keys, 0 to 31.
    pub(super) kr: [u32; 4],
}

/// The keys of the twelve quad-rounds.
#[derive(Debug, Zeroize, ZeroizeOnDrop)]
pub(super) struct Schedule(pub(super) [QuadKeys; 12]);

/// The first masking constant: 2^30 times the square root of 2.
const TM_FIRST: u32 = 0x5A82_7999;
/// What it grows by in each round: 2^30 times the square root of 3.
const TM_STEP: u32 = 0x6ED9_EBA1;

/// Tr of round `round`: 19 and 17 more for each further, modulo 32, so that four octaves are a period.
const fn tr(round: u32) -> u32 {
    (19 + 17 * round) % 32
}

/// A forward octave, the first, second, third or fourth of its period.
#[inline(always)]
fn octave<const NUMBER: u32>(words: &mut [u32; 8], tm: &mut u32) {
    let [a, b, c, d, e, f, g, h] = words;
    let mut next = || {
        let now = *tm;
        *tm = tm.wrapping_add(TM_STEP);
        now
    };
    *g = f1(*g, *h, next(), const { tr(8 * NUMBER) });
    *f = f2(*f, *g, next(), const { tr(8 * NUMBER + 1) });
    *e = f3(*e, *f, next(), const { tr(8 * NUMBER + 2) });
    *d = f1(*d, *e, next(), const { tr(8 * NUMBER + 3) });
    *c = f2(*c, *d, next(), const { tr(8 * NUMBER + 4) });
    *b = f3(*b, *c, next(), const { tr(8 * NUMBER + 5) });
    *a = f1(*a, *b, next(), const { tr(8 * NUMBER + 6) });
    *h = f2(*h, *a, next(), const { tr(8 * NUMBER + 7) });
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
        let mut tm = TM_FIRST;
        for [first, second] in schedule.0.as_chunks_mut().0 {
            octave::<0>(&mut words, &mut tm);
            octave::<1>(&mut words, &mut tm);
            *first = quad_keys(&words);
            octave::<2>(&mut words, &mut tm);
            octave::<3>(&mut words, &mut tm);
            *second = quad_keys(&words);
        }
        words.zeroize();
        schedule
    }
}

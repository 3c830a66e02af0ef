//! Round keys for the fast strategies: the paper's key schedule, compiled for each standard key length.
//!
//! The mixing is one chain of 132 steps of four cycles each (add, rotate, add, rotate); everything else hides beside it.

use crate::simd::opaque_word;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// S[0, ..., 2r + 3] for r = 20 rounds.
pub(super) const WORDS: usize = 44;

/// S, wiped when dropped.
pub(super) struct RoundKeys(pub(super) [u32; WORDS]);

impl Drop for RoundKeys {
    /// Whole vectors with one barrier: `zeroize` would write word by word.
    fn drop(&mut self) {
        self.0 = [0; WORDS];
        zeroize::optimization_barrier(&self.0);
    }
}

impl ZeroizeOnDrop for RoundKeys {}

/// S before mixing: P_32 + i Q_32.
const INITIAL: [u32; WORDS] = {
    let mut s = [0xB7E1_5163u32; WORDS];
    let mut i = 1;
    while i < WORDS {
        s[i] = s[i - 1].wrapping_add(0x9E37_79B9);
        i += 1;
    }
    s
};

/// Expands a key of 0 to 255 bytes.
pub(super) fn expand(key: &[u8]) -> RoundKeys {
    match key.len() {
        16 => mix(words::<4>(key)),
        24 => mix(words::<6>(key)),
        32 => mix(words::<8>(key)),
        bytes => mix_any(&mut words::<64>(key)[..bytes.div_ceil(4).max(1)]),
    }
}

/// The key as little-endian words, padded with zero bytes.
#[inline(always)]
fn words<const C: usize>(key: &[u8]) -> [u32; C] {
    let mut l = [0; C];
    let (whole, rest) = key.as_chunks();
    for (word, bytes) in l.iter_mut().zip(whole) {
        *word = u32::from_le_bytes(*bytes);
    }
    for (i, byte) in rest.iter().enumerate() {
        l[whole.len()] |= u32::from(*byte) << (8 * i);
    }
    l
}

/// Mixes L, of a length that keeps it in registers, into S: four steps at a time, after which L is turned by four words.
///
/// The sums that do not wait for the step before are made a step ahead, and hidden from the optimiser: it would take A + B of the amount for a
/// part of the sum with L, and a step five cycles.
#[inline(always)]
fn mix<const C: usize>(mut l: [u32; C]) -> RoundKeys {
    let mut keys = RoundKeys(INITIAL);
    let (mut a, mut b) = (0u32, 0u32);
    for _ in 0..3 {
        for s in keys.0.as_chunks_mut::<4>().0 {
            let (mut s_plus_a, mut l_plus_b) = (s[0].wrapping_add(a), opaque_word(l[0].wrapping_add(b)));
            for i in 0..4 {
                a = s_plus_a.wrapping_add(b).rotate_left(3);
                let amount = a.wrapping_add(b) & 31;
                b = l_plus_b.wrapping_add(a).rotate_left(amount);
                (s[i], l[i]) = (a, b);
                let next = (i + 1) % 4;
                (s_plus_a, l_plus_b) = (s[next].wrapping_add(a), opaque_word(l[next].wrapping_add(b)));
            }
            l = std::array::from_fn(|j| l[(j + 4) % C]);
        }
    }
    l.zeroize();
    keys
}

/// Mixes L of any length into S: 3 max(c, 44) steps.
fn mix_any(l: &mut [u32]) -> RoundKeys {
    let mut keys = RoundKeys(INITIAL);
    let s = &mut keys.0;
    let (mut a, mut b) = (0u32, 0u32);
    for step in 0..3 * WORDS.max(l.len()) {
        let (s, l) = (&mut s[step % WORDS], &mut l[step % l.len()]);
        a = s.wrapping_add(a).wrapping_add(b).rotate_left(3);
        b = l.wrapping_add(a).wrapping_add(b).rotate_left(a.wrapping_add(b) & 31);
        (*s, *l) = (a, b);
    }
    l.zeroize();
    keys
}

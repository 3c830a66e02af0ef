//! Round keys for the fast strategies: the paper's key schedule, compiled for each standard key length.
//!
//! The mixing is one chain of 132 steps of four cycles each (add, rotate, add, rotate); everything else hides beside it.

use zeroize::Zeroize;

/// S[0, ..., 2r + 3] for r = 20 rounds.
pub(super) const WORDS: usize = 44;

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
pub(super) fn expand(key: &[u8]) -> [u32; WORDS] {
    match key.len() {
        16 => mix(words::<4>(key)),
        24 => mix(words::<6>(key)),
        32 => mix(words::<8>(key)),
        0..=176 => {
            let mut l = words::<WORDS>(key);
            let s = mix_in_three_passes(&mut l[..key.len().div_ceil(4).max(1)]);
            l.zeroize();
            s
        }
        _ => mix_long(words::<64>(key), key.len().div_ceil(4)),
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

/// One step of the mixing: A and B from the words at i and j, which they replace.
#[inline(always)]
fn step(a: &mut u32, b: &mut u32, s: &mut u32, l: &mut u32) {
    *a = s.wrapping_add(*a).wrapping_add(*b).rotate_left(3);
    *s = *a;
    let sum = a.wrapping_add(*b);
    *b = l.wrapping_add(sum).rotate_left(sum & 31);
    *l = *b;
}

#[inline(always)]
fn mix<const C: usize>(mut l: [u32; C]) -> [u32; WORDS] {
    let s = mix_in_three_passes(&mut l);
    l.zeroize();
    s
}

/// Where c <= 44, S is passed three times.
#[inline(always)]
fn mix_in_three_passes(l: &mut [u32]) -> [u32; WORDS] {
    let mut s = INITIAL;
    let (mut a, mut b, mut j) = (0, 0, 0);
    for _ in 0..3 {
        for s in &mut s {
            step(&mut a, &mut b, s, &mut l[j]);
            j = if j + 1 == l.len() { 0 } else { j + 1 };
        }
    }
    s
}

/// Where c > 44, L is passed three times.
fn mix_long(mut l: [u32; 64], c: usize) -> [u32; WORDS] {
    let mut s = INITIAL;
    let (mut a, mut b, mut i) = (0, 0, 0);
    for _ in 0..3 {
        for l in &mut l[..c] {
            step(&mut a, &mut b, &mut s[i], l);
            i = (i + 1) % WORDS;
        }
    }
    l.zeroize();
    s
}

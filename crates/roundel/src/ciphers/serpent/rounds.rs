//! The 32 rounds over any [`Word`], on N states side by side.

use super::circuits::*;
use super::schedule::Words;

/// The linear transformation.
#[inline(always)]
fn linear<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let a = a.rotl::<13, 19>();
    let c = c.rotl::<3, 29>();
    let b = (b ^ a ^ c).rotl::<1, 31>();
    let d = (d ^ c ^ a.shl::<3>()).rotl::<7, 25>();
    let a = (a ^ b ^ d).rotl::<5, 27>();
    let c = (c ^ d ^ b.shl::<7>()).rotl::<22, 10>();
    [a, b, c, d]
}

/// Its inverse.
#[inline(always)]
fn inverse_linear<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let c = c.rotl::<10, 22>() ^ d ^ b.shl::<7>();
    let a = a.rotl::<27, 5>() ^ b ^ d;
    let d = d.rotl::<25, 7>() ^ c ^ a.shl::<3>();
    let b = b.rotl::<31, 1>() ^ a ^ c;
    [a.rotl::<19, 13>(), b, c.rotl::<29, 3>(), d]
}

#[inline(always)]
fn add_key<W: Word, const N: usize>(splat: impl Fn(u32) -> W, key: &[u32; 4], states: &mut [[W; 4]; N]) {
    let [k0, k1, k2, k3] = *key;
    let (k0, k1, k2, k3) = (splat(k0), splat(k1), splat(k2), splat(k3));
    for [a, b, c, d] in states {
        (*a, *b, *c, *d) = (*a ^ k0, *b ^ k1, *c ^ k2, *d ^ k3);
    }
}

/// Applies an expression of one state to all of them. A macro, since a function passed as a value would be called through a shim that
/// is compiled without the instruction set.
macro_rules! each {
    ($states:ident, $state:ident => $result:expr) => {
        for $state in $states.iter_mut() {
            *$state = $result;
        }
    };
}

/// Encrypts; `splat` gives a subkey's word to every state in a register.
#[inline(always)]
pub(super) fn encrypt<W: Word, const N: usize>(
    splat: impl Fn(u32) -> W + Copy,
    keys: &Words,
    states: &mut [[W; 4]; N],
) {
    let (turns, last) = keys.as_chunks::<8>();
    for (turn, [k0, k1, k2, k3, k4, k5, k6, k7]) in turns.iter().enumerate() {
        add_key(splat, k0, states);
        each!(states, x => linear(s0(*x)));
        add_key(splat, k1, states);
        each!(states, x => linear(s1(*x)));
        add_key(splat, k2, states);
        each!(states, x => linear(s2(*x)));
        add_key(splat, k3, states);
        each!(states, x => linear(s3(*x)));
        add_key(splat, k4, states);
        each!(states, x => linear(s4(*x)));
        add_key(splat, k5, states);
        each!(states, x => linear(s5(*x)));
        add_key(splat, k6, states);
        each!(states, x => linear(s6(*x)));
        add_key(splat, k7, states);
        each!(states, x => s7(*x));
        if turn < 3 {
            each!(states, x => linear(*x));
        }
    }
    add_key(splat, &last[0], states);
}

/// Decrypts.
#[inline(always)]
pub(super) fn decrypt<W: Word, const N: usize>(
    splat: impl Fn(u32) -> W + Copy,
    keys: &Words,
    states: &mut [[W; 4]; N],
) {
    let (turns, last) = keys.as_chunks::<8>();
    add_key(splat, &last[0], states);
    for (turn, [k0, k1, k2, k3, k4, k5, k6, k7]) in turns.iter().enumerate().rev() {
        if turn < 3 {
            each!(states, x => inverse_linear(*x));
        }
        each!(states, x => s7_inverse(*x));
        add_key(splat, k7, states);
        each!(states, x => s6_inverse(inverse_linear(*x)));
        add_key(splat, k6, states);
        each!(states, x => s5_inverse(inverse_linear(*x)));
        add_key(splat, k5, states);
        each!(states, x => s4_inverse(inverse_linear(*x)));
        add_key(splat, k4, states);
        each!(states, x => s3_inverse(inverse_linear(*x)));
        add_key(splat, k3, states);
        each!(states, x => s2_inverse(inverse_linear(*x)));
        add_key(splat, k2, states);
        each!(states, x => s1_inverse(inverse_linear(*x)));
        add_key(splat, k1, states);
        each!(states, x => s0_inverse(inverse_linear(*x)));
        add_key(splat, k0, states);
    }
}

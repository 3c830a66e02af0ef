//! SAFER+ in the designers' order of steps and bytes.

use super::schedule::Subkeys;
use super::tables::{EXP, LOG, SHUFFLE, UNSHUFFLE, is_x_place};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "from the description, byte look-ups",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: size_of::<Subkeys>(), shared: 512 },
    batch_blocks: 1,
    keying: keying!(|key| Reference(Subkeys::new(key))),
};

struct Reference(Subkeys);

type State = [u8; 16];

/// Combines two strings: one operation at the X places, the other at the A places.
fn combine(x: &State, key: &State, at_x: fn(u8, u8) -> u8, at_a: fn(u8, u8) -> u8) -> State {
    std::array::from_fn(|j| if is_x_place(j) { at_x(x[j], key[j]) } else { at_a(x[j], key[j]) })
}

/// Looks every byte up: in one table at the X places, in the other at the A places.
fn substitute(x: &State, at_x: &[u8; 256], at_a: &[u8; 256]) -> State {
    std::array::from_fn(|j| if is_x_place(j) { at_x[usize::from(x[j])] } else { at_a[usize::from(x[j])] })
}

fn xor(a: u8, b: u8) -> u8 {
    a ^ b
}

/// The pseudo-Hadamard transform of each pair: (2a + b, a + b).
fn pht(mut x: State) -> State {
    for [a, b] in x.as_chunks_mut().0 {
        *b = b.wrapping_add(*a);
        *a = a.wrapping_add(*b);
    }
    x
}

fn inverse_pht(mut x: State) -> State {
    for [a, b] in x.as_chunks_mut().0 {
        *a = a.wrapping_sub(*b);
        *b = b.wrapping_sub(*a);
    }
    x
}

fn permute(x: State, from: &[usize; 16]) -> State {
    from.map(|j| x[j])
}

/// PHT, shuffle, PHT, shuffle, PHT, shuffle, PHT.
fn linear(x: State) -> State {
    (0..3).fold(pht(x), |x, _| pht(permute(x, &SHUFFLE)))
}

fn inverse_linear(x: State) -> State {
    (0..3).fold(inverse_pht(x), |x, _| inverse_pht(permute(x, &UNSHUFFLE)))
}

impl Reference {
    fn encrypt_block(&self, block: &mut State) {
        block.reverse();
        let mut x = *block;
        for [p, q] in self.0.rounds() {
            x = combine(&x, p, xor, u8::wrapping_add);
            x = substitute(&x, &EXP, &LOG);
            x = combine(&x, q, u8::wrapping_add, xor);
            x = linear(x);
        }
        *block = combine(&x, self.0.last(), xor, u8::wrapping_add);
        block.reverse();
    }

    fn decrypt_block(&self, block: &mut State) {
        block.reverse();
        let mut x = combine(block, self.0.last(), xor, u8::wrapping_sub);
        for [p, q] in self.0.rounds().iter().rev() {
            x = inverse_linear(x);
            x = combine(&x, q, u8::wrapping_sub, xor);
            x = substitute(&x, &LOG, &EXP);
            x = combine(&x, p, xor, u8::wrapping_sub);
        }
        *block = x;
        block.reverse();
    }
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.encrypt_block(block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.decrypt_block(block));
    }
}

//! The first S-box layer and P as eight look-ups of 64-bit words (16 KiB), the second S-box layer as byte look-ups, two blocks interleaved;
//! the divisors' inverses are made with the key.

use super::schedule::{Subkeys, inverse};
use super::tables::{FIRST, SBOX};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks in flight.
const LANES: usize = 2;

pub(super) const TABLES_64: Strategy = Strategy {
    name: "tables-64",
    summary: "64-bit tables, two blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: size_of::<Tables64>(), shared: size_of_val(&FIRST) + SBOX.len() },
    batch_blocks: LANES,
    keying: keying!(|key| Tables64::new(key)),
};

/// What one direction does outside the rounds: XOR, multiply; and at the end multiply, XOR.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Outer {
    whiten_in: [u32; 4],
    multiply_in: [u32; 4],
    multiply_out: [u32; 4],
    whiten_out: [u32; 4],
}

impl Outer {
    /// From the numbers of the four subkeys, in the order of their use.
    fn new(subkeys: &Subkeys, [first, second, third, fourth]: [usize; 4]) -> Self {
        Outer {
            whiten_in: subkeys.words(first),
            multiply_in: subkeys.words(second).map(|word| word | 1),
            multiply_out: subkeys.words(third).map(|word| inverse(word | 1)),
            whiten_out: subkeys.words(fourth),
        }
    }
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Tables64 {
    rounds: [[u64; 2]; 12],
    encrypt: Outer,
    decrypt: Outer,
}

/// P(S(x)).
#[inline(always)]
fn first_layer(x: u64) -> u64 {
    let [a, b, c, d, e, f, g, h] = x.to_be_bytes().map(usize::from);
    FIRST[0][a]
        ^ FIRST[1][b]
        ^ FIRST[2][c]
        ^ FIRST[3][d]
        ^ FIRST[4][e]
        ^ FIRST[5][f]
        ^ FIRST[6][g]
        ^ FIRST[7][h]
}

/// F of the description; BRL moves the first byte to the end.
#[inline(always)]
fn f(x: u64, [first, second]: [u64; 2]) -> u64 {
    let [a, b, c, d, e, f, g, h] = (first_layer(x ^ first) ^ second).to_be_bytes();
    u64::from_be_bytes([b, c, d, e, f, g, h, a].map(|byte| SBOX[usize::from(byte)]))
}

/// Output byte i is input byte STEP i modulo 16: BP with 5, its inverse with 13.
#[inline(always)]
fn permute<const STEP: usize>(bytes: [u8; 16]) -> [u8; 16] {
    std::array::from_fn(|i| bytes[STEP * i % 16])
}

#[inline(always)]
fn words(bytes: [u8; 16]) -> [u32; 4] {
    std::array::from_fn(|i| u32::from_be_bytes(bytes.as_chunks().0[i]))
}

#[inline(always)]
fn bytes(words: [u32; 4]) -> [u8; 16] {
    *words.map(u32::to_be_bytes).as_flattened().first_chunk().expect("four words")
}

impl Outer {
    /// The initial transformation: both halves.
    #[inline(always)]
    fn enter(&self, block: [u8; 16]) -> [u64; 2] {
        let text = words(block);
        let product =
            std::array::from_fn(|i| (text[i] ^ self.whiten_in[i]).wrapping_mul(self.multiply_in[i]));
        let mixed = u128::from_be_bytes(permute::<5>(bytes(product)));
        [(mixed >> 64) as u64, mixed as u64]
    }

    /// The final transformation, of the halves exchanged.
    #[inline(always)]
    fn leave(&self, l: u64, r: u64) -> [u8; 16] {
        let mixed = words(permute::<13>((u128::from(r) << 64 | u128::from(l)).to_be_bytes()));
        bytes(std::array::from_fn(|i| mixed[i].wrapping_mul(self.multiply_out[i]) ^ self.whiten_out[i]))
    }

    #[inline(always)]
    fn run<'a, const N: usize>(
        &self,
        rounds: impl Iterator<Item = &'a [u64; 2]>,
        blocks: &mut [[u8; 16]; N],
    ) {
        let halves = blocks.map(|block| self.enter(block));
        let (mut l, mut r) = (halves.map(|[l, _]| l), halves.map(|[_, r]| r));
        for key in rounds {
            for n in 0..N {
                (l[n], r[n]) = (r[n], l[n] ^ f(r[n], *key));
            }
        }
        *blocks = std::array::from_fn(|n| self.leave(l[n], r[n]));
    }
}

impl Tables64 {
    fn new(key: &[u8]) -> Self {
        let subkeys = Subkeys::new(key, first_layer);
        Tables64 {
            rounds: subkeys.rounds(),
            encrypt: Outer::new(&subkeys, [13, 14, 15, 16]),
            decrypt: Outer::new(&subkeys, [16, 15, 14, 13]),
        }
    }
}

impl Kernel for Tables64 {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        groups.iter_mut().for_each(|group| self.encrypt.run(self.rounds.iter(), group));
        rest.iter_mut().for_each(|block| self.encrypt.run(self.rounds.iter(), std::array::from_mut(block)));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        groups.iter_mut().for_each(|group| self.decrypt.run(self.rounds.iter().rev(), group));
        rest.iter_mut()
            .for_each(|block| self.decrypt.run(self.rounds.iter().rev(), std::array::from_mut(block)));
    }
}

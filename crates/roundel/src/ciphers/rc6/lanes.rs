//! RC6 over SIMD lanes: a lane is a block, a register one word of four or eight blocks. Two sets of registers are interleaved, since a
//! round of one set is a chain of about twelve cycles with half as many cycles of work in it.
//!
//! The rotation amount, the low five bits of t = p <<< 5, is p >> 27: a by-product of the rotation by five.

use super::schedule::{RoundKeys, WORDS, expand};
use super::word;
use crate::ciphers::words::{in_batches, load_lanes, store_lanes};
use crate::simd::{Avx2, Simd, Sse2, Vector};
use crate::{Kernel, Memory, Strategy, Timing, keying};

pub(super) const W128: Strategy = Strategy {
    name: "lanes-128",
    summary: "128-bit lanes, eight blocks in flight",
    needs: Sse2::LEVEL,
    timing: Timing::Constant,
    memory: Memory { per_key: 4 * WORDS, shared: 0 },
    batch_blocks: 8,
    keying: keying!(|key| Lanes::<Sse2, 128>::new(key)),
};

pub(super) const W256: Strategy = Strategy {
    name: "lanes-256",
    summary: "256-bit lanes, sixteen blocks in flight",
    needs: Avx2::LEVEL,
    batch_blocks: 16,
    keying: keying!(|key| Lanes::<Avx2, 256>::new(key)),
    ..W128
};

/// Up to two blocks cost less in general registers than as a padded batch.
const FEW_BYTES: usize = 2 * 16;

struct Lanes<S: Simd, const BATCH: usize> {
    simd: S,
    s: RoundKeys,
}

impl<S: Simd, const BATCH: usize> Lanes<S, BATCH> {
    fn new(key: &[u8]) -> Self {
        let simd = S::detect().expect("`Choice::kernel` has checked the level");
        Lanes { simd, s: expand(key) }
    }
}

impl<S: Simd, const BATCH: usize> Kernel for Lanes<S, BATCH> {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (simd, s) = (self.simd, &self.s.0);
        simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| encrypt_batch(simd, s, batch),
                    FEW_BYTES,
                    |few| word::encrypt(s, few),
                )
            },
        );
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (simd, s) = (self.simd, &self.s.0);
        simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| decrypt_batch(simd, s, batch),
                    FEW_BYTES,
                    |few| word::decrypt(s, few),
                )
            },
        );
    }
}

/// Two sets of A, B, C, D.
type Sets<S> = [[<S as Simd>::V; 4]; 2];

#[inline(always)]
fn load_sets<S: Simd>(simd: S, batch: &[u8]) -> Sets<S> {
    [load_lanes(simd, batch), load_lanes(simd, &batch[4 * S::V::BYTES..])]
}

#[inline(always)]
fn store_sets<S: Simd>([first, second]: Sets<S>, batch: &mut [u8]) {
    store_lanes(first, batch);
    store_lanes(second, &mut batch[4 * S::V::BYTES..]);
}

/// t = (x (2x + 1)) <<< 5 and its low five bits.
#[inline(always)]
fn f<S: Simd>(simd: S, x: S::V) -> (S::V, S::V) {
    let product = x.mul32(x.add32(x).sub32(simd.splat32(!0)));
    let amount = product.shr32::<27>();
    (product.shl32::<5>() | amount, amount)
}

/// Round R of four: a word's place moves by one each round, so that none is copied.
#[inline(always)]
fn encrypt_round<S: Simd, const R: usize>(simd: S, keys: &[u32; 8], sets: &mut Sets<S>) {
    let [a, b, c, d] = [R, (R + 1) % 4, (R + 2) % 4, (R + 3) % 4];
    let (key_a, key_c) = (simd.splat32(keys[2 * R]), simd.splat32(keys[2 * R + 1]));
    for x in sets {
        let (t, t_amount) = f(simd, x[b]);
        let (u, u_amount) = f(simd, x[d]);
        x[a] = (x[a] ^ t).rotl32_by(u_amount).add32(key_a);
        x[c] = (x[c] ^ u).rotl32_by(t_amount).add32(key_c);
    }
}

#[inline(always)]
fn decrypt_round<S: Simd, const R: usize>(simd: S, keys: &[u32; 8], sets: &mut Sets<S>) {
    let [a, b, c, d] = [R, (R + 1) % 4, (R + 2) % 4, (R + 3) % 4];
    let (key_a, key_c) = (simd.splat32(keys[2 * R]), simd.splat32(keys[2 * R + 1]));
    for x in sets {
        let (t, t_amount) = f(simd, x[b]);
        let (u, u_amount) = f(simd, x[d]);
        x[c] = x[c].sub32(key_c).rotr32_by(t_amount) ^ u;
        x[a] = x[a].sub32(key_a).rotr32_by(u_amount) ^ t;
    }
}

#[inline(always)]
fn encrypt_batch<S: Simd>(simd: S, s: &[u32; WORDS], batch: &mut [u8]) {
    let (turns, last) = s[2..].as_chunks::<8>();
    let mut sets = load_sets(simd, batch);
    for [_, b, _, d] in &mut sets {
        *b = b.add32(simd.splat32(s[0]));
        *d = d.add32(simd.splat32(s[1]));
    }
    for keys in turns {
        encrypt_round::<S, 0>(simd, keys, &mut sets);
        encrypt_round::<S, 1>(simd, keys, &mut sets);
        encrypt_round::<S, 2>(simd, keys, &mut sets);
        encrypt_round::<S, 3>(simd, keys, &mut sets);
    }
    for [a, _, c, _] in &mut sets {
        *a = a.add32(simd.splat32(last[0]));
        *c = c.add32(simd.splat32(last[1]));
    }
    store_sets::<S>(sets, batch);
}

#[inline(always)]
fn decrypt_batch<S: Simd>(simd: S, s: &[u32; WORDS], batch: &mut [u8]) {
    let (turns, last) = s[2..].as_chunks::<8>();
    let mut sets = load_sets(simd, batch);
    for [a, _, c, _] in &mut sets {
        *c = c.sub32(simd.splat32(last[1]));
        *a = a.sub32(simd.splat32(last[0]));
    }
    for keys in turns.iter().rev() {
        decrypt_round::<S, 3>(simd, keys, &mut sets);
        decrypt_round::<S, 2>(simd, keys, &mut sets);
        decrypt_round::<S, 1>(simd, keys, &mut sets);
        decrypt_round::<S, 0>(simd, keys, &mut sets);
    }
    for [_, b, _, d] in &mut sets {
        *d = d.sub32(simd.splat32(s[1]));
        *b = b.sub32(simd.splat32(s[0]));
    }
    store_sets::<S>(sets, batch);
}

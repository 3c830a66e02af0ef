//! Twofish without look-ups in memory: the key-dependent S-boxes as byte shuffles (`shuffles.rs`), on 16 or 32 blocks at once.
//!
//! 128-bit keys cost nine steps for 32 bytes, the key bytes being in the tables; no address depends on a secret.
//!
//! Words are added and rotated in 32-bit lanes; for g they are turned into four vectors, one for each byte position, and back.

use super::schedule::{Subkeys, g_key, words};
use super::shuffles::{FIRST, MixedList, SECOND, START, Table, add_column, step, subkeys};
use super::tables::STAGES;
use crate::ciphers::words::{in_batches, load_lanes, store_lanes, transpose};
use crate::modes::wipe;
use crate::simd::{Avx2, Simd, Ssse3, Vector};
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};

pub(super) const W128: Strategy = Strategy {
    name: "byteslice-128",
    summary: "S-boxes as byte shuffles, 16 blocks in 128-bit vectors",
    needs: Ssse3::LEVEL,
    timing: Timing::Constant,
    memory: Memory { per_key: 4 * 64 + 160, shared: 16 * (2 + 4 + 4 + 12) },
    batch_blocks: 16,
    keying: keying::<Ssse3, { 16 * 16 }>(),
};

pub(super) const W256: Strategy = Strategy {
    name: "byteslice-256",
    summary: "S-boxes as byte shuffles, 32 blocks in 256-bit vectors",
    needs: Avx2::LEVEL,
    batch_blocks: 32,
    keying: keying::<Avx2, { 32 * 16 }>(),
    ..W128
};

const fn keying<S: Simd, const BATCH: usize>() -> Keying {
    keying!(|key| match key.len() {
        16 => Byteslice::<S, 2, BATCH>::new(key),
        24 => Byteslice::<S, 3, BATCH>::new(key),
        _ => Byteslice::<S, 4, BATCH>::new(key),
    })
}

/// For each word of a list L of h and each byte position, what the high nibble looks up in the last step of the stage with that
/// word's key byte.
type StageTables<const K: usize> = [[Table; 4]; K];

/// In each 128-bit part, the four words' bytes 0, then bytes 1, 2 and 3; its own inverse.
static BY_POSITION: Table = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// The tables that depend on a list of h.
fn stage_tables<const K: usize>(list: &[u32; K]) -> StageTables<K> {
    let list = MixedList::new(list);
    let table = |i: usize, byte: usize| {
        let key = list.byte(i, byte);
        SECOND[STAGES[3 - i][byte]][1].map(|entry| entry ^ key)
    };
    std::array::from_fn(|i| std::array::from_fn(|byte| table(i, byte)))
}

/// A stage: q, then the key byte of word `i` of the list.
#[inline(always)]
fn stage<S: Simd, const K: usize, const BYTE: usize, const N: usize>(
    s: S,
    tables: &StageTables<K>,
    i: usize,
    bytes: &mut [S::V; N],
) {
    let q = STAGES[3 - i][BYTE];
    step(s, bytes, &FIRST[q][0], &FIRST[q][1]);
    step(s, bytes, &SECOND[q][0], &tables[i][BYTE]);
}

/// All stages of the bytes in position `BYTE`, times their column of the matrix, added to the result's bytes.
#[inline(always)]
fn add_all_stages<S: Simd, const K: usize, const BYTE: usize, const N: usize>(
    s: S,
    tables: &StageTables<K>,
    mut bytes: [S::V; N],
    sum: &mut [[S::V; N]; 4],
) {
    step(s, &mut bytes, &START[0], &START[1]);
    // no loop: each stage's q shall be chosen by the compiler
    if K > 3 {
        stage::<S, K, BYTE, N>(s, tables, 3, &mut bytes);
    }
    if K > 2 {
        stage::<S, K, BYTE, N>(s, tables, 2, &mut bytes);
    }
    stage::<S, K, BYTE, N>(s, tables, 1, &mut bytes);
    stage::<S, K, BYTE, N>(s, tables, 0, &mut bytes);
    add_column::<S, BYTE, N>(s, bytes, sum);
}

/// h of bytes sorted by position.
#[inline(always)]
fn h<S: Simd, const K: usize, const N: usize>(
    s: S,
    tables: &StageTables<K>,
    bytes: [[S::V; N]; 4],
) -> [[S::V; N]; 4] {
    let mut sum = [[s.zero(); N]; 4];
    add_all_stages::<S, K, 0, N>(s, tables, bytes[0], &mut sum);
    add_all_stages::<S, K, 1, N>(s, tables, bytes[1], &mut sum);
    add_all_stages::<S, K, 2, N>(s, tables, bytes[2], &mut sum);
    add_all_stages::<S, K, 3, N>(s, tables, bytes[3], &mut sum);
    sum
}

/// Words in four vectors to vectors of bytes by position.
#[inline(always)]
fn slice<S: Simd>(s: S, [a, b, c, d]: [S::V; 4]) -> [S::V; 4] {
    let order = s.broadcast128(&BY_POSITION);
    transpose([a.shuffle8(order), b.shuffle8(order), c.shuffle8(order), d.shuffle8(order)])
}

/// The inverse of [`slice`].
#[inline(always)]
fn unslice<S: Simd>(s: S, bytes: [S::V; 4]) -> [S::V; 4] {
    let order = s.broadcast128(&BY_POSITION);
    let [a, b, c, d] = transpose(bytes);
    [a.shuffle8(order), b.shuffle8(order), c.shuffle8(order), d.shuffle8(order)]
}

/// F (section 4.1) of two words of each block under two subkeys.
#[inline(always)]
fn f<S: Simd, const K: usize>(
    s: S,
    tables: &StageTables<K>,
    a: [S::V; 4],
    b: [S::V; 4],
    key: [u32; 2],
) -> [[S::V; 4]; 2] {
    let [a0, a1, a2, a3] = slice(s, a);
    // b <<< 8
    let [b1, b2, b3, b0] = slice(s, b);
    let [r0, r1, r2, r3] = h(s, tables, [[a0, b0], [a1, b1], [a2, b2], [a3, b3]]);
    let mut t0 = unslice(s, [r0[0], r1[0], r2[0], r3[0]]);
    let mut t1 = unslice(s, [r0[1], r1[1], r2[1], r3[1]]);
    let [k0, k1] = [s.splat32(key[0]), s.splat32(key[1])];
    for (t0, t1) in t0.iter_mut().zip(&mut t1) {
        *t0 = t0.add32(*t1);
        *t1 = t1.add32(*t0).add32(k1);
        *t0 = t0.add32(k0);
    }
    [t0, t1]
}

/// The four words of all blocks, each word in four vectors.
type Words<S> = [[<S as Simd>::V; 4]; 4];

#[inline(always)]
fn load<S: Simd>(s: S, batch: &[u8], whitening: &[u32; 4]) -> Words<S> {
    let mut words = [[s.zero(); 4]; 4];
    for (group, blocks) in batch.chunks_exact(4 * S::V::BYTES).enumerate() {
        let lanes = load_lanes(s, blocks);
        for word in 0..4 {
            words[word][group] = lanes[word] ^ s.splat32(whitening[word]);
        }
    }
    words
}

#[inline(always)]
fn store<S: Simd>(s: S, words: Words<S>, whitening: &[u32; 4], batch: &mut [u8]) {
    for (group, blocks) in batch.chunks_exact_mut(4 * S::V::BYTES).enumerate() {
        let mut lanes = [s.zero(); 4];
        for word in 0..4 {
            lanes[word] = words[word][group] ^ s.splat32(whitening[word]);
        }
        store_lanes(lanes, blocks);
    }
}

/// XORs F of (`a`, `b`) onto (`c`, `d`), rotating one before and the other after.
#[inline(always)]
fn encrypt_round<S: Simd, const K: usize>(
    s: S,
    tables: &StageTables<K>,
    [a, b, c, d]: [&mut [S::V; 4]; 4],
    key: [u32; 2],
) {
    let [f0, f1] = f(s, tables, *a, *b, key);
    for i in 0..4 {
        c[i] = (c[i] ^ f0[i]).rotl32::<31, 1>();
        d[i] = d[i].rotl32::<1, 31>() ^ f1[i];
    }
}

/// The inverse of [`encrypt_round`].
#[inline(always)]
fn decrypt_round<S: Simd, const K: usize>(
    s: S,
    tables: &StageTables<K>,
    [a, b, c, d]: [&mut [S::V; 4]; 4],
    key: [u32; 2],
) {
    let [f0, f1] = f(s, tables, *a, *b, key);
    for i in 0..4 {
        c[i] = c[i].rotl32::<1, 31>() ^ f0[i];
        d[i] = (d[i] ^ f1[i]).rotl32::<31, 1>();
    }
}

struct Byteslice<S: Simd, const K: usize, const BATCH: usize> {
    simd: S,
    subkeys: Subkeys,
    tables: StageTables<K>,
}

impl<S: Simd, const K: usize, const BATCH: usize> Drop for Byteslice<S, K, BATCH> {
    fn drop(&mut self) {
        wipe(self.tables.as_flattened_mut().as_flattened_mut());
    }
}

impl<S: Simd, const K: usize, const BATCH: usize> Byteslice<S, K, BATCH> {
    fn new(key: &[u8]) -> Self {
        let simd = S::detect().expect("`Choice::kernel` has checked the level");
        let key = words::<K>(key);
        Byteslice { simd, subkeys: subkeys(simd, &key), tables: stage_tables(&g_key(&key)) }
    }

    #[inline(always)]
    fn encrypt_batch(&self, batch: &mut [u8; BATCH]) {
        let s = self.simd;
        let [mut a, mut b, mut c, mut d] = load(s, batch, &self.subkeys.input);
        for &[k0, k1, k2, k3] in &self.subkeys.rounds {
            encrypt_round(s, &self.tables, [&mut a, &mut b, &mut c, &mut d], [k0, k1]);
            encrypt_round(s, &self.tables, [&mut c, &mut d, &mut a, &mut b], [k2, k3]);
        }
        store(s, [c, d, a, b], &self.subkeys.output, batch);
    }

    #[inline(always)]
    fn decrypt_batch(&self, batch: &mut [u8; BATCH]) {
        let s = self.simd;
        let [mut c, mut d, mut a, mut b] = load(s, batch, &self.subkeys.output);
        for &[k0, k1, k2, k3] in self.subkeys.rounds.iter().rev() {
            decrypt_round(s, &self.tables, [&mut c, &mut d, &mut a, &mut b], [k2, k3]);
            decrypt_round(s, &self.tables, [&mut a, &mut b, &mut c, &mut d], [k0, k1]);
        }
        store(s, [a, b, c, d], &self.subkeys.input, batch);
    }
}

impl<S: Simd, const K: usize, const BATCH: usize> Kernel for Byteslice<S, K, BATCH> {
    fn encrypt(&self, blocks: &mut [u8]) {
        self.simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| self.encrypt_batch(batch),
                    0,
                    |_| {},
                )
            },
        );
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| self.decrypt_batch(batch),
                    0,
                    |_| {},
                )
            },
        );
    }
}

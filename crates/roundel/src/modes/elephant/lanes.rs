//! A sector in each lane: four sectors in 128-bit registers, eight in 256-bit registers. A register then holds the same word of all sectors, so the
//! serial chains of the diffusers cost their latency once for all of them.
//!
//! Sectors lie one after the other, so they are transposed on the way in and out, four words of all sectors at a time. The pattern
//! is XORed on before the transposition, while a sector's bytes are together.

use super::cycles::{a_decrypt, a_encrypt, b_decrypt, b_encrypt};
use super::{Diffuser, Layers, PATTERN_BYTES, Run, for_each_length, unrolled};
use crate::ciphers::words::transpose;
use crate::simd::{Avx2, Simd, Sse2, Vector};

pub(super) const W128: Diffuser = Diffuser {
    name: "lanes-128",
    summary: "a sector in each 32-bit lane, four side by side",
    needs: Sse2::LEVEL,
    batch_sectors: 4,
    encrypt: |layers, sector_bytes, patterns, sectors| {
        run::<Sse2>(encrypt, unrolled::encrypt, layers, sector_bytes, patterns, sectors)
    },
    decrypt: |layers, sector_bytes, patterns, sectors| {
        run::<Sse2>(decrypt, unrolled::decrypt, layers, sector_bytes, patterns, sectors)
    },
};

pub(super) const W256: Diffuser = Diffuser {
    name: "lanes-256",
    summary: "a sector in each 32-bit lane, eight side by side",
    needs: Avx2::LEVEL,
    batch_sectors: 8,
    encrypt: |layers, sector_bytes, patterns, sectors| {
        run::<Avx2>(encrypt, W128.encrypt, layers, sector_bytes, patterns, sectors)
    },
    decrypt: |layers, sector_bytes, patterns, sectors| {
        run::<Avx2>(decrypt, W128.decrypt, layers, sector_bytes, patterns, sectors)
    },
};

/// Whole batches by `batches`, the sectors that are left by the strategy of half the width.
fn run<S: Simd>(
    batches: fn(S, Layers, usize, &[u8], &mut [u8]),
    rest: Run,
    layers: Layers,
    sector_bytes: usize,
    patterns: &[u8],
    sectors: &mut [u8],
) {
    let s = S::detect().expect("the caller has asked `needs.available()`");
    let lanes = S::V::BYTES / 4;
    let whole = sectors.len() / sector_bytes / lanes * lanes;
    let (patterns, rest_patterns) = patterns.split_at(whole * PATTERN_BYTES);
    let (sectors, rest_sectors) = sectors.split_at_mut(whole * sector_bytes);
    batches(s, layers, sector_bytes, patterns, sectors);
    if !rest_sectors.is_empty() {
        rest(layers, sector_bytes, rest_patterns, rest_sectors);
    }
}

fn encrypt<S: Simd>(s: S, layers: Layers, sector_bytes: usize, patterns: &[u8], sectors: &mut [u8]) {
    for_each_length!(sector_bytes, G => encrypt_batches::<S, G>(s, layers, patterns, sectors));
}

fn decrypt<S: Simd>(s: S, layers: Layers, sector_bytes: usize, patterns: &[u8], sectors: &mut [u8]) {
    for_each_length!(sector_bytes, G => decrypt_batches::<S, G>(s, layers, patterns, sectors));
}

fn encrypt_batches<S: Simd, const G: usize>(s: S, layers: Layers, patterns: &[u8], sectors: &mut [u8]) {
    let lanes = S::V::BYTES / 4;
    s.enter(
        #[inline(always)]
        || {
            let mut d = [[s.zero(); 4]; G];
            let patterns = patterns.chunks_exact(lanes * PATTERN_BYTES);
            for (batch, patterns) in sectors.chunks_exact_mut(lanes * 16 * G).zip(patterns) {
                let masks = masks(s, patterns);
                for (k, d) in d.iter_mut().enumerate() {
                    *d = transpose(xor(load(s, batch, 16 * G, 16 * k), masks[k % 2]));
                }
                for _ in 0..layers.a_cycles {
                    a_encrypt(&mut d);
                }
                for _ in 0..layers.b_cycles {
                    b_encrypt(&mut d);
                }
                let step = s.splat32(u32::from(layers.counter));
                let mut count = s.zero();
                for (k, d) in d.iter_mut().enumerate() {
                    d[0] = d[0].add32(count);
                    count = count.add32(step);
                    store(transpose(*d), batch, 16 * G, 16 * k);
                }
            }
            wipe(s, &mut d);
        },
    );
}

fn decrypt_batches<S: Simd, const G: usize>(s: S, layers: Layers, patterns: &[u8], sectors: &mut [u8]) {
    let lanes = S::V::BYTES / 4;
    s.enter(
        #[inline(always)]
        || {
            let mut d = [[s.zero(); 4]; G];
            let patterns = patterns.chunks_exact(lanes * PATTERN_BYTES);
            for (batch, patterns) in sectors.chunks_exact_mut(lanes * 16 * G).zip(patterns) {
                let masks = masks(s, patterns);
                let step = s.splat32(u32::from(layers.counter));
                let mut count = s.zero();
                for (k, d) in d.iter_mut().enumerate() {
                    *d = transpose(load(s, batch, 16 * G, 16 * k));
                    d[0] = d[0].sub32(count);
                    count = count.add32(step);
                }
                for _ in 0..layers.b_cycles {
                    b_decrypt(&mut d);
                }
                for _ in 0..layers.a_cycles {
                    a_decrypt(&mut d);
                }
                for (k, d) in d.iter().enumerate() {
                    store(xor(transpose(*d), masks[k % 2]), batch, 16 * G, 16 * k);
                }
            }
            wipe(s, &mut d);
        },
    );
}

/// Register j: 16 bytes at `at` of sector j, and of sector j + 4 where a register has two parts.
#[inline(always)]
fn load<S: Simd>(s: S, batch: &[u8], stride: usize, at: usize) -> [S::V; 4] {
    let mut rows = [s.zero(); 4];
    for (j, row) in rows.iter_mut().enumerate() {
        *row = s.load_parts(&batch[j * stride + at..], 4 * stride);
    }
    rows
}

#[inline(always)]
fn store<V: Vector>(rows: [V; 4], batch: &mut [u8], stride: usize, at: usize) {
    for (j, row) in rows.into_iter().enumerate() {
        row.store_parts(&mut batch[j * stride + at..], 4 * stride);
    }
}

/// Both halves of the patterns, in the order of [`load`].
#[inline(always)]
fn masks<S: Simd>(s: S, patterns: &[u8]) -> [[S::V; 4]; 2] {
    [load(s, patterns, PATTERN_BYTES, 0), load(s, patterns, PATTERN_BYTES, 16)]
}

#[inline(always)]
fn xor<V: Vector>(a: [V; 4], b: [V; 4]) -> [V; 4] {
    [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
}

#[inline(always)]
fn wipe<S: Simd, const G: usize>(s: S, d: &mut [[S::V; 4]; G]) {
    *d = [[s.zero(); 4]; G];
    std::hint::black_box(d);
}

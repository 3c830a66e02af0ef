//! The layers as Ferguson's paper writes them (sections 4.2 to 4.4): one word after the other.

use super::{Diffuser, Layers, PATTERN_BYTES};
use crate::modes::xor_in_place;
use crate::simd::Level;

pub(super) const PLAIN: Diffuser = Diffuser {
    name: "reference",
    summary: "the paper's loops, word by word",
    needs: Level::Portable,
    batch_sectors: 1,
    encrypt,
    decrypt,
};

/// R^(a) and R^(b).
const R_A: [u32; 4] = [9, 0, 13, 0];
const R_B: [u32; 4] = [0, 10, 0, 25];

fn a_term(d: &[u32], i: usize) -> u32 {
    let n = d.len();
    d[(i + n - 2) % n] ^ d[(i + n - 5) % n].rotate_left(R_A[i % 4])
}

fn b_term(d: &[u32], i: usize) -> u32 {
    let n = d.len();
    d[(i + 2) % n] ^ d[(i + 5) % n].rotate_left(R_B[i % 4])
}

fn diffuse(d: &mut [u32], cycles: u8, term: fn(&[u32], usize) -> u32) {
    for _ in 0..cycles {
        for i in (0..d.len()).rev() {
            d[i] = d[i].wrapping_sub(term(d, i));
        }
    }
}

fn undo(d: &mut [u32], cycles: u8, term: fn(&[u32], usize) -> u32) {
    for _ in 0..cycles {
        for i in 0..d.len() {
            d[i] = d[i].wrapping_add(term(d, i));
        }
    }
}

/// The words of a sector, changed by `work`.
fn with_words(sector: &mut [u8], work: impl FnOnce(&mut [u32])) {
    let mut d: Vec<u32> = sector.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    work(&mut d);
    for (bytes, word) in sector.as_chunks_mut().0.iter_mut().zip(&mut d) {
        *bytes = std::mem::take(word).to_le_bytes();
    }
}

fn xor_pattern(sector: &mut [u8], pattern: &[u8]) {
    for part in sector.chunks_mut(PATTERN_BYTES) {
        xor_in_place(part, pattern);
    }
}

fn encrypt(layers: Layers, sector_bytes: usize, patterns: &[u8], sectors: &mut [u8]) {
    for (sector, pattern) in sectors.chunks_exact_mut(sector_bytes).zip(patterns.chunks_exact(PATTERN_BYTES))
    {
        xor_pattern(sector, pattern);
        with_words(sector, |d| {
            diffuse(d, layers.a_cycles, a_term);
            diffuse(d, layers.b_cycles, b_term);
            if layers.counter {
                for j in 0..d.len() / 4 {
                    d[4 * j] = d[4 * j].wrapping_add(j as u32);
                }
            }
        });
    }
}

fn decrypt(layers: Layers, sector_bytes: usize, patterns: &[u8], sectors: &mut [u8]) {
    for (sector, pattern) in sectors.chunks_exact_mut(sector_bytes).zip(patterns.chunks_exact(PATTERN_BYTES))
    {
        with_words(sector, |d| {
            if layers.counter {
                for j in 0..d.len() / 4 {
                    d[4 * j] = d[4 * j].wrapping_sub(j as u32);
                }
            }
            undo(d, layers.b_cycles, b_term);
            undo(d, layers.a_cycles, a_term);
        });
        xor_pattern(sector, pattern);
    }
}

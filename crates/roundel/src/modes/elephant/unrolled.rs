//! One sector after the other in general registers, a group of four words at a time: no index is reduced and no rotation by zero done.

use super::cycles::{a_decrypt, a_encrypt, b_decrypt, b_encrypt};
use super::{Diffuser, Layers, PATTERN_BYTES, for_each_length};
use crate::ciphers::words;
use crate::simd::Level;

pub(super) const WORDS: Diffuser = Diffuser {
    name: "unrolled",
    summary: "one sector in general registers, four words a step",
    needs: Level::Portable,
    batch_sectors: 1,
    encrypt,
    decrypt,
};

pub(super) fn encrypt(layers: Layers, sector_bytes: usize, patterns: &[u8], sectors: &mut [u8]) {
    for_each_length!(sector_bytes, G => encrypt_all::<G>(layers, patterns, sectors));
}

pub(super) fn decrypt(layers: Layers, sector_bytes: usize, patterns: &[u8], sectors: &mut [u8]) {
    for_each_length!(sector_bytes, G => decrypt_all::<G>(layers, patterns, sectors));
}

fn encrypt_all<const G: usize>(layers: Layers, patterns: &[u8], sectors: &mut [u8]) {
    let mut d = [[0u32; 4]; G];
    for (sector, pattern) in sectors.chunks_exact_mut(16 * G).zip(patterns.as_chunks::<PATTERN_BYTES>().0) {
        let (blocks, pattern) = (sector.as_chunks_mut::<16>().0, pattern_words(pattern));
        for (k, (d, block)) in d.iter_mut().zip(&*blocks).enumerate() {
            *d = xor(words::load(block), pattern[k % 2]);
        }
        for _ in 0..layers.a_cycles {
            a_encrypt(&mut d);
        }
        for _ in 0..layers.b_cycles {
            b_encrypt(&mut d);
        }
        for (k, (d, block)) in d.iter_mut().zip(blocks).enumerate() {
            if layers.counter {
                d[0] = d[0].wrapping_add(k as u32);
            }
            words::store(*d, block);
        }
    }
    d = [[0; 4]; G];
    std::hint::black_box(&mut d);
}

fn decrypt_all<const G: usize>(layers: Layers, patterns: &[u8], sectors: &mut [u8]) {
    let mut d = [[0u32; 4]; G];
    for (sector, pattern) in sectors.chunks_exact_mut(16 * G).zip(patterns.as_chunks::<PATTERN_BYTES>().0) {
        let (blocks, pattern) = (sector.as_chunks_mut::<16>().0, pattern_words(pattern));
        for (k, (d, block)) in d.iter_mut().zip(&*blocks).enumerate() {
            *d = words::load(block);
            if layers.counter {
                d[0] = d[0].wrapping_sub(k as u32);
            }
        }
        for _ in 0..layers.b_cycles {
            b_decrypt(&mut d);
        }
        for _ in 0..layers.a_cycles {
            a_decrypt(&mut d);
        }
        for (k, (d, block)) in d.iter().zip(blocks).enumerate() {
            words::store(xor(*d, pattern[k % 2]), block);
        }
    }
    d = [[0; 4]; G];
    std::hint::black_box(&mut d);
}

fn pattern_words(pattern: &[u8; PATTERN_BYTES]) -> [[u32; 4]; 2] {
    let (halves, _) = pattern.as_chunks();
    [words::load(&halves[0]), words::load(&halves[1])]
}

#[inline(always)]
fn xor(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
}

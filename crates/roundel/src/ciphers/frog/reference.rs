//! FROG as described by its designers: lists, permutations and the interpreter, one byte at a time.

use super::tables::RANDOM_SEED;
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "from the description, one byte at a time",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 8 * (288 + 256), shared: RANDOM_SEED.len() },
    batch_blocks: 1,
    keying: keying!(|key| Reference::new(key)),
};

/// One of the eight records of the internal key.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
struct Record {
    xor: [u8; 16],
    permutation: Vec<u8>,
    inverse: Vec<u8>,
    bomb: Vec<u8>,
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    records: Vec<Record>,
}

/// makePermutation: each raw byte picks, counted on from the last pick, one of the values that are left.
fn make_permutation(raw: &[u8]) -> Vec<u8> {
    let mut left: Vec<u8> = (0..=255).take(raw.len()).collect();
    let mut position = 0;
    raw.iter()
        .map(|&step| {
            position = (position + usize::from(step)) % left.len();
            left.remove(position)
        })
        .collect()
}

/// Joins the cycles of the bomb permutation into one, then keeps each entry off the position after its own.
fn make_bomb(raw: &[u8]) -> Vec<u8> {
    let mut bomb = make_permutation(raw);
    let mut used = [false; 16];
    let mut j = 0;
    for _ in 0..15 {
        if bomb[j] == 0 {
            let mut k = j;
            loop {
                k = (k + 1) % 16;
                if !used[k] {
                    break;
                }
            }
            bomb[j] = k as u8;
            let mut l = k;
            while usize::from(bomb[l]) != k {
                l = usize::from(bomb[l]);
            }
            bomb[l] = 0;
        }
        used[j] = true;
        j = usize::from(bomb[j]);
    }
    for i in 0..16u8 {
        let entry = &mut bomb[usize::from(i)];
        if *entry == (i + 1) % 16 {
            *entry = (i + 2) % 16;
        }
    }
    bomb
}

/// makeInternalKey: 2304 raw bytes to eight records.
fn make_internal_key(raw: &[u8]) -> Vec<Record> {
    raw.chunks_exact(288)
        .map(|raw| {
            let permutation = make_permutation(&raw[16..272]);
            let mut inverse = vec![0; 256];
            for (i, &value) in permutation.iter().enumerate() {
                inverse[usize::from(value)] = i as u8;
            }
            let xor = raw[..16].try_into().expect("16 bytes");
            Record { xor, permutation, inverse, bomb: make_bomb(&raw[272..]) }
        })
        .collect()
}

fn encrypt(records: &[Record], d: &mut [u8]) {
    for record in records {
        for i in 0..16 {
            d[i] = record.permutation[usize::from(d[i] ^ record.xor[i])];
            d[(i + 1) % 16] ^= d[i];
            d[usize::from(record.bomb[i])] ^= d[i];
        }
    }
}

fn decrypt(records: &[Record], d: &mut [u8]) {
    for record in records.iter().rev() {
        for i in (0..16).rev() {
            d[usize::from(record.bomb[i])] ^= d[i];
            d[(i + 1) % 16] ^= d[i];
            d[i] = record.inverse[usize::from(d[i])] ^ record.xor[i];
        }
    }
}

impl Reference {
    /// hashKey: the key, repeated and masked by the seed, makes a simple internal key, which then produces the raw bytes of the
    /// one used, by CBC encryption of zeros.
    fn new(key: &[u8]) -> Self {
        let internal: Vec<u8> = key.iter().rev().copied().collect();
        let mut raw: Vec<u8> =
            (0..2304).map(|i| RANDOM_SEED[i % 251] ^ internal[i % internal.len()]).collect();
        let simple = make_internal_key(&raw);
        // A key under 16 bytes leaves the rest of the vector zero, as in the submission's program.
        let mut vector = [0; 16];
        vector.iter_mut().zip(&internal).for_each(|(to, byte)| *to = *byte);
        vector[0] ^= key.len() as u8;
        for part in raw.chunks_exact_mut(16) {
            encrypt(&simple, &mut vector);
            part.copy_from_slice(&vector);
        }
        Reference { records: make_internal_key(&raw) }
    }
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            block.reverse();
            encrypt(&self.records, block);
            block.reverse();
        }
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        for block in blocks.chunks_exact_mut(16) {
            block.reverse();
            decrypt(&self.records, block);
            block.reverse();
        }
    }
}

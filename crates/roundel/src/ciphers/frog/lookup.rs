//! The interpreter over several blocks at once: a single block is a chain of 128 look-ups, each waiting for the one before.

use super::schedule::InternalKey;
use super::tables::RANDOM_SEED;
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use std::sync::OnceLock;

/// Blocks in flight.
const LANES: usize = 4;

pub(super) const LOOKUP: Strategy = Strategy {
    name: "lookup",
    summary: "byte look-ups, four blocks interleaved",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: size_of::<Lookup>(), shared: RANDOM_SEED.len() },
    batch_blocks: LANES,
    keying: keying!(|key| Lookup { key: InternalKey::new(key), inverse: OnceLock::new() }),
};

struct Lookup {
    key: InternalKey,
    inverse: OnceLock<InternalKey>,
}

impl Lookup {
    fn inverse(&self) -> &InternalKey {
        self.inverse.get_or_init(|| self.key.inverse())
    }
}

/// Encrypts blocks in internal byte order.
///
/// The byte that the next step looks up stays in a register: no bomb hits it (the key schedule sees to that), and through memory each of
/// the 128 steps would wait for a store.
#[inline(always)]
pub(super) fn encrypt_internal<const N: usize>(key: &InternalKey, blocks: &mut [[u8; 16]; N]) {
    let mut current: [u8; N] = std::array::from_fn(|n| blocks[n][0]);
    for record in &key.records {
        for i in 0..16 {
            // Masked so that no bounds check is left.
            let bomb = usize::from(record.bomb[i] & 15);
            for (d, current) in blocks.iter_mut().zip(&mut current) {
                let byte = record.sbox[usize::from(*current ^ record.xor[i])];
                *current = d[(i + 1) % 16] ^ byte;
                d[i] = byte;
                d[bomb] ^= byte;
            }
        }
    }
    for (d, current) in blocks.iter_mut().zip(current) {
        d[0] = current;
    }
}

/// Decrypts blocks in internal byte order; the key's substitutions are the inverse ones.
#[inline(always)]
fn decrypt_internal<const N: usize>(key: &InternalKey, blocks: &mut [[u8; 16]; N]) {
    for record in key.records.iter().rev() {
        for i in (0..16).rev() {
            let bomb = usize::from(record.bomb[i] & 15);
            for d in blocks.iter_mut() {
                let byte = d[i];
                d[bomb] ^= byte;
                d[(i + 1) % 16] ^= byte;
                d[i] = record.sbox[usize::from(byte)] ^ record.xor[i];
            }
        }
    }
}

/// Runs `interpreter` on groups of blocks turned to internal byte order and back.
#[inline(always)]
fn reversed<const N: usize>(blocks: &mut [[u8; 16]; N], interpreter: impl Fn(&mut [[u8; 16]; N])) {
    let mut internal = blocks.map(|block| u128::from_le_bytes(block).to_be_bytes());
    interpreter(&mut internal);
    *blocks = internal.map(|block| u128::from_le_bytes(block).to_be_bytes());
}

impl Kernel for Lookup {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (quads, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        quads.iter_mut().for_each(|quad| reversed(quad, |quad| encrypt_internal(&self.key, quad)));
        for block in rest {
            reversed(std::array::from_mut(block), |block| encrypt_internal(&self.key, block));
        }
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let key = self.inverse();
        let (quads, rest) = blocks.as_chunks_mut().0.as_chunks_mut::<LANES>();
        quads.iter_mut().for_each(|quad| reversed(quad, |quad| decrypt_internal(key, quad)));
        for block in rest {
            reversed(std::array::from_mut(block), |block| decrypt_internal(key, block));
        }
    }

    fn prepare_decrypt(&self) {
        self.inverse();
    }
}

//! Serpent in general registers, one block at a time: for single blocks and chains, where only latency counts.

use super::rounds;
use super::schedule::{Subkeys, Words, expand};
use crate::ciphers::words::{load, store};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};

pub(super) const WORD: Strategy = Strategy {
    name: "word",
    summary: "32-bit registers, S-boxes as circuits",
    needs: Level::Portable,
    timing: Timing::Constant,
    memory: Memory { per_key: 33 * 16, shared: 0 },
    batch_blocks: 1,
    keying: keying!(|key| Word { keys: expand(key) }),
};

struct Word {
    keys: Subkeys,
}

impl Kernel for Word {
    fn encrypt(&self, blocks: &mut [u8]) {
        encrypt(&self.keys.0, blocks);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        decrypt(&self.keys.0, blocks);
    }
}

/// Encrypts whole blocks in place.
pub(super) fn encrypt(keys: &Words, blocks: &mut [u8]) {
    for block in blocks.as_chunks_mut().0 {
        let mut state = [load(block)];
        rounds::encrypt(|word| word, keys, &mut state);
        store(state[0], block);
    }
}

/// Decrypts whole blocks in place.
pub(super) fn decrypt(keys: &Words, blocks: &mut [u8]) {
    for block in blocks.as_chunks_mut().0 {
        let mut state = [load(block)];
        rounds::decrypt(|word| word, keys, &mut state);
        store(state[0], block);
    }
}

//! Cipher block chaining (SP 800-38A, 6.2), without padding.
//!
//! Encryption of one stream is serial: each block waits for the one before. Decryption is parallel.

use super::{LONG_RUN_BYTES, MAX_BLOCK, OnRun, RUN_BYTES, check_iv, check_whole_blocks, xor_in_place};
use crate::{Error, Kernel};

/// CBC over a kernel: keeps the last ciphertext block, so that a stream may come in pieces of whole blocks.
pub struct Cbc<'k> {
    kernel: &'k dyn Kernel,
    chain: [u8; MAX_BLOCK],
}

impl<'k> Cbc<'k> {
    /// CBC from an initialisation vector of one block.
    pub fn new(kernel: &'k dyn Kernel, iv: &[u8]) -> Result<Self, Error> {
        check_iv("CBC", kernel.block_bytes(), iv.len())?;
        let mut chain = [0; MAX_BLOCK];
        chain[..iv.len()].copy_from_slice(iv);
        Ok(Cbc { kernel, chain })
    }

    /// Encrypts the next blocks of the stream in place.
    pub fn encrypt(&mut self, blocks: &mut [u8]) -> Result<(), Error> {
        let size = self.kernel.block_bytes();
        check_whole_blocks("CBC", size, blocks.len())?;
        self.kernel.cbc_encrypt(&mut self.chain[..size], blocks);
        Ok(())
    }

    /// Decrypts the next blocks of the stream in place.
    pub fn decrypt(&mut self, blocks: &mut [u8]) -> Result<(), Error> {
        let size = self.kernel.block_bytes();
        check_whole_blocks("CBC", size, blocks.len())?;
        self.kernel.cbc_decrypt(&mut self.chain[..size], blocks);
        Ok(())
    }
}

pub(crate) fn encrypt_generic<K: Kernel + ?Sized>(kernel: &K, iv: &mut [u8], blocks: &mut [u8]) {
    for block in blocks.chunks_exact_mut(iv.len()) {
        xor_in_place(block, iv);
        kernel.encrypt(block);
        iv.copy_from_slice(block);
    }
}

/// Decrypts a run, then XORs onto each block the ciphertext before it, of which a copy was kept.
pub(crate) fn decrypt_generic(decrypt: OnRun<'_>, iv: &mut [u8], blocks: &mut [u8]) {
    if blocks.len() < LONG_RUN_BYTES {
        decrypt_in_runs(decrypt, iv, blocks, &mut [0; MAX_BLOCK + RUN_BYTES]);
    } else {
        decrypt_in_runs(decrypt, iv, blocks, &mut [0; MAX_BLOCK + LONG_RUN_BYTES]);
    }
}

/// `kept` has place for the previous ciphertext block and the ciphertext of a run.
fn decrypt_in_runs(decrypt: OnRun<'_>, iv: &mut [u8], blocks: &mut [u8], kept: &mut [u8]) {
    let size = iv.len();
    kept[..size].copy_from_slice(iv);
    for run in blocks.chunks_mut((kept.len() - MAX_BLOCK) / size * size) {
        let whole = run.len() / size * size;
        let run = &mut run[..whole];
        kept[size..size + whole].copy_from_slice(run);
        decrypt(run);
        xor_in_place(run, kept);
        kept.copy_within(whole..whole + size, 0);
    }
    iv.copy_from_slice(&kept[..size]);
}

/// Encrypts the first blocks of many units in one call, then their second blocks, and so on: a run that strategies for many blocks like. Blocks
/// are of `size` bytes.
pub(crate) fn encrypt_units_generic(
    encrypt: OnRun<'_>,
    size: usize,
    ivs: &mut [u8],
    unit_bytes: usize,
    blocks: &mut [u8],
) {
    let units_per_run = RUN_BYTES / size;
    for (chains, units) in
        ivs.chunks_mut(units_per_run * size).zip(blocks.chunks_mut(units_per_run * unit_bytes))
    {
        for at in (0..unit_bytes).step_by(size) {
            for (chain, unit) in chains.chunks_exact_mut(size).zip(units.chunks_exact(unit_bytes)) {
                xor_in_place(chain, &unit[at..at + size]);
            }
            encrypt(chains);
            for (chain, unit) in chains.chunks_exact(size).zip(units.chunks_exact_mut(unit_bytes)) {
                unit[at..at + size].copy_from_slice(chain);
            }
        }
    }
}

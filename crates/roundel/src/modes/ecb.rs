//! Electronic codebook (SP 800-38A, 6.1): each block by itself. Equal blocks give equal ciphertext; for interoperability only.

use super::check_whole_blocks;
use crate::{Error, Kernel};

/// ECB over a kernel, whole blocks only.
pub struct Ecb<'k>(&'k dyn Kernel);

impl<'k> Ecb<'k> {
    /// ECB over this kernel.
    pub fn new(kernel: &'k dyn Kernel) -> Self {
        Ecb(kernel)
    }

    /// Encrypts whole blocks in place.
    pub fn encrypt(&self, blocks: &mut [u8]) -> Result<(), Error> {
        check_whole_blocks("ECB", self.0.block_bytes(), blocks.len())?;
        self.0.encrypt(blocks);
        Ok(())
    }

    /// Decrypts whole blocks in place.
    pub fn decrypt(&self, blocks: &mut [u8]) -> Result<(), Error> {
        check_whole_blocks("ECB", self.0.block_bytes(), blocks.len())?;
        self.0.decrypt(blocks);
        Ok(())
    }
}

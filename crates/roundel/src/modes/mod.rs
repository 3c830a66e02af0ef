//! What is done with a block cipher: one file per mode, each written once over [`Kernel`](crate::Kernel).
//!
//! All work in place, CTR and GCM also from one place to another. Where a mode has a state (a counter, the previous ciphertext block), its type
//! keeps it between calls, so that a long message can be given in pieces.

pub(crate) mod cbc;
pub(crate) mod ccm;
pub(crate) mod ctr;
pub(crate) mod ecb;
pub mod elephant;
pub(crate) mod gcm;
pub(crate) mod ghash;
pub mod hash;
pub mod once;
pub mod sector;
pub(crate) mod xts;

pub use cbc::Cbc;
pub use ccm::Ccm;
pub use ctr::Ctr;
pub use ecb::Ecb;
pub use gcm::{Gcm, GcmMessage, TAG_BYTES};
pub use ghash::Ghash;
pub use sector::{SectorCipher, SectorMode};
pub use xts::Xts;

use crate::Error;

/// The largest block of any cipher here: Rijndael's 256 bits.
pub(crate) const MAX_BLOCK: usize = 32;

/// Generic mode loops hand runs of this many bytes to the kernel: a few batches of most strategies, and not much to clear for a short message.
pub(crate) const RUN_BYTES: usize = 1536;

/// Messages of at least so many bytes go in runs of so many: a batch of the widest strategy (DEAL's bit planes, 256 blocks), which
/// half-filled takes as long, and still small beside the first-level cache.
pub(crate) const LONG_RUN_BYTES: usize = 4096;

/// A kernel's encryption or decryption of a run of blocks. The generic loops call it through this pointer, so that they are compiled once and
/// not for every strategy; a run is long enough not to feel the call.
pub(crate) type OnRun<'k> = &'k dyn Fn(&mut [u8]);

/// From one place to another for kernels that work in place: copies pieces that then stay in the first-level cache. All are whole blocks
/// but for the last.
pub(crate) fn into_generic(block_bytes: usize, from: &[u8], to: &mut [u8], mut work: impl FnMut(&mut [u8])) {
    assert_eq!(from.len(), to.len(), "a text and the place for it");
    let piece = LONG_RUN_BYTES / block_bytes * block_bytes;
    for (from, to) in from.chunks(piece).zip(to.chunks_mut(piece)) {
        to.copy_from_slice(from);
        work(to);
    }
}

/// XORs `from` onto `onto`, as far as the shorter goes.
#[inline(always)]
pub(crate) fn xor_in_place(onto: &mut [u8], from: &[u8]) {
    for (a, b) in onto.iter_mut().zip(from) {
        *a ^= b;
    }
}

/// Overwrites a buffer that held key stream or plaintext. `zeroize` writes single bytes, a cycle each: too slow for run buffers;
/// the black box keeps the plain fill from being removed.
#[inline(always)]
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    std::hint::black_box(bytes);
}

/// Overwrites a secret with zeros, in one store where `zeroize` makes one a byte.
#[inline(always)]
pub(crate) fn wipe_block(block: &mut [u8; 16]) {
    *block = [0; 16];
    zeroize::optimization_barrier(block);
}

pub(crate) fn check_whole_blocks(mode: &'static str, block_bytes: usize, got: usize) -> Result<(), Error> {
    if got.is_multiple_of(block_bytes) {
        Ok(())
    } else {
        Err(Error::DataLength { mode, requires: "whole blocks", got })
    }
}

pub(crate) fn check_iv(mode: &'static str, takes: usize, got: usize) -> Result<(), Error> {
    if takes == got { Ok(()) } else { Err(Error::IvLength { mode, takes, got }) }
}

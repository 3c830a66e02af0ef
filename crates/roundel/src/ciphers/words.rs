//! What ciphers on blocks of four little-endian 32-bit words share: words and lanes from bytes and back, and runs cut into batches.

use crate::modes::wipe;
use crate::simd::{Simd, Vector};

/// The four words of a block.
#[inline(always)]
pub(crate) fn load(block: &[u8; 16]) -> [u32; 4] {
    std::array::from_fn(|j| u32::from_le_bytes(block.as_chunks().0[j]))
}

/// Writes a block's four words.
#[inline(always)]
pub(crate) fn store(words: [u32; 4], block: &mut [u8; 16]) {
    block.copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
}

/// Reads `V::BYTES / 4` blocks: word j of all of them into vector j, a lane for each. Which lane is which block is left
/// to [`store_lanes`], which undoes it.
// No `array::from_fn` or `map` over vectors: they are not always inlined, and then run without the instruction set.
#[inline(always)]
pub(crate) fn load_lanes<S: Simd>(s: S, blocks: &[u8]) -> [S::V; 4] {
    let n = S::V::BYTES;
    transpose([s.load(blocks), s.load(&blocks[n..]), s.load(&blocks[2 * n..]), s.load(&blocks[3 * n..])])
}

/// Writes the blocks that [`load_lanes`] read.
#[inline(always)]
pub(crate) fn store_lanes<V: Vector>(lanes: [V; 4], blocks: &mut [u8]) {
    let [a, b, c, d] = transpose(lanes);
    a.store(blocks);
    b.store(&mut blocks[V::BYTES..]);
    c.store(&mut blocks[2 * V::BYTES..]);
    d.store(&mut blocks[3 * V::BYTES..]);
}

/// Transposes the 4 x 4 matrix of 32-bit lanes in each 128-bit part; its own inverse.
#[inline(always)]
pub(crate) fn transpose<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let (ab_lo, ab_hi) = (a.unpack_lo32(b), a.unpack_hi32(b));
    let (cd_lo, cd_hi) = (c.unpack_lo32(d), c.unpack_hi32(d));
    [ab_lo.unpack_lo64(cd_lo), ab_lo.unpack_hi64(cd_lo), ab_hi.unpack_lo64(cd_hi), ab_hi.unpack_hi64(cd_hi)]
}

/// Runs a kernel of fixed width over whole 16-byte blocks. A rest of at most `few_bytes` goes to `few`, which handles any number of
/// blocks; a longer one is padded to a batch.
#[inline(always)]
pub(crate) fn in_batches<const BATCH: usize>(
    blocks: &mut [u8],
    batch: impl Fn(&mut [u8; BATCH]),
    few_bytes: usize,
    few: impl Fn(&mut [u8]),
) {
    let (batches, rest) = blocks.as_chunks_mut();
    for blocks in batches {
        batch(blocks);
    }
    let rest = rest.as_chunks_mut::<16>().0.as_flattened_mut();
    if rest.len() <= few_bytes {
        few(rest);
    } else {
        let mut padded = [0; BATCH];
        padded[..rest.len()].copy_from_slice(rest);
        batch(&mut padded);
        rest.copy_from_slice(&padded[..rest.len()]);
        wipe(&mut padded);
    }
}

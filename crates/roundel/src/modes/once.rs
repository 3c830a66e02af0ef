//! One message under a key of its own: key, mode and message in one call.
//!
//! The kernel lives on the stack, and nothing is allocated unless the strategy's own key schedule does, or a GCM message is 1 KiB or longer. Short
//! messages are encrypted as one run of blocks, made before the key schedule starts: for GCM, hash key, tag mask and
//! key stream together, which for a strategy with a wide batch is one batch instead of three.

use super::gcm::{TAG_BYTES, next32, nonce_counter};
use super::{Ctr, Ecb, Gcm, Ghash, check_iv, check_whole_blocks, xor_in_place};
use crate::simd::block_from_halves;
use crate::{Choice, Error};
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

/// The longest message whose key stream is made in one run, and the longest for which clearing a run of that length takes longer than need be.
const SHORT_BYTES: usize = 256;
const VERY_SHORT_BYTES: usize = 64;

/// ECB encryption of whole blocks in place.
pub fn ecb_encrypt(choice: Choice, key: &[u8], blocks: &mut [u8]) -> Result<(), Error> {
    check_whole_blocks("ECB", choice.cipher.block_bytes, blocks.len())?;
    choice.encrypt_once(key, blocks)
}

/// ECB decryption of whole blocks in place.
pub fn ecb_decrypt(choice: Choice, key: &[u8], blocks: &mut [u8]) -> Result<(), Error> {
    choice.with_kernel(key, |kernel| Ecb::new(kernel).decrypt(blocks))?
}

/// CTR from a first counter block, in place: encrypts or decrypts.
pub fn ctr(choice: Choice, key: &[u8], counter: &[u8], data: &mut [u8]) -> Result<(), Error> {
    check_iv("CTR", choice.cipher.block_bytes, counter.len())?;
    match (<&[u8; 16]>::try_from(counter), data.len()) {
        (Ok(counter), ..=VERY_SHORT_BYTES) => {
            short_ctr::<{ VERY_SHORT_BYTES / 16 }>(choice, key, counter, data)
        }
        (Ok(counter), ..=SHORT_BYTES) => short_ctr::<{ SHORT_BYTES / 16 }>(choice, key, counter, data),
        _ => choice.with_kernel(key, |kernel| Ctr::new(kernel, counter).map(|mut ctr| ctr.apply(data)))?,
    }
}

/// At most so many blocks, in one run.
fn short_ctr<const BLOCKS: usize>(
    choice: Choice,
    key: &[u8],
    counter: &[u8; 16],
    data: &mut [u8],
) -> Result<(), Error> {
    let mut run = [[0; 16]; BLOCKS];
    let stream = &mut run[..data.len().div_ceil(16)];
    let mut number = u128::from_be_bytes(*counter);
    for slot in stream.iter_mut() {
        *slot = number.to_be_bytes();
        number = number.wrapping_add(1);
    }
    choice.encrypt_once(key, stream.as_flattened_mut())?;
    xor_stream(data, stream);
    wipe_run(&mut run);
    Ok(())
}

/// XORs the key stream onto a message, whole blocks in registers.
#[inline(always)]
fn xor_stream(data: &mut [u8], stream: &[[u8; 16]]) {
    let (blocks, tail) = data.as_chunks_mut();
    for (block, stream) in blocks.iter_mut().zip(stream) {
        *block = (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*stream)).to_ne_bytes();
    }
    if let Some(last) = stream.get(blocks.len()) {
        xor_in_place(tail, last);
    }
}

/// Overwrites all of a run, whose length the compiler knows.
#[inline(always)]
fn wipe_run<const BLOCKS: usize>(run: &mut [[u8; 16]; BLOCKS]) {
    *run = [[0; 16]; BLOCKS];
    std::hint::black_box(run);
}

/// GCM encryption in place; returns the tag. Nonces as for [`Gcm::encrypt`].
pub fn gcm_encrypt(
    choice: Choice,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    data: &mut [u8],
) -> Result<[u8; TAG_BYTES], Error> {
    match <&[u8; 12]>::try_from(nonce) {
        Ok(nonce) if data.len() <= SHORT_BYTES => {
            short_gcm(choice, key, nonce, aad, data, Direction::Encrypt)
        }
        _ => choice.with_kernel(key, |kernel| Gcm::new(kernel)?.encrypt(nonce, aad, data))?,
    }
}

/// GCM decryption in place, as [`Gcm::decrypt`]: if the tag is wrong, `data` is overwritten with zeros.
pub fn gcm_decrypt(
    choice: Choice,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    data: &mut [u8],
    tag: &[u8; TAG_BYTES],
) -> Result<(), Error> {
    match <&[u8; 12]>::try_from(nonce) {
        Ok(nonce) if data.len() <= SHORT_BYTES => {
            let made = short_gcm(choice, key, nonce, aad, data, Direction::Decrypt)?;
            if bool::from(made.ct_eq(tag)) {
                return Ok(());
            }
            data.zeroize();
            Err(Error::Authentication)
        }
        _ => choice.with_kernel(key, |kernel| Gcm::new(kernel)?.decrypt(nonce, aad, data, tag))?,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Encrypt,
    Decrypt,
}

/// The message and its tag, from one run: E(0), which is the hash key; E(J0), which masks the tag; the key stream.
fn short_gcm(
    choice: Choice,
    key: &[u8],
    nonce: &[u8; 12],
    aad: &[u8],
    data: &mut [u8],
    direction: Direction,
) -> Result<[u8; TAG_BYTES], Error> {
    let block_bytes = choice.cipher.block_bytes;
    if block_bytes != 16 {
        return Err(Error::BlockSize { mode: "GCM", block_bytes });
    }
    match data.len() {
        ..=VERY_SHORT_BYTES => {
            gcm_run::<{ 2 + VERY_SHORT_BYTES / 16 }>(choice, key, nonce, aad, data, direction)
        }
        _ => gcm_run::<{ 2 + SHORT_BYTES / 16 }>(choice, key, nonce, aad, data, direction),
    }
}

#[inline(always)]
fn gcm_run<const BLOCKS: usize>(
    choice: Choice,
    key: &[u8],
    nonce: &[u8; 12],
    aad: &[u8],
    data: &mut [u8],
    direction: Direction,
) -> Result<[u8; TAG_BYTES], Error> {
    let mut run = [[0; 16]; BLOCKS];
    let blocks = &mut run[..2 + data.len().div_ceil(16)];
    let [low, mut high] = nonce_counter(nonce);
    for counter in &mut blocks[1..] {
        *counter = block_from_halves(low, high);
        high = next32(high);
    }
    choice.encrypt_once(key, blocks.as_flattened_mut())?;
    let (h, mask, stream) = (&blocks[0], u128::from_ne_bytes(blocks[1]), &blocks[2..]);
    let mut ghash = Ghash::new(h);
    if direction == Direction::Decrypt {
        ghash.message(aad, data);
    }
    xor_stream(data, stream);
    if direction == Direction::Encrypt {
        ghash.message(aad, data);
    }
    wipe_run(&mut run);
    Ok((u128::from_ne_bytes(ghash.value()) ^ mask).to_ne_bytes())
}

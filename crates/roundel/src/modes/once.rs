//! One message under a key of its own: key, mode and message in one call.
//!
//! The kernel lives on the stack, and nothing is allocated unless the strategy's own key schedule does, or a GCM message is 1 KiB or longer. Short
//! messages are encrypted as one run of blocks, made before the key schedule starts: for GCM, hash key, tag mask and
//! key stream together, which for a strategy with a wide batch is one batch instead of three.

use super::gcm::{TAG_BYTES, next32, nonce_counter};
use super::{Ctr, Ecb, Gcm, Ghash, MAX_BLOCK, check_iv, ctr, wipe, xor_in_place};
use crate::simd::block_from_halves;
use crate::{Choice, Error};
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

/// The longest message whose key stream is made in one run.
const SHORT_BYTES: usize = 256;

/// ECB encryption of whole blocks in place.
pub fn ecb_encrypt(choice: Choice, key: &[u8], blocks: &mut [u8]) -> Result<(), Error> {
    choice.with_kernel(key, |kernel| Ecb::new(kernel).encrypt(blocks))?
}

/// ECB decryption of whole blocks in place.
pub fn ecb_decrypt(choice: Choice, key: &[u8], blocks: &mut [u8]) -> Result<(), Error> {
    choice.with_kernel(key, |kernel| Ecb::new(kernel).decrypt(blocks))?
}

/// CTR from a first counter block, in place: encrypts or decrypts.
pub fn ctr(choice: Choice, key: &[u8], counter: &[u8], data: &mut [u8]) -> Result<(), Error> {
    let size = choice.cipher.block_bytes;
    check_iv("CTR", size, counter.len())?;
    if data.len() > SHORT_BYTES {
        return choice.with_kernel(key, |kernel| Ctr::new(kernel, counter).map(|mut ctr| ctr.apply(data)))?;
    }
    let mut next = [0; MAX_BLOCK];
    next[..size].copy_from_slice(counter);
    let mut buffer = [0; SHORT_BYTES + MAX_BLOCK];
    let stream = &mut buffer[..data.len().div_ceil(size) * size];
    ctr::fill_with_counters(&mut next[..size], stream);
    choice.with_kernel(key, |kernel| kernel.encrypt(stream))?;
    xor_in_place(data, stream);
    wipe(stream);
    Ok(())
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
#[inline(always)]
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
    let mut run = [[0; 16]; 2 + SHORT_BYTES / 16];
    let run = &mut run[..2 + data.len().div_ceil(16)];
    let [low, mut high] = nonce_counter(nonce);
    for counter in &mut run[1..] {
        *counter = block_from_halves(low, high);
        high = next32(high);
    }
    choice.with_kernel(key, |kernel| kernel.encrypt(run.as_flattened_mut()))?;
    let (h, mask, stream) = (&run[0], u128::from_ne_bytes(run[1]), &run[2..]);
    let mut ghash = Ghash::new(h);
    if direction == Direction::Decrypt {
        ghash.message(aad, data);
    }
    xor_in_place(data, stream.as_flattened());
    if direction == Direction::Encrypt {
        ghash.message(aad, data);
    }
    wipe(run.as_flattened_mut());
    Ok((u128::from_ne_bytes(ghash.value()) ^ mask).to_ne_bytes())
}

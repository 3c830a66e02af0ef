//! OpenSSL through its EVP interface: all modes. One context for each task, keyed once, or anew in every call with a fresh key.

use super::{Authentic, Scratch, WORKS};
use crate::bench::Operation;
use crate::bench::contender::{FreshKeys, IV, NONCE, SECTOR_BYTES, Task, tweak_key};
use openssl::cipher::{Cipher, CipherRef};
use openssl::cipher_ctx::CipherCtx;

const BLOCK: usize = 16;

/// "OpenSSL 3.0.19": the library that is loaded, not the one that it was built against.
pub(super) fn version() -> String {
    let full = openssl::version::version();
    full.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

pub(super) fn task(operation: Operation, key: &[u8]) -> Option<Task> {
    use Operation as O;
    let bits = key.len() * 8;
    match operation {
        O::EcbEncrypt | O::EcbDecrypt => Some(block_task(ecb(bits), key, None, operation == O::EcbEncrypt)),
        O::CbcEncrypt | O::CbcDecrypt => {
            Some(block_task(cbc(bits), key, Some(&IV[..BLOCK]), operation == O::CbcEncrypt))
        }
        O::Ctr => Some(ctr_task(key)),
        O::GcmEncrypt => {
            let mut context = keyed(gcm(bits), key, true);
            Some(Box::new(move |message| u128::from_be_bytes(encrypt_gcm(&mut context, None, message))))
        }
        O::GcmDecrypt => Some(decrypt_gcm_task(key)),
        O::XtsEncrypt | O::XtsDecrypt => xts_task(key, operation == O::XtsEncrypt, None),
        O::SectorsEncrypt | O::SectorsDecrypt => {
            xts_task(key, operation == O::SectorsEncrypt, Some(SECTOR_BYTES))
        }
        O::FreshCtr => Some(fresh_ctr_task(key)),
        O::FreshGcm => {
            let (mut context, mut keys) = (keyed(gcm(bits), key, true), FreshKeys::new(key));
            Some(Box::new(move |message| {
                u128::from_be_bytes(encrypt_gcm(&mut context, Some(keys.next_key()), message))
            }))
        }
        O::Copy | O::KeyEncrypt | O::KeyBoth => None,
    }
}

fn ecb(bits: usize) -> &'static CipherRef {
    match bits {
        128 => Cipher::aes_128_ecb(),
        192 => Cipher::aes_192_ecb(),
        _ => Cipher::aes_256_ecb(),
    }
}

fn cbc(bits: usize) -> &'static CipherRef {
    match bits {
        128 => Cipher::aes_128_cbc(),
        192 => Cipher::aes_192_cbc(),
        _ => Cipher::aes_256_cbc(),
    }
}

fn ctr(bits: usize) -> &'static CipherRef {
    match bits {
        128 => Cipher::aes_128_ctr(),
        192 => Cipher::aes_192_ctr(),
        _ => Cipher::aes_256_ctr(),
    }
}

fn gcm(bits: usize) -> &'static CipherRef {
    match bits {
        128 => Cipher::aes_128_gcm(),
        192 => Cipher::aes_192_gcm(),
        _ => Cipher::aes_256_gcm(),
    }
}

fn keyed(cipher: &CipherRef, key: &[u8], encrypt: bool) -> CipherCtx {
    let mut context = CipherCtx::new().expect(WORKS);
    start(&mut context, encrypt, Some(cipher), Some(key), None);
    context.set_padding(false);
    context
}

fn start(
    context: &mut CipherCtx,
    encrypt: bool,
    cipher: Option<&CipherRef>,
    key: Option<&[u8]>,
    iv: Option<&[u8]>,
) {
    let done = match encrypt {
        true => context.encrypt_init(cipher, key, iv),
        false => context.decrypt_init(cipher, key, iv),
    };
    done.expect(WORKS);
}

/// ECB and CBC: the interface asks for room for another block, which is not used as there is no padding.
fn block_task(cipher: &CipherRef, key: &[u8], iv: Option<&'static [u8]>, encrypt: bool) -> Task {
    let mut context = keyed(cipher, key, encrypt);
    let mut scratch = Scratch::default();
    Box::new(move |message| {
        let length = message.len();
        scratch.work(message, BLOCK, |buffer| {
            start(&mut context, encrypt, None, None, iv);
            context.cipher_update_inplace(buffer, length).expect(WORKS);
        });
        0
    })
}

fn ctr_task(key: &[u8]) -> Task {
    let mut context = keyed(ctr(key.len() * 8), key, true);
    Box::new(move |message| {
        start(&mut context, true, None, None, Some(&IV[..BLOCK]));
        context.cipher_update_inplace(message, message.len()).expect(WORKS);
        0
    })
}

fn fresh_ctr_task(key: &[u8]) -> Task {
    let (mut context, mut keys) = (keyed(ctr(key.len() * 8), key, true), FreshKeys::new(key));
    Box::new(move |message| {
        start(&mut context, true, None, Some(keys.next_key()), Some(&IV[..BLOCK]));
        context.cipher_update_inplace(message, message.len()).expect(WORKS);
        0
    })
}

fn encrypt_gcm(context: &mut CipherCtx, key: Option<&[u8]>, message: &mut [u8]) -> [u8; 16] {
    let mut tag = [0; 16];
    start(context, true, None, key, Some(&NONCE));
    context.cipher_update_inplace(message, message.len()).expect(WORKS);
    context.cipher_final(&mut []).expect(WORKS);
    context.tag(&mut tag).expect(WORKS);
    tag
}

/// From the kept ciphertext to the message: no copy is timed.
fn decrypt_gcm_task(key: &[u8]) -> Task {
    let cipher = gcm(key.len() * 8);
    let (mut encrypting, mut decrypting) = (keyed(cipher, key, true), keyed(cipher, key, false));
    let mut authentic = Authentic::default();
    Box::new(move |message| {
        let authentic = authentic.of(message, |text| encrypt_gcm(&mut encrypting, None, text));
        start(&mut decrypting, false, None, None, Some(&NONCE));
        decrypting.cipher_update(&authentic.ciphertext, Some(message)).expect(WORKS);
        decrypting.set_tag(&authentic.tag).expect(WORKS);
        decrypting.cipher_final(&mut []).expect(WORKS);
        authentic.tag_number()
    })
}

/// Data units of `unit` bytes, or the whole message as one. There is no AES-192-XTS.
fn xts_task(key: &[u8], encrypt: bool, unit: Option<usize>) -> Option<Task> {
    let cipher = match key.len() {
        16 => Cipher::aes_128_xts(),
        32 => Cipher::aes_256_xts(),
        _ => return None,
    };
    let mut context = keyed(cipher, &[key, &tweak_key(key)].concat(), encrypt);
    Some(Box::new(move |message| {
        for (number, sector) in message.chunks_mut(unit.unwrap_or(message.len())).enumerate() {
            let number = (number as u128).to_le_bytes();
            start(&mut context, encrypt, None, None, Some(&number));
            context.cipher_update_inplace(sector, sector.len()).expect(WORKS);
        }
        0
    }))
}

//! aws-lc-rs: GCM, CTR, CBC and ECB; its Rust interface has no XTS.

use super::{Authentic, WORKS};
use crate::bench::Operation;
use crate::bench::contender::{FreshKeys, IV, NONCE, Task};
use aws_lc_rs::aead::{AES_128_GCM, AES_192_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::cipher::{AES_128, AES_192, AES_256, DecryptingKey, EncryptingKey, UnboundCipherKey};
use aws_lc_rs::cipher::{DecryptionContext, EncryptionContext};
use aws_lc_rs::iv::FixedLength;

pub(super) fn task(operation: Operation, key: &[u8]) -> Option<Task> {
    match operation {
        Operation::GcmEncrypt => {
            let key = gcm_key(key);
            Some(Box::new(move |message| u128::from_be_bytes(encrypt_gcm(&key, message))))
        }
        Operation::GcmDecrypt => Some(decrypt_gcm_task(gcm_key(key))),
        Operation::FreshGcm => {
            let mut keys = FreshKeys::new(key);
            Some(Box::new(move |message| {
                u128::from_be_bytes(encrypt_gcm(&gcm_key(keys.next_key()), message))
            }))
        }
        Operation::FreshCtr => {
            let mut keys = FreshKeys::new(key);
            Some(Box::new(move |message| {
                let key = EncryptingKey::ctr(cipher_key(keys.next_key())).expect(WORKS);
                encrypt(&key, message, EncryptionContext::Iv128(iv()))
            }))
        }
        Operation::Ctr => {
            let key = EncryptingKey::ctr(cipher_key(key)).expect(WORKS);
            Some(Box::new(move |message| encrypt(&key, message, EncryptionContext::Iv128(iv()))))
        }
        Operation::CbcEncrypt => {
            let key = EncryptingKey::cbc(cipher_key(key)).expect(WORKS);
            Some(Box::new(move |message| encrypt(&key, message, EncryptionContext::Iv128(iv()))))
        }
        Operation::EcbEncrypt => {
            let key = EncryptingKey::ecb(cipher_key(key)).expect(WORKS);
            Some(Box::new(move |message| encrypt(&key, message, EncryptionContext::None)))
        }
        Operation::CbcDecrypt => {
            let key = DecryptingKey::cbc(cipher_key(key)).expect(WORKS);
            Some(Box::new(move |message| decrypt(&key, message, DecryptionContext::Iv128(iv()))))
        }
        Operation::EcbDecrypt => {
            let key = DecryptingKey::ecb(cipher_key(key)).expect(WORKS);
            Some(Box::new(move |message| decrypt(&key, message, DecryptionContext::None)))
        }
        _ => None,
    }
}

fn iv() -> FixedLength<16> {
    let iv: [u8; 16] = IV[..16].try_into().expect("IV has 32 bytes");
    iv.into()
}

fn cipher_key(key: &[u8]) -> UnboundCipherKey {
    let algorithm = match key.len() {
        16 => &AES_128,
        24 => &AES_192,
        _ => &AES_256,
    };
    UnboundCipherKey::new(algorithm, key).expect(WORKS)
}

fn encrypt(key: &EncryptingKey, message: &mut [u8], context: EncryptionContext) -> u128 {
    key.less_safe_encrypt(message, context).expect(WORKS);
    0
}

fn decrypt(key: &DecryptingKey, message: &mut [u8], context: DecryptionContext) -> u128 {
    key.decrypt(message, context).expect(WORKS);
    0
}

fn gcm_key(key: &[u8]) -> LessSafeKey {
    let algorithm = match key.len() {
        16 => &AES_128_GCM,
        24 => &AES_192_GCM,
        _ => &AES_256_GCM,
    };
    LessSafeKey::new(UnboundKey::new(algorithm, key).expect(WORKS))
}

fn nonce() -> Nonce {
    Nonce::assume_unique_for_key(NONCE)
}

fn encrypt_gcm(key: &LessSafeKey, message: &mut [u8]) -> [u8; 16] {
    let tag = key.seal_in_place_separate_tag(nonce(), Aad::empty(), message).expect(WORKS);
    tag.as_ref().try_into().expect(WORKS)
}

/// From the kept ciphertext to the message: no copy is timed.
fn decrypt_gcm_task(key: LessSafeKey) -> Task {
    let mut authentic = Authentic::default();
    Box::new(move |message| {
        let authentic = authentic.of(message, |text| encrypt_gcm(&key, text));
        key.open_separate_gather(nonce(), Aad::empty(), &authentic.ciphertext, &authentic.tag, message)
            .expect(WORKS);
        authentic.tag_number()
    })
}

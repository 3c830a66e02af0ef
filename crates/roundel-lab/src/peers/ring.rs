//! ring: AES-GCM only, with 128- and 256-bit keys.

use super::{Authentic, WORKS};
use crate::bench::Operation;
use crate::bench::contender::{FreshKeys, NONCE, Task};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};

pub(super) fn task(operation: Operation, key: &[u8]) -> Option<Task> {
    gcm_key(key)?;
    match operation {
        Operation::GcmEncrypt => {
            let key = gcm_key(key)?;
            Some(Box::new(move |message| u128::from_be_bytes(encrypt(&key, message))))
        }
        Operation::GcmDecrypt => Some(decrypt_task(gcm_key(key)?)),
        Operation::FreshGcm => {
            let mut keys = FreshKeys::new(key);
            Some(Box::new(move |message| {
                let key = gcm_key(keys.next_key()).expect(WORKS);
                u128::from_be_bytes(encrypt(&key, message))
            }))
        }
        _ => None,
    }
}

fn gcm_key(key: &[u8]) -> Option<LessSafeKey> {
    let algorithm = match key.len() {
        16 => &AES_128_GCM,
        32 => &AES_256_GCM,
        _ => return None,
    };
    Some(LessSafeKey::new(UnboundKey::new(algorithm, key).expect(WORKS)))
}

fn nonce() -> Nonce {
    Nonce::assume_unique_for_key(NONCE)
}

fn encrypt(key: &LessSafeKey, message: &mut [u8]) -> [u8; 16] {
    let tag = key.seal_in_place_separate_tag(nonce(), Aad::empty(), message).expect(WORKS);
    tag.as_ref().try_into().expect(WORKS)
}

/// ring decrypts in place: each call starts with a copy of the ciphertext, which is timed.
fn decrypt_task(key: LessSafeKey) -> Task {
    let mut authentic = Authentic::default();
    Box::new(move |message| {
        let authentic = authentic.of(message, |text| encrypt(&key, text));
        message.copy_from_slice(&authentic.ciphertext);
        let tag = authentic.tag.into();
        key.open_in_place_separate_tag(nonce(), Aad::empty(), tag, message, 0..).expect(WORKS);
        authentic.tag_number()
    })
}

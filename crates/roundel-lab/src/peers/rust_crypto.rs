//! RustCrypto: its ciphers in the modes of `ctr`, `cbc`, `aes-gcm` and `xts-mode`.

use super::{Authentic, WORKS};
use crate::bench::Operation;
use crate::bench::contender::{FreshKeys, IV, NONCE, SECTOR_BYTES, Task, tweak_key};
use aes::{Aes128, Aes192, Aes256};
use aes_gcm::AesGcm;
use aes_gcm::aead::{AeadInOut, consts::U12, inout::InOutBuf};
use cipher::array::Array;
use cipher::consts::{U16, U20, U24, U32};
use cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt};
use cipher::{BlockSizeUser, InnerIvInit, KeyInit, StreamCipher};
use std::hint::black_box;
use xts_mode::{Xts128, get_tweak_default};

pub(super) fn aes(operation: Operation, key: &[u8]) -> Option<Task> {
    match key.len() {
        16 => task::<Aes128>(operation, key),
        24 => task::<Aes192>(operation, key),
        32 => task::<Aes256>(operation, key),
        _ => None,
    }
}

pub(super) fn cast256(operation: Operation, key: &[u8]) -> Option<Task> {
    task::<cast6::Cast6>(operation, key)
}

pub(super) fn rc6(operation: Operation, key: &[u8]) -> Option<Task> {
    match key.len() {
        16 => task::<Rc6<U16>>(operation, key),
        24 => task::<Rc6<U24>>(operation, key),
        32 => task::<Rc6<U32>>(operation, key),
        _ => None,
    }
}

pub(super) fn serpent(operation: Operation, key: &[u8]) -> Option<Task> {
    task::<serpent::Serpent>(operation, key)
}

pub(super) fn twofish(operation: Operation, key: &[u8]) -> Option<Task> {
    task::<twofish::Twofish>(operation, key)
}

/// AES's parameters of RC6: words of 32 bits, 20 rounds.
type Rc6<KeyBytes> = rc6::RC6<u32, U20, KeyBytes>;

/// A cipher with blocks of 128 bits, as the modes want it.
trait Cipher:
    BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + 'static
{
}

impl<C> Cipher for C where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + 'static
{
}

fn task<C: Cipher>(operation: Operation, key: &[u8]) -> Option<Task> {
    use Operation as O;
    match operation {
        O::GcmEncrypt | O::GcmDecrypt | O::FreshGcm => gcm_task::<C>(operation, key),
        O::XtsEncrypt | O::XtsDecrypt => xts_task::<C>(key, operation == O::XtsEncrypt, None),
        O::SectorsEncrypt | O::SectorsDecrypt => {
            xts_task::<C>(key, operation == O::SectorsEncrypt, Some(SECTOR_BYTES))
        }
        O::KeyEncrypt | O::FreshCtr => fresh_task::<C>(operation, key),
        O::Copy | O::KeyBoth => None,
        _ => block_task(operation, <C as KeyInit>::new_from_slice(key).expect(WORKS)),
    }
}

fn iv() -> Array<u8, U16> {
    Array::try_from(&IV[..16]).expect("IV has 32 bytes")
}

fn blocks<C: Cipher>(message: &mut [u8]) -> &mut [Block<C>] {
    Array::slice_as_chunks_mut(message).0
}

fn block_task<C: Cipher>(operation: Operation, cipher: C) -> Option<Task> {
    let run: Box<dyn FnMut(&mut [u8]) + Send> = match operation {
        Operation::EcbEncrypt => Box::new(move |m| cipher.encrypt_blocks(blocks::<C>(m))),
        Operation::EcbDecrypt => Box::new(move |m| cipher.decrypt_blocks(blocks::<C>(m))),
        Operation::CbcEncrypt => Box::new(move |m| {
            cbc::Encryptor::inner_iv_init(&cipher, &iv()).encrypt_blocks(blocks::<C>(m));
        }),
        Operation::CbcDecrypt => Box::new(move |m| {
            cbc::Decryptor::inner_iv_init(&cipher, &iv()).decrypt_blocks(blocks::<C>(m));
        }),
        Operation::Ctr => Box::new(move |m| ctr_of(&cipher).apply_keystream(m)),
        _ => return None,
    };
    let mut run = run;
    Some(Box::new(move |message| {
        run(message);
        0
    }))
}

fn ctr_of<C: Cipher>(cipher: &C) -> ctr::Ctr128BE<&C> {
    ctr::Ctr128BE::from_core(ctr::CtrCore::inner_iv_init(cipher, &iv()))
}

fn fresh_task<C: Cipher>(operation: Operation, key: &[u8]) -> Option<Task> {
    let mut keys = FreshKeys::new(key);
    let mut cipher = move || <C as KeyInit>::new_from_slice(keys.next_key()).expect(WORKS);
    Some(if operation == Operation::KeyEncrypt {
        Box::new(move |_| {
            black_box(cipher());
            0
        })
    } else {
        Box::new(move |message| {
            ctr_of(&cipher()).apply_keystream(message);
            0
        })
    })
}

fn encrypt_gcm<C: Cipher>(gcm: &AesGcm<C, U12>, message: &mut [u8]) -> [u8; 16] {
    gcm.encrypt_inout_detached(&NONCE.into(), &[], InOutBuf::from(message)).expect(WORKS).into()
}

fn gcm_task<C: Cipher>(operation: Operation, key: &[u8]) -> Option<Task> {
    let keyed = |key: &[u8]| AesGcm::<C, U12>::from(<C as KeyInit>::new_from_slice(key).expect(WORKS));
    let gcm = keyed(key);
    Some(match operation {
        Operation::FreshGcm => {
            let mut keys = FreshKeys::new(key);
            Box::new(move |message| {
                let gcm = keyed(keys.next_key());
                u128::from_be_bytes(encrypt_gcm(&gcm, message))
            })
        }
        Operation::GcmEncrypt => Box::new(move |message| u128::from_be_bytes(encrypt_gcm(&gcm, message))),
        _ => {
            let mut authentic = Authentic::default();
            Box::new(move |message| {
                let authentic = authentic.of(message, |text| encrypt_gcm(&gcm, text));
                let text = InOutBuf::new(&authentic.ciphertext, message).expect("equal lengths");
                gcm.decrypt_inout_detached(&NONCE.into(), &[], text, &authentic.tag.into()).expect(WORKS);
                authentic.tag_number()
            })
        }
    })
}

fn xts_task<C: Cipher>(key: &[u8], encrypt: bool, unit: Option<usize>) -> Option<Task> {
    let keyed = |key: &[u8]| <C as KeyInit>::new_from_slice(key).expect(WORKS);
    let xts = Xts128::new(keyed(key), keyed(&tweak_key(key)));
    Some(Box::new(move |message| {
        let unit = unit.unwrap_or(message.len());
        if encrypt {
            xts.encrypt_area(message, unit, 0, get_tweak_default);
        } else {
            xts.decrypt_area(message, unit, 0, get_tweak_default);
        }
        0
    }))
}

//! One message under one key in one call: planned, keyed on the stack, done. Nothing is allocated.

use crate::modes::once;
use crate::plan::{Constraints, Mode, Request, plan};
use crate::{Cipher, Error, Policy};

/// XORs the CTR key stream from `counter` (one block) on onto `data`: encrypts or decrypts. The key is used for this message alone, so
/// the plan weighs its set-up against the message's length: for Twofish, `zero` keying for a block, tables for kilobytes.
///
/// ```
/// use roundel::{Policy, cipher, one_shot};
///
/// let mut message = *b"attack at dawn";
/// one_shot::ctr(cipher("aes")?, Policy::ConstantTime, &[7; 16], &[0; 16], &mut message)?;
/// assert_ne!(&message, b"attack at dawn");
/// one_shot::ctr(cipher("aes")?, Policy::ConstantTime, &[7; 16], &[0; 16], &mut message)?;
/// assert_eq!(&message, b"attack at dawn");
/// # Ok::<(), roundel::Error>(())
/// ```
#[inline]
pub fn ctr(
    cipher: &'static Cipher,
    policy: Policy,
    key: &[u8],
    counter: &[u8],
    data: &mut [u8],
) -> Result<(), Error> {
    let constraints = Constraints { policy, ..Constraints::default() };
    let request = Request::fresh_key(cipher, key.len(), Mode::Ctr, data.len() as u64, constraints);
    once::ctr(plan(&request)?.choice, key, counter, data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CIPHERS;
    use crate::modes::Ctr;

    #[test]
    fn the_same_as_the_mode_over_reference() {
        for cipher in CIPHERS {
            let key = vec![0x31; cipher.keys.standard[0]];
            let counter = vec![0xFE; cipher.block_bytes];
            for length in [0, 1, 16, 100] {
                let mut expected = vec![0x55; length];
                let reference = cipher.strategy("reference").unwrap().kernel(&key).unwrap();
                Ctr::new(&*reference, &counter).unwrap().apply(&mut expected);
                let mut data = vec![0x55; length];
                ctr(cipher, Policy::AnyTiming, &key, &counter, &mut data).unwrap();
                assert_eq!(data, expected, "{}, {length} bytes", cipher.name);
            }
        }
    }

    #[test]
    fn keys_and_counters_of_a_wrong_length_are_refused() {
        let aes = crate::cipher("aes").unwrap();
        let call = |key: &[u8], counter: &[u8]| ctr(aes, Policy::ConstantTime, key, counter, &mut [0; 16]);
        assert!(matches!(call(&[0; 15], &[0; 16]), Err(Error::KeyLength { .. })));
        assert!(matches!(call(&[0; 16], &[0; 15]), Err(Error::IvLength { .. })));
    }
}

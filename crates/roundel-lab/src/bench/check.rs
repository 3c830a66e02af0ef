//! Nothing is timed that was not compared first, through the same call, with the cipher's `reference`.

use super::contender::{Contender, Ours};
use super::operation::{Mode, Operation};
use roundel::Cipher;
use std::collections::HashMap;

/// Lengths compared, in blocks: one, a run that no batch divides (31 = 16+8+4+2+1), and a whole batch of the widest strategies.
const LENGTHS: [usize; 3] = [1, 31, 64];

/// Calls compared of each fresh-key operation: each has another key.
const FRESH_CALLS: usize = 3;

/// A contender whose result differs from the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The operation.
    pub operation: Operation,
    /// Length of the message.
    pub bytes: usize,
    /// Length of the key.
    pub key_bits: usize,
}

/// Results of calls: message and tag, in order.
type Answers = Vec<(Vec<u8>, u128)>;

/// The reference's results for one cipher, computed once for all contenders.
pub struct Oracle {
    reference: Ours,
    answers: HashMap<(usize, Operation, usize), Answers>,
}

impl Oracle {
    /// The oracle of a cipher: its first strategy.
    pub fn new(cipher: &'static Cipher) -> Oracle {
        let reference = cipher.choices().next().expect("every cipher has its reference");
        Oracle { reference: Ours(reference), answers: HashMap::new() }
    }

    /// Compares all that the contender offers under keys of this length; the number of comparisons.
    pub fn check(&mut self, contender: &dyn Contender, key_bits: usize) -> Result<usize, Mismatch> {
        let block = contender.cipher().block_bytes;
        let mut checks = 0;
        for operation in Mode::ALL.into_iter().flat_map(Mode::operations).copied() {
            if operation.is_key_schedule() {
                continue;
            }
            for bytes in LENGTHS.map(|blocks| blocks * block) {
                let Some(got) = answers(contender, operation, key_bits, bytes) else { continue };
                let reference = &self.reference;
                let expected = self.answers.entry((key_bits, operation, bytes)).or_insert_with(|| {
                    answers(reference, operation, key_bits, bytes).expect("the reference runs everywhere")
                });
                if got != *expected {
                    return Err(Mismatch { operation, bytes, key_bits });
                }
                checks += got.len();
            }
        }
        Ok(checks)
    }
}

fn answers(
    contender: &dyn Contender,
    operation: Operation,
    key_bits: usize,
    bytes: usize,
) -> Option<Answers> {
    let mut task = contender.task(operation, &test_key(key_bits))?;
    let calls = if operation.is_fresh_key() { FRESH_CALLS } else { 1 };
    let call = |_| {
        let mut message: Vec<u8> = (0..bytes).map(|i| (i * 151 + i / 256 + 7) as u8).collect();
        let tag = task(&mut message);
        (message, tag)
    };
    Some((0..calls).map(call).collect())
}

/// The key that is compared and timed with: all bytes different, both halves different.
pub fn test_key(bits: usize) -> Vec<u8> {
    (0..bits / 8).map(|i| (i * 73 + 29) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::super::contender::{NONCE, Task};
    use super::*;
    use roundel::{Timing, cipher};

    #[test]
    fn strategies_pass_at_every_key_length() {
        for cipher in roundel::CIPHERS {
            let mut oracle = Oracle::new(cipher);
            let bits = 8 * cipher.keys.standard[0];
            for choice in cipher.choices().filter(|choice| choice.strategy.available()) {
                let checks = oracle.check(&Ours(choice), bits);
                assert!(checks.is_ok_and(|n| n >= 9), "{} {}", cipher.name, choice.strategy.name);
            }
        }
    }

    /// The reference with one operation spoilt in one bit of its result, or of its tag.
    struct Spoilt(Ours, Operation, bool);

    impl Contender for Spoilt {
        fn library(&self) -> String {
            self.0.library()
        }
        fn cipher(&self) -> &'static Cipher {
            self.0.cipher()
        }
        fn strategy(&self) -> String {
            "spoilt".to_owned()
        }
        fn timing(&self) -> Timing {
            Timing::Constant
        }
        fn task(&self, operation: Operation, key: &[u8]) -> Option<Task> {
            let (mut task, spoil, in_tag) = (self.0.task(operation, key)?, operation == self.1, self.2);
            Some(Box::new(move |message| {
                let tag = task(message);
                let last = message.len() - 1;
                message[last] ^= u8::from(spoil && !in_tag);
                tag ^ u128::from(spoil && in_tag)
            }))
        }
    }

    #[test]
    fn a_single_wrong_bit_is_found_in_every_operation() {
        let reference = Ours(cipher("rijndael").unwrap().strategy("reference").unwrap());
        let mut oracle = Oracle::new(reference.cipher());
        for operation in Mode::ALL.into_iter().flat_map(Mode::operations).copied() {
            let found = oracle.check(&Spoilt(reference, operation, false), 128);
            assert_eq!(found.is_err(), !operation.is_key_schedule(), "{}", operation.name());
        }
        assert!(oracle.check(&Spoilt(reference, Operation::GcmDecrypt, true), 128).is_err());
    }

    #[test]
    fn gcm_tasks_agree_with_the_one_shot_calls() {
        let reference = cipher("rijndael").unwrap().strategy("reference").unwrap();
        let key = test_key(256);
        let gcm = roundel::modes::Gcm::new(reference.kernel(&key).unwrap()).unwrap();
        let (mut ours, mut theirs) = ([5; 48], [5; 48]);
        let tag = Ours(reference).task(Operation::GcmEncrypt, &key).unwrap()(&mut ours);
        assert_eq!(gcm.encrypt(&NONCE, &[], &mut theirs).unwrap(), tag.to_be_bytes());
        assert_eq!(ours, theirs);
        let again = Ours(reference).task(Operation::GcmDecrypt, &key).unwrap()(&mut ours);
        assert_eq!((ours, again), ([5; 48], tag));
    }
}

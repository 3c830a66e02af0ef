//! Nothing is timed that was not compared first, through the same call, with published vectors and the cipher's `reference`.

use super::contender::{Contender, Ours};
use super::operation::{Mode, Operation};
use crate::vectors::{Block, Test, VectorError, embedded};
use roundel::Cipher;
use std::collections::HashMap;

/// Lengths compared, in blocks: one, a run that no batch divides (31 = 16+8+4+2+1), and a whole batch of the widest strategies.
const LENGTHS: [usize; 3] = [1, 31, 64];

/// Calls compared of each fresh-key operation: each has another key.
const FRESH_CALLS: usize = 3;

/// Published blocks checked for each cipher and key length: `roundel verify` checks them all.
const KNOWN_ANSWERS: usize = 16;

/// A contender with a wrong result.
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

/// What is known to be right for one cipher: published blocks, and the reference's results, computed once for all contenders.
pub struct Oracle {
    reference: Ours,
    known: Vec<Block>,
    answers: HashMap<(usize, Operation, usize), Answers>,
}

impl Oracle {
    /// The oracle of a cipher: its first strategy, and the first of its published blocks for each key length.
    pub fn new(cipher: &'static Cipher) -> Result<Oracle, VectorError> {
        let reference = cipher.choices().next().expect("every cipher has its reference");
        let mut known: Vec<Block> = Vec::new();
        for case in embedded(&[cipher])?.into_iter().flat_map(|file| file.cases) {
            let Test::Block(block) = case.test else { continue };
            let ours = roundel::cipher(&case.cipher).is_ok_and(|named| named.name == cipher.name);
            let enough = known.iter().filter(|k| k.key.len() == block.key.len()).count() >= KNOWN_ANSWERS;
            if ours && !enough {
                known.push(block);
            }
        }
        Ok(Oracle { reference: Ours(reference), known, answers: HashMap::new() })
    }

    /// Compares all that the contender offers under keys of this length; the number of comparisons.
    pub fn check(&mut self, contender: &dyn Contender, key_bits: usize) -> Result<usize, Mismatch> {
        Ok(self.check_known(contender, key_bits)? + self.check_equal(contender, key_bits)?)
    }

    /// Published blocks, both ways.
    fn check_known(&self, contender: &dyn Contender, key_bits: usize) -> Result<usize, Mismatch> {
        let mut checks = 0;
        for Block { key, plain, cipher } in self.known.iter().filter(|block| 8 * block.key.len() == key_bits)
        {
            let ways = [(Operation::EcbEncrypt, plain, cipher), (Operation::EcbDecrypt, cipher, plain)];
            for (operation, input, expected) in ways {
                let Some(mut task) = contender.task(operation, key) else { continue };
                let mut message = input.clone();
                task(&mut message);
                if message != *expected {
                    return Err(Mismatch { operation, bytes: message.len(), key_bits });
                }
                checks += 1;
            }
        }
        Ok(checks)
    }

    /// Every operation, against the reference.
    fn check_equal(&mut self, contender: &dyn Contender, key_bits: usize) -> Result<usize, Mismatch> {
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
            let mut oracle = Oracle::new(cipher).unwrap();
            assert!(!oracle.known.is_empty(), "{}", cipher.name);
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
        let mut oracle = Oracle::new(reference.cipher()).unwrap();
        for operation in Mode::ALL.into_iter().flat_map(Mode::operations).copied() {
            let found = oracle.check(&Spoilt(reference, operation, false), 128);
            assert_eq!(found.is_err(), !operation.is_key_schedule(), "{}", operation.name());
        }
        assert!(oracle.check(&Spoilt(reference, Operation::GcmDecrypt, true), 128).is_err());
        // The reference itself is checked by published blocks.
        oracle.known[0].cipher[15] ^= 1;
        assert_eq!(oracle.check_known(&reference, 128).unwrap_err().operation, Operation::EcbEncrypt);
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

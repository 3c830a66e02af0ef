//! AES on a 32-bit processor: byte-wise, by tables of products and by 32-bit tables, beside the Mbit/s of 2002, and the strategies since.

mod published;
mod render;
mod sheet;

pub use published::{Published, ROWS};

use super::{Options, Origin, Outcome, Study, StudyError};
use crate::bench::Operation;
use crate::bench::contender::{Contender, Ours};
use crate::measure::estimate_ns;
use crate::rounds::Rounds;
use roundel::{Choice, Timing};
use serde::Serialize;
use std::hint::black_box;

/// The study.
pub static STUDY: Study = Study {
    name: "aes-32bit-2002",
    summary: "Mbit/s of AES byte-wise, by look-up tables and by 32-bit tables, and of what came since",
    run: |options| Ok(Outcome::of(&measure(options)?)),
};

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct StudyResult {
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Every strategy at every length of key, in the registry's order.
    pub rows: Vec<Row>,
}

/// One strategy at one length of key. Rates are in Mbit/s (10^6), of a key schedule in bits of key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The strategy's name.
    pub strategy: &'static str,
    /// Whether its timing depends on secrets.
    pub constant_time: bool,
    /// Length of the key.
    pub key_bits: usize,
    /// The rates.
    pub rates: Rates,
}

/// The four rates of the published table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rates {
    /// The key schedule for encryption.
    pub encryption_key: f64,
    /// Encryption.
    pub encrypt: f64,
    /// The key schedule for decryption; that for encryption is part of it.
    pub decryption_key: f64,
    /// Decryption.
    pub decrypt: f64,
}

const SAMPLE_NS: f64 = 300e3;

/// The message: it stays in the nearest cache.
const BYTES: usize = 16 << 10;

/// Of a strategy that is so slow that a message would last longer than this, a part is encrypted.
const LONGEST_NS: f64 = 2e6;
const PART_BYTES: usize = BYTES / 32;

/// The operations of the four rates, in the order of [`Rates`].
const OPERATIONS: [Operation; 4] =
    [Operation::KeyEncrypt, Operation::EcbEncrypt, Operation::KeyBoth, Operation::EcbDecrypt];

fn measure(options: &Options<'_>) -> Result<StudyResult, StudyError> {
    super::only(&STUDY, options, "rijndael")?;
    let origin = Origin::begin(&STUDY, options);
    let aes = roundel::cipher("rijndael")?;
    let choices: Vec<_> = aes.choices().filter(|choice| choice.strategy.available()).collect();
    let failures = super::prove(&choices)?;
    let mut rounds = Rounds::new(SAMPLE_NS, BYTES);
    let mut points = Vec::new();
    for key_bits in [128, 192, 256] {
        for &choice in &choices {
            let rates = OPERATIONS.map(|operation| Rate::add(&mut rounds, choice, operation, key_bits));
            points.push((choice.strategy, key_bits, rates));
        }
    }
    rounds.run(if options.quick { 3 } else { 60 }, options.progress);
    let row = |(strategy, key_bits, rates): (&roundel::Strategy, usize, [Rate; 4])| {
        let [encryption_key, encrypt, decryption_key, decrypt] = rates.map(|rate| rate.mbit_s(&rounds));
        let rates = Rates { encryption_key, encrypt, decryption_key, decrypt };
        Row { strategy: strategy.name, constant_time: strategy.timing == Timing::Constant, key_bits, rates }
    };
    let rows = points.into_iter().map(row).collect();
    Ok(StudyResult { origin: origin.ended(failures), rows })
}

/// A point that becomes a rate.
struct Rate {
    point: usize,
    /// Bits of a call: of the message, or of the key.
    bits: usize,
}

impl Rate {
    fn add(rounds: &mut Rounds<'_>, choice: Choice, operation: Operation, key_bits: usize) -> Rate {
        let key: Vec<u8> = (0..key_bits / 8).map(|i| i as u8).collect();
        let task = || {
            let mut task =
                Ours(choice).task(operation, &key).expect("AES has it, and the strategy runs here");
            move |message: &mut [u8]| _ = black_box(task(message))
        };
        if operation.is_key_schedule() {
            return Rate { point: rounds.add(0, task()), bits: key_bits };
        }
        let (mut probe, mut block) = (task(), [0; 16]);
        let block_ns = estimate_ns(1e4, &mut || probe(&mut block));
        let bytes = if block_ns * (BYTES / 16) as f64 > LONGEST_NS { PART_BYTES } else { BYTES };
        Rate { point: rounds.add(bytes, task()), bits: 8 * bytes }
    }

    fn mbit_s(self, rounds: &Rounds<'_>) -> f64 {
        self.bits as f64 / rounds.ns(self.point) * 1e3
    }
}

impl StudyResult {
    /// The byte-wise row of this length of key: what speed-ups refer to.
    fn byte_wise(&self, key_bits: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.key_bits == key_bits && row.strategy == "reference")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::origin;
    use super::*;

    pub(in super::super) fn invented() -> StudyResult {
        let row = |strategy, factor: f64| Row {
            strategy,
            constant_time: strategy == "reference",
            key_bits: 128,
            rates: Rates {
                encryption_key: 10.0 * factor,
                encrypt: 2.0 * factor,
                decryption_key: 5.0 * factor,
                decrypt: factor,
            },
        };
        StudyResult {
            origin: origin::invented(&STUDY),
            rows: vec![row("reference", 1.0), row("lookup", 8.0), row("ttable", 50.0), row("since", 1000.0)],
        }
    }

    #[test]
    fn a_quick_run_measures_all_four_rates() {
        let options = Options {
            ciphers: Vec::new(),
            quick: true,
            threads: 1,
            command: String::new(),
            progress: &|share| assert!((0.0..=1.0).contains(&share)),
        };
        let result = measure(&options).unwrap();
        let aes = roundel::cipher("aes").unwrap();
        let available = aes.choices().filter(|choice| choice.strategy.available()).count();
        assert_eq!(result.rows.len(), 3 * available);
        for Row { rates: Rates { encryption_key, encrypt, decryption_key, decrypt }, .. } in &result.rows {
            assert!([encryption_key, encrypt, decryption_key, decrypt].iter().all(|rate| **rate > 0.0));
        }
    }
}

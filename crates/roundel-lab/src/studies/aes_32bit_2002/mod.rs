//! AES on a 32-bit processor: byte-wise, by tables of products and by 32-bit tables, beside the Mbit/s of 2002, and the strategies since.

mod published;
mod render;

pub use published::{Published, ROWS};

use super::{Options, Outcome, Study, StudyError};
use crate::bench::contender::{Contender, Ours};
use crate::bench::{Mode, Operation};
use crate::machine::Machine;
use crate::measure::{calls_for, estimate_ns, sample};
use crate::stats::Summary;
use roundel::Timing;
use serde::Serialize;
use std::hint::black_box;

/// The study.
pub static STUDY: Study = Study {
    name: "aes-32bit-2002",
    summary: "Mbit/s of AES byte-wise, by look-up tables and by 32-bit tables, and of what came since",
    run: |options| {
        super::only(&STUDY, options, "rijndael")?;
        let result = measure(options)?;
        let document = render::document(&result);
        Ok(Outcome {
            terminal: document.terminal(),
            markdown: document.markdown(),
            json: super::json(&result),
            failures: Vec::new(),
        })
    },
};

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct StudyResult {
    /// The arguments that made it.
    pub command: String,
    /// When, UTC.
    pub date: String,
    /// Where.
    pub machine: Machine,
    /// Whether fewer samples were taken.
    pub quick: bool,
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

fn measure(options: &Options<'_>) -> Result<StudyResult, StudyError> {
    let aes = roundel::cipher("rijndael")?;
    let choices: Vec<_> = aes.choices().filter(|choice| choice.strategy.available()).collect();
    let rounds = if options.quick { 3 } else { 15 };
    let mut rows = Vec::new();
    let mut buffer = vec![0u8; BYTES];
    let total = (3 * choices.len()) as f64;
    for key_bits in [128, 192, 256] {
        for choice in &choices {
            (options.progress)(rows.len() as f64 / total);
            let key: Vec<u8> = (0..key_bits / 8).map(|i| i as u8).collect();
            let mut rate = |operation: Operation| {
                let Some(mut task) = Ours(*choice).task(operation, &key) else { return f64::NAN };
                let block_ns = estimate_ns(1e4, &mut || _ = black_box(task(&mut buffer[..16]))) / 16.0;
                let bytes = if block_ns * BYTES as f64 > LONGEST_NS { BYTES / 32 } else { BYTES };
                let mut once = || _ = black_box(task(&mut buffer[..bytes]));
                let calls = calls_for(SAMPLE_NS, estimate_ns(SAMPLE_NS / 2.0, &mut once));
                let samples = (0..rounds).map(|_| sample(calls, &mut once).ns_per_call);
                let ns = Summary::of(samples).map_or(f64::NAN, |summary| summary.min);
                let bits = if operation.is_key_schedule() { key_bits } else { 8 * bytes };
                bits as f64 / ns * 1e3
            };
            let [encryption_key, decryption_key] = [Operation::KeyEncrypt, Operation::KeyBoth].map(&mut rate);
            let ecb: Vec<f64> = Mode::Ecb.operations().iter().map(|operation| rate(*operation)).collect();
            let rates = Rates { encryption_key, encrypt: ecb[0], decryption_key, decrypt: ecb[1] };
            let constant_time = choice.strategy.timing == Timing::Constant;
            rows.push(Row { strategy: choice.strategy.name, constant_time, key_bits, rates });
        }
    }
    Ok(StudyResult {
        command: options.command.clone(),
        date: crate::date::now_utc(),
        machine: Machine::detect(),
        quick: options.quick,
        rows,
    })
}

impl StudyResult {
    /// The byte-wise row of this length of key: what speed-ups refer to.
    fn byte_wise(&self, key_bits: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.key_bits == key_bits && row.strategy == "reference")
    }
}

#[cfg(test)]
pub(super) mod tests {
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
            command: "roundel study aes-32bit-2002".into(),
            date: "2026-11-21T21:04:05Z".into(),
            machine: Machine::detect(),
            quick: false,
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

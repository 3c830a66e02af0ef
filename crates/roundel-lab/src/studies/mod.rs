//! Published tables, reproduced beside the figures of this machine.
//!
//! A study is a folder here and a line in [`STUDIES`]: it measures (`mod.rs`), keeps the published table as data (`published.rs`), says what its
//! tables and sentences are (`render.rs`) and what the report draws (`sheet.rs`). `document.rs` makes every form of that.

pub mod aes_32bit_2002;
pub mod aes_candidates_1999;
mod document;
pub mod elephant_2008;
mod origin;
pub mod parallel_aes_2011;
pub mod sheet;
pub mod twofish_keying_1999;

pub use origin::Origin;

use crate::vectors::{Case, Test, VectorError, embedded};
use crate::verify::{Failure, check};
use roundel::{Choice, Cipher};
use thiserror::Error;

/// All studies.
// One line for each, so that additions merge.
#[rustfmt::skip]
pub static STUDIES: &[&Study] = &[
    &aes_candidates_1999::STUDY,
    &elephant_2008::STUDY,
    &twofish_keying_1999::STUDY,
    &aes_32bit_2002::STUDY,
    &parallel_aes_2011::STUDY,
];

/// A published table that can be reproduced.
#[derive(Debug)]
pub struct Study {
    /// Topic and year: `aes-candidates-1999`.
    pub name: &'static str,
    /// What it reproduces, in a line.
    pub summary: &'static str,
    /// Measures and renders.
    pub run: fn(&Options<'_>) -> Result<Outcome, StudyError>,
}

/// What a study is asked.
pub struct Options<'a> {
    /// Only these of its ciphers; all if empty.
    pub ciphers: Vec<&'static Cipher>,
    /// A short run, whose figures say that they come from one.
    pub quick: bool,
    /// Threads of the runs on all cores.
    pub threads: usize,
    /// The arguments, for the record.
    pub command: String,
    /// Told the share of the work that is done, 0 to 1, from any thread.
    pub progress: &'a (dyn Fn(f64) + Sync),
}

/// What a study found.
#[derive(Clone, Debug)]
pub struct Outcome {
    origin: Origin,
    grids: Vec<document::Grid>,
    sentences: Vec<String>,
    /// Every figure, where they come from, and what the report draws.
    pub json: String,
    /// How many results disagree with their vectors.
    pub failed: usize,
}

/// Why a study cannot be run.
#[derive(Debug, Error)]
pub enum StudyError {
    /// A cipher that it is not about.
    #[error("{cipher} is not in {study}, whose ciphers are {has}")]
    NotInStudy {
        /// The study.
        study: &'static str,
        /// What was asked for.
        cipher: &'static str,
        /// What could be asked for.
        has: String,
    },
    /// The engine cannot run one of its ciphers.
    #[error(transparent)]
    Engine(#[from] roundel::Error),
    /// The built-in vectors are damaged.
    #[error(transparent)]
    Vectors(#[from] VectorError),
}

/// The study of this name.
pub fn study(name: &str) -> Option<&'static Study> {
    STUDIES.iter().copied().find(|study| study.name == name)
}

/// Refuses other ciphers than the one that a study is about.
fn only(study: &Study, options: &Options<'_>, cipher: &str) -> Result<(), StudyError> {
    match options.ciphers.iter().find(|asked| asked.name != cipher) {
        Some(other) => {
            Err(StudyError::NotInStudy { study: study.name, cipher: other.name, has: cipher.to_owned() })
        }
        None => Ok(()),
    }
}

/// The known answers of single blocks on the strategies that are measured: what disagrees.
fn prove(choices: &[Choice]) -> Result<Vec<Failure>, StudyError> {
    let mut failures = Vec::new();
    for &choice in choices {
        let Cipher { name, aliases, .. } = choice.cipher;
        for file in embedded(&[choice.cipher])? {
            // A file may have cases of ciphers with other blocks too.
            let own = |case: &&Case| case.cipher == *name || aliases.contains(&case.cipher.as_str());
            let blocks: Vec<_> = file
                .cases
                .iter()
                .filter(own)
                .filter_map(|case| match &case.test {
                    Test::Block(block) => Some((case.label.as_str(), block)),
                    _ => None,
                })
                .collect();
            let mismatches = check::blocks(choice, &blocks).mismatches;
            failures.extend(
                mismatches.into_iter().map(|it| Failure::of(name, choice.strategy.name, &file.name, it)),
            );
        }
    }
    Ok(failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_strategies_agree_with_their_vectors() {
        for name in ["rijndael", "twofish"] {
            let choices: Vec<_> = roundel::cipher(name).unwrap().choices().collect();
            let here: Vec<_> = choices.into_iter().filter(|choice| choice.strategy.available()).collect();
            assert!(prove(&here).unwrap().is_empty());
        }
    }
}

//! Twofish's keying options by length of message: how many clocks to key and to encrypt, beside the table of 1999.
//!
//! A new 128-bit key for every message. Which option is best depends on the length: more work per key buys less work per block.

mod published;
mod render;
mod sheet;

pub use published::{HASHING_PER_BYTE, Published, ROWS};

use super::{Options, Origin, Outcome, Study, StudyError};
use crate::bench::contender::FreshKeys;
use crate::rounds::Rounds;
use roundel::{Choice, Timing};
use serde::Serialize;
use std::hint::black_box;

/// The study.
pub static STUDY: Study = Study {
    name: "twofish-keying-1999",
    summary: "clocks to key Twofish and to encrypt, by keying option and length of message",
    run: |options| Ok(Outcome::of(&measure(options)?)),
};

/// Everything that was found. In a quick run there are fewer lengths.
#[derive(Clone, Debug, Serialize)]
pub struct StudyResult {
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Each option, in the registry's order.
    pub options: Vec<Keying>,
    /// Each length.
    pub rows: Vec<Row>,
    /// Where the best option changes.
    pub crossovers: Vec<Crossover>,
}

/// One option.
#[derive(Clone, Debug, Serialize)]
pub struct Keying {
    /// The strategy's name.
    pub name: &'static str,
    /// Whether its timing depends on secrets.
    pub constant_time: bool,
    /// Clocks to key, nothing encrypted.
    pub key: f64,
}

/// One length of message.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// In bytes.
    pub bytes: usize,
    /// Clocks to key and encrypt, for each option; `None` where it would have taken too long.
    pub totals: Vec<Option<f64>>,
    /// Index of the best option.
    pub best: usize,
    /// The published best of this length.
    pub published: Option<Published>,
}

/// From about this length on, another option is the best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Crossover {
    /// In bytes.
    pub bytes: f64,
    /// Index of the option up to there.
    pub from: usize,
    /// And from there on.
    pub to: usize,
}

const SAMPLE_NS: f64 = 200e3;

/// An option is followed up to messages of this time: the reference takes seconds for a megabyte.
const LONGEST_NS: f64 = 60e6;

fn measure(options: &Options<'_>) -> Result<StudyResult, StudyError> {
    super::only(&STUDY, options, "twofish")?;
    let origin = Origin::begin(&STUDY, options);
    let twofish = roundel::cipher("twofish")?;
    let choices: Vec<Choice> = twofish.choices().filter(|choice| choice.strategy.available()).collect();
    let failures = super::prove(&choices)?;
    let lengths: Vec<usize> = match options.quick {
        true => vec![16, 64, 256, 1024, 16 << 10],
        false => (4..=20).map(|log| 1 << log).collect(),
    };
    let mut rounds = Rounds::new(SAMPLE_NS, *lengths.last().unwrap_or(&16));
    let points: Vec<_> = choices.iter().map(|&choice| Points::add(&mut rounds, choice, &lengths)).collect();
    rounds.run(if options.quick { 3 } else { 60 }, options.progress);
    let keyings = choices.iter().zip(&points).map(|(choice, points)| Keying {
        name: choice.strategy.name,
        constant_time: choice.strategy.timing == Timing::Constant,
        key: rounds.cycles(points.key),
    });
    let cycles = |point: &Option<usize>| point.map(|point| rounds.cycles(point));
    let columns: Vec<Vec<_>> =
        points.iter().map(|points| points.totals.iter().map(cycles).collect()).collect();
    let rows = rows(&lengths, &columns);
    Ok(StudyResult {
        origin: origin.ended(failures),
        crossovers: crossovers(&rows),
        options: keyings.collect(),
        rows,
    })
}

/// The points of one option.
struct Points {
    key: usize,
    /// Keying and encrypting, for each length that does not take too long.
    totals: Vec<Option<usize>>,
}

impl Points {
    fn add(rounds: &mut Rounds<'_>, choice: Choice, lengths: &[usize]) -> Points {
        let fresh = || FreshKeys::new(&[0x6B; 16]);
        let mut keys = fresh();
        let key = rounds.add(0, move |_| {
            let _ = choice.with_kernel(keys.next_key(), |kernel| _ = black_box(kernel.block_bytes()));
        });
        let mut ns_per_byte = 0.0;
        let total = |&bytes: &usize| {
            if ns_per_byte * bytes as f64 > LONGEST_NS {
                return None;
            }
            let mut keys = fresh();
            let point = rounds.add(bytes, move |message| {
                let _ = choice.with_kernel(keys.next_key(), |kernel| kernel.encrypt(message));
            });
            ns_per_byte = rounds.estimate_ns(point) / bytes as f64;
            Some(point)
        };
        Points { key, totals: lengths.iter().map(total).collect() }
    }
}

fn rows(lengths: &[usize], columns: &[Vec<Option<f64>>]) -> Vec<Row> {
    let row = |(index, &bytes): (usize, &usize)| {
        let totals: Vec<_> = columns.iter().map(|column| column[index]).collect();
        let measured = totals.iter().enumerate().filter_map(|(option, total)| Some((option, (*total)?)));
        let best = measured.min_by(|a, b| a.1.total_cmp(&b.1))?.0;
        let published = ROWS.iter().find(|row| row.bytes == bytes).copied();
        Some(Row { bytes, totals, best, published })
    };
    lengths.iter().enumerate().filter_map(row).collect()
}

/// Between two lengths with different best options, the length at which lines through their totals meet.
fn crossovers(rows: &[Row]) -> Vec<Crossover> {
    let between = |pair: &[Row]| {
        let [low, high] = pair else { return None };
        let (from, to) = (low.best, high.best);
        if from == to {
            return None;
        }
        let lead = |row: &Row| Some(row.totals[to]? - row.totals[from]?);
        let share = match (lead(low), lead(high)) {
            (Some(before), Some(after)) if before > after => (before / (before - after)).clamp(0.0, 1.0),
            // The former best was not measured at the longer message.
            _ => 0.5,
        };
        let bytes = low.bytes as f64 + share * (high.bytes - low.bytes) as f64;
        Some(Crossover { bytes, from, to })
    };
    rows.windows(2).filter_map(between).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::origin;
    use super::*;

    /// Two options: 100 + 10 a byte and 1000 + 1 a byte, in lengths of 64 and 256 bytes.
    pub(in super::super) fn invented() -> StudyResult {
        let lengths = [64, 256];
        let columns = [(100.0, 10.0), (1000.0, 1.0)]
            .map(|(key, slope)| lengths.iter().map(|&n| Some(key + slope * n as f64)).collect::<Vec<_>>());
        let rows = rows(&lengths, &columns);
        let keying = |name, key| Keying { name, constant_time: false, key };
        StudyResult {
            origin: origin::invented(&STUDY),
            crossovers: crossovers(&rows),
            options: vec![keying("zero", 100.0), keying("full", 1000.0)],
            rows,
        }
    }

    #[test]
    fn lines_meet_where_both_cost_the_same() {
        let result = invented();
        assert_eq!(result.rows.iter().map(|row| row.best).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(result.crossovers, [Crossover { bytes: 100.0, from: 0, to: 1 }]);
        assert_eq!(result.rows[0].published.unwrap().per_byte, 73.3);
    }

    #[test]
    fn an_option_that_was_not_followed_is_not_the_best() {
        let rows = rows(&[16, 32], &[vec![Some(1.0), None], vec![Some(2.0), Some(3.0)]]);
        assert_eq!((rows[0].best, rows[1].best), (0, 1));
        assert_eq!(crossovers(&rows)[0].bytes, 24.0);
    }
}

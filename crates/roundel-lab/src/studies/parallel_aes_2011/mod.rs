//! AES on one core and on two: files of 1000 to 6000 KB, as in 2011, and of a thousand times that; and how well "time is a constant times
//! size" predicts, beside the planner's model.

mod published;
mod render;

use super::{Options, Outcome, Study, StudyError};
use crate::machine::Machine;
use roundel::modes::Ecb;
use roundel::plan::{Constraints, Direction, Mode, Profile, Request, cost_of, current};
use roundel::{Choice, Kernel, Policy, parallel};
use serde::Serialize;
use std::time::Instant;

/// The study.
pub static STUDY: Study = Study {
    name: "parallel-aes-2011",
    summary: "seconds to encrypt and decrypt on one core and on all, and the errors of two models",
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
    /// Whether the large sizes were left out.
    pub quick: bool,
    /// Threads of the parallel runs.
    pub threads: usize,
    /// The strategy.
    pub strategy: &'static str,
    /// Whether the planner's costs were measured on this machine.
    pub profile_measured: bool,
    /// Sizes, then directions.
    pub rows: Vec<Row>,
    /// Constants of the paper's model, fitted to our sizes of 1000 to 3000 KB.
    pub constants: Vec<Constant>,
}

/// One size in one direction.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Whether it encrypts.
    pub encrypts: bool,
    /// Kilobytes of 1000 bytes.
    pub kilobytes: u64,
    /// Seconds on one core.
    pub sequential: Timed,
    /// Seconds on all.
    pub parallel: Timed,
}

/// Measured, and by both models.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timed {
    /// Seconds, the least of some runs.
    pub seconds: f64,
    /// By the paper's model with our constant.
    pub constant_model: f64,
    /// By the planner's; `None` where it knows nothing.
    pub planner_model: Option<f64>,
}

/// Seconds per kilobyte.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Constant {
    /// Whether of encryption.
    pub encrypts: bool,
    /// On one core.
    pub sequential: f64,
    /// On all.
    pub parallel: f64,
}

/// Sizes of 2011; those up to `FITTED` are fitted, the others are predicted.
const KILOBYTES: [u64; 6] = [1000, 2000, 3000, 4000, 5000, 6000];
const FITTED: u64 = 3000;

/// The largest piece that is in memory at once: larger sizes are worked on in such pieces, one after the other.
const PIECE_BYTES: usize = 512 << 20;

/// What a thread takes at once.
const CHUNK_BYTES: usize = 3 << 16;

fn measure(options: &Options<'_>) -> Result<StudyResult, StudyError> {
    let choice = roundel::cipher("rijndael")?.best(Policy::ConstantTime)?;
    let kernel = choice.kernel(&[0x5A; 16])?;
    kernel.prepare_decrypt();
    let profile = current();
    let mut sizes = KILOBYTES.to_vec();
    if !options.quick {
        sizes.extend(KILOBYTES.map(|kilobytes| 1000 * kilobytes));
    }
    let longest = sizes.iter().map(|kilobytes| 1000 * kilobytes).max().unwrap_or(0);
    let mut buffer = vec![0u8; PIECE_BYTES.min(longest as usize)];
    let total: u64 = 2 * sizes.iter().sum::<u64>();
    let mut done = 0;
    let mut rows = Vec::new();
    for encrypts in [true, false] {
        for &kilobytes in &sizes {
            let mut timed = |threads| {
                let seconds = least_seconds(&*kernel, &mut buffer, 1000 * kilobytes, threads, encrypts);
                let planner_model = predicted(choice, &profile, 1000 * kilobytes, threads, encrypts);
                Timed { seconds, constant_model: 0.0, planner_model }
            };
            let (sequential, parallel) = (timed(1), timed(options.threads));
            rows.push(Row { encrypts, kilobytes, sequential, parallel });
            done += kilobytes;
            (options.progress)(done as f64 / total as f64);
        }
    }
    let constants = [true, false].map(|encrypts| constant(&rows, encrypts)).to_vec();
    for row in &mut rows {
        let constant = constants[usize::from(!row.encrypts)];
        row.sequential.constant_model = constant.sequential * row.kilobytes as f64;
        row.parallel.constant_model = constant.parallel * row.kilobytes as f64;
    }
    Ok(StudyResult {
        command: options.command.clone(),
        date: crate::date::now_utc(),
        machine: Machine::detect(),
        quick: options.quick,
        threads: options.threads,
        strategy: choice.strategy.name,
        profile_measured: profile.measured,
        rows,
        constants,
    })
}

/// Least wall-clock seconds for so many bytes: of ten runs of short work, of three of long.
fn least_seconds(kernel: &dyn Kernel, buffer: &mut [u8], bytes: u64, threads: usize, encrypts: bool) -> f64 {
    let runs = if bytes <= 100_000_000 { 10 } else { 3 };
    let once = |_| {
        let start = Instant::now();
        let mut left = bytes;
        while left > 0 {
            let piece = left.min(buffer.len() as u64);
            ecb(kernel, &mut buffer[..piece as usize / 16 * 16], threads, encrypts);
            left -= piece;
        }
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(once).fold(f64::INFINITY, f64::min)
}

fn ecb(kernel: &dyn Kernel, data: &mut [u8], threads: usize, encrypts: bool) {
    let piece_bytes = if threads == 1 { data.len() } else { CHUNK_BYTES };
    parallel::for_each_piece(threads, data, piece_bytes, |_, piece| {
        let ecb = Ecb::new(kernel);
        let done = if encrypts { ecb.encrypt(piece) } else { ecb.decrypt(piece) };
        done.expect("pieces are whole blocks");
    });
}

fn predicted(choice: Choice, profile: &Profile, bytes: u64, threads: usize, encrypts: bool) -> Option<f64> {
    let direction = if encrypts { Direction::Encrypt } else { Direction::Decrypt };
    let request = Request {
        direction,
        ..Request::kept_key(choice.cipher, 16, Mode::Ecb, bytes, Constraints::default())
    };
    Some(cost_of(&request, profile, choice, threads)?.predicted_ns? / 1e9)
}

/// Time by size with the least sum of squared relative errors, over the sizes that are fitted.
fn constant(rows: &[Row], encrypts: bool) -> Constant {
    let fitted = rows.iter().filter(|row| row.encrypts == encrypts && row.kilobytes <= FITTED);
    // The minimum of the sum of (c k / t - 1)² is at c = (sum of k/t) / (sum of (k/t)²).
    let least = |of: fn(&Row) -> f64| {
        let shares: Vec<f64> = fitted.clone().map(|row| row.kilobytes as f64 / of(row)).collect();
        shares.iter().sum::<f64>() / shares.iter().map(|share| share * share).sum::<f64>()
    };
    Constant {
        encrypts,
        sequential: least(|row| row.sequential.seconds),
        parallel: least(|row| row.parallel.seconds),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// 1 ms a kilobyte on one core, 0.6 on two; the planner 10 % off.
    pub(in super::super) fn invented() -> StudyResult {
        let timed = |seconds: f64| Timed {
            seconds,
            constant_model: seconds * 1.02,
            planner_model: Some(seconds * 1.1),
        };
        let row = |encrypts, kilobytes: u64| Row {
            encrypts,
            kilobytes,
            sequential: timed(1e-3 * kilobytes as f64),
            parallel: timed(0.6e-3 * kilobytes as f64),
        };
        let rows: Vec<_> =
            [true, false].iter().flat_map(|&e| [1000, 4000, 6000].map(|k| row(e, k))).collect();
        StudyResult {
            command: "roundel study parallel-aes-2011".into(),
            date: "2026-11-21T21:04:05Z".into(),
            machine: Machine::detect(),
            quick: true,
            threads: 2,
            strategy: "aes-round-256",
            profile_measured: true,
            constants: [true, false].map(|encrypts| constant(&rows, encrypts)).to_vec(),
            rows,
        }
    }

    #[test]
    fn the_constant_is_the_time_of_a_kilobyte() {
        let result = invented();
        assert!((result.constants[0].sequential - 1e-3).abs() < 1e-9);
        assert!((result.constants[1].parallel - 0.6e-3).abs() < 1e-9);
    }

    #[test]
    fn pieces_are_worked_on_to_the_last_byte() {
        let kernel =
            roundel::cipher("aes").unwrap().best(Policy::ConstantTime).unwrap().kernel(&[1; 16]).unwrap();
        let mut data = vec![7u8; CHUNK_BYTES + 48];
        let plain = data.clone();
        ecb(&*kernel, &mut data, 2, true);
        assert!(data.chunks(16).all(|block| block == &data[..16]) && data != plain);
        ecb(&*kernel, &mut data, 1, false);
        assert_eq!(data, plain);
        assert!(least_seconds(&*kernel, &mut data, 1_000_000, 2, true) > 0.0);
    }
}

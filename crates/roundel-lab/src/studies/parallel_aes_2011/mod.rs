//! AES on one core and on two: files of 1000 to 6000 KB, as in 2011, and of a thousand times that; and how well "time is a constant times
//! size" predicts, beside the planner's model.

mod published;
mod render;
mod sheet;

use super::{Options, Origin, Outcome, Study, StudyError};
use crate::rounds::Rounds;
use roundel::modes::Ecb;
use roundel::plan::{Constraints, Direction, Mode, Profile, Request, cost_of, current};
use roundel::{Choice, Kernel, Policy, parallel};
use serde::Serialize;

/// The study.
pub static STUDY: Study = Study {
    name: "parallel-aes-2011",
    summary: "seconds to encrypt and decrypt on one core and on all, and the errors of two models",
    run: |options| Ok(Outcome::of(&measure(options)?)),
};

/// Everything that was found. In a quick run the large sizes are left out.
#[derive(Clone, Debug, Serialize)]
pub struct StudyResult {
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: Origin,
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

/// Samples of sizes that last less take several calls, the first of them not timed.
const SAMPLE_NS: f64 = 500e3;

/// Rounds over all points: gigabytes take part in every third.
const ROUNDS: usize = 9;

fn measure(options: &Options<'_>) -> Result<StudyResult, StudyError> {
    super::only(&STUDY, options, "rijndael")?;
    let origin = Origin::begin(&STUDY, options);
    let choice = roundel::cipher("rijndael")?.best(Policy::ConstantTime)?;
    let failures = super::prove(&[choice])?;
    let kernel = &*choice.kernel(&[0x5A; 16])?;
    kernel.prepare_decrypt();
    let profile = current();
    let mut sizes = KILOBYTES.to_vec();
    if !options.quick {
        sizes.extend(KILOBYTES.map(|kilobytes| 1000 * kilobytes));
    }
    let longest = sizes.iter().map(|kilobytes| 1000 * kilobytes).max().unwrap_or(0);
    let buffer_bytes = PIECE_BYTES.min(longest as usize);
    let mut rounds = Rounds::new(SAMPLE_NS, buffer_bytes);
    let mut points = Vec::new();
    for encrypts in [true, false] {
        for &kilobytes in &sizes {
            let bytes = 1000 * kilobytes;
            let timed = [1, options.threads].map(|threads| {
                let work = move |buffer: &mut [u8]| in_pieces(kernel, buffer, bytes, threads, encrypts);
                let point = rounds.add_wall(buffer_bytes.min(bytes as usize), work);
                (point, predicted(choice, &profile, bytes, threads, encrypts))
            });
            points.push((encrypts, kilobytes, timed));
        }
    }
    rounds.run(ROUNDS, options.progress);
    let row = |(encrypts, kilobytes, timed): (bool, u64, [(usize, Option<f64>); 2])| {
        let [sequential, parallel] = timed.map(|(point, planner_model)| Timed {
            seconds: rounds.ns(point) / 1e9,
            constant_model: 0.0,
            planner_model,
        });
        Row { encrypts, kilobytes, sequential, parallel }
    };
    let mut rows: Vec<Row> = points.into_iter().map(row).collect();
    let constants = [true, false].map(|encrypts| constant(&rows, encrypts)).to_vec();
    for row in &mut rows {
        let constant = constants[usize::from(!row.encrypts)];
        row.sequential.constant_model = constant.sequential * row.kilobytes as f64;
        row.parallel.constant_model = constant.parallel * row.kilobytes as f64;
    }
    Ok(StudyResult {
        origin: origin.ended(failures),
        strategy: choice.strategy.name,
        profile_measured: profile.measured,
        rows,
        constants,
    })
}

/// So many bytes through the buffer, again and again if it is smaller.
fn in_pieces(kernel: &dyn Kernel, buffer: &mut [u8], bytes: u64, threads: usize, encrypts: bool) {
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(buffer.len() as u64);
        ecb(kernel, &mut buffer[..piece as usize / 16 * 16], threads, encrypts);
        left -= piece;
    }
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
    use super::super::origin;
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
            origin: Origin { quick: true, ..origin::invented(&STUDY) },
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
        // Twice through a buffer of half the size, there and back.
        let half = CHUNK_BYTES / 2;
        in_pieces(&*kernel, &mut data[..half], CHUNK_BYTES as u64, 2, true);
        assert!(data[..half] != plain[..half]);
        in_pieces(&*kernel, &mut data[..half], CHUNK_BYTES as u64, 2, false);
        assert_eq!(data, plain);
    }
}

//! The one result of a benchmark: what the terminal, Markdown and JSON show, and what cost models and reports read.

use super::operation::Operation;
use crate::machine::Machine;
use crate::measure::Sample;
use crate::stats::{Summary, rounded};
use serde::{Deserialize, Serialize};

/// The version of this structure, in [`BenchResult::format`].
pub const FORMAT: &str = "roundel-bench/1";

/// Everything that one run found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchResult {
    /// [`FORMAT`]: readers refuse others.
    pub format: String,
    /// Version of roundel.
    pub version: String,
    /// When it ended, UTC: "2026-11-21T21:04:05Z".
    pub date: String,
    /// The arguments that made it.
    pub command: String,
    /// Where it ran.
    pub machine: Machine,
    /// How it was measured.
    pub method: Method,
    /// The core's frequency over all samples, in GHz.
    pub clock_ghz: Summary,
    /// Load average of the last minute at the start and at the end; `None` where the system does not tell.
    pub load_average: [Option<f64>; 2],
    /// Who was measured.
    pub contenders: Vec<ContenderFacts>,
    /// Strategies that this CPU cannot run, with what they need: counted, not hidden.
    pub unavailable: Vec<Unavailable>,
    /// What was measured.
    pub points: Vec<Point>,
    /// For each cipher, what the program would choose.
    pub choices: Vec<Chosen>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
}

/// How it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// "quick", "default" or "full".
    pub effort: String,
    /// Rounds of which every point has one sample each.
    pub rounds: usize,
    /// Calls of a sample are repeated until it lasts this long.
    pub sample_ns: f64,
    /// Longer messages of a strategy are left out when one call would last longer than this.
    pub longest_call_ns: f64,
    /// Whether threads were kept on their cores.
    pub pinned: bool,
    /// Seconds that the measuring took.
    pub elapsed_s: f64,
}

/// One implementation that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContenderFacts {
    /// Library and version.
    pub library: String,
    /// The cipher's name.
    pub cipher: String,
    /// The strategy's name.
    pub strategy: String,
    /// Whether it declares that its timing does not depend on secrets.
    pub constant_time: bool,
    /// Comparisons with published vectors and the cipher's `reference` that it passed in this run before it was timed.
    pub checks: usize,
}

/// A strategy that cannot run here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// The cipher's name.
    pub cipher: String,
    /// The strategy's name.
    pub strategy: String,
    /// What it needs: "CPU level vaes", or "--allow-memory 256M".
    pub needs: String,
}

/// One measured point with its raw samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Index into [`BenchResult::contenders`]; `None` for `copy`.
    pub contender: Option<usize>,
    /// Length of the key in bits; 0 for `copy`.
    pub key_bits: usize,
    /// What was done.
    pub operation: Operation,
    /// Length of the message; 0 for key schedules.
    pub bytes: usize,
    /// 0: one thread, by its CPU time. Otherwise so many threads with a message each, by the wall clock.
    pub threads: usize,
    /// Calls in one sample (of each thread).
    pub calls: u64,
    /// Nanoseconds per call, of each sample.
    pub ns: Vec<f64>,
    /// The core's frequency during the same sample, in GHz.
    pub ghz: Vec<f64>,
}

/// What the program would choose for a cipher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The cipher's name.
    pub cipher: String,
    /// The strategy that runs when none is asked for.
    pub strategy: String,
    /// Why, in a sentence.
    pub why: String,
}

impl ContenderFacts {
    /// Whether it is one of the registry's strategies, and not another library's.
    pub fn is_ours(&self) -> bool {
        self.library.starts_with("roundel ")
    }
}

impl Point {
    /// Adds a sample, rounded to what it can mean: a ten-thousandth of a nanosecond and of a gigahertz.
    pub fn push(&mut self, sample: Sample) {
        self.ns.push(rounded(sample.ns_per_call, 4));
        self.ghz.push(rounded(sample.ghz, 4));
    }

    /// Nanoseconds per call.
    pub fn ns_per_call(&self) -> Summary {
        Summary::of(self.ns.iter().copied()).expect("a point without samples is not kept")
    }

    /// Core cycles per call: time multiplied by the clock that was measured beside it.
    pub fn cycles_per_call(&self) -> Summary {
        Summary::of(self.ns.iter().zip(&self.ghz).map(|(ns, ghz)| ns * ghz))
            .expect("a point without samples is not kept")
    }

    /// Core cycles per byte of the message, of one thread.
    pub fn cycles_per_byte(&self) -> Summary {
        self.cycles_per_call().scaled(1.0 / self.bytes.max(1) as f64)
    }

    /// Gigabytes (10^9) per second over all threads, at the median.
    pub fn gigabytes_per_second(&self) -> f64 {
        (self.bytes * self.threads.max(1)) as f64 / self.ns_per_call().median
    }
}

impl BenchResult {
    /// The point of a contender at this key length, operation, message length and number of threads.
    pub fn point(
        &self,
        contender: Option<usize>,
        key_bits: usize,
        operation: Operation,
        bytes: usize,
        threads: usize,
    ) -> Option<&Point> {
        self.points.iter().find(|p| {
            (p.contender, p.key_bits, p.operation, p.bytes, p.threads)
                == (contender, key_bits, operation, bytes, threads)
        })
    }

    /// The one-thread point of the longest message up to `bytes`.
    pub fn longest_up_to(
        &self,
        contender: Option<usize>,
        key_bits: usize,
        operation: Operation,
        bytes: usize,
    ) -> Option<&Point> {
        let matching = |p: &&Point| {
            (p.contender, p.key_bits, p.operation, p.threads) == (contender, key_bits, operation, 0)
                && p.bytes <= bytes
        };
        self.points.iter().filter(matching).max_by_key(|p| p.bytes)
    }

    /// Key lengths that a contender was measured at, ascending.
    pub fn key_lengths(&self, contender: usize) -> Vec<usize> {
        let mut bits: Vec<usize> =
            self.points.iter().filter(|p| p.contender == Some(contender)).map(|p| p.key_bits).collect();
        bits.sort_unstable();
        bits.dedup();
        bits
    }
}

//! `roundel tune`: measures what the planner's cost model needs to know of this machine, and fits it.
//!
//! Every strategy that runs here is timed at message lengths around its batch, in rounds, so that a busy second touches all alike; the
//! minimum counts. Some lengths are kept out of the fit: the errors of their predictions are part of the result.

mod check;
mod fit;
mod limits;
pub mod store;

pub use check::{
    ErrorPoint, Errors, Regret, RegretPoint, errors_table, prediction_errors, regret, regret_table,
};
pub use limits::SealRun;

use crate::bench::contender::{Contender, Ours, Task};
use crate::bench::{self, Observer};
use crate::measure::{calls_for, estimate_ns};
use crate::stats::Summary;
use fit::{Samples, fit};
use roundel::plan::{Costs, KNOTS, OPERATIONS, Operation, Profile};
use roundel::{CIPHERS, Choice, Cipher};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How tuning goes.
pub struct Options<'a> {
    /// Ciphers; all if empty. A profile that is stored should have all.
    pub ciphers: Vec<&'static Cipher>,
    /// Time for the strategies; the machine's limits take some seconds more.
    pub budget: Duration,
    /// Strategies with larger tables are left out.
    pub memory_bytes: usize,
    /// Seals a file of so many bytes on so many threads and returns the nanoseconds; `None` to leave that out.
    pub seal: Option<SealRun<'a>>,
}

/// What tuning found out.
pub struct Tuned {
    /// The fitted costs.
    pub profile: Profile,
    /// Curves that were fitted.
    pub curves: usize,
    /// Samples that were taken.
    pub samples: usize,
    /// Relative errors of predictions on lengths that were not fitted.
    pub held_out: Option<Summary>,
    /// How long it took.
    pub elapsed: Duration,
    /// Whether it was stopped: such a profile is not complete.
    pub interrupted: bool,
}

/// Rounds at least, and at most.
const ROUNDS: std::ops::RangeInclusive<usize> = 3..=12;

/// A sample lasts about this long: much longer than reading the clock, much shorter than a time slice.
const SAMPLE_NS: f64 = 120e3;

/// Messages whose single call would last longer are left out of the measurement of slow strategies.
const LONGEST_CALL_NS: f64 = 1e6;

/// The longest message that is fitted: it stays in the second-level cache.
const LONGEST_BYTES: usize = 64 << 10;

/// Messages of less than so many blocks are each measured, as calls, blocks and batches overlap in them.
const LEAST_BATCH: usize = 16;

/// Lengths of key that are measured; the planner puts others between them.
const KEY_BYTES: [usize; 2] = [16, 32];

/// One operation of one strategy under one length of key.
struct Series {
    choice: Choice,
    strategy: usize,
    key_bytes: usize,
    work: Work,
    task: Task,
    points: Vec<Point>,
}

/// What a series times.
#[derive(Clone, Copy, PartialEq)]
enum Work {
    /// An operation under a kept key.
    Kept(Operation),
    /// A bench operation under fresh keys.
    Fresh(bench::Operation),
}

struct Point {
    blocks: usize,
    calls: u64,
    /// A length that the fit does not see.
    held_out: bool,
    least_ns: f64,
}

/// Measures and fits.
pub fn tune(options: &Options<'_>, observer: &dyn Observer) -> Tuned {
    let began = Instant::now();
    let ciphers = if options.ciphers.is_empty() { CIPHERS } else { &options.ciphers[..] };
    let mut series = series(ciphers, options.memory_bytes);
    let mut buffer = vec![0u8; LONGEST_BYTES + 64];
    calibrate(&mut series, &mut buffer, observer);
    let samples = measure(&mut series, &mut buffer, options.budget, began, observer);
    let mut profile = fitted(&series);
    let cold = cold_costs(&series, &mut buffer, observer);
    add_cold(&mut profile, &series, &cold);
    let held_out = Summary::of(held_out_errors(&series, &profile));
    let all = || held_out_errors(&series, &profile).collect::<Vec<_>>();
    let (median, most) = quantiles(all());
    let curves = series.iter().filter(|series| matches!(series.work, Work::Kept(_))).count();
    observer.progress("limits", 0, 1);
    if let Some(machine) = limits::machine(&profile, observer) {
        profile.machine = machine;
    }
    profile.seal = options.seal.and_then(|seal| limits::seal(&profile, seal, observer));
    [profile.median_error, profile.most_error] = [median, most].map(fit::digits);
    profile.measured = true;
    profile.fill_in();
    Tuned { profile, curves, samples, held_out, elapsed: began.elapsed(), interrupted: observer.stopped() }
}

/// Median and ninth decile of absolute values.
fn quantiles(mut errors: Vec<f64>) -> (f64, f64) {
    errors.iter_mut().for_each(|error| *error = error.abs());
    errors.sort_by(f64::total_cmp);
    let at =
        |share: f64| errors.get(((errors.len() as f64 * share) as usize).min(errors.len().saturating_sub(1)));
    (at(0.5).copied().unwrap_or(0.0), at(0.9).copied().unwrap_or(0.0))
}

/// Everything that will be timed.
fn series(ciphers: &[&'static Cipher], memory_bytes: usize) -> Vec<Series> {
    let mut all = Vec::new();
    for cipher in ciphers {
        let fits = |choice: &Choice| {
            let memory = choice.strategy.memory;
            choice.strategy.available() && memory.per_key.saturating_add(memory.shared) <= memory_bytes
        };
        for (strategy, choice) in cipher.choices().enumerate().filter(|(_, choice)| fits(choice)) {
            for key_bytes in KEY_BYTES.into_iter().filter(|&bytes| cipher.keys.accepts(bytes)) {
                let kept = OPERATIONS.into_iter().map(Work::Kept);
                let fresh = [
                    bench::Operation::FreshCtr,
                    bench::Operation::FreshGcm,
                    bench::Operation::KeyEncrypt,
                    bench::Operation::KeyBoth,
                ];
                for work in kept.chain(fresh.map(Work::Fresh)) {
                    let task = Ours(choice).task(work.operation(), &key(key_bytes));
                    if let Some(task) = task {
                        all.push(Series { choice, strategy, key_bytes, work, task, points: Vec::new() });
                    }
                }
            }
        }
    }
    all
}

fn key(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 37 + 11) as u8).collect()
}

impl Work {
    fn operation(self) -> bench::Operation {
        use bench::Operation as B;
        match self {
            Work::Fresh(operation) => operation,
            Work::Kept(Operation::EcbEncrypt) => B::EcbEncrypt,
            Work::Kept(Operation::EcbDecrypt) => B::EcbDecrypt,
            Work::Kept(Operation::CbcEncrypt) => B::CbcEncrypt,
            Work::Kept(Operation::CbcDecrypt) => B::CbcDecrypt,
            Work::Kept(Operation::Ctr) => B::Ctr,
            Work::Kept(Operation::GcmEncrypt) => B::GcmEncrypt,
            Work::Kept(Operation::GcmDecrypt) => B::GcmDecrypt,
            Work::Kept(Operation::XtsEncrypt) => B::XtsEncrypt,
            Work::Kept(Operation::XtsDecrypt) => B::XtsDecrypt,
        }
    }

    /// The batch of the model: as many of the strategy's as make [`LEAST_BATCH`].
    fn batch(self, choice: Choice) -> usize {
        let batch = match self {
            Work::Kept(operation) if operation.is_serial() => 1,
            _ => choice.strategy.batch_blocks.max(1),
        };
        batch * LEAST_BATCH.div_ceil(batch)
    }

    /// Lengths in blocks, ascending, each with whether it is kept out of the fit.
    fn lengths(self, choice: Choice) -> Vec<(usize, bool)> {
        let batch = self.batch(choice);
        let mut lengths: Vec<(usize, bool)> = match self {
            Work::Fresh(operation) if operation.is_key_schedule() => vec![(0, false)],
            Work::Fresh(_) => vec![(1, false), (16, false)],
            Work::Kept(operation) => {
                let knots = KNOTS.into_iter().map(|knot| knot as usize).take_while(|&knot| knot < batch);
                // Whole batches: few, some, and as many as fit into a nearer cache.
                let few = [1, 2, 4, 8].map(|n| n * batch);
                let many = [64usize, 256, 1024, 4096].map(|blocks| blocks.next_multiple_of(batch));
                let fitted = knots.chain(few).chain(many).chain([1]).map(|blocks| (blocks, false));
                let held_out = if operation == Operation::Ctr {
                    vec![(5, true), (3 * batch + batch / 2 + 1, true), (100, true), (777, true)]
                } else {
                    Vec::new()
                };
                fitted.chain(held_out).collect()
            }
        };
        let longest = LONGEST_BYTES / choice.cipher.block_bytes;
        lengths.retain(|(blocks, _)| *blocks <= longest);
        // The same length is fitted rather than held out.
        lengths.sort_unstable();
        lengths.dedup_by_key(|(blocks, _)| *blocks);
        lengths
    }
}

impl Series {
    /// Calls the task on a message of this many blocks.
    fn call(&mut self, buffer: &mut [u8], blocks: usize, calls: u64) {
        let message = &mut buffer[..blocks * self.choice.cipher.block_bytes];
        for _ in 0..calls {
            black_box((self.task)(message));
        }
    }

    fn least(&self, blocks: usize) -> Option<f64> {
        self.points.iter().find(|point| point.blocks == blocks).map(|point| point.least_ns)
    }

    /// Whether both are of one strategy and length of key.
    fn beside(&self, other: &Series) -> bool {
        std::ptr::eq(self.choice.strategy, other.choice.strategy)
            && std::ptr::eq(self.choice.cipher, other.choice.cipher)
            && self.key_bytes == other.key_bytes
    }
}

/// Finds how many calls make a sample at every length; too long ones are left out.
fn calibrate(series: &mut [Series], buffer: &mut [u8], observer: &dyn Observer) {
    let total = series.len();
    for (done, series) in series.iter_mut().enumerate() {
        if observer.stopped() {
            return;
        }
        observer.progress("calibrating", done, total);
        let mut ns_per_block = 0.0;
        for (blocks, held_out) in series.work.lengths(series.choice) {
            if ns_per_block * blocks as f64 > LONGEST_CALL_NS && series.points.len() >= 2 {
                break;
            }
            let call_ns = estimate_ns(SAMPLE_NS / 4.0, &mut || series.call(buffer, blocks, 1));
            ns_per_block = call_ns / blocks.max(1) as f64;
            let calls = calls_for(SAMPLE_NS, call_ns);
            series.points.push(Point { blocks, calls, held_out, least_ns: call_ns });
        }
    }
}

/// Samples all points in rounds until the time is over; the number of samples.
fn measure(
    series: &mut [Series],
    buffer: &mut [u8],
    budget: Duration,
    began: Instant,
    observer: &dyn Observer,
) -> usize {
    let mut samples = 0;
    let share = |round: usize| {
        let by_time = began.elapsed().as_secs_f64() / budget.as_secs_f64();
        by_time.max(round as f64 / *ROUNDS.end() as f64).min(1.0)
    };
    for round in 0..*ROUNDS.end() {
        for index in 0..series.len() {
            let series = &mut series[index];
            // The fewest rounds are made whatever the time; on a busy machine they take longer.
            let late = began.elapsed() > budget && round >= *ROUNDS.start();
            if late || observer.stopped() {
                return samples;
            }
            for point in 0..series.points.len() {
                let Point { blocks, calls, .. } = series.points[point];
                let ns = crate::clock::cpu_time_ns(|| series.call(buffer, blocks, calls)) / calls as f64;
                let least = &mut series.points[point].least_ns;
                *least = least.min(ns);
                samples += 1;
            }
            observer.progress("measuring", (1000.0 * share(round)) as usize, 1000);
        }
    }
    samples
}

/// The curves of every strategy, from its series.
fn fitted(series: &[Series]) -> Profile {
    let mut profile = Profile::new(limits::unknown());
    for group in series.chunk_by(Series::beside) {
        let first = &group[0];
        let of = |work: Work| group.iter().find(|series| series.work == work);
        let fresh = |operation| of(Work::Fresh(operation));
        let key_schedule = |operation| fresh(operation)?.least(0);
        let decryption = key_schedule(bench::Operation::KeyBoth)
            .zip(key_schedule(bench::Operation::KeyEncrypt))
            .map_or(0.0, |(both, one)| (both - one).max(0.0));
        let mut costs = Costs::default();
        for operation in OPERATIONS {
            let Some(own) = of(Work::Kept(operation)) else { continue };
            let points: Vec<_> =
                own.points.iter().filter(|p| !p.held_out).map(|p| (p.blocks, p.least_ns)).collect();
            let gcm = matches!(operation, Operation::GcmEncrypt | Operation::GcmDecrypt);
            let (fresh_operation, like) = match gcm {
                true => (bench::Operation::FreshGcm, Operation::GcmEncrypt),
                false => (bench::Operation::FreshCtr, Operation::Ctr),
            };
            let kept = of(Work::Kept(like));
            let excess = |blocks| Some(fresh(fresh_operation)?.least(blocks)? - kept?.least(blocks)?);
            let one = excess(1).unwrap_or(0.0).max(0.0);
            let sixteen = excess(16).unwrap_or(one).max(0.0);
            // XTS has two keys; decryption in ECB, CBC and XTS has a schedule of its own, if the cipher has.
            let (setup, warm) = match operation {
                Operation::EcbDecrypt | Operation::CbcDecrypt => (one + decryption, sixteen - one),
                Operation::XtsEncrypt => (2.0 * one, sixteen - one),
                Operation::XtsDecrypt => (2.0 * one + decryption, sixteen - one),
                _ => (one, sixteen - one),
            };
            let batch = own.work.batch(own.choice);
            if let Some(curve) = fit(&Samples { points: &points, batch, setup_ns: setup, warm_ns: warm }) {
                costs.set(operation, curve);
            }
        }
        profile.set(first.choice.cipher, first.strategy, first.key_bytes, costs);
    }
    profile
}

/// Relative errors of the model on the lengths that were kept out.
fn held_out_errors<'a>(series: &'a [Series], profile: &'a Profile) -> impl Iterator<Item = f64> + 'a {
    series.iter().flat_map(|series| {
        let costs = profile.strategies(series.choice.cipher, series.key_bytes);
        let curve = match series.work {
            Work::Kept(operation) => {
                costs.get(series.strategy).and_then(|costs| costs.as_ref()?.curve(operation)).copied()
            }
            Work::Fresh(_) => None,
        };
        let held_out = series.points.iter().filter(|point| point.held_out);
        held_out.filter_map(move |point| Some(curve?.message_ns(point.blocks as u64) / point.least_ns - 1.0))
    })
}

/// More than the second-level cache of any core: walking it leaves nothing of ours there.
const EVICT_BYTES: usize = 8 << 20;

/// For every series of fresh CTR keys: what 16 blocks take more when the caches were filled with something else; the median of a few.
fn cold_costs(series: &[Series], buffer: &mut [u8], observer: &dyn Observer) -> Vec<f64> {
    const CALLS: usize = 3;
    let mut evict = vec![1u8; EVICT_BYTES];
    let mut costs = Vec::with_capacity(series.len());
    for series in series {
        if series.work != Work::Fresh(bench::Operation::FreshCtr) || observer.stopped() {
            costs.push(0.0);
            continue;
        }
        let key = key(series.key_bytes);
        let Some(mut task) = Ours(series.choice).task(bench::Operation::FreshCtr, &key) else {
            costs.push(0.0);
            continue;
        };
        let message = &mut buffer[..16 * series.choice.cipher.block_bytes];
        let colds = (0..CALLS).map(|_| {
            evict.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
            black_box(&mut evict);
            let start = Instant::now();
            black_box(task(message));
            start.elapsed().as_nanos() as f64
        });
        let cold = Summary::of(colds).map_or(0.0, |cold| cold.median);
        costs.push((cold - series.least(16).unwrap_or(cold)).max(0.0));
    }
    costs
}

fn add_cold(profile: &mut Profile, series: &[Series], cold: &[f64]) {
    for (series, cold_ns) in series.iter().zip(cold).filter(|(_, cold)| **cold > 0.0) {
        let Series { choice, strategy, key_bytes, .. } = *series;
        let Some(mut costs) = profile.strategies(choice.cipher, key_bytes).get(strategy).copied().flatten()
        else {
            continue;
        };
        for operation in OPERATIONS {
            if let Some(mut curve) = costs.curve(operation).copied() {
                curve.cold_ns = fit::digits(*cold_ns);
                costs.set(operation, curve);
            }
        }
        profile.set(choice.cipher, strategy, key_bytes, costs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    struct Quiet;

    impl Observer for Quiet {
        fn progress(&self, _: &'static str, done: usize, total: usize) {
            assert!(done <= total);
        }

        fn stopped(&self) -> bool {
            false
        }
    }

    /// A short run over one cipher: all its strategies get all operations, and predictions of what was measured are near.
    #[test]
    fn a_short_run_knows_every_strategy() {
        let cipher = roundel::cipher("rc6").unwrap();
        let options = Options {
            ciphers: vec![cipher],
            budget: Duration::from_millis(200),
            memory_bytes: 8 << 20,
            seal: None,
        };
        let mut series = series(&options.ciphers, options.memory_bytes);
        let mut buffer = vec![0u8; LONGEST_BYTES + 64];
        calibrate(&mut series, &mut buffer, &Quiet);
        assert!(measure(&mut series, &mut buffer, options.budget, Instant::now(), &Quiet) > 0);
        let profile = fitted(&series);
        for key_bytes in [16, 32] {
            let costs = profile.strategies(cipher, key_bytes);
            for (strategy, costs) in cipher.strategies.iter().zip(costs) {
                if strategy.available() {
                    let costs = costs.as_ref().unwrap();
                    assert!(OPERATIONS.into_iter().all(|operation| costs.curve(operation).is_some()));
                    let ctr = costs.curve(Operation::Ctr).unwrap();
                    assert!(ctr.setup_ns > 0.0 && ctr.block_ns() > 0.0);
                    assert!(ctr.message_ns(1000) > 100.0 * ctr.block_ns());
                }
            }
        }
        assert!(held_out_errors(&series, &profile).count() > 0);
    }

    /// Ctrl-C as soon as this phase begins.
    struct StopIn {
        phase: &'static str,
        stopped: AtomicBool,
    }

    impl Observer for StopIn {
        fn progress(&self, phase: &'static str, done: usize, _: usize) {
            assert!(!self.stopped() || done == 0, "{phase} goes on after Ctrl-C");
            self.stopped.fetch_or(phase == self.phase, Ordering::Relaxed);
        }

        fn stopped(&self) -> bool {
            self.stopped.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn every_phase_can_be_stopped() {
        for (phase, most_sealed) in [("calibrating", 0), ("measuring", 0), ("limits", 0), ("sealing", 1)] {
            let observer = StopIn { phase, stopped: AtomicBool::new(false) };
            let sealed = AtomicUsize::new(0);
            let seal = |_, _| Some((sealed.fetch_add(1, Ordering::Relaxed) + 1) as f64);
            let options = Options {
                ciphers: vec![roundel::cipher("rc6").unwrap()],
                budget: Duration::ZERO,
                memory_bytes: 8 << 20,
                seal: Some(&seal),
            };
            let tuned = tune(&options, &observer);
            assert!(observer.stopped() && tuned.interrupted && tuned.profile.seal.is_none(), "{phase}");
            assert_eq!(sealed.into_inner(), most_sealed, "{phase}");
        }
    }

    #[test]
    fn lengths_rise_and_cover_the_batch() {
        let serpent = roundel::cipher("serpent").unwrap();
        for choice in serpent.choices() {
            let lengths = Work::Kept(Operation::Ctr).lengths(choice);
            assert!(lengths.windows(2).all(|pair| pair[0].0 < pair[1].0));
            let batch = Work::Kept(Operation::Ctr).batch(choice);
            assert!(batch >= LEAST_BATCH && batch.is_multiple_of(choice.strategy.batch_blocks));
            assert!([1, batch, 2 * batch].iter().all(|n| lengths.contains(&(*n, false))));
            assert!(lengths.iter().any(|(_, held_out)| *held_out));
        }
        assert_eq!(quantiles(vec![-0.1, 0.2, 0.0]), (0.1, 0.2));
    }
}

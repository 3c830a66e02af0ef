//! The measuring: points are laid out and calibrated once, then sampled in rounds, each point once per round, so that a busy minute
//! of the machine spreads over all contenders instead of spoiling one.

use super::check::test_key;
use super::contender::{Task, copy_task};
use super::operation::Operation;
use super::result::Point;
use super::{BenchError, Cores, Entry, Observer, Options};
use crate::measure::{calls_for, estimate_ns, pin_to, sample, sample_threads};
use crate::rounds::Buffer;
use std::hint::black_box;
use std::time::Instant;

/// Rounds whatever the budget, so that there is a median; and at most, as more would tell little.
const ROUNDS: std::ops::RangeInclusive<usize> = 3..=25;

/// Message lengths of operations under fresh keys, without `--size`.
const FRESH_SIZES: [usize; 3] = [16, 64, 256];

/// Messages of the comparison of all cores with one: in the caches of one core or near them.
const TEAM_BYTES: usize = 1 << 20;

/// Samples by the wall clock last longer: threads do not start in the same nanosecond.
const TEAM_SAMPLE_NS: f64 = 2e6;

/// Reading the clock beside each sample, in nanoseconds.
const OVERHEAD_NS: f64 = 70e3;

pub(super) struct Measured {
    pub(super) points: Vec<Point>,
    pub(super) rounds: usize,
    pub(super) longest_call_ns: f64,
}

/// A point to be sampled and what runs it: one task, or one for each thread.
struct Job {
    point: Point,
    tasks: Tasks,
    /// Roughly.
    call_ns: f64,
}

enum Tasks {
    /// Index into the tasks that all message lengths share.
    Shared(usize),
    Team(Vec<Task>),
}

pub(super) fn measure(
    options: &Options,
    entries: &[Entry],
    observer: &dyn Observer,
) -> Result<Measured, BenchError> {
    if options.pin {
        pin_to(0);
    }
    let start = Instant::now();
    let left_s = || options.effort.budget_s() - start.elapsed().as_secs_f64();
    let mut bench = Bench::new(options, entries, observer)?;
    bench.calibrate(observer)?;
    let rounds = bench.plan_rounds(left_s());
    let total = rounds * bench.jobs.len();
    let mut done = 0;
    'rounds: for round in 0..rounds {
        // The plan counts CPU time: on a busy machine the budget is over sooner.
        if round >= *ROUNDS.start() && left_s() < 0.0 {
            break;
        }
        for index in 0..bench.jobs.len() {
            if observer.stopped() {
                break 'rounds;
            }
            bench.sample(index);
            done += 1;
            observer.progress("measuring", done, total);
        }
    }
    let mut points: Vec<Point> = bench.jobs.into_iter().map(|job| job.point).collect();
    points.retain(|point| !point.ns.is_empty());
    let rounds = points.iter().map(|point| point.ns.len()).max().unwrap_or(0);
    Ok(Measured { points, rounds, longest_call_ns: bench.longest_call_ns })
}

/// One series: an operation of a contender under a key, at several message lengths.
struct Series {
    contender: Option<usize>,
    key_bits: usize,
    operation: Operation,
}

struct Bench<'a> {
    options: &'a Options,
    entries: &'a [Entry],
    series: Vec<Series>,
    shared: Vec<Task>,
    jobs: Vec<Job>,
    buffers: Vec<Buffer>,
    longest_call_ns: f64,
}

impl<'a> Bench<'a> {
    fn new(options: &'a Options, entries: &'a [Entry], observer: &dyn Observer) -> Result<Self, BenchError> {
        let mut bench = Bench {
            options,
            entries,
            series: Vec::new(),
            shared: Vec::new(),
            jobs: Vec::new(),
            buffers: Vec::new(),
            longest_call_ns: 0.0,
        };
        for (index, entry) in entries.iter().enumerate() {
            observer.progress("keying", index, entries.len());
            for &key_bits in &entry.key_bits {
                for operation in options.modes().iter().flat_map(|mode| mode.operations()).copied() {
                    if let Some(task) = entry.contender.task(operation, &test_key(key_bits)) {
                        bench.series.push(Series { contender: Some(index), key_bits, operation });
                        bench.shared.push(task);
                    }
                }
            }
        }
        if bench.series.is_empty() {
            return Err(BenchError::Nothing);
        }
        let largest = bench.sizes(Operation::Ctr).into_iter().max().unwrap_or(0).max(TEAM_BYTES);
        bench.series.push(Series { contender: None, key_bits: 0, operation: Operation::Copy });
        bench.shared.push(copy_task(largest));
        bench.buffers = (0..roundel::parallel::cores()).map(|_| Buffer::new(largest)).collect();
        // In each of the fewest rounds a series may spend its share of the budget, and half of that is the untimed call.
        let share = options.effort.budget_s() * 1e9 / (bench.series.len() * 2 * ROUNDS.start()) as f64;
        bench.longest_call_ns = (share / 2.0).clamp(0.2e6, 20e6);
        Ok(bench)
    }

    /// Message lengths of an operation, ascending.
    fn sizes(&self, operation: Operation) -> Vec<usize> {
        let mut sizes = match self.options.sizes.as_slice() {
            _ if operation.is_key_schedule() => vec![0],
            [] if operation.is_fresh_key() => FRESH_SIZES.to_vec(),
            [] => self.options.effort.sizes().to_vec(),
            sizes => sizes.to_vec(),
        };
        sizes.sort_unstable();
        sizes
    }

    /// Finds for every point how many calls make a sample, shorter messages first, and leaves out what would take too long.
    fn calibrate(&mut self, observer: &dyn Observer) -> Result<(), BenchError> {
        for index in 0..self.series.len() {
            if observer.stopped() {
                return Err(BenchError::Interrupted);
            }
            observer.progress("calibrating", index, self.series.len());
            self.calibrate_series(index);
        }
        // Contenders of the same point next to each other in time; a stable sort, so in the order of the registry.
        let cipher = |contender: Option<usize>| contender.map(|i| self.entries[i].contender.cipher().name);
        self.jobs.sort_by_key(|Job { point, .. }| {
            (cipher(point.contender), point.threads, point.operation, point.key_bits, point.bytes)
        });
        Ok(())
    }

    fn calibrate_series(&mut self, index: usize) {
        let Series { contender, key_bits, operation } = self.series[index];
        let block = contender.map_or(1, |i| self.entries[i].contender.cipher().block_bytes);
        let target = self.options.effort.sample_ns();
        let mut lengths: Vec<usize> =
            self.sizes(operation).into_iter().map(|size| size / block * block).collect();
        lengths.dedup();
        let (mut ns_per_byte, mut longest) = (0.0, None);
        for bytes in lengths.into_iter().filter(|&bytes| bytes > 0 || operation.is_key_schedule()) {
            if ns_per_byte * bytes as f64 > self.longest_call_ns {
                break;
            }
            let (task, message) = (&mut self.shared[index], self.buffers[0].message(bytes));
            let call_ns = estimate_ns(target, &mut || {
                black_box(task(message));
            });
            ns_per_byte = call_ns / bytes.max(1) as f64;
            longest = Some((bytes, call_ns));
            if self.options.cores != Cores::All {
                let calls = calls_for(target, call_ns);
                let point = point(contender, key_bits, operation, bytes, 0, calls);
                self.jobs.push(Job { point, tasks: Tasks::Shared(index), call_ns });
            }
        }
        let wants_team = self.options.cores != Cores::One && self.team_operation(operation);
        if let (true, Some((bytes, call_ns))) = (wants_team, longest) {
            self.add_teams(contender, key_bits, operation, bytes, call_ns);
        }
    }

    /// Operations that are also run on all cores: one stands for all, unless everything or something particular was asked for.
    fn team_operation(&self, operation: Operation) -> bool {
        let particular = !self.options.modes.is_empty() || self.options.effort == super::Effort::Full;
        let bulk = !operation.is_key_schedule() && !operation.is_fresh_key();
        operation == Operation::Copy || operation == Operation::Ctr || (particular && bulk)
    }

    /// The longest message that was calibrated, up to [`TEAM_BYTES`] unless lengths were asked for: on one thread and on all.
    fn add_teams(
        &mut self,
        contender: Option<usize>,
        key_bits: usize,
        operation: Operation,
        bytes: usize,
        call_ns: f64,
    ) {
        let calls = calls_for(TEAM_SAMPLE_NS, call_ns);
        let mut counts = vec![1, self.buffers.len()];
        counts.dedup();
        for threads in counts {
            let task = || match contender {
                Some(i) => self.entries[i].contender.task(operation, &test_key(key_bits)),
                None => Some(copy_task(bytes)),
            };
            let team: Vec<Task> = (0..threads).filter_map(|_| task()).collect();
            let point = point(contender, key_bits, operation, bytes, threads, calls);
            self.jobs.push(Job { point, tasks: Tasks::Team(team), call_ns });
        }
    }

    /// As many rounds as fit; when even the fewest do not, shorter samples.
    fn plan_rounds(&mut self, budget_s: f64) -> usize {
        let cost = |job: &Job| {
            let untimed = if job.point.calls > 1 { 1 } else { 0 };
            (job.point.calls + untimed) as f64 * job.call_ns + OVERHEAD_NS
        };
        let round_ns: f64 = self.jobs.iter().map(cost).sum();
        let fit = (budget_s * 1e9 / round_ns) as usize;
        if fit < *ROUNDS.start() {
            let shrink = (budget_s * 1e9 / (round_ns * *ROUNDS.start() as f64)).clamp(0.2, 1.0);
            for job in &mut self.jobs {
                job.point.calls = ((job.point.calls as f64 * shrink) as u64).max(1);
            }
        }
        fit.clamp(*ROUNDS.start(), *ROUNDS.end())
    }

    fn sample(&mut self, index: usize) {
        let Job { point, tasks, .. } = &mut self.jobs[index];
        let (bytes, calls) = (point.bytes, point.calls);
        let sample = match tasks {
            Tasks::Shared(index) => {
                let (task, message) = (&mut self.shared[*index], self.buffers[0].message(bytes));
                sample(calls, &mut || {
                    black_box(task(message));
                })
            }
            Tasks::Team(team) => {
                let pairs = team.iter_mut().zip(&mut self.buffers);
                let mut work: Vec<_> = pairs
                    .map(|(task, buffer)| {
                        let message = buffer.message(bytes);
                        move || {
                            black_box(task(message));
                        }
                    })
                    .collect();
                let work = work.iter_mut().map(|work| work as &mut (dyn FnMut() + Send)).collect();
                sample_threads(calls, self.options.pin, work)
            }
        };
        point.push(sample);
    }
}

fn point(
    contender: Option<usize>,
    key_bits: usize,
    operation: Operation,
    bytes: usize,
    threads: usize,
    calls: u64,
) -> Point {
    Point { contender, key_bits, operation, bytes, threads, calls, ns: Vec::new(), ghz: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::super::contender::{Contender, Ours};
    use super::super::{Effort, Mode};
    use super::*;

    struct Quiet;
    impl Observer for Quiet {
        fn progress(&self, _: &'static str, _: usize, _: usize) {}
        fn stopped(&self) -> bool {
            false
        }
    }

    fn options(sizes: &[usize]) -> Options {
        Options {
            ciphers: vec![roundel::cipher("rijndael").unwrap()],
            strategies: vec!["reference".into()],
            modes: vec![Mode::Ctr, Mode::Key],
            sizes: sizes.to_vec(),
            key_bits: vec![128],
            cores: Cores::One,
            effort: Effort::Quick,
            pin: false,
            peers: Vec::new(),
            command: String::new(),
        }
    }

    #[test]
    fn lengths_are_whole_blocks_and_too_long_ones_are_left_out() {
        let options = options(&[16, 100, 1 << 30]);
        let choice = options.ciphers[0].strategy("reference").unwrap();
        let entries = [Entry { contender: std::sync::Arc::new(Ours(choice)), key_bits: vec![128] }];
        let mut bench = Bench {
            options: &options,
            entries: &entries,
            series: vec![Series { contender: Some(0), key_bits: 128, operation: Operation::Ctr }],
            shared: vec![Ours(choice).task(Operation::Ctr, &test_key(128)).unwrap()],
            jobs: Vec::new(),
            buffers: vec![Buffer::new(4096)],
            longest_call_ns: 1e6,
        };
        bench.calibrate(&Quiet).unwrap();
        let bytes: Vec<usize> = bench.jobs.iter().map(|job| job.point.bytes).collect();
        assert_eq!(bytes, [16, 96]);
        assert!(ROUNDS.contains(&bench.plan_rounds(0.001)));
        bench.sample(1);
        assert_eq!((bench.jobs[1].point.ns.len(), bench.jobs[1].point.ghz.len()), (1, 1));
    }
}

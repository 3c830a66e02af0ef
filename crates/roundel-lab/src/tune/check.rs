//! Whether the model holds: planned against best, predicted against measured.

use super::{SealRun, limits::least};
use crate::bench::contender::{Contender, Ours, Task};
use crate::bench::{self, Observer};
use crate::clock::cpu_time_ns;
use crate::measure::calls_for;
use crate::report::{plain, size, three_digits};
use crate::stats::Summary;
use roundel::modes::Ctr;
use roundel::plan::{Constraints, Mode, Plan, Profile, Request, candidates, cost_of, plan_with};
use roundel::{Cipher, Policy};
use serde::Serialize;
use std::hint::black_box;
use std::time::Instant;

/// Message lengths at which planned and best are compared: 16 bytes to 1 MiB.
const SIZES: [usize; 17] = {
    let mut sizes = [16; 17];
    let mut i = 1;
    while i < sizes.len() {
        sizes[i] = 2 * sizes[i - 1];
        i += 1;
    }
    sizes
};

/// Strategies predicted to take so many times as long as the planned one are not measured again.
const HOPELESS: f64 = 2.5;

/// Rounds in which all strategies of a point are sampled in turn; more of them where the planned one seems worse than this.
const ROUNDS: usize = 5;
const MORE_ROUNDS: usize = 25;
const DOUBTFUL: f64 = 0.02;

const SAMPLE_NS: f64 = 80e3;

/// How often and how much the planned strategy was not the best.
#[derive(Clone, Debug, Serialize)]
pub struct Regret {
    /// Every comparison.
    pub points: Vec<RegretPoint>,
    /// The share by which the worst plan is slower than the best.
    pub worst: f64,
    /// The share of points at which the plan is at most a twentieth slower.
    pub within_5_percent: f64,
}

/// One comparison: CTR over one message.
#[derive(Clone, Debug, Serialize)]
pub struct RegretPoint {
    /// The cipher's name.
    pub cipher: &'static str,
    /// Length of the key in bits.
    pub key_bits: usize,
    /// Length of the message.
    pub bytes: usize,
    /// Whether the key is new.
    pub fresh: bool,
    /// What the planner chose.
    pub planned: &'static str,
    /// Its nanoseconds.
    pub planned_ns: f64,
    /// What was fastest.
    pub best: &'static str,
    /// Its nanoseconds.
    pub best_ns: f64,
}

impl RegretPoint {
    /// The share by which the planned strategy is slower.
    pub fn regret(&self) -> f64 {
        self.planned_ns / self.best_ns - 1.0
    }
}

/// Compares the plan with all strategies: these ciphers, 128 and 256 bits, 16 bytes to 1 MiB, a fresh key and a kept one.
pub fn regret(
    ciphers: &[&'static Cipher],
    profile: &Profile,
    policy: Policy,
    observer: &dyn Observer,
) -> Option<Regret> {
    let constraints = Constraints { policy, ..Constraints::default() };
    let mut buffer = vec![0u8; SIZES[SIZES.len() - 1]];
    let mut points = Vec::new();
    let lots: Vec<_> = ciphers
        .iter()
        .flat_map(|&cipher| [16, 32].map(|key| (cipher, key)))
        .filter(|(cipher, key)| cipher.keys.accepts(*key))
        .flat_map(|(cipher, key)| [true, false].map(|fresh| (cipher, key, fresh)))
        .collect();
    for (done, &(cipher, key_bytes, fresh)) in lots.iter().enumerate() {
        let operation = if fresh { bench::Operation::FreshCtr } else { bench::Operation::Ctr };
        let mut tasks: Vec<(&'static str, Task)> = cipher
            .choices()
            .filter(|choice| constraints.allow(choice))
            .filter_map(|c| Some((c.strategy.name, Ours(c).task(operation, &super::key(key_bytes))?)))
            .collect();
        for bytes in SIZES.map(|bytes| bytes / cipher.block_bytes * cipher.block_bytes) {
            if observer.stopped() {
                return None;
            }
            observer.progress("comparing plans", done, lots.len());
            if bytes == 0 {
                continue;
            }
            let make = if fresh { Request::fresh_key } else { Request::kept_key };
            let request = make(cipher, key_bytes, Mode::Ctr, bytes as u64, constraints);
            let plans = candidates(&request, profile);
            points.extend(compare(&plans, &mut tasks, &mut buffer[..bytes], observer).map(|times| {
                let (planned, planned_ns) = times[0];
                let (best, best_ns) =
                    times.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(times[0]);
                let key_bits = 8 * key_bytes;
                RegretPoint {
                    cipher: cipher.name,
                    key_bits,
                    bytes,
                    fresh,
                    planned,
                    planned_ns,
                    best,
                    best_ns,
                }
            }));
        }
    }
    let worst = points.iter().map(RegretPoint::regret).fold(0.0, f64::max);
    let within = points.iter().filter(|point| point.regret() <= 0.05).count();
    let within_5_percent = within as f64 / points.len().max(1) as f64;
    Some(Regret { points, worst, within_5_percent })
}

/// Least times of the plans' strategies, the planned one first; hopeless ones are left out. `None` where nothing is known, or if it was stopped.
fn compare(
    plans: &[Plan],
    tasks: &mut [(&'static str, Task)],
    message: &mut [u8],
    observer: &dyn Observer,
) -> Option<Vec<(&'static str, f64)>> {
    let least = plans.first()?.predicted_ns?;
    let mut run: Vec<(usize, u64, f64)> = Vec::new();
    for plan in plans {
        let ns = plan.predicted_ns?;
        if ns <= HOPELESS * least {
            let index = tasks.iter().position(|(name, _)| *name == plan.choice.strategy.name)?;
            run.push((index, calls_for(SAMPLE_NS, ns), f64::INFINITY));
        }
    }
    let mut rounds = |run: &mut [(usize, u64, f64)], rounds: usize| {
        // One strategy alone cannot be the wrong one.
        let rounds = if run.len() == 1 { 1 } else { rounds };
        for _ in 0..rounds {
            for (index, calls, least) in run.iter_mut() {
                if observer.stopped() {
                    return;
                }
                let task = &mut tasks[*index].1;
                if *calls > 1 {
                    black_box(task(message));
                }
                let ns = cpu_time_ns(|| (0..*calls).for_each(|_| _ = black_box(task(message))));
                *least = least.min(ns / *calls as f64);
            }
        }
    };
    rounds(&mut run, ROUNDS);
    let best = |run: &[(usize, u64, f64)]| run.iter().map(|(.., ns)| *ns).fold(f64::INFINITY, f64::min);
    if run[0].2 > (1.0 + DOUBTFUL) * best(&run) {
        rounds(&mut run, MORE_ROUNDS);
    }
    let times = run.into_iter().map(|(index, _, ns)| (tasks[index].0, ns)).collect();
    (!observer.stopped()).then_some(times)
}

/// For each cipher, key length and kind of key: how many lengths were planned within 5 %, and the worst. For a terminal of this width.
pub fn regret_table(regret: &Regret, width: Option<usize>) -> String {
    let heads =
        ["cipher", "bits", "key", "lengths", "plan is best", "within 5 %", "worst", "at", "planned", "best"];
    let same =
        |a: &RegretPoint, b: &RegretPoint| (a.cipher, a.key_bits, a.fresh) == (b.cipher, b.key_bits, b.fresh);
    let rows = regret.points.chunk_by(same).map(|group| {
        let worst = group.iter().max_by(|a, b| a.regret().total_cmp(&b.regret())).unwrap_or(&group[0]);
        let count = |most: f64| group.iter().filter(|point| point.regret() <= most).count().to_string();
        vec![
            worst.cipher.to_owned(),
            worst.key_bits.to_string(),
            if worst.fresh { "fresh" } else { "same" }.to_owned(),
            group.len().to_string(),
            count(0.0),
            count(0.05),
            format!("{:.1} %", 100.0 * worst.regret()),
            size(worst.bytes),
            worst.planned.to_owned(),
            worst.best.to_owned(),
        ]
    });
    let table = plain::table(&heads, &rows.collect::<Vec<_>>(), &[3, 4, 7, 9], width);
    let sentence = format!(
        "{} plans compared: {:.1} % at most 5 % slower than the best strategy measured afterwards; the worst is {:.1} % slower.",
        regret.points.len(),
        100.0 * regret.within_5_percent,
        100.0 * regret.worst
    );
    format!("{table}\n\n{}", plain::wrapped(&sentence, width))
}

/// Predicted against measured.
#[derive(Clone, Debug, Serialize)]
pub struct Errors {
    /// Every comparison.
    pub points: Vec<ErrorPoint>,
    /// Median of the errors' absolute values.
    pub median: f64,
    /// The largest.
    pub worst: f64,
}

/// One comparison.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorPoint {
    /// "ctr rijndael/aes-round-256", "seal".
    pub what: String,
    /// Length of the message.
    pub bytes: u64,
    /// Threads.
    pub threads: usize,
    /// By the model.
    pub predicted_ns: f64,
    /// Least of a few.
    pub measured_ns: f64,
}

impl ErrorPoint {
    /// Predicted by measured, less one.
    pub fn error(&self) -> f64 {
        self.predicted_ns / self.measured_ns - 1.0
    }
}

/// Lengths that no fit has seen: 4 KiB to 4 GiB and a bit, none of them round.
const UNSEEN: [u64; 11] = [
    4_112,
    10_000,
    40_016,
    150_000,
    600_000,
    2_400_000,
    9_600_000,
    40_000_000,
    160_000_000,
    1_000_000_000,
    4_294_967_312,
];

/// CTR of this cipher in memory, and sealing if `seal` is given, at lengths up to `most_bytes` on one core and on two.
pub fn prediction_errors(
    cipher: &'static Cipher,
    profile: &Profile,
    policy: Policy,
    most_bytes: u64,
    seal: Option<SealRun<'_>>,
    observer: &dyn Observer,
) -> Option<Errors> {
    let constraints = Constraints { policy, ..Constraints::default() };
    let lengths: Vec<u64> = UNSEEN.into_iter().filter(|&bytes| bytes <= most_bytes).collect();
    let mut buffer = vec![1u8; *lengths.last()? as usize];
    let threads = if roundel::parallel::cores() > 1 { vec![1, 2] } else { vec![1] };
    let mut points = Vec::new();
    let total = lengths.len() * threads.len();
    for (done, (&bytes, &threads)) in
        lengths.iter().flat_map(|bytes| threads.iter().map(move |threads| (bytes, threads))).enumerate()
    {
        if observer.stopped() {
            return None;
        }
        observer.progress("predicting", done, total);
        let request = Request::kept_key(cipher, 32, Mode::Ctr, bytes, constraints);
        let plan = plan_with(&request, profile).ok()?;
        let plan = cost_of(&request, profile, plan.choice, threads)?;
        if plan.threads < threads {
            continue;
        }
        let kernel = plan.choice.kernel(&super::key(32)).ok()?;
        let message = &mut buffer[..bytes as usize];
        // One call of a short message would be no longer than reading the clock.
        let calls = calls_for(SAMPLE_NS, plan.predicted_ns?).min(1000);
        let measured_ns = least(repetitions(bytes), observer, || {
            let start = Instant::now();
            (0..calls).for_each(|_| run(&plan, &*kernel, message));
            Some(start.elapsed().as_nanos() as f64 / calls as f64)
        })?;
        let what = format!("ctr {}/{}", cipher.name, plan.choice.strategy.name);
        points.push(ErrorPoint { what, bytes, threads, predicted_ns: plan.predicted_ns?, measured_ns });
        if let Some(seal) = seal {
            let request = Request { mode: Mode::Seal, ..request };
            let predicted_ns = cost_of(&request, profile, plan.choice, threads)?.predicted_ns?;
            let measured_ns = least(repetitions(bytes), observer, || seal(bytes, threads))?;
            points.push(ErrorPoint { what: "seal".into(), bytes, threads, predicted_ns, measured_ns });
        }
    }
    points.sort_by(|a, b| a.what.cmp(&b.what));
    let absolute = Summary::of(points.iter().map(|point| point.error().abs()))?;
    Some(Errors { points, median: absolute.median, worst: absolute.max })
}

/// As the plan says.
fn run(plan: &Plan, kernel: &dyn roundel::Kernel, message: &mut [u8]) {
    let block = plan.choice.cipher.block_bytes;
    roundel::parallel::for_each_piece(plan.threads, message, plan.chunk_bytes as usize, |offset, piece| {
        let counter = &[0; 32][..block];
        if let Ok(mut ctr) = Ctr::at_block(kernel, counter, (offset / block) as u64) {
            ctr.apply(piece);
        }
    });
}

/// More repetitions of short work, fewer of long.
fn repetitions(bytes: u64) -> usize {
    ((64 << 20) / bytes.max(1)).clamp(3, 60) as usize
}

/// Every comparison, and how far off. For a terminal of this width.
pub fn errors_table(errors: &Errors, width: Option<usize>) -> String {
    let heads = ["what", "bytes", "threads", "predicted ms", "measured ms", "error"];
    let rows = errors.points.iter().map(|point| {
        vec![
            point.what.clone(),
            point.bytes.to_string(),
            point.threads.to_string(),
            three_digits(point.predicted_ns / 1e6),
            three_digits(point.measured_ns / 1e6),
            format!("{:+.1} %", 100.0 * point.error()),
        ]
    });
    let table = plain::table(&heads, &rows.collect::<Vec<_>>(), &[2, 3], width);
    format!("{table}\n\nMedian error {:.1} %, worst {:.1} %.\n", 100.0 * errors.median, 100.0 * errors.worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(planned_ns: f64, best_ns: f64, bytes: usize) -> RegretPoint {
        RegretPoint {
            cipher: "twofish",
            key_bits: 128,
            bytes,
            fresh: true,
            planned: "zero",
            planned_ns,
            best: "full",
            best_ns,
        }
    }

    #[test]
    fn the_table_shows_the_worst_and_the_count() {
        let points = vec![point(100.0, 100.0, 16), point(104.0, 100.0, 64), point(120.0, 100.0, 1024)];
        let table = regret_table(&Regret { points, worst: 0.2, within_5_percent: 2.0 / 3.0 }, None);
        let row = table.lines().find(|line| line.contains("twofish")).unwrap();
        let cells: Vec<_> = row.split_whitespace().collect();
        assert_eq!(
            cells,
            ["twofish", "128", "fresh", "3", "1", "2", "20.0", "%", "1", "KiB", "zero", "full"],
            "{table}"
        );
        let table = table.replace('\n', " ");
        assert!(table.contains("66.7 % at most 5 % slower") && table.contains("the worst is 20.0 % slower"));
    }

    #[test]
    fn lengths_double_and_the_unseen_are_not_among_the_fitted() {
        assert_eq!((SIZES[0], SIZES[16]), (16, 1 << 20));
        assert!(UNSEEN.iter().all(|bytes| !bytes.is_power_of_two()));
    }
}

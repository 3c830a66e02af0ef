//! Two benchmark results point by point, and which differences are larger than the noise.

use crate::bench::{BenchResult, Point};
use crate::stats::Summary;
use serde::Serialize;

/// A difference counts when it is larger than so many standard deviations of what two equal runs would differ by: of thousands of points
/// a normal distribution leaves one in 16,000 outside.
const DEVIATIONS: f64 = 4.0;

/// ... and larger than this: 2 %.
const LEAST: f64 = 0.02;

/// Standard deviations in a median absolute deviation of normally distributed samples.
const SIGMA_PER_MAD: f64 = 1.4826;

/// Two runs compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// How differences are told from noise, in words.
    pub rule: String,
    /// What [`Pair::a`] and [`Pair::b`] are: "cycles" on one CPU, "ns" on two.
    pub unit: &'static str,
    /// Points that both have.
    pub pairs: Vec<Pair>,
    /// Points that only the first has.
    pub only_a: usize,
    /// Points that only the second has.
    pub only_b: usize,
}

/// One point of both.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The library without its version; empty for `copy`.
    pub library: String,
    /// The cipher; empty for `copy`.
    pub cipher: String,
    /// The strategy.
    pub strategy: String,
    /// Length of the key.
    pub key_bits: usize,
    /// The operation's name.
    pub operation: &'static str,
    /// Length of the message.
    pub bytes: usize,
    /// Threads; 0 for CPU time of one.
    pub threads: usize,
    /// The first run's samples, per call.
    pub a: Summary,
    /// The second run's.
    pub b: Summary,
    /// How many samples either has.
    pub samples: [usize; 2],
    /// The second median by the first.
    pub ratio: f64,
    /// By what share the medians of two equal runs would differ: a standard deviation.
    pub noise: f64,
    /// Whether the difference is larger than the noise.
    pub marked: bool,
}

/// A point of one run: what it is of, and its samples.
struct Known {
    key: (String, String, String, usize, &'static str, usize, usize),
    summary: Summary,
    samples: usize,
    /// Standard deviation of a sample as a share of the median.
    noise: f64,
}

/// The comparison of two runs.
pub fn compare(a: &BenchResult, b: &BenchResult) -> Comparison {
    let cpu = |result: &BenchResult| {
        let machine = &result.machine;
        (machine.cpu.clone(), machine.family_model_stepping.clone(), machine.architecture.clone())
    };
    let one_cpu = cpu(a) == cpu(b);
    let (points_a, points_b) = (known(a, one_cpu), known(b, one_cpu));
    let mut pairs: Vec<Pair> =
        points_a.iter().filter_map(|a| Some(pair(a, points_b.iter().find(|b| b.key == a.key)?))).collect();
    let between = if one_cpu { between_runs(&pairs) } else { 0.0 };
    for pair in &mut pairs {
        pair.noise = pair.noise.hypot(between);
        pair.marked = differs(pair);
    }
    Comparison {
        rule: rule(one_cpu, between),
        unit: if one_cpu { "cycles" } else { "ns" },
        only_a: points_a.len() - pairs.len(),
        only_b: points_b.len() - pairs.len(),
        pairs,
    }
}

fn known(result: &BenchResult, cycles: bool) -> Vec<Known> {
    let mut points: Vec<Known> = result
        .points
        .iter()
        .map(|point| {
            let summary = if cycles { point.cycles_per_call() } else { point.ns_per_call() };
            Known {
                key: key(result, point),
                summary,
                samples: point.ns.len(),
                noise: SIGMA_PER_MAD * summary.mad / summary.median,
            }
        })
        .collect();
    // The deviation of a handful of samples is often too small by chance: none counts for less than the typical one.
    let typical = Summary::of(points.iter().map(|point| point.noise)).map_or(0.0, |noise| noise.median);
    points.iter_mut().for_each(|point| point.noise = point.noise.max(typical));
    points
}

fn key(result: &BenchResult, point: &Point) -> (String, String, String, usize, &'static str, usize, usize) {
    let facts = point.contender.map(|contender| &result.contenders[contender]);
    let text = |of: fn(&crate::bench::ContenderFacts) -> &str| facts.map_or("", of).to_owned();
    let library = text(|facts| facts.library.rsplit_once(' ').map_or(&facts.library[..], |(name, _)| name));
    let (cipher, strategy) = (text(|facts| &facts.cipher), text(|facts| &facts.strategy));
    (library, cipher, strategy, point.key_bits, point.operation.name(), point.bytes, point.threads)
}

fn pair(a: &Known, b: &Known) -> Pair {
    let (library, cipher, strategy, key_bits, operation, bytes, threads) = a.key.clone();
    Pair {
        library,
        cipher,
        strategy,
        key_bits,
        operation,
        bytes,
        threads,
        a: a.summary,
        b: b.summary,
        samples: [a.samples, b.samples],
        ratio: b.summary.median / a.summary.median,
        noise: a.noise.hypot(b.noise),
        marked: false,
    }
}

/// What runs differ by beside their samples' scatter: memory lies elsewhere, other programs run. Two runs on one CPU show it, because
/// what most points have in common is not a difference between two programs: the deviation of all ratios from their median.
fn between_runs(pairs: &[Pair]) -> f64 {
    SIGMA_PER_MAD * Summary::of(pairs.iter().map(|pair| pair.ratio.ln())).map_or(0.0, |logs| logs.mad)
}

/// Whether the medians differ by more than the noise, and the samples do not overlap.
fn differs(pair: &Pair) -> bool {
    let apart = pair.a.max < pair.b.min || pair.b.max < pair.a.min;
    apart && pair.ratio.ln().abs() > (deviations(pair.samples) * pair.noise).max(LEAST)
}

/// [`DEVIATIONS`] where the deviation itself comes from so many samples: Student's t by the first terms of its expansion around the normal
/// distribution (Abramowitz and Stegun, 26.7.5).
fn deviations([a, b]: [usize; 2]) -> f64 {
    let (z, freedom) = (DEVIATIONS, (a + b).saturating_sub(2).max(1) as f64);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + (z.powi(3) + z) / 4.0 / freedom + second / freedom.powi(2)
}

fn rule(one_cpu: bool, between: f64) -> String {
    let unit = if one_cpu {
        "Core cycles are compared, since both ran on one kind of CPU".to_owned()
    } else {
        "Times are compared, since the CPUs differ".to_owned()
    };
    let between = if one_cpu {
        format!(
            ", and by how much the ratios of all points scatter around their median ({:.1} %), which is what two runs differ by anyway",
            100.0 * between
        )
    } else {
        String::new()
    };
    format!(
        "{unit}. A difference is marked when the samples of the two runs do not overlap and their medians differ by more than {:.0} % and by \
         more than {DEVIATIONS} standard deviations (of few samples more, by Student's t): of the samples in each run (1.48 times the median absolute deviation, and none less \
         than the run's typical one){between}.",
        100.0 * LEAST
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::result_with;

    /// Numbers that look normally distributed, mean 0 and deviation 1: sums of twelve uniform ones, less 6.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> f64 {
            let mut uniform = || {
                self.0 =
                    self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (self.0 >> 11) as f64 / (1u64 << 53) as f64
            };
            (0..12).map(|_| uniform()).sum::<f64>() - 6.0
        }
    }

    /// A run of 400 points with these many samples that scatter by this share, point `i` multiplied by `shift(i)`.
    fn run(seed: u64, samples: usize, scatter: f64, shift: impl Fn(usize) -> f64) -> BenchResult {
        let mut noise = Noise(seed);
        let mut result = result_with(&[("reference", 100.0)]);
        let template = result.points.pop().unwrap();
        result.points = (0..400)
            .map(|i| Point {
                bytes: 16 * (i + 1),
                ns: (0..samples).map(|_| 1000.0 * shift(i) * (1.0 + scatter * noise.next())).collect(),
                ghz: vec![2.0; samples],
                ..template.clone()
            })
            .collect();
        result
    }

    fn marked(comparison: &Comparison) -> usize {
        comparison.pairs.iter().filter(|pair| pair.marked).count()
    }

    #[test]
    fn of_equal_runs_nothing_is_marked() {
        for (seed, samples) in [(1, 5), (2, 10), (3, 25)] {
            for scatter in [0.002, 0.02, 0.2] {
                let comparison =
                    compare(&run(seed, samples, scatter, |_| 1.0), &run(seed + 9, samples, scatter, |_| 1.0));
                assert_eq!((comparison.pairs.len(), marked(&comparison)), (400, 0), "{samples} {scatter}");
            }
        }
    }

    #[test]
    fn few_samples_must_differ_by_more() {
        // Quantiles of Student's t for 4 normal deviations, one-sided 3.2e-5.
        for (samples, expected) in
            [([5, 6], 6.7), ([10, 10], 5.1), ([25, 25], 4.4), ([100_000, 100_000], 4.0)]
        {
            assert!((deviations(samples) - expected).abs() < 0.06, "{}", deviations(samples));
        }
    }

    #[test]
    fn a_drift_between_runs_is_noise() {
        let drift = |seed| {
            let mut noise = Noise(seed);
            let shifts: Vec<f64> = (0..400).map(|_| 1.0 + 0.05 * noise.next()).collect();
            run(seed, 10, 0.005, move |i| shifts[i])
        };
        assert_eq!(marked(&compare(&drift(4), &drift(5))), 0);
    }

    #[test]
    fn a_tenth_more_is_marked_where_it_is() {
        let slower = run(7, 10, 0.005, |i| if i % 10 == 0 { 1.1 } else { 1.0 });
        let comparison = compare(&run(6, 10, 0.005, |_| 1.0), &slower);
        assert_eq!(marked(&comparison), 40);
        assert!(comparison.pairs.iter().all(|pair| pair.marked == (pair.ratio > 1.05)));
        let everywhere = compare(&run(6, 10, 0.005, |_| 1.0), &run(8, 10, 0.005, |_| 1.1));
        assert_eq!(marked(&everywhere), 400);
    }

    #[test]
    fn versions_of_a_library_are_one_and_other_cpus_are_compared_by_time() {
        let a = result_with(&[("reference", 100.0)]);
        let mut b = result_with(&[("reference", 100.0), ("ttable", 10.0)]);
        b.contenders.iter_mut().for_each(|facts| facts.library = "roundel 0.2.0".to_owned());
        let comparison = compare(&a, &b);
        assert_eq!((comparison.pairs.len(), comparison.only_a, comparison.only_b), (2, 0, 1));
        assert_eq!(comparison.unit, "cycles");
        b.machine.cpu = "Another CPU".to_owned();
        assert_eq!(compare(&a, &b).unit, "ns");
    }
}

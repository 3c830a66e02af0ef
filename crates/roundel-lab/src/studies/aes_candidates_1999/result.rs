//! What the study finds out, as numbers.

use super::published::Published;
use crate::monte_carlo::{INNER_ITERATIONS, OUTER_ITERATIONS};
use crate::studies::Origin;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Everything that one run found out.
#[derive(Clone, Debug, Serialize)]
pub struct StudyResult {
    /// Where it comes from. If `quick`, only checkpoints were run, and times are scaled from them.
    #[serde(flatten)]
    pub origin: Origin,
    /// Wall-clock time of the whole run, not scaled.
    pub elapsed_seconds: f64,
    /// Sum of the candidates' `one_core_seconds`.
    pub one_core_seconds: f64,
    /// Wall-clock time from the first chain's start to the last one's end; scaled if `quick`.
    pub all_cores_seconds: f64,
    /// Each candidate, in the published order.
    pub candidates: Vec<Candidate>,
}

/// One candidate's figures. If `quick`, seconds are scaled to the whole program.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// The cipher.
    pub cipher: String,
    /// The strategy that ran.
    pub strategy: String,
    /// The minutes of 1999.
    pub published: Published,
    /// Results that agreed with the vectors: known answers, and entries of chains.
    pub passed: usize,
    /// Results that did not.
    pub failed: usize,
    /// CPU time of the whole program.
    pub one_core_seconds: f64,
    /// Wall-clock time from the start of its first chain to the end of its last.
    pub all_cores_seconds: f64,
    /// `one_core_seconds` by `all_cores_seconds`.
    pub speed_up: f64,
    /// The Pentium III's time by `one_core_seconds`.
    pub ratio_one_core: f64,
    /// The time of the machine with two processors by `all_cores_seconds`.
    pub ratio_all_cores: f64,
    /// CPU time of the known-answer tests.
    pub known_answer_seconds: f64,
    /// CPU time of the chains' key setups.
    pub setup_seconds: f64,
    /// CPU time of the chains' serial encryptions and decryptions.
    pub serial_seconds: f64,
    /// Core cycles of a key setup, mean over key sizes and directions.
    pub cycles_per_key: f64,
    /// Core cycles of a block that waits for the one before, mean over key sizes and directions.
    pub cycles_per_block: f64,
}

/// What one chain took, with the known answers that went with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChainCost {
    pub(super) started: Instant,
    pub(super) ended: Instant,
    pub(super) known_answers: Duration,
    pub(super) setup: Duration,
    pub(super) serial: Duration,
    pub(super) outer_iterations: usize,
    /// The core's frequency while it ran.
    pub(super) ghz: f64,
}

impl ChainCost {
    /// By what the times of the chain, not those of known answers, must be multiplied for the whole chain.
    fn scale(&self) -> f64 {
        OUTER_ITERATIONS as f64 / self.outer_iterations.max(1) as f64
    }

    fn cpu(&self) -> f64 {
        (self.known_answers + self.setup + self.serial).as_secs_f64()
    }

    fn scaled_cpu(&self) -> f64 {
        self.known_answers.as_secs_f64() + (self.setup + self.serial).as_secs_f64() * self.scale()
    }
}

impl Candidate {
    /// A candidate from the cost of its chains and the number of results that agreed and did not.
    pub(super) fn new(
        cipher: &str,
        strategy: &str,
        published: Published,
        chains: &[ChainCost],
        (passed, failed): (usize, usize),
    ) -> Candidate {
        let sum = |figure: &dyn Fn(&ChainCost) -> f64| chains.iter().map(figure).sum::<f64>();
        let outer_iterations = sum(&|chain| chain.outer_iterations as f64).max(1.0);
        let cycles = |time: fn(&ChainCost) -> Duration| {
            sum(&|chain| time(chain).as_nanos() as f64 * chain.ghz) / outer_iterations
        };
        let one_core_seconds = sum(&ChainCost::scaled_cpu);
        let all_cores_seconds = scaled_wall(chains);
        Candidate {
            cipher: cipher.to_owned(),
            strategy: strategy.to_owned(),
            published,
            passed,
            failed,
            one_core_seconds,
            all_cores_seconds,
            speed_up: one_core_seconds / all_cores_seconds,
            ratio_one_core: 60.0 * published.piii_minutes / one_core_seconds,
            ratio_all_cores: 60.0 * published.smp_minutes / all_cores_seconds,
            known_answer_seconds: sum(&|chain| chain.known_answers.as_secs_f64()),
            setup_seconds: sum(&|chain| chain.setup.as_secs_f64() * chain.scale()),
            serial_seconds: sum(&|chain| chain.serial.as_secs_f64() * chain.scale()),
            cycles_per_key: cycles(|chain| chain.setup),
            cycles_per_block: cycles(|chain| chain.serial) / INNER_ITERATIONS as f64,
        }
    }

    /// The share of the CPU time that this part of it is, in per cent.
    pub(super) fn percent(&self, seconds: f64) -> f64 {
        100.0 * seconds / self.one_core_seconds
    }
}

/// Wall-clock seconds from the first start to the last end; of shortened chains as much longer as their CPU time would be.
pub(super) fn scaled_wall(chains: &[ChainCost]) -> f64 {
    let first = chains.iter().map(|chain| chain.started).min();
    let last = chains.iter().map(|chain| chain.ended).max();
    let wall = first.zip(last).map_or(0.0, |(first, last)| (last - first).as_secs_f64());
    let cpu: f64 = chains.iter().map(ChainCost::cpu).sum();
    let scaled: f64 = chains.iter().map(ChainCost::scaled_cpu).sum();
    if cpu > 0.0 { wall * scaled / cpu } else { wall }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const PUBLISHED: Published = Published { smp_minutes: 10.0, piii_minutes: 12.0, at_least: false };

    /// A chain of these milliseconds from `start_ms` on, at 2 GHz.
    fn cost(start_ms: u64, setup_ms: u64, serial_ms: u64, outer_iterations: usize) -> ChainCost {
        let ms = Duration::from_millis;
        let started = Instant::now() + ms(start_ms);
        ChainCost {
            started,
            ended: started + ms(setup_ms + serial_ms),
            known_answers: Duration::ZERO,
            setup: ms(setup_ms),
            serial: ms(serial_ms),
            outer_iterations,
            ghz: 2.0,
        }
    }

    /// Two chains at the same time; wall-clock times differ by what passes between two readings of the clock.
    pub(in super::super) fn invented(cipher: &str, failed: usize) -> Candidate {
        let chains = [cost(0, 400, 1600, 400), cost(0, 400, 1600, 400)];
        Candidate::new(cipher, "ttable", PUBLISHED, &chains, (1020 - failed, failed))
    }

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 0.01
    }

    #[test]
    fn sums_ratios_and_cycles() {
        let candidate = invented("rijndael", 0);
        assert!(near(candidate.one_core_seconds, 4.0) && near(candidate.all_cores_seconds, 2.0));
        assert!(near(candidate.speed_up, 2.0));
        assert!(near(candidate.ratio_one_core, 180.0) && near(candidate.ratio_all_cores, 300.0));
        // 400 ms in 400 key setups at 2 GHz, and 1600 ms in 4,000,000 blocks.
        assert!(near(candidate.cycles_per_key, 2e6) && near(candidate.cycles_per_block, 800.0));
        assert!(near(candidate.percent(candidate.setup_seconds), 20.0));
    }

    #[test]
    fn short_chains_are_scaled_and_known_answers_are_not() {
        let mut chain = cost(0, 4, 16, 4);
        chain.known_answers = Duration::from_millis(20);
        chain.ended += Duration::from_millis(20);
        let candidate = Candidate::new("rijndael", "ttable", PUBLISHED, &[chain], (5, 0));
        assert!(near(candidate.one_core_seconds, 2.02) && near(candidate.all_cores_seconds, 2.02));
        assert!(near(candidate.setup_seconds, 0.4) && near(candidate.serial_seconds, 1.6));
        assert!(near(candidate.cycles_per_key, 2e6) && near(candidate.cycles_per_block, 800.0));
    }

    #[test]
    fn chains_one_after_the_other_take_the_sum() {
        let chains = [cost(0, 100, 900, 400), cost(1000, 100, 900, 400)];
        assert!(near(scaled_wall(&chains), 2.0));
        assert_eq!(scaled_wall(&[]), 0.0);
    }
}

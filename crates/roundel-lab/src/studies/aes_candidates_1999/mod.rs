//! Each AES candidate's full known-answer and Monte Carlo program, beside the minutes that it took in January 1999.
//!
//! The study of 1999 asked for one uniform program for all fifteen, for codes that use more than one processor, and where the time goes.
//! A program is 960 known answers and twelve Monte Carlo chains: ECB and CBC, both directions, three key sizes, 400 key setups and 4,000,000
//! serial blocks each. A chain cannot be split, but the chains are independent of each other.

mod published;
mod render;
mod result;
mod sheet;

pub use published::{CANDIDATES, Published};
pub use result::{Candidate, StudyResult};

use super::{Options, Origin, Outcome, Study, StudyError};
use crate::clock::{core_ghz, thread_cpu_ns};
use crate::monte_carlo::{Chain, OUTER_ITERATIONS, Outer, Run};
use crate::queue;
use crate::vectors::{Block, Case, Test, VectorFile, embedded};
use crate::verify::check::{self, Mismatch};
use crate::verify::{Failure, SHORT_CHAIN, fastest_with_pace};
use result::{ChainCost, scaled_wall};
use roundel::{Choice, Cipher};
use std::time::{Duration, Instant};

/// The study.
pub static STUDY: Study = Study {
    name: "aes-candidates-1999",
    summary: "minutes for each AES candidate's known-answer and Monte Carlo program, on one core and on all",
    run: |options| Ok(Outcome::of(&measure(options)?)),
};

/// Measures the candidates that are asked for.
pub fn measure(options: &Options<'_>) -> Result<StudyResult, StudyError> {
    let began = Instant::now();
    let origin = Origin::begin(&STUDY, options);
    let selected = selected(&options.ciphers)?;
    let ciphers: Vec<_> = selected.iter().map(|(cipher, _)| *cipher).collect();
    let files = embedded(&ciphers)?;
    let programs =
        ciphers.iter().map(|cipher| Program::new(cipher, &files)).collect::<Result<Vec<_>, _>>()?;
    let jobs = programs.iter().enumerate().flat_map(|(index, program)| program.jobs(index, options.quick));
    let done = queue::run(options.threads, jobs.collect(), run, options.progress);

    let candidates = programs.iter().zip(&selected).enumerate().map(|(index, (program, (_, published)))| {
        let own: Vec<_> = done.iter().filter(|done| done.program == index).collect();
        let costs: Vec<_> = own.iter().map(|done| done.cost).collect();
        let counts = own.iter().fold((0, 0), |(p, f), done| (p + done.passed, f + done.failures.len()));
        let Choice { cipher, strategy } = program.choice;
        Candidate::new(cipher.name, strategy.name, *published, &costs, counts)
    });
    let candidates: Vec<_> = candidates.collect();
    let costs: Vec<_> = done.iter().map(|done| done.cost).collect();
    Ok(StudyResult {
        origin: origin.ended(done.into_iter().flat_map(|done| done.failures).collect()),
        elapsed_seconds: began.elapsed().as_secs_f64(),
        one_core_seconds: candidates.iter().map(|candidate| candidate.one_core_seconds).sum(),
        all_cores_seconds: scaled_wall(&costs),
        candidates,
    })
}

/// The candidates among these ciphers, in the published order; all of none.
fn selected(ciphers: &[&'static Cipher]) -> Result<Vec<(&'static Cipher, Published)>, StudyError> {
    let all = CANDIDATES.iter().map(|(name, published)| Ok((roundel::cipher(name)?, *published)));
    let mut all = all.collect::<Result<Vec<_>, StudyError>>()?;
    if let Some(other) = ciphers.iter().find(|cipher| !all.iter().any(|(own, _)| own.name == cipher.name)) {
        let has = CANDIDATES.map(|(name, _)| name).join(", ");
        return Err(StudyError::NotInStudy { study: STUDY.name, cipher: other.name, has });
    }
    all.retain(|(own, _)| ciphers.is_empty() || ciphers.iter().any(|cipher| cipher.name == own.name));
    Ok(all)
}

/// A candidate's program: NIST's six files and the strategy that runs them.
struct Program<'a> {
    choice: Choice,
    /// Estimated seconds of an outer iteration.
    outer_iteration: f64,
    known_answers: Vec<(&'a VectorFile, &'a Case, &'a Block)>,
    chains: Vec<(&'a VectorFile, &'a Case)>,
}

impl<'a> Program<'a> {
    fn new(cipher: &'static Cipher, files: &'a [VectorFile]) -> Result<Program<'a>, StudyError> {
        let (choice, pace) =
            fastest_with_pace(cipher).ok_or(roundel::Error::NoStrategy { cipher: cipher.name })?;
        let outer_iteration = pace.outer_iteration();
        let (known_answers, chains) = Default::default();
        let mut program = Program { choice, outer_iteration, known_answers, chains };
        let names = ["ecb_vk", "ecb_vt"].into_iter().chain(Chain::ALL.map(Chain::name));
        let names: Vec<_> = names.map(|name| format!("{}/{name}.txt", cipher.name)).collect();
        for file in files.iter().filter(|file| names.contains(&file.name)) {
            for case in &file.cases {
                match &case.test {
                    Test::Block(block) => program.known_answers.push((file, case, block)),
                    Test::Chain { .. } => program.chains.push((file, case)),
                    _ => {}
                }
            }
        }
        Ok(program)
    }

    /// A job for each chain, longer keys first, which never make it shorter. The estimate is the same for all chains of a candidate, so that
    /// the queue keeps them together: its wall-clock time is then its own but for the edges.
    fn jobs(&self, program: usize, quick: bool) -> impl Iterator<Item = (f64, Job<'a>)> {
        let limit = if quick { SHORT_CHAIN } else { OUTER_ITERATIONS };
        let mut jobs: Vec<_> = self.chains.iter().filter_map(|(file, case)| self.job(file, case)).collect();
        jobs.sort_by_key(|job| std::cmp::Reverse(job.key_bytes));
        let cost = limit as f64 * self.outer_iteration;
        jobs.into_iter().map(move |job| (cost, Job { program, limit, ..job }))
    }

    /// The chain of this case; the known answers of its key size go with the chain that encrypts in ECB.
    fn job(&self, file: &'a VectorFile, case: &'a Case) -> Option<Job<'a>> {
        let Test::Chain { chain, key_bytes, outers } = &case.test else { return None };
        let same_size = self.known_answers.iter().filter(|(_, _, block)| block.key.len() == *key_bytes);
        let known_answers =
            if *chain == Chain::EcbEncrypt { same_size.copied().collect() } else { Vec::new() };
        let (choice, chain, key_bytes) = (self.choice, *chain, *key_bytes);
        Some(Job { program: 0, limit: 0, choice, known_answers, file, case, chain, key_bytes, outers })
    }
}

/// A chain, and the known answers that go with it.
struct Job<'a> {
    program: usize,
    choice: Choice,
    known_answers: Vec<(&'a VectorFile, &'a Case, &'a Block)>,
    file: &'a VectorFile,
    case: &'a Case,
    chain: Chain,
    key_bytes: usize,
    outers: &'a [Outer],
    /// Outer iterations that are run on from the first.
    limit: usize,
}

/// What came of a job.
struct Done {
    program: usize,
    cost: ChainCost,
    passed: usize,
    failures: Vec<Failure>,
}

fn run(job: Job<'_>) -> Done {
    let ghz = core_ghz();
    let (started, cpu) = (Instant::now(), thread_cpu_ns());
    let mut passed = 0;
    let mut failures = Vec::new();
    for file in job.known_answers.chunk_by(|(a, ..), (b, ..)| a.name == b.name) {
        let blocks: Vec<_> = file.iter().map(|(_, case, block)| (case.label.as_str(), *block)).collect();
        let outcome = check::blocks(job.choice, &blocks);
        passed += outcome.passed;
        failures.extend(outcome.mismatches.into_iter().map(|mismatch| failure(&job, file[0].0, mismatch)));
    }
    let known_answers = Duration::from_nanos(thread_cpu_ns() - cpu);
    let chain = Run::new(job.choice, job.chain, job.key_bytes);
    let outcome = check::chain(chain, &job.case.label, job.outers, job.limit);
    let ended = Instant::now();
    passed += outcome.passed;
    failures.extend(outcome.mismatches.into_iter().map(|mismatch| failure(&job, job.file, mismatch)));
    let times = outcome.times.unwrap_or_default();
    let cost = ChainCost {
        started,
        ended,
        known_answers,
        setup: times.setup,
        serial: times.serial,
        outer_iterations: times.outer_iterations,
        ghz: ghz.max(core_ghz()),
    };
    Done { program: job.program, cost, passed, failures }
}

fn failure(job: &Job<'_>, file: &VectorFile, mismatch: Mismatch) -> Failure {
    Failure::of(job.choice.cipher.name, job.choice.strategy.name, &file.name, mismatch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(ciphers: &[&str]) -> Options<'static> {
        Options {
            ciphers: ciphers.iter().map(|name| roundel::cipher(name).unwrap()).collect(),
            quick: true,
            threads: 2,
            command: "roundel study aes-candidates-1999 --quick".to_owned(),
            progress: &|_| (),
        }
    }

    /// Every candidate has the vectors of the whole program, so that none is timed on less.
    #[test]
    fn programs_are_complete() {
        let ciphers = CANDIDATES.map(|(name, _)| roundel::cipher(name).unwrap());
        let files = embedded(&ciphers).unwrap();
        for cipher in ciphers {
            let program = Program::new(cipher, &files).unwrap();
            let jobs: Vec<_> = program.jobs(0, false).map(|(_, job)| job).collect();
            let known_answers: usize = jobs.iter().map(|job| job.known_answers.len()).sum();
            assert_eq!((jobs.len(), known_answers), (12, 960), "{}", cipher.name);
            assert!(jobs.is_sorted_by_key(|job| std::cmp::Reverse(job.key_bytes)));
            for job in jobs {
                let indices: Vec<_> = job.outers.iter().map(|outer| outer.index).collect();
                assert_eq!(indices, [0, 1, 2, 3, 399], "{} {}", cipher.name, job.case.label);
            }
        }
    }

    #[test]
    fn a_quick_run_proves_and_scales() {
        let result = measure(&options(&["rc6"])).unwrap();
        assert!(result.origin.failures.is_empty());
        let [candidate] = &result.candidates[..] else { panic!("one was asked for") };
        assert_eq!((candidate.passed, candidate.failed), (960 + 12 * 5, 0));
        assert!(candidate.one_core_seconds > 10.0 * candidate.known_answer_seconds);
        assert!(candidate.cycles_per_block > 10.0 && candidate.cycles_per_key > 10.0);
        assert_eq!(result.one_core_seconds, candidate.one_core_seconds);
    }

    #[test]
    fn wrong_results_are_found() {
        let rc6 = roundel::cipher("rc6").unwrap();
        let mut files = embedded(&[rc6]).unwrap();
        for case in files.iter_mut().flat_map(|file| &mut file.cases) {
            match &mut case.test {
                Test::Block(block) => block.cipher[0] ^= 1,
                Test::Chain { chain: Chain::CbcDecrypt, outers, .. } => outers[4].result[15] ^= 1,
                _ => {}
            }
        }
        let program = Program::new(rc6, &files).unwrap();
        let done: Vec<_> = program.jobs(0, true).map(|(_, job)| run(job)).collect();
        let failures: Vec<_> = done.iter().flat_map(|done| &done.failures).collect();
        assert_eq!(failures.len(), 960 + 3);
        assert!(failures.iter().any(|failure| failure.vector == "cbc_d_m KEYSIZE=256 I=399"));
    }

    #[test]
    fn only_candidates_can_be_asked_for() {
        let error = measure(&options(&["mars"])).unwrap_err().to_string();
        assert!(error.starts_with("mars is not in aes-candidates-1999") && error.contains("mars-round1"));
    }
}

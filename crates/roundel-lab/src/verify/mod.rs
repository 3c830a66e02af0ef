//! One uniform proof: every cipher, strategy and key size against known answers, Monte Carlo chains and modes, on all cores.
//!
//! Nothing is ever passed silently: a strategy that this CPU cannot run, and a case of a kind that no code here can run, are counted
//! apart and named.

pub(crate) mod check;
mod pace;
mod report;
pub(crate) mod sectors;
#[cfg(test)]
mod tests;

pub use check::Opened;
pub use pace::fastest_serial;
pub(crate) use pace::fastest_with_pace;
pub use report::{ChainTime, Counts, Failure, FileRow, NotImplemented, Report, Row};

use crate::monte_carlo::{OUTER_ITERATIONS, Run, State};
use crate::queue;
use crate::vectors::{Block, Case, Chunked, Test, VectorFile};
use check::{Mismatch, Outcome};
use pace::Pace;
use roundel::ciphers::hpc;
use roundel::modes::elephant::{DIFFUSERS, Diffuser};
use roundel::modes::sector::SECTOR_BYTES;
use roundel::{Choice, Cipher};
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// How far Monte Carlo chains run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Depth {
    /// Four outer iterations, and the other entries of the file each by itself.
    Quick,
    /// All 400 on the strategy of each cipher that is fastest at single blocks, as `Quick` on the others.
    Usual,
    /// All 400 on every strategy.
    Full,
}

/// Outer iterations of a chain that is not run in full.
pub(crate) const SHORT_CHAIN: usize = 4;

/// Opens a message of C2SP's chunked encryption in every way that there is; the sealing crate, which the laboratory does not depend on,
/// lends it.
pub type OpenChunked = fn(&Chunked) -> Vec<Opened>;

/// What to verify, and how.
pub struct Options<'a> {
    /// The ciphers to verify.
    pub ciphers: Vec<&'static Cipher>,
    /// Only strategies of this name.
    pub strategy: Option<String>,
    /// How far chains run.
    pub depth: Depth,
    /// Threads to use.
    pub threads: usize,
    /// Without it, messages of chunked encryption are not verified, and counted so.
    pub open_chunked: Option<OpenChunked>,
    /// Told the share of the work that is done, 0 to 1, from any thread.
    pub progress: &'a (dyn Fn(f64) + Sync),
}

/// A piece of work for one core, on one strategy or none.
struct Job<'a> {
    /// Its row in the report.
    row: usize,
    file: &'a VectorFile,
    work: Work<'a>,
}

enum Work<'a> {
    Blocks(Choice, Vec<&'a Case>),
    Chain { choice: Choice, case: &'a Case, limit: usize },
    Messages(Choice, Vec<&'a Case>),
    Spiced(Vec<&'a Case>),
    Diffusions(&'static Diffuser, Vec<&'a Case>),
    Chunked(OpenChunked, Vec<&'a Case>),
}

/// Runs the files' cases on every selected strategy.
pub fn verify(files: &[VectorFile], options: &Options<'_>) -> Report {
    let started = Instant::now();
    let mut report = Report::new(options.depth, options.threads);
    let jobs = plan(files, options, &mut report);
    let results = queue::run(options.threads, jobs, run, options.progress);
    for (job, outcome) in results {
        record(&mut report, &job, outcome);
    }
    report.finish(started.elapsed());
    report
}

fn plan<'a>(files: &'a [VectorFile], options: &Options<'_>, report: &mut Report) -> Vec<(f64, Job<'a>)> {
    let mut jobs = Vec::new();
    for &cipher in &options.ciphers {
        plan_cipher(files, cipher, options, report, &mut jobs);
    }
    for file in files {
        let known = |case: &Case| case.cipher == CHUNKED || roundel::cipher(&case.cipher).is_ok();
        for case in file.cases.iter().filter(|case| !known(case)) {
            report.not_implemented(file, &format!("cipher {}", case.cipher));
        }
        let chunked: Vec<_> =
            file.cases.iter().filter(|case| matches!(case.test, Test::Chunked(_))).collect();
        match options.open_chunked {
            _ if chunked.is_empty()
                || !options.ciphers.iter().any(|cipher| cipher.aliases.contains(&"aes")) => {}
            None => chunked.iter().for_each(|_| report.not_implemented(file, "chunked encryption")),
            Some(open) => {
                let row = report.row(CHUNKED, "seal", true);
                jobs.push((0.01, Job { row, file, work: Work::Chunked(open, chunked) }));
            }
        }
    }
    jobs
}

/// The name under which cases of chunked encryption are listed.
const CHUNKED: &str = "cobblestone";

fn plan_cipher<'a>(
    files: &'a [VectorFile],
    cipher: &'static Cipher,
    options: &Options<'_>,
    report: &mut Report,
    jobs: &mut Vec<(f64, Job<'a>)>,
) {
    let selected =
        |choice: &Choice| options.strategy.as_deref().is_none_or(|name| choice.strategy.name == name);
    let choices: Vec<_> = cipher
        .choices()
        .filter(selected)
        .map(|choice| (choice, choice.strategy.available().then(|| Pace::measure(choice))))
        .collect();
    let pace = |i: &usize| choices[*i].1.map_or(f64::INFINITY, |pace| pace.block);
    let fastest = (0..choices.len()).min_by(|a, b| pace(a).total_cmp(&pace(b)));
    let rows: Vec<_> = choices
        .iter()
        .map(|(choice, pace)| report.row(cipher.name, choice.strategy.name, pace.is_some()))
        .collect();

    for file in files {
        let sorted = Sorted::new(file, cipher);
        for what in &sorted.not_implemented {
            report.not_implemented(file, what);
        }
        if !sorted.spiced.is_empty() {
            let row = report.row(cipher.name, "with spice", true);
            jobs.push((0.001, Job { row, file, work: Work::Spiced(sorted.spiced.clone()) }));
        }
        plan_diffusions(file, &sorted.diffusions, report, jobs);
        for (index, (choice, pace)) in choices.iter().enumerate() {
            let (choice, row) = (*choice, rows[index]);
            let Some(pace) = pace else {
                report.unavailable(row, file, &sorted);
                continue;
            };
            let full = match options.depth {
                Depth::Quick => false,
                Depth::Usual => Some(index) == fastest,
                Depth::Full => true,
            };
            let limit = if full { OUTER_ITERATIONS } else { SHORT_CHAIN };
            report.set_full_chains(row, full);
            let mut push = |cost: f64, work| jobs.push((cost, Job { row, file, work }));
            for &case in &sorted.chains {
                let outers = limit as f64 + if full { 0.0 } else { 1.0 };
                let cost = outers * pace.outer_iteration();
                push(cost, Work::Chain { choice, case, limit });
            }
            if !sorted.blocks.is_empty() {
                let cost = sorted.blocks.len() as f64 * (pace.setup + 4.0 * pace.block);
                push(cost, Work::Blocks(choice, sorted.blocks.clone()));
            }
            if !sorted.messages.is_empty() {
                let cost = sorted.messages.len() as f64 * (2.0 * pace.setup + 32.0 * pace.block);
                push(cost, Work::Messages(choice, sorted.messages.clone()));
            }
        }
    }
}

/// The diffusers' strategies are no strategies of the cipher: they have rows of their own.
fn plan_diffusions<'a>(
    file: &'a VectorFile,
    cases: &[&'a Case],
    report: &mut Report,
    jobs: &mut Vec<(f64, Job<'a>)>,
) {
    if cases.is_empty() {
        return;
    }
    for diffuser in DIFFUSERS {
        // The smallest examples are shorter than any sector: only the reference takes them.
        let takes = |case: &&&Case| {
            let Test::Diffusion(diffusion) = &case.test else { return false };
            diffuser.name == "reference" || SECTOR_BYTES.contains(&diffusion.plain.len())
        };
        let cases: Vec<_> = cases.iter().filter(takes).copied().collect();
        let available = diffuser.needs.available();
        let row = report.row("elephant diffuser", diffuser.name, available);
        if available {
            jobs.push((0.001, Job { row, file, work: Work::Diffusions(diffuser, cases) }));
        } else {
            report.diffusions_unavailable(row, file, cases.len());
        }
    }
}

/// A file's cases of one cipher, by kind.
#[derive(Default)]
struct Sorted<'a> {
    blocks: Vec<&'a Case>,
    chains: Vec<&'a Case>,
    messages: Vec<&'a Case>,
    spiced: Vec<&'a Case>,
    diffusions: Vec<&'a Case>,
    not_implemented: Vec<String>,
}

impl<'a> Sorted<'a> {
    fn new(file: &'a VectorFile, cipher: &Cipher) -> Self {
        let mut sorted = Sorted::default();
        for case in &file.cases {
            if case.cipher != cipher.name && !cipher.aliases.contains(&case.cipher.as_str()) {
                continue;
            }
            match &case.test {
                Test::Block(_) => sorted.blocks.push(case),
                Test::Chain { .. } => sorted.chains.push(case),
                Test::Message(_) | Test::Sector(_) | Test::Hash(_) => sorted.messages.push(case),
                Test::Diffusion(_) => sorted.diffusions.push(case),
                Test::Spiced { .. } if spice_schedule(cipher.name).is_some() => sorted.spiced.push(case),
                Test::Spiced { .. } => sorted.not_implemented.push(format!("{} with a spice", cipher.name)),
                Test::NotImplemented(what) => sorted.not_implemented.push(what.clone()),
                Test::Chunked(_) => {}
            }
        }
        sorted
    }
}

/// The key schedule with which a cipher takes a spice, if it takes one.
fn spice_schedule(cipher: &str) -> Option<hpc::Schedule> {
    match cipher {
        "hpc" => Some(hpc::Schedule::Submitted),
        "hpc-1999" => Some(hpc::Schedule::Repaired),
        _ => None,
    }
}

/// Does a job. A kernel that panics fails its cases; the others go on.
fn run(job: Job<'_>) -> (Job<'_>, Outcome) {
    let outcome = catch_unwind(AssertUnwindSafe(|| perform(&job.work))).unwrap_or_else(|_| {
        let cases = job.cases();
        let label = cases.first().map_or("", |case| case.label.as_str());
        let mismatch = Mismatch::new(label, "this or a later vector", "a result", "a panic");
        Outcome { failed: entries(&cases), mismatches: vec![mismatch], ..Outcome::default() }
    });
    (job, outcome)
}

fn perform(work: &Work<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    match work {
        Work::Blocks(choice, cases) => {
            let blocks: Vec<(&str, &Block)> = cases
                .iter()
                .filter_map(|case| match &case.test {
                    Test::Block(block) => Some((case.label.as_str(), block)),
                    _ => None,
                })
                .collect();
            return check::blocks(*choice, &blocks);
        }
        Work::Chain { choice, case, limit } => {
            if let Test::Chain { chain, outers, .. } = &case.test {
                let (index, state) =
                    outers.first().map_or((0, State::zero(16)), |first| (first.index, first.start.clone()));
                let run = Run::from(*choice, *chain, index, state);
                return check::chain(run, &case.label, outers, *limit);
            }
        }
        Work::Messages(choice, cases) => {
            for case in cases {
                match &case.test {
                    Test::Message(message) => {
                        outcome.count(check::message(*choice, &case.label, message));
                    }
                    Test::Sector(sector) => outcome.count(sectors::sector(*choice, &case.label, sector)),
                    Test::Hash(hashed) => outcome.count(check::hash(*choice, &case.label, hashed)),
                    _ => {}
                }
            }
        }
        Work::Spiced(cases) => {
            for case in cases {
                if let Test::Spiced { block, spice } = &case.test {
                    outcome.count(spiced(case, block, spice));
                }
            }
        }
        Work::Diffusions(diffuser, cases) => {
            for case in cases {
                if let Test::Diffusion(diffusion) = &case.test {
                    outcome.count(sectors::diffusion(diffuser, &case.label, diffusion));
                }
            }
        }
        Work::Chunked(open, cases) => {
            for case in cases {
                if let Test::Chunked(chunked) = &case.test {
                    let ways = open(chunked);
                    outcome.count(ways.iter().try_for_each(|way| check::chunked(&case.label, chunked, way)));
                }
            }
        }
    }
    outcome
}

fn spiced(case: &Case, block: &Block, spice: &[u8]) -> Result<(), Mismatch> {
    let refused = |what: String| Mismatch::new(&case.label, "key setup", "a kernel", &what);
    let schedule = spice_schedule(&case.cipher).ok_or_else(|| refused("a cipher without spice".into()))?;
    let spice = spice.try_into().map_err(|_| refused(format!("a spice of {} bytes", spice.len())))?;
    let kernel = hpc::with_spice(schedule, &block.key, spice).map_err(|error| refused(error.to_string()))?;
    check::single_block(&*kernel, &case.label, block)
}

impl<'a> Job<'a> {
    fn cases(&self) -> Vec<&'a Case> {
        match &self.work {
            Work::Chain { case, .. } => vec![case],
            Work::Blocks(_, cases)
            | Work::Messages(_, cases)
            | Work::Spiced(cases)
            | Work::Diffusions(_, cases)
            | Work::Chunked(_, cases) => cases.clone(),
        }
    }
}

/// How many results cases count as: a chain is as many as it has entries.
fn entries(cases: &[&Case]) -> usize {
    cases.iter().map(|case| if let Test::Chain { outers, .. } = &case.test { outers.len() } else { 1 }).sum()
}

fn record(report: &mut Report, job: &Job<'_>, outcome: Outcome) {
    let counts = Counts { passed: outcome.passed, failed: outcome.failed, unavailable: 0 };
    let row = &mut report.rows[job.row];
    *match &job.work {
        Work::Chain { .. } => &mut row.monte_carlo,
        Work::Messages(..) | Work::Chunked(..) => &mut row.messages,
        Work::Blocks(..) | Work::Spiced(_) | Work::Diffusions(..) => &mut row.known_answers,
    } += counts;
    for mismatch in outcome.mismatches {
        report.failures.push(Failure::of(&row.cipher, &row.strategy, &job.file.name, mismatch));
    }
    if let (Work::Chain { case, .. }, Some(times)) = (&job.work, outcome.times)
        && let Test::Chain { chain, key_bytes, .. } = &case.test
    {
        report.chains.push(ChainTime {
            cipher: row.cipher.clone(),
            strategy: row.strategy.clone(),
            chain: chain.name(),
            key_bits: 8 * key_bytes,
            outer_iterations: times.outer_iterations,
            setup_seconds: times.setup.as_secs_f64(),
            serial_seconds: times.serial.as_secs_f64(),
        });
    }
    report.file(job.file).counts += counts;
}

//! What a verification found: one struct, and its table for the terminal.

use super::check::Mismatch;
use super::{Depth, Sorted, entries};
use crate::vectors::VectorFile;
use comfy_table::{CellAlignment, Table, presets};
use roundel::simd::Level;
use serde::Serialize;
use std::fmt::Write as _;
use std::ops::AddAssign;
use std::time::Duration;

/// Results of vectors. A Monte Carlo chain counts once for each entry of its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Agreed.
    pub passed: usize,
    /// Disagreed, or were not reached because an earlier entry of their chain did.
    pub failed: usize,
    /// Not run, because the strategy cannot run on this CPU.
    pub unavailable: usize,
}

impl Counts {
    /// All of them.
    pub fn total(self) -> usize {
        self.passed + self.failed + self.unavailable
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.unavailable += other.unavailable;
    }
}

/// A strategy's results.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The cipher.
    pub cipher: String,
    /// The strategy.
    pub strategy: String,
    /// Whether it can run here.
    pub available: bool,
    /// Single blocks.
    pub known_answers: Counts,
    /// Entries of Monte Carlo chains.
    pub monte_carlo: Counts,
    /// Whether the chains ran in full.
    pub full_chains: bool,
    /// Messages in modes.
    pub messages: Counts,
}

impl Row {
    fn total(&self) -> Counts {
        let mut total = self.known_answers;
        total += self.monte_carlo;
        total += self.messages;
        total
    }
}

/// A vector file's results over all strategies.
#[derive(Clone, Debug, Serialize)]
pub struct FileRow {
    /// The file.
    pub file: String,
    /// Results.
    #[serde(flatten)]
    pub counts: Counts,
    /// Cases that no code here can run.
    pub not_implemented: usize,
}

/// A disagreement.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// The cipher.
    pub cipher: String,
    /// The strategy.
    pub strategy: String,
    /// The vector file.
    pub file: String,
    /// The vector in it.
    pub vector: String,
    /// What was done.
    pub operation: String,
    /// What the vector says, hexadecimal or words.
    pub expected: String,
    /// What came out.
    pub got: String,
}

impl Failure {
    /// Of this cipher, strategy and file.
    pub(crate) fn of(cipher: &str, strategy: &str, file: &str, mismatch: Mismatch) -> Failure {
        let Mismatch { vector, operation, expected, got } = mismatch;
        let [cipher, strategy, file] = [cipher, strategy, file].map(str::to_owned);
        Failure { cipher, strategy, file, vector, operation, expected, got }
    }
}

/// Cases of a kind that no code here can run.
#[derive(Clone, Debug, Serialize)]
pub struct NotImplemented {
    /// The kind.
    pub what: String,
    /// How many.
    pub cases: usize,
}

/// Where the time of a chain went, CPU seconds of its thread.
#[derive(Clone, Debug, Serialize)]
pub struct ChainTime {
    /// The cipher.
    pub cipher: String,
    /// The strategy.
    pub strategy: String,
    /// `ecb_e_m`, `ecb_d_m`, `cbc_e_m` or `cbc_d_m`.
    pub chain: &'static str,
    /// Key length.
    pub key_bits: usize,
    /// Outer iterations that were run, of 10,000 blocks each.
    pub outer_iterations: usize,
    /// Key setups.
    pub setup_seconds: f64,
    /// Serial encryptions or decryptions.
    pub serial_seconds: f64,
}

/// What a verification found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The highest CPU level that was available.
    pub cpu_level: &'static str,
    /// How far chains ran.
    pub depth: Depth,
    /// Threads used.
    pub threads: usize,
    /// Wall-clock time.
    pub seconds: f64,
    /// All results.
    pub totals: Counts,
    /// Cases that no code here can run.
    pub not_implemented: Vec<NotImplemented>,
    /// Each strategy.
    pub rows: Vec<Row>,
    /// Each file.
    pub files: Vec<FileRow>,
    /// Each disagreement.
    pub failures: Vec<Failure>,
    /// Each chain that ran.
    pub chains: Vec<ChainTime>,
}

impl Report {
    pub(super) fn new(depth: Depth, threads: usize) -> Report {
        let available = Level::ALL.into_iter().rev().find(|level| level.available());
        Report {
            cpu_level: available.unwrap_or(Level::Portable).name(),
            depth,
            threads,
            seconds: 0.0,
            totals: Counts::default(),
            not_implemented: Vec::new(),
            rows: Vec::new(),
            files: Vec::new(),
            failures: Vec::new(),
            chains: Vec::new(),
        }
    }

    /// The index of a strategy's row, made if it is new.
    pub(super) fn row(&mut self, cipher: &str, strategy: &str, available: bool) -> usize {
        let found = self.rows.iter().position(|row| row.cipher == cipher && row.strategy == strategy);
        found.unwrap_or_else(|| {
            let (known_answers, monte_carlo, messages) = Default::default();
            self.rows.push(Row {
                cipher: cipher.to_owned(),
                strategy: strategy.to_owned(),
                available,
                known_answers,
                monte_carlo,
                full_chains: false,
                messages,
            });
            self.rows.len() - 1
        })
    }

    pub(super) fn set_full_chains(&mut self, row: usize, full: bool) {
        self.rows[row].full_chains = full;
    }

    pub(super) fn file(&mut self, file: &VectorFile) -> &mut FileRow {
        let index = self.files.iter().position(|row| row.file == file.name).unwrap_or_else(|| {
            self.files.push(FileRow {
                file: file.name.clone(),
                counts: Counts::default(),
                not_implemented: 0,
            });
            self.files.len() - 1
        });
        &mut self.files[index]
    }

    pub(super) fn not_implemented(&mut self, file: &VectorFile, what: &str) {
        self.file(file).not_implemented += 1;
        match self.not_implemented.iter_mut().find(|entry| entry.what == what) {
            Some(entry) => entry.cases += 1,
            None => self.not_implemented.push(NotImplemented { what: what.to_owned(), cases: 1 }),
        }
    }

    /// Counts all of a file's cases for a strategy that cannot run here.
    pub(super) fn unavailable(&mut self, row: usize, file: &VectorFile, sorted: &Sorted<'_>) {
        let count = |cases: &[_]| Counts { unavailable: entries(cases), ..Counts::default() };
        let row = &mut self.rows[row];
        let kinds = [
            (&mut row.known_answers, count(&sorted.blocks)),
            (&mut row.monte_carlo, count(&sorted.chains)),
            (&mut row.messages, count(&sorted.messages)),
        ];
        let mut total = Counts::default();
        for (kind, counts) in kinds {
            *kind += counts;
            total += counts;
        }
        if total.total() > 0 {
            self.file(file).counts += total;
        }
    }

    /// The same for a strategy of the diffusers.
    pub(super) fn diffusions_unavailable(&mut self, row: usize, file: &VectorFile, cases: usize) {
        let counts = Counts { unavailable: cases, ..Counts::default() };
        self.rows[row].known_answers += counts;
        self.file(file).counts += counts;
    }

    pub(super) fn finish(&mut self, elapsed: Duration) {
        self.seconds = elapsed.as_secs_f64();
        self.rows.retain(|row| row.total().total() > 0);
        for row in &self.rows {
            self.totals += row.total();
        }
        self.files.sort_by(|a, b| a.file.cmp(&b.file));
        let place = |f: &Failure| (f.cipher.clone(), f.strategy.clone(), f.file.clone());
        self.failures.sort_by_key(place);
        self.chains.sort_by(|a, b| {
            (&a.cipher, &a.strategy, a.chain, a.key_bits).cmp(&(&b.cipher, &b.strategy, b.chain, b.key_bits))
        });
    }

    /// Whether something was run and all of it agreed.
    pub fn passed(&self) -> bool {
        self.totals.failed == 0 && self.totals.passed > 0
    }

    /// The table of ciphers and strategies.
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["cipher", "strategy", "known answers", "Monte Carlo", "modes", "result"]);
        for column in table.column_iter_mut().skip(2).take(3) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let mut last = "";
        for row in &self.rows {
            let cipher = if row.cipher == last { "" } else { &row.cipher };
            last = &row.cipher;
            let chains = cell(row.monte_carlo, if row.full_chains { " full" } else { "" });
            let result = match row.total() {
                Counts { failed: 1.., .. } => "FAILED",
                Counts { passed: 0, .. } => "not available here",
                _ => "passed",
            };
            let (blocks, messages) = (cell(row.known_answers, ""), cell(row.messages, ""));
            table.add_row([cipher, &row.strategy, &blocks, &chains, &messages, result]);
        }
        table.to_string()
    }

    /// The failures, at most `most` of them, with long values cut; then what was counted, in sentences.
    pub fn summary(&self, most: usize) -> String {
        let mut text = String::new();
        for failure in self.failures.iter().take(most) {
            let Failure { cipher, strategy, file, vector, operation, .. } = failure;
            let _ = writeln!(text, "FAILED {cipher} {strategy}: {file} {vector}, {operation}");
            let (expected, got) = differing(&failure.expected, &failure.got);
            let _ = writeln!(text, "  expected {expected}\n  got      {got}");
        }
        if self.failures.len() > most {
            let _ =
                writeln!(text, "... and {} more failures (--json has them all)", self.failures.len() - most);
        }
        let Counts { passed, failed, unavailable } = self.totals;
        let _ = writeln!(
            text,
            "{passed} passed, {failed} failed, {unavailable} not available here (CPU level {}), in {:.1} s \
             on {} threads",
            self.cpu_level, self.seconds, self.threads
        );
        if !self.not_implemented.is_empty() {
            let kinds: Vec<_> =
                self.not_implemented.iter().map(|kind| format!("{} ({})", kind.what, kind.cases)).collect();
            let cases: usize = self.not_implemented.iter().map(|kind| kind.cases).sum();
            let _ = writeln!(text, "{cases} not implemented and not run: {}", kinds.join(", "));
        }
        text
    }
}

fn cell(counts: Counts, note: &str) -> String {
    match counts {
        Counts { passed: 0, failed: 0, unavailable: 0 } => "-".to_owned(),
        Counts { failed: 0, unavailable: 0, passed } => format!("{passed}{note}"),
        Counts { passed: 0, failed: 0, unavailable } => format!("({unavailable})"),
        Counts { failed, .. } => format!("{failed} of {} FAILED", counts.total()),
    }
}

/// Two long values from a little before the first difference on.
fn differing(expected: &str, got: &str) -> (String, String) {
    const SHOWN: usize = 64;
    if expected.len().max(got.len()) <= SHOWN {
        return (expected.to_owned(), got.to_owned());
    }
    let same = expected.chars().zip(got.chars()).take_while(|(a, b)| a == b).count();
    let start = same.saturating_sub(8) & !1;
    let cut = |text: &str| {
        let part: String = text.chars().skip(start).take(SHOWN).collect();
        let before = if start > 0 { format!("...({} bytes) ", start / 2) } else { String::new() };
        let after = if start + SHOWN < text.len() { "..." } else { "" };
        format!("{before}{part}{after}")
    };
    (cut(expected), cut(got))
}

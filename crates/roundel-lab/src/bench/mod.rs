//! `roundel bench`: compares, then times, every strategy of every cipher, and says which the program would choose.

pub mod check;
mod choose;
pub mod contender;
mod operation;
mod result;
mod rounds;

pub(crate) use choose::bulk_bytes;
pub use operation::{Mode, Operation};
pub use result::{BenchResult, Chosen, ContenderFacts, FORMAT, Method, Point, Unavailable};

use crate::machine::{Machine, load_average};
use crate::stats::Summary;
use check::{Mismatch, Oracle};
use contender::{Contender, Ours};
use roundel::{Choice, Cipher, Timing};
use std::time::Instant;

/// How long a run may take and how much it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Three message lengths; about ten seconds.
    Quick,
    /// All message lengths; under a minute.
    Default,
    /// All message lengths, key lengths and sector sizes, in long samples; minutes.
    Full,
}

/// On how many cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// One thread by its CPU time.
    One,
    /// All threads by the wall clock, and one likewise to compare with.
    All,
    /// Both.
    Both,
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Ciphers.
    pub ciphers: Vec<&'static Cipher>,
    /// Names of strategies; all if empty.
    pub strategies: Vec<String>,
    /// Operations; the effort's if empty.
    pub modes: Vec<Mode>,
    /// Message lengths in bytes; the effort's if empty.
    pub sizes: Vec<usize>,
    /// Key lengths in bits; the effort's if empty.
    pub key_bits: Vec<usize>,
    /// Cores.
    pub cores: Cores,
    /// Effort.
    pub effort: Effort,
    /// Whether threads are kept on their cores.
    pub pin: bool,
    /// Other libraries' implementations, to be measured in the same run.
    pub peers: Vec<PeerBox>,
    /// The arguments, for the record.
    pub command: String,
}

impl Options {
    /// The modes that are measured.
    fn modes(&self) -> &[Mode] {
        if self.modes.is_empty() { self.effort.modes() } else { &self.modes }
    }
}

/// Somebody else's implementation.
pub type PeerBox = std::sync::Arc<dyn Contender>;

impl std::fmt::Debug for dyn Contender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.library(), self.cipher().name, self.strategy())
    }
}

impl Effort {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Quick => "quick",
            Effort::Default => "default",
            Effort::Full => "full",
        }
    }

    /// Seconds for the rounds, beside checks and calibration.
    fn budget_s(self) -> f64 {
        match self {
            Effort::Quick => 8.0,
            Effort::Default => 40.0,
            Effort::Full => 600.0,
        }
    }

    /// How long a sample should last, in nanoseconds: long beside the two clock readings, short beside a time slice.
    fn sample_ns(self) -> f64 {
        match self {
            Effort::Quick => 120e3,
            Effort::Default => 250e3,
            Effort::Full => 1e6,
        }
    }

    fn sizes(self) -> &'static [usize] {
        match self {
            Effort::Quick => &[64, 1 << 10, 16 << 10],
            _ => &[16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20],
        }
    }

    fn modes(self) -> &'static [Mode] {
        match self {
            Effort::Full => &Mode::ALL,
            _ => &[Mode::Key, Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm, Mode::Xts, Mode::Fresh],
        }
    }

    /// The cipher's largest standard key, or with `Full` all of them.
    fn key_bits(self, cipher: &Cipher) -> Vec<usize> {
        let standard = cipher.keys.standard;
        let from = if self == Effort::Full { 0 } else { standard.len() - 1 };
        standard[from..].iter().map(|bytes| 8 * bytes).collect()
    }
}

/// What a run tells while it lasts, and asks.
pub trait Observer: Sync {
    /// `done` of `total` steps of a phase ("comparing", "calibrating", "measuring").
    fn progress(&self, phase: &'static str, done: usize, total: usize);

    /// Whether to stop and give the results so far.
    fn stopped(&self) -> bool;
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A contender computes something else than the published vectors or the reference: a bug, so nothing is timed.
    #[error(
        "{library} {cipher}/{strategy} gives a wrong result in {operation} of {bytes} bytes with a {key_bits}-bit key: \
         nothing was timed; please report this bug"
    )]
    Mismatch {
        /// Library and version.
        library: String,
        /// The cipher.
        cipher: &'static str,
        /// The strategy.
        strategy: String,
        /// The operation.
        operation: &'static str,
        /// Length of the message.
        bytes: usize,
        /// Length of the key.
        key_bits: usize,
    },
    /// The vectors in this program cannot be read.
    #[error(transparent)]
    Vectors(#[from] crate::vectors::VectorError),
    /// A strategy that no chosen cipher has.
    #[error("none of the chosen ciphers has a strategy '{0}': `roundel list` shows them all")]
    UnknownStrategy(String),
    /// The filters leave nothing that runs here.
    #[error("nothing to measure: no chosen strategy runs on this CPU with these key lengths and modes")]
    Nothing,
    /// A message that no mode measures.
    #[error(
        "messages of {bytes} bytes are not measured: messages are whole blocks, here of {block_bytes} bytes at least"
    )]
    TooShort {
        /// The length that was asked for.
        bytes: usize,
        /// The shortest block of the chosen ciphers.
        block_bytes: usize,
    },
    /// Stopped before the first round was over.
    #[error("interrupted before the first results")]
    Interrupted,
}

/// A contender with the key lengths at which it is measured.
struct Entry {
    contender: PeerBox,
    key_bits: Vec<usize>,
}

/// Compares and measures.
pub fn run(options: &Options, observer: &dyn Observer) -> Result<BenchResult, BenchError> {
    let load_at_start = load_average();
    let choices = chosen_strategies(options)?;
    let unavailable = choices.iter().filter(|choice| !choice.strategy.available()).map(unavailable).collect();
    let entries = entries(options, &choices);
    check_sizes(options, &entries)?;
    let checks = compare(&entries, observer)?;

    let start = Instant::now();
    let measured = rounds::measure(options, &entries, observer)?;
    let elapsed_s = start.elapsed().as_secs_f64();

    let facts = entries.iter().zip(checks).map(|(entry, checks)| ContenderFacts {
        library: entry.contender.library(),
        cipher: entry.contender.cipher().name.to_owned(),
        strategy: entry.contender.strategy(),
        constant_time: entry.contender.timing() == Timing::Constant,
        checks,
    });
    let clock = measured.points.iter().flat_map(|point| point.ghz.iter().copied());
    let mut result = BenchResult {
        format: FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        date: crate::date::now_utc(),
        command: options.command.clone(),
        machine: Machine::detect(),
        method: Method {
            effort: options.effort.name().to_owned(),
            rounds: measured.rounds,
            sample_ns: options.effort.sample_ns(),
            longest_call_ns: measured.longest_call_ns,
            pinned: options.pin,
            elapsed_s: crate::stats::rounded(elapsed_s, 2),
        },
        clock_ghz: Summary::of(clock).ok_or(BenchError::Interrupted)?,
        load_average: [load_at_start, load_average()],
        contenders: facts.collect(),
        unavailable,
        points: measured.points,
        choices: Vec::new(),
        interrupted: observer.stopped(),
    };
    result.choices = options.ciphers.iter().filter_map(|cipher| choose::choose(&result, cipher)).collect();
    Ok(result)
}

/// All strategies that the filters name, whether or not they run here.
fn chosen_strategies(options: &Options) -> Result<Vec<Choice>, BenchError> {
    let named = |name: &str| options.strategies.is_empty() || options.strategies.iter().any(|n| n == name);
    let all: Vec<Choice> = options.ciphers.iter().flat_map(|cipher| cipher.choices()).collect();
    for name in &options.strategies {
        if !all.iter().any(|choice| choice.strategy.name == name) {
            return Err(BenchError::UnknownStrategy(name.clone()));
        }
    }
    Ok(all.into_iter().filter(|choice| named(choice.strategy.name)).collect())
}

/// Refuses lengths at which nothing could be measured.
fn check_sizes(options: &Options, entries: &[Entry]) -> Result<(), BenchError> {
    let messages = options.modes().iter().any(|mode| *mode != Mode::Key);
    let blocks = entries.iter().map(|entry| entry.contender.cipher().block_bytes);
    match (blocks.min(), options.sizes.iter().min()) {
        (Some(block_bytes), Some(&bytes)) if messages && bytes < block_bytes => {
            Err(BenchError::TooShort { bytes, block_bytes })
        }
        _ => Ok(()),
    }
}

/// What is missing: the CPU's instructions, or leave to use the memory.
fn needs(strategy: &roundel::Strategy) -> String {
    if strategy.needs.available() {
        format!("--allow-memory {}M", strategy.memory.shared.div_ceil(1 << 20))
    } else {
        format!("CPU level {}", strategy.needs.name())
    }
}

fn unavailable(choice: &Choice) -> Unavailable {
    Unavailable {
        cipher: choice.cipher.name.to_owned(),
        strategy: choice.strategy.name.to_owned(),
        needs: needs(choice.strategy),
    }
}

fn entries(options: &Options, choices: &[Choice]) -> Vec<Entry> {
    let ours = choices
        .iter()
        .filter(|choice| choice.strategy.available())
        .map(|&choice| std::sync::Arc::new(Ours(choice)) as PeerBox);
    let of_chosen = |peer: &&PeerBox| options.ciphers.iter().any(|cipher| cipher.name == peer.cipher().name);
    let peers = options.peers.iter().filter(of_chosen).cloned();
    ours.chain(peers)
        .map(|contender| {
            let cipher = contender.cipher();
            let key_bits = match options.key_bits.as_slice() {
                [] => options.effort.key_bits(cipher),
                bits => {
                    let accepts = |bits: &usize| bits.is_multiple_of(8) && cipher.keys.accepts(bits / 8);
                    bits.iter().copied().filter(accepts).collect()
                }
            };
            Entry { contender, key_bits }
        })
        .collect()
}

/// Every contender against what is known of its cipher; the number of comparisons of each.
fn compare(entries: &[Entry], observer: &dyn Observer) -> Result<Vec<usize>, BenchError> {
    let mut oracle: Option<Oracle> = None;
    let mut of_cipher = "";
    let mut checks = vec![0; entries.len()];
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&i| entries[i].contender.cipher().name);
    for (done, index) in order.into_iter().enumerate() {
        observer.progress("comparing", done, entries.len());
        let Entry { contender, key_bits } = &entries[index];
        let cipher = contender.cipher();
        if cipher.name != of_cipher {
            (oracle, of_cipher) = (None, cipher.name);
        }
        let oracle = match &mut oracle {
            Some(oracle) => oracle,
            None => oracle.insert(Oracle::new(cipher)?),
        };
        for &bits in key_bits {
            checks[index] +=
                oracle.check(&**contender, bits).map_err(|Mismatch { operation, bytes, key_bits }| {
                    BenchError::Mismatch {
                        library: contender.library(),
                        cipher: cipher.name,
                        strategy: contender.strategy(),
                        operation: operation.name(),
                        bytes,
                        key_bits,
                    }
                })?;
        }
        if observer.stopped() {
            return Err(BenchError::Interrupted);
        }
    }
    Ok(checks)
}

//! `roundel bench`: measures, prints a table and writes the raw result.

use crate::args::{Global, MemoryOptions};
use crate::error::Error;
use crate::output::{self, Output, Target};
use crate::progress::Log;
use indicatif::{ProgressBar, ProgressStyle};
use roundel::{CIPHERS, Cipher};
use roundel_lab::bench::{self, BenchError, BenchResult, Cores, Effort, Mode, Observer};
use roundel_lab::report;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Options of `roundel bench`. Without any: every strategy of every cipher, in under a minute.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    memory: MemoryOptions,
    /// Three message lengths only: ten seconds.
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// All key lengths, 512-byte sectors, every mode on all cores: minutes.
    #[arg(long)]
    full: bool,
    /// Only these ciphers.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    cipher: Vec<String>,
    /// Only these strategies.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    strategy: Vec<String>,
    /// Only these modes: key, ecb, cbc, ctr, gcm, xts, sectors, fresh.
    #[arg(long, value_name = "MODE", value_delimiter = ',', value_parser = mode)]
    mode: Vec<Mode>,
    /// Only these message lengths, in bytes or as 16K, 1M, 1G; whole blocks of each are measured.
    #[arg(long, value_name = "BYTES", value_delimiter = ',', value_parser = size)]
    size: Vec<usize>,
    /// Only these key lengths [default: the longest standard one; with --full, all].
    #[arg(long, value_name = "BITS", value_delimiter = ',')]
    key_bits: Vec<usize>,
    /// One core, all of them, or both.
    #[arg(long, value_enum, default_value = "both")]
    cores: WhichCores,
    /// Keep threads on their cores.
    #[arg(long)]
    pin: bool,
    /// Other libraries in the same run (needs a build with the feature `peers` or `peers-c`).
    #[arg(long)]
    peers: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Where the raw result goes; '-' for nowhere.
    #[arg(long, short, value_name = "FILE", default_value = "roundel-bench.json")]
    output: PathBuf,
}

/// `--cores`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum WhichCores {
    One,
    All,
    Both,
}

/// `--format`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    Table,
    Markdown,
    Csv,
    Json,
}

fn mode(name: &str) -> Result<Mode, String> {
    Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
        let names: Vec<_> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        format!("the modes are {}", names.join(", "))
    })
}

/// A length that the memory of a machine can hold: at most a gibibyte for each core.
fn size(text: &str) -> Result<usize, String> {
    let bytes = crate::args::bytes(text).ok().filter(|bytes| (1..=1 << 30).contains(bytes));
    bytes.map(|bytes| bytes as usize).ok_or_else(|| "1 to 1G, as 64, 16K or 1M".to_owned())
}

/// `roundel bench`.
pub(crate) fn run(options: Options, global: &Global) -> Result<(), Error> {
    options.memory.apply();
    let lab = lab_options(&options)?;
    if cfg!(debug_assertions) {
        global.note("this is a debug build: its figures mean nothing; build with --release");
    }
    // Opened before the measuring, which would be lost if this failed afterwards.
    let file = match &options.output {
        path if path.as_os_str() == "-" => None,
        path => Some(Output::create(Target { path: Some(path), force: true })?),
    };
    let watch = Watch::new(global)?;
    let result = bench::run(&lab, &watch);
    watch.finish();
    let result = result.map_err(|error| match error {
        BenchError::Interrupted => Error::Interrupted("nothing was measured yet"),
        BenchError::UnknownStrategy(_) | BenchError::Nothing | BenchError::TooShort { .. } => {
            Error::Usage(error.to_string())
        }
        _ => Error::Other(error.to_string()),
    })?;
    // Before the table, whose reader may go away.
    if let Some(mut file) = file {
        file.write_all(report::json::render(&result).as_bytes())
            .map_err(|error| Error::file("write", &options.output, error))?;
        file.finish(false)?;
    }
    output::print(&rendered(&result, options.format))?;
    if options.output.as_os_str() != "-" {
        global.note(&format!("raw samples are in {}", options.output.display()));
    }
    if result.interrupted { Err(Error::Interrupted("the results so far are above")) } else { Ok(()) }
}

fn lab_options(options: &Options) -> Result<bench::Options, Error> {
    let ciphers: Vec<&'static Cipher> = match options.cipher.as_slice() {
        [] => CIPHERS.to_vec(),
        names => names.iter().map(|name| roundel::cipher(name)).collect::<Result<_, _>>()?,
    };
    let effort = match (options.quick, options.full) {
        (true, _) => Effort::Quick,
        (_, true) => Effort::Full,
        _ => Effort::Default,
    };
    Ok(bench::Options {
        ciphers,
        strategies: options.strategy.clone(),
        modes: options.mode.clone(),
        sizes: options.size.clone(),
        key_bits: options.key_bits.clone(),
        cores: match options.cores {
            WhichCores::One => Cores::One,
            WhichCores::All => Cores::All,
            WhichCores::Both => Cores::Both,
        },
        effort,
        pin: options.pin,
        peers: peers(options.peers)?,
        command: command_line(),
    })
}

#[cfg(feature = "peers")]
fn peers(wanted: bool) -> Result<Vec<bench::PeerBox>, Error> {
    Ok(if wanted { roundel_lab::peers::all() } else { Vec::new() })
}

#[cfg(not(feature = "peers"))]
fn peers(wanted: bool) -> Result<Vec<bench::PeerBox>, Error> {
    if wanted {
        return Err(Error::Usage(
            "this build has no other libraries: build it with --features peers, or peers-c".to_owned(),
        ));
    }
    Ok(Vec::new())
}

/// The arguments as they were given, without the path of the program.
pub(super) fn command_line() -> String {
    let arguments = std::env::args().skip(1);
    std::iter::once("roundel".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn rendered(result: &BenchResult, format: Format) -> String {
    match format {
        Format::Table => report::terminal::render(result, output::width()),
        Format::Markdown => report::markdown::render(result),
        Format::Csv => report::csv::render(result),
        Format::Json => report::json::render(result),
    }
}

/// Progress on a terminal's standard error, and Ctrl-C.
pub(super) struct Watch {
    bar: ProgressBar,
    log: Log,
    stop: Arc<AtomicBool>,
}

impl Watch {
    pub(super) fn new(global: &Global) -> Result<Watch, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGINT, stop.clone())?;
        let bar = if global.quiet || !std::io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            let style = ProgressStyle::with_template("{msg:<12} {wide_bar} {percent:>3} % {eta:>4}");
            ProgressBar::new(0).with_style(style.expect("the template is well-formed"))
        };
        Ok(Watch { bar, log: Log::new(global), stop })
    }

    /// Set once Ctrl-C was pressed.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// The run is over.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Watch {
    fn progress(&self, phase: &'static str, done: usize, total: usize) {
        if self.bar.message() != phase {
            self.bar.set_message(phase);
            self.bar.reset();
        }
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.log.progress(phase, done as f64 / total.max(1) as f64);
    }

    fn stopped(&self) -> bool {
        self.flag().load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_with_and_without_unit() {
        for (text, bytes) in
            [("64", 64), ("16K", 16 << 10), ("16KiB", 16 << 10), ("1m", 1 << 20), ("1G", 1 << 30)]
        {
            assert_eq!(size(text), Ok(bytes));
        }
        for text in ["", "K", "0", "2G", "-1", "1T", "99999999999999999999M"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}

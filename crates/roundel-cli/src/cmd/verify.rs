//! `roundel verify`: known answers, Monte Carlo chains and modes for every cipher and strategy; and making NIST's files.

use crate::args::{Global, MemoryOptions};
use crate::error::Error;
use crate::output;
use crate::progress::Log;
use indicatif::{ProgressBar, ProgressStyle};
use roundel::{CIPHERS, Choice, Cipher};
use roundel_lab::generate;
use roundel_lab::monte_carlo::OUTER_ITERATIONS;
use roundel_lab::vectors::{self, Chunked, VectorFile};
use roundel_lab::verify::{self, Depth, Opened, Report, fastest_serial};
use roundel_seal::{BareKey, Input, Opener, SealedReader, Suite, Unlock};
use std::fs::{self, File};
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// What to prove.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only this cipher; may be given several times. The cipher of NIST text given by --vectors.
    #[arg(long, value_name = "NAME")]
    cipher: Vec<String>,
    /// Only strategies of this name.
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
    /// Run the Monte Carlo chains in full on every strategy, not only on the fastest of each cipher.
    #[arg(long)]
    full: bool,
    /// Run no Monte Carlo chain beyond four of its 400 outer iterations.
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Verify with these files instead of the built-in vectors: NIST text, JSON lines of modes or disk sectors, or Wycheproof JSON.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    vectors: Vec<PathBuf>,
    /// Write NIST's files of each cipher into DIR/CIPHER instead: known answers, and Monte Carlo chains with all 400 entries.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["vectors", "full"])]
    generate: Option<PathBuf>,
    #[command(flatten)]
    memory: MemoryOptions,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
}

/// Failures that are printed one by one.
const SHOWN_FAILURES: usize = 20;

/// `roundel verify`.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    options.memory.apply();
    let ciphers = selected(options)?;
    match &options.generate {
        Some(folder) => write_files(folder, &ciphers, options, global),
        None => prove(ciphers, options, global),
    }
}

/// The ciphers that the options name, or all.
fn selected(options: &Options) -> Result<Vec<&'static Cipher>, Error> {
    let ciphers: Vec<_> = if options.cipher.is_empty() {
        CIPHERS.to_vec()
    } else {
        options.cipher.iter().map(|name| roundel::cipher(name)).collect::<Result<_, _>>()?
    };
    if let Some(name) = &options.strategy
        && !ciphers.iter().any(|cipher| cipher.strategy(name).is_ok())
    {
        return Err(Error::Usage(format!(
            "no selected cipher has a strategy '{name}': `roundel list` shows them all"
        )));
    }
    Ok(ciphers)
}

fn prove(ciphers: Vec<&'static Cipher>, options: &Options, global: &Global) -> Result<(), Error> {
    let files = match options.vectors.as_slice() {
        [] => vectors::embedded(&ciphers).map_err(|error| Error::Other(error.to_string()))?,
        paths => paths.iter().map(|path| read(path, options)).collect::<Result<_, _>>()?,
    };
    let (bar, log) = (progress_bar(global), Log::new(global));
    let report = verify::verify(
        &files,
        &verify::Options {
            ciphers,
            strategy: options.strategy.clone(),
            depth: match (options.quick, options.full) {
                (true, _) => Depth::Quick,
                (_, true) => Depth::Full,
                _ => Depth::Usual,
            },
            threads: global.threads(),
            open_chunked: Some(open_chunked),
            progress: &|share| {
                bar.set_position((share * BAR_STEPS as f64) as u64);
                log.progress("verifying", share);
            },
        },
    );
    bar.finish_and_clear();
    print(&report, options.json)?;
    verdict(&report)
}

/// Opens a chunked message through the sealing crate, as a stream and with random access.
fn open_chunked(vector: &Chunked) -> Vec<Opened> {
    let suite = if vector.key_bits == 128 { Suite::COBBLESTONE_128 } else { Suite::COBBLESTONE_256 };
    let options = roundel_seal::Options::default();
    let refused = |way| {
        move |error: roundel_seal::Error| Opened { way, released: Vec::new(), error: Some(error.to_string()) }
    };
    let key = match BareKey::from_file_contents(&vector.key, suite, &vector.context) {
        Ok(key) => key,
        Err(error) => return vec![refused("key")(error)],
    };
    let unlock = Unlock::Bare(&key);
    let sealed = vector.sealed.as_slice();
    let stream = Opener::new(Input::reader(sealed), &unlock, &options);
    let random = SealedReader::new(Cursor::new(sealed), &unlock, &options);
    vec![
        stream.map_or_else(refused("stream"), |reader| read_all("stream", reader)),
        random.map_or_else(refused("random access"), |reader| read_all("random access", reader)),
    ]
}

/// Reads to the end or to an error, which must come again when reading goes on.
fn read_all(way: &'static str, mut reader: impl Read) -> Opened {
    let mut released = Vec::new();
    let first = reader.read_to_end(&mut released);
    let error = first.err().and_then(|error| reader.read(&mut [0]).is_err().then(|| error.to_string()));
    Opened { way, released, error }
}

fn read(path: &Path, options: &Options) -> Result<VectorFile, Error> {
    let bytes = fs::read(path).map_err(|error| Error::file("open", path, error))?;
    let cipher = match options.cipher.as_slice() {
        [one] => Some(one.as_str()),
        _ => None,
    };
    let parsed = vectors::parse(&path.display().to_string(), &bytes, cipher);
    parsed.map_err(|error| match error {
        vectors::VectorError::Damaged { .. } => Error::Damaged(error.to_string()),
        _ => Error::Usage(error.to_string()),
    })
}

fn print(report: &Report, json: bool) -> Result<(), Error> {
    if json {
        let text = serde_json::to_string_pretty(report).map_err(|error| Error::Other(error.to_string()))?;
        return output::print(&format!("{text}\n"));
    }
    output::print(&format!("{}\n\n{}", report.table(), report.summary(SHOWN_FAILURES)))
}

fn verdict(report: &Report) -> Result<(), Error> {
    if report.totals.failed > 0 {
        let all = report.totals.failed + report.totals.passed;
        return Err(Error::Other(format!(
            "{} of {all} results disagree with their vectors",
            report.totals.failed
        )));
    }
    if report.totals.passed == 0 {
        let why = "no vector was run: none is of a selected cipher, and of a kind and on a strategy that can run here";
        return Err(Error::Other(why.to_owned()));
    }
    Ok(())
}

fn write_files(
    folder: &Path,
    ciphers: &[&'static Cipher],
    options: &Options,
    global: &Global,
) -> Result<(), Error> {
    let outers = if options.quick { 4 } else { OUTER_ITERATIONS };
    for cipher in ciphers {
        let choice = generator(cipher, options)?;
        let (bar, log) = (progress_bar(global), Log::new(global));
        let progress = |share| {
            bar.set_position((share * BAR_STEPS as f64) as u64);
            log.progress(cipher.name, share);
        };
        let files = generate::files(choice, outers, global.threads(), &progress)?;
        bar.finish_and_clear();
        let folder = folder.join(cipher.name);
        fs::create_dir_all(&folder).map_err(|error| Error::file("create", &folder, error))?;
        for generate::Generated { name, text } in &files {
            let path = folder.join(name);
            let written = File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|error| match error.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    Error::Other(format!("{} exists: remove it, or name another folder", path.display()))
                }
                _ => Error::file("write", &path, error),
            })?;
        }
        global.note(&format!("{}: {} files", folder.display(), files.len()));
    }
    Ok(())
}

/// The strategy that makes the files: the one that is named, or the fastest at single blocks.
fn generator(cipher: &'static Cipher, options: &Options) -> Result<Choice, Error> {
    match &options.strategy {
        Some(name) => Ok(cipher.strategy(name)?),
        None => fastest_serial(cipher)
            .ok_or_else(|| Error::Other(format!("{} has no strategy that can run here", cipher.name))),
    }
}

pub(super) const BAR_STEPS: u64 = 1000;

/// A bar on a terminal; indicatif draws nothing elsewhere.
pub(super) fn progress_bar(global: &Global) -> ProgressBar {
    if global.quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {percent}% {elapsed} {eta} left");
    ProgressBar::new(BAR_STEPS).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

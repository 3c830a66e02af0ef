//! The registry, `verify` and `bench`, as JSON text that `roundel/lab.py` turns into plain records.

use crate::errors::{self, Fault};
use pyo3::prelude::*;
use roundel::{CIPHERS, Cipher};
use roundel_lab::bench::{self as lab_bench, Cores, Effort, Mode, Observer};
use roundel_lab::vectors::{self, Chunked};
use roundel_lab::verify::{self as lab_verify, Depth, Opened};
use roundel_lab::{list, report};
use roundel_seal::{BareKey, Input, Opener, SealedReader, Suite, Unlock};
use std::io::{Cursor, Read};
use std::sync::{Mutex, PoisonError};

fn selected(names: &[String]) -> PyResult<Vec<&'static Cipher>> {
    if names.is_empty() {
        return Ok(CIPHERS.to_vec());
    }
    Ok(names.iter().map(|name| roundel::cipher(name)).collect::<Result<_, _>>().map_err(Fault::Engine)?)
}

/// The registry, as `roundel list --json` prints it.
#[pyfunction]
pub(crate) fn ciphers() -> String {
    list::json(&list::entries(CIPHERS))
}

/// Verifies ciphers against the built-in vectors; gives the report.
#[pyfunction]
pub(crate) fn verify(
    py: Python<'_>,
    ciphers: Vec<String>,
    strategy: Option<String>,
    depth: &str,
    threads: usize,
) -> PyResult<String> {
    let ciphers = selected(&ciphers)?;
    if let Some(name) = &strategy
        && !ciphers.iter().any(|cipher| cipher.strategy(name).is_ok())
    {
        return Err(errors::parameter(format!("no selected cipher has a strategy '{name}'")));
    }
    let depth = match depth {
        "quick" => Depth::Quick,
        "usual" => Depth::Usual,
        "full" => Depth::Full,
        _ => return Err(errors::parameter(format!("depth is quick, usual or full, not '{depth}'"))),
    };
    let threads = if threads == 0 { roundel::parallel::cores() } else { threads };
    py.detach(|| {
        let files = vectors::embedded(&ciphers).map_err(|error| error.to_string())?;
        let options = lab_verify::Options {
            ciphers,
            strategy,
            depth,
            threads,
            open_chunked: Some(open_chunked),
            progress: &|_| (),
        };
        serde_json::to_string(&lab_verify::verify(&files, &options)).map_err(|error| error.to_string())
    })
    .map_err(errors::other)
}

/// Lends the proof the sealing crate's two ways of opening a chunked message.
fn open_chunked(vector: &Chunked) -> Vec<Opened> {
    let suite = if vector.key_bits == 128 { Suite::COBBLESTONE_128 } else { Suite::COBBLESTONE_256 };
    let options = roundel_seal::Options::default();
    let key = match BareKey::from_file_contents(&vector.key, suite, &vector.context) {
        Ok(key) => key,
        Err(error) => return vec![refused("key", error)],
    };
    let (unlock, sealed) = (Unlock::Bare(&key), &vector.sealed[..]);
    vec![
        match Opener::new(Input::reader(sealed), &unlock, &options) {
            Ok(reader) => drained("stream", reader),
            Err(error) => refused("stream", error),
        },
        match SealedReader::new(Cursor::new(sealed), &unlock, &options) {
            Ok(reader) => drained("random access", reader),
            Err(error) => refused("random access", error),
        },
    ]
}

fn refused(way: &'static str, error: roundel_seal::Error) -> Opened {
    Opened { way, released: Vec::new(), error: Some(error.to_string()) }
}

/// Everything that a reader gives, and its error, which must come again when reading goes on.
fn drained(way: &'static str, mut reader: impl Read) -> Opened {
    let mut released = Vec::new();
    let error = reader.read_to_end(&mut released).err();
    let error = error.filter(|_| reader.read(&mut [0]).is_err()).map(|error| error.to_string());
    Opened { way, released, error }
}

/// Looks for Ctrl-C while a benchmark runs.
#[derive(Default)]
struct Signals(Mutex<Option<PyErr>>);

impl Observer for Signals {
    fn progress(&self, _: &'static str, _: usize, _: usize) {}

    fn stopped(&self) -> bool {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_none() {
            *raised = Python::attach(|py| py.check_signals()).err();
        }
        raised.is_some()
    }
}

/// Proves and times strategies; gives the result, as `roundel bench --format json` prints it.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's keywords; roundel.bench gives them")]
pub(crate) fn bench(
    py: Python<'_>,
    ciphers: Vec<String>,
    strategies: Vec<String>,
    modes: Vec<String>,
    sizes: Vec<usize>,
    key_bits: Vec<usize>,
    cores: &str,
    effort: &str,
) -> PyResult<String> {
    let modes = modes.iter().map(|name| mode(name)).collect::<PyResult<_>>()?;
    let options = lab_bench::Options {
        ciphers: selected(&ciphers)?,
        strategies,
        modes,
        sizes,
        key_bits,
        cores: match cores {
            "one" => Cores::One,
            "all" => Cores::All,
            "both" => Cores::Both,
            _ => return Err(errors::parameter(format!("cores is one, all or both, not '{cores}'"))),
        },
        effort: match effort {
            "quick" => Effort::Quick,
            "default" => Effort::Default,
            "full" => Effort::Full,
            _ => return Err(errors::parameter(format!("effort is quick, default or full, not '{effort}'"))),
        },
        pin: false,
        peers: Vec::new(),
        command: "roundel.bench".to_owned(),
    };
    let signals = Signals::default();
    let outcome = py.detach(|| lab_bench::run(&options, &signals));
    if let Some(raised) = signals.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(raised);
    }
    match outcome {
        Ok(result) => Ok(report::json::render(&result)),
        Err(error) => Err(errors::parameter(error.to_string())),
    }
}

fn mode(name: &str) -> PyResult<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
        let names: Vec<_> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        errors::parameter(format!("the modes are {}, not '{name}'", names.join(", ")))
    })
}

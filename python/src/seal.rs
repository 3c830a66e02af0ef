//! Sealed files: paths, bytes and Python's file objects as ends of `roundel_seal`'s operations.

use crate::errors;
use crate::raw::Lent;
use crate::reader::{Opened, Reader};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use roundel_seal::keys::age::secrecy::{ExposeSecret, SecretString};
use roundel_seal::keys::{self, BoxIdentity, BoxRecipient, PASSPHRASE_LOG_N};
use roundel_seal::{Input, Lock, Options, Output, Progress, Report, SealedReader, Suite, Unlock};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// How often a long operation looks whether Ctrl-C was pressed, and calls `progress`.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What to open with: contents and name of identity files, perhaps a passphrase.
type Identities = (Vec<(Vec<u8>, String)>, Option<String>);

/// A report as Python's `roundel.Report` takes it: text bytes, sealed bytes, suite, strategy, threads, seconds.
type Facts = (u64, u64, String, &'static str, usize, f64);

fn facts(report: Report) -> Facts {
    let Report { text_bytes, sealed_bytes, suite, strategy, threads, elapsed, .. } = report;
    (text_bytes, sealed_bytes, suite, strategy, threads, elapsed.as_secs_f64())
}

/// A Python object with `read`, and for random access `seek`.
struct PyFile(Py<PyAny>);

impl Read for PyFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let answer = self.0.bind(py).call_method1("read", (out.len(),))?;
            let mut place = pin!(Lent::new());
            let bytes = place.as_mut().read(&answer)?.bytes();
            if bytes.len() > out.len() {
                return Err(errors::other("the file object gave more than it was asked for".to_owned()));
            }
            out[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        })
        .map_err(Into::into)
    }
}

impl Seek for PyFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (by, whence) = match to {
            SeekFrom::Start(by) => (i128::from(by), 0),
            SeekFrom::Current(by) => (i128::from(by), 1),
            SeekFrom::End(by) => (i128::from(by), 2),
        };
        Python::attach(|py| {
            let file = self.0.bind(py);
            file.call_method1("seek", (by, whence))?;
            file.call_method0("tell")?.extract()
        })
        .map_err(Into::into)
    }
}

/// Progress and Ctrl-C of one operation, on the thread that called it.
struct Watch {
    caller: ThreadId,
    progress: Option<Py<PyAny>>,
    looked: Mutex<Instant>,
    cancel: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

impl Watch {
    fn new(progress: Option<Py<PyAny>>) -> Self {
        Watch {
            caller: thread::current().id(),
            progress,
            looked: Mutex::new(Instant::now()),
            cancel: AtomicBool::new(false),
            raised: Mutex::new(None),
        }
    }

    fn look(&self, progress: Progress) {
        if thread::current().id() != self.caller {
            return;
        }
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.elapsed() < LOOK_EVERY {
            return;
        }
        *looked = Instant::now();
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(call) => call.call1(py, (progress.done, progress.total)).map(|_| ()),
                None => Ok(()),
            }
        });
        if let Err(error) = outcome {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// The exception that ended the operation, or the operation's own.
    fn error(self, error: roundel_seal::Error) -> PyErr {
        let raised = self.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
        raised.unwrap_or_else(|| errors::seal(error))
    }
}

/// Runs an operation, detached, from a source to a path, or to bytes where there is none.
fn transfer<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    options: Options<'_>,
    run: impl FnOnce(Input<'_>, Output<'_>, &Options<'_>) -> roundel_seal::Result<Report> + Send,
) -> PyResult<(Option<Bound<'py, PyBytes>>, Facts)> {
    let py = source.py();
    let mut place = pin!(Lent::new());
    let lent;
    let input = if let Ok(path) = source.extract::<PathBuf>() {
        Input::Path(path)
    } else if source.hasattr("read")? {
        Input::reader(PyFile(source.clone().unbind()))
    } else {
        lent = place.as_mut().read(source)?;
        Input::reader(lent.bytes())
    };
    let watch = Watch::new(progress);
    let look = |progress| watch.look(progress);
    let options = Options { progress: Some(&look), cancel: Some(&watch.cancel), ..options };
    let mut result = Vec::new();
    let to_path = target.is_some();
    let outcome = py.detach(|| match target {
        Some(path) => run(input, Output::Path(path), &options),
        None => run(input, Output::writer(&mut result), &options),
    });
    match outcome {
        Ok(report) => Ok(((!to_path).then(|| PyBytes::new(py, &result)), facts(report))),
        Err(error) => Err(watch.error(error)),
    }
}

/// `roundel.seal`, which see.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's keywords; roundel.seal gives them")]
pub(crate) fn seal<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<PathBuf>,
    recipients: Vec<String>,
    passphrase: Option<String>,
    cipher: &str,
    key_bits: usize,
    allow_broken: bool,
    threads: usize,
    sync: bool,
    replace: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Option<Bound<'py, PyBytes>>, Facts)> {
    let suite = roundel::cipher(cipher)
        .map_err(roundel_seal::Error::from)
        .and_then(|cipher| Suite::of(cipher, key_bits))
        .map_err(errors::seal)?;
    let mut to: Vec<BoxRecipient> = recipients
        .iter()
        .map(|text| keys::recipient(text))
        .collect::<Result<_, _>>()
        .map_err(errors::seal)?;
    to.extend(passphrase.map(|text| keys::passphrase_recipient(SecretString::from(text), PASSPHRASE_LOG_N)));
    let options = Options { threads, sync, replace, allow_unsound: allow_broken, ..Options::default() };
    transfer(source, target, progress, options, move |input, output, options| {
        roundel_seal::seal(input, output, &Lock::Recipients { to: &to, suite }, options)
    })
}

/// `roundel.open`, which see.
#[pyfunction]
pub(crate) fn open<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<PathBuf>,
    identities: Identities,
    threads: usize,
    sync: bool,
    replace: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Option<Bound<'py, PyBytes>>, Facts)> {
    let unlock = read_identities(identities)?;
    let options = Options { threads, sync, replace, ..Options::default() };
    transfer(source, target, progress, options, move |input, output, options| {
        roundel_seal::open(input, output, &Unlock::Identities(&unlock), options)
    })
}

/// `roundel.check`, which see.
#[pyfunction]
pub(crate) fn check(
    source: &Bound<'_, PyAny>,
    identities: Identities,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Facts> {
    let unlock = read_identities(identities)?;
    let options = Options { threads, ..Options::default() };
    let (_, facts) = transfer(source, None, progress, options, move |input, _, options| {
        roundel_seal::check(input, &Unlock::Identities(&unlock), options)
    })?;
    Ok(facts)
}

fn read_identities((files, passphrase): Identities) -> PyResult<Vec<BoxIdentity>> {
    let nobody: keys::Ask = Arc::new(|_| None);
    let mut all = Vec::new();
    for (contents, name) in files {
        let contents = Zeroizing::new(contents);
        all.extend(keys::identities_file(&contents, &name, nobody.clone()).map_err(errors::seal)?);
    }
    all.extend(passphrase.map(|text| {
        let secret = SecretString::from(text);
        keys::passphrase_identity(Arc::new(move |_| Some(secret.clone())))
    }));
    Ok(all)
}

/// The header of a sealed file: (version, suite, size, [stanza kinds], header bytes, file bytes, whole).
#[pyfunction]
#[expect(clippy::type_complexity, reason = "taken apart at once by roundel.inspect")]
pub(crate) fn inspect(
    source: &Bound<'_, PyAny>,
) -> PyResult<(&'static str, String, Option<u64>, Vec<String>, u64, Option<u64>, Option<bool>)> {
    let mut place = pin!(Lent::new());
    let seen = if let Ok(path) = source.extract::<PathBuf>() {
        source.py().detach(|| roundel_seal::inspect(Input::Path(path)))
    } else {
        let lent = place.as_mut().read(source)?;
        roundel_seal::inspect(Input::reader(lent.bytes()))
    }
    .map_err(errors::seal)?;
    let kinds = seen.stanzas.into_iter().map(|stanza| stanza.kind).collect();
    Ok((seen.version, seen.suite, seen.size, kinds, seen.header_bytes, seen.file_bytes, seen.whole))
}

/// A new key pair: (secret, public).
#[pyfunction]
pub(crate) fn keygen() -> (String, String) {
    let pair = keys::generate();
    (pair.secret.expose_secret().to_owned(), pair.public)
}

impl<R: Read + Seek + Send> Opened for SealedReader<R> {
    fn text_bytes(&mut self) -> io::Result<u64> {
        SealedReader::text_bytes(self).map_err(io::Error::other)
    }
}

/// A sealed file for `roundel.open_sealed`: a path, data, or a file object that seeks.
#[pyfunction]
pub(crate) fn read_sealed(source: &Bound<'_, PyAny>, identities: Identities) -> PyResult<Reader> {
    let (py, unlock) = (source.py(), read_identities(identities)?);
    if let Ok(path) = source.extract::<PathBuf>() {
        let file = File::open(&path).map_err(|error| {
            pyo3::exceptions::PyOSError::new_err((error.raw_os_error(), error.to_string(), path))
        })?;
        return reader(py, file, unlock);
    }
    if source.hasattr("read")? {
        return reader(py, PyFile(source.clone().unbind()), unlock);
    }
    let mut place = pin!(Lent::new());
    let bytes = place.as_mut().read(source)?.bytes().to_vec();
    reader(py, Cursor::new(bytes), unlock)
}

fn reader<R: Read + Seek + Send + 'static>(
    py: Python<'_>,
    from: R,
    unlock: Vec<BoxIdentity>,
) -> PyResult<Reader> {
    let opened = py
        .detach(move || SealedReader::new(from, &Unlock::Identities(&unlock), &Options::default()))
        .map_err(errors::seal)?;
    Ok(Reader::new(opened))
}

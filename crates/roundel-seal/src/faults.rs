//! For tests: makes the n-th system call fail, or do less than it could.

use rustix::io::Errno;
use std::cell::Cell;

/// How the chosen call goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    Fails(Errno),
    /// Reads and writes move one byte; other calls work.
    Short,
}

thread_local! {
    static PLAN: Cell<Option<(u64, Fault)>> = const { Cell::new(None) };
    static NO_HIDDEN_FILES: Cell<bool> = const { Cell::new(false) };
}

/// From now on, on this thread, call number `nth` (from 0) goes wrong.
pub(crate) fn plan(nth: u64, fault: Fault) {
    PLAN.set(Some((nth, fault)));
}

/// Ends the plan; whether its call was reached.
pub(crate) fn was_struck() -> bool {
    PLAN.take().is_none()
}

/// Whether files without a name are to be taken as unavailable.
pub(crate) fn no_hidden_files() -> bool {
    NO_HIDDEN_FILES.get()
}

pub(crate) fn set_no_hidden_files(none: bool) {
    NO_HIDDEN_FILES.set(none);
}

pub(crate) fn strike_errno(_call: &str) -> Result<bool, Errno> {
    match PLAN.get() {
        Some((0, fault)) => {
            PLAN.set(None);
            match fault {
                Fault::Fails(errno) => Err(errno),
                Fault::Short => Ok(true),
            }
        }
        Some((left, fault)) => {
            PLAN.set(Some((left - 1, fault)));
            Ok(false)
        }
        None => Ok(false),
    }
}

/// Whether this call is to be short; or its failure.
pub(crate) fn strike(call: &str) -> std::io::Result<bool> {
    Ok(strike_errno(call)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{CHUNK_BYTES, SEALED_CHUNK_BYTES};
    use crate::{BareKey, Error, Input, Lock, Options, Output, Suite, Unlock};
    use std::fs;
    use std::path::Path;

    const OLD: &[u8] = b"old";

    fn key() -> BareKey {
        BareKey::from_file_contents(&[5; 32], Suite::default(), b"").unwrap()
    }

    fn options() -> Options<'static> {
        // One thread: the plan belongs to the thread that made it.
        Options { threads: 1, replace: true, ..Options::default() }
    }

    /// Runs an operation, each time with the next call going wrong, until it gets through; checks the target after each.
    fn until_clean(
        folder: &Path,
        fault: Fault,
        is_good: &dyn Fn(&[u8]) -> bool,
        operation: &dyn Fn(&Path) -> Result<(), Error>,
    ) {
        for no_hidden in [false, true] {
            set_no_hidden_files(no_hidden);
            for old in [None, Some(OLD)] {
                for nth in 0.. {
                    let target = folder.join("target");
                    let _ = fs::remove_file(&target);
                    if let Some(old) = old {
                        fs::write(&target, old).unwrap();
                    }
                    plan(nth, fault);
                    let result = operation(&target);
                    let struck = was_struck();
                    let now = fs::read(&target).ok();
                    let context =
                        format!("call {nth}, {fault:?}, hidden {}, old {}", !no_hidden, old.is_some());
                    match &result {
                        Ok(()) => assert!(now.as_deref().is_some_and(is_good), "{context}: a bad file"),
                        // The folder's sync comes after the name: then the new file is there, and whole.
                        Err(Error::Io { action: "sync the folder of", .. }) => {
                            assert!(now.as_deref().is_some_and(is_good), "{context}: a bad file");
                        }
                        Err(error) => {
                            assert_eq!(now.as_deref(), old, "{context}: the target was touched: {error}");
                        }
                    }
                    let names = fs::read_dir(folder).unwrap().count();
                    assert_eq!(names, 1 + usize::from(now.is_some()), "{context}: something is left behind");
                    if !struck {
                        assert!(result.is_ok());
                        assert!(nth > 5, "the plan reaches the calls");
                        break;
                    }
                    let expected = match fault {
                        Fault::Short => result.is_ok(),
                        Fault::Fails(_) => matches!(&result, Ok(()) | Err(Error::Io { .. })),
                    };
                    assert!(expected, "{context}: {result:?}");
                }
            }
        }
        set_no_hidden_files(false);
    }

    fn all_faults(
        input: &[u8],
        is_good: &dyn Fn(&[u8]) -> bool,
        operation: impl Fn(&Path, &Path) -> Result<(), Error>,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs::write(&source, input).unwrap();
        for fault in [
            Fault::Short,
            Fault::Fails(Errno::INTR),
            Fault::Fails(Errno::IO),
            Fault::Fails(Errno::NOSPC),
            Fault::Fails(Errno::DQUOT),
        ] {
            until_clean(folder.path(), fault, is_good, &|target| operation(&source, target));
        }
    }

    /// Several jobs and a short last chunk.
    fn text() -> Vec<u8> {
        (0..35 * CHUNK_BYTES + 100).map(|at| (at / 3) as u8).collect()
    }

    fn sealed(text: &[u8]) -> Vec<u8> {
        let mut sealed = Vec::new();
        let key = key();
        crate::seal(Input::reader(text), Output::writer(&mut sealed), &Lock::Bare(&key), &options()).unwrap();
        sealed
    }

    #[test]
    fn opening_survives_every_fault() {
        let (key, text) = (key(), text());
        all_faults(&sealed(&text), &|out| out == text, |source, target| {
            let input = Input::Path(source.to_owned());
            crate::open(input, Output::Path(target.to_owned()), &Unlock::Bare(&key), &options()).map(|_| ())
        });
    }

    #[test]
    fn sealing_survives_every_fault() {
        let (key, text) = (key(), text());
        let opens_to_text = |sealed: &[u8]| {
            let mut opened = Vec::new();
            let output = Output::writer(&mut opened);
            crate::open(Input::reader(sealed), output, &Unlock::Bare(&key), &options()).is_ok()
                && opened == text
        };
        all_faults(&text, &opens_to_text, |source, target| {
            let output = Output::Path(target.to_owned());
            crate::seal(Input::Path(source.to_owned()), output, &Lock::Bare(&key), &options()).map(|_| ())
        });
    }

    /// A reader or writer of a stream that fails, is short or is interrupted at a chosen byte.
    struct Faulty<'a> {
        data: &'a mut Vec<u8>,
        at: usize,
        left: usize,
        kind: Option<std::io::ErrorKind>,
    }

    impl Faulty<'_> {
        /// How many bytes may move before the fault.
        fn allow(&mut self, wanted: usize) -> std::io::Result<usize> {
            if self.left == 0 {
                self.left = usize::MAX;
                return match self.kind {
                    Some(kind) => {
                        if kind != std::io::ErrorKind::Interrupted {
                            self.left = 0;
                        }
                        Err(kind.into())
                    }
                    None => Ok(wanted.min(1)),
                };
            }
            let bytes = wanted.min(self.left);
            self.left -= bytes;
            Ok(bytes)
        }
    }

    impl std::io::Read for Faulty<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let bytes = self.allow(out.len().min(self.data.len() - self.at))?;
            out[..bytes].copy_from_slice(&self.data[self.at..self.at + bytes]);
            self.at += bytes;
            Ok(bytes)
        }
    }

    impl std::io::Write for Faulty<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let taken = self.allow(bytes.len())?;
            self.data.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Faults in streams, by several threads: a clean result or an error, and always a verified prefix.
    #[test]
    fn streams_survive_every_fault() {
        use std::io::ErrorKind::{BrokenPipe, Interrupted, StorageFull};
        let (key, text) = (key(), text());
        let whole = sealed(&text);
        let places = (0..whole.len() + SEALED_CHUNK_BYTES).step_by(SEALED_CHUNK_BYTES / 2 - 3);
        for place in places {
            for kind in [None, Some(Interrupted), Some(StorageFull), Some(BrokenPipe)] {
                for (threads, fails_reading) in [(1, false), (3, false), (3, true)] {
                    let options = Options { threads, ..options() };
                    let (mut input, mut output) = (whole.clone(), Vec::new());
                    let faulty = |data, here: bool| Faulty {
                        data,
                        at: 0,
                        left: if here { place } else { usize::MAX },
                        kind,
                    };
                    let reader = faulty(&mut input, fails_reading);
                    let writer = faulty(&mut output, !fails_reading);
                    let result = crate::open(
                        Input::reader(reader),
                        Output::writer(writer),
                        &Unlock::Bare(&key),
                        &options,
                    );
                    assert!(text.starts_with(&output), "unauthenticated output");
                    match (result, kind) {
                        (Ok(_), _) => assert!(output == text),
                        (Err(Error::Io { source, .. }), Some(kind)) => assert_eq!(source.kind(), kind),
                        (Err(error), _) => panic!("byte {place}, {kind:?}: {error}"),
                    }
                }
            }
        }
    }
}

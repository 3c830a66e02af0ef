//! Many files: which there are, what each becomes, and working through them on all cores.

use crate::error::Error;
use crate::input::is_dash;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use walkdir::WalkDir;

/// What sealed files are called.
pub(crate) const SUFFIX: &str = ".rndl";

/// One file to work on.
#[derive(Debug)]
pub(crate) struct Task {
    /// The file; standard input for none.
    pub(crate) input: Option<PathBuf>,
    /// The file; standard output for none.
    pub(crate) output: Option<PathBuf>,
    /// The input's length; none if it is not a regular file.
    bytes: Option<u64>,
}

impl Task {
    /// The input's name, for messages.
    pub(crate) fn name(&self) -> String {
        self.input.as_ref().map_or("standard input".to_owned(), |path| path.display().to_string())
    }
}

/// What becomes of the files' names.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Naming {
    /// `.rndl` is appended.
    Seal,
    /// `.rndl` is removed; what has none is left out of folders.
    Open,
    /// Nothing is written; what has no `.rndl` is left out of folders.
    Check,
}

/// Everything that is to be done.
#[derive(Debug)]
pub(crate) struct Tasks {
    pub(crate) tasks: Vec<Task>,
    /// Whether several were asked for: then failures do not stop the others.
    pub(crate) several: bool,
    /// Files and links in folders that were left out.
    pub(crate) skipped: usize,
}

impl Tasks {
    /// The bytes of all inputs, if known.
    pub(crate) fn total(&self) -> Option<u64> {
        self.tasks.iter().map(|task| task.bytes).sum()
    }
}

/// Which files there are and where each goes. Folders for the outputs are made.
///
/// One file goes to `output` (standard output for none). Several files, and folders, go into the folder `output`, a folder with its name
/// and its tree.
pub(crate) fn plan(inputs: &[PathBuf], output: Option<&Path>, naming: Naming) -> Result<Tasks, Error> {
    let is_folder = |path: &Path| !is_dash(path) && path.is_dir();
    let several = inputs.len() > 1 || inputs.iter().any(|path| is_folder(path));
    if several && naming != Naming::Check {
        match output {
            None => {
                return Err(Error::Usage("several files need a folder to go to: name it with -o".to_owned()));
            }
            Some(path) if is_dash(path) || path.exists() && !path.is_dir() => {
                return Err(Error::Usage(format!(
                    "several files need a folder to go to: {} is none",
                    path.display()
                )));
            }
            Some(_) => {}
        }
    }
    let mut tasks = Tasks { tasks: Vec::new(), several, skipped: 0 };
    let into_folder = several || output.is_some_and(is_folder);
    for input in inputs {
        match output {
            _ if is_folder(input) => add_tree(&mut tasks, input, output, naming)?,
            Some(folder) if into_folder && naming != Naming::Check => {
                if is_dash(input) {
                    return Err(Error::Usage("standard input has no name to get in a folder".to_owned()));
                }
                let name = naming.rename(input.file_name().unwrap_or_default()).ok_or_else(|| {
                    Error::Usage(format!(
                        "{} does not end in {SUFFIX}: name its output with -o",
                        input.display()
                    ))
                })?;
                tasks.add(input, Some(folder.join(name)));
            }
            _ => tasks.add(input, output.filter(|path| !is_dash(path)).map(Path::to_owned)),
        }
    }
    if inputs.is_empty() {
        let output = output.filter(|path| !is_dash(path)).map(Path::to_owned);
        tasks.tasks.push(Task { input: None, output, bytes: None });
    }
    if tasks.tasks.is_empty() {
        return Err(Error::NoFiles(if naming == Naming::Seal { "" } else { " that ends in .rndl" }));
    }
    let mut outputs = HashSet::new();
    for output in tasks.tasks.iter().filter_map(|task| task.output.as_ref()) {
        if !outputs.insert(output) {
            return Err(Error::Usage(format!("two inputs would both become {}", output.display())));
        }
        if let Some(folder) = output.parent().filter(|_| into_folder) {
            std::fs::create_dir_all(folder).map_err(|error| Error::file("create", folder, error))?;
        }
    }
    Ok(tasks)
}

/// The files of a folder, sorted. Links are not followed; the folder of the outputs is left out.
fn add_tree(tasks: &mut Tasks, root: &Path, output: Option<&Path>, naming: Naming) -> Result<(), Error> {
    let outputs = output.and_then(|path| path.canonicalize().ok());
    let walk = WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(|entry| {
        !(entry.depth() > 0
            && entry.file_type().is_dir()
            && outputs.is_some()
            && entry.path().canonicalize().ok() == outputs)
    });
    // `photos` keeps its name in the output; `.` and `..` have none.
    let target = output.map(|folder| folder.join(root.file_name().unwrap_or_default()));
    for entry in walk {
        let entry = entry.map_err(|error| Error::Other(error.to_string()))?;
        if entry.file_type().is_dir() {
            continue;
        }
        let name = naming.rename(entry.file_name());
        let (Some(name), true) = (name, entry.file_type().is_file()) else {
            tasks.skipped += 1;
            continue;
        };
        let within = entry.path().strip_prefix(root).expect("the walk stays below its root");
        let target = target.as_ref().filter(|_| naming != Naming::Check);
        tasks.add(entry.path(), target.map(|folder| folder.join(within).with_file_name(name)));
    }
    Ok(())
}

impl Tasks {
    fn add(&mut self, input: &Path, output: Option<PathBuf>) {
        let input = Some(input.to_owned()).filter(|path| !is_dash(path));
        let facts = input.as_ref().and_then(|path| path.metadata().ok());
        let bytes = facts.filter(|facts| facts.is_file()).map(|facts| facts.len());
        self.tasks.push(Task { input, output, bytes });
    }
}

impl Naming {
    fn rename(self, name: &OsStr) -> Option<OsString> {
        if self == Naming::Seal {
            let mut name = name.to_owned();
            name.push(SUFFIX);
            return Some(name);
        }
        let stem = name.as_encoded_bytes().strip_suffix(SUFFIX.as_bytes())?;
        // What is before a whole ASCII suffix is a name again; names that are not UTF-8 keep their bytes.
        let stem = std::os::unix::ffi::OsStrExt::from_bytes(stem);
        Some(OsStr::to_owned(stem)).filter(|stem: &OsString| !stem.is_empty())
    }
}

/// Files below this are worked on side by side, one thread each; larger ones one after the other, with all threads.
const SMALL_BYTES: u64 = 4 << 20;

/// Works on all files; the results are in their order. `work` gets the number of threads for its file.
pub(crate) fn run<R: Send>(
    tasks: &[Task],
    threads: usize,
    work: impl Fn(&Task, usize) -> R + Sync,
) -> Vec<R> {
    let (small, large): (Vec<_>, Vec<_>) = tasks
        .iter()
        .enumerate()
        .partition(|(_, task)| tasks.len() > 1 && task.bytes.is_some_and(|bytes| bytes < SMALL_BYTES));
    let results = Mutex::new(Vec::with_capacity(tasks.len()));
    let keep = |index: usize, result: R| {
        results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
    };
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let take_all = || {
            while let Some(&(index, task)) = small.get(next.fetch_add(1, Ordering::Relaxed)) {
                keep(index, work(task, 1));
            }
        };
        for _ in 1..threads.min(small.len()) {
            scope.spawn(take_all);
        }
        take_all();
    });
    for (index, task) in large {
        keep(index, work(task, threads));
    }
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

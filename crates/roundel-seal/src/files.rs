//! Output files that are either whole under their name or not there.
//!
//! Where the file system gives files without a name (`O_TMPFILE`), the output has none until it is complete: even `kill -9` leaves nothing.
//! Elsewhere it is `.roundel-PID-RANDOM.tmp` in the target's folder, locked while its writer lives; failures remove it, and the next run
//! that writes to the folder removes those whose writer died.

use crate::{Error, Result, io};
use rustix::fs::{AtFlags, FlockOperation, OFlags};
use rustix::io::Errno;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const PREFIX: &str = ".roundel-";
const SUFFIX: &str = ".tmp";

/// Temporaries of this process that have a name, for [`remove_temporaries`].
static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Folders that were swept by this process.
static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Removes the temporary files of all operations in progress: the last thing to do before the process ends on a signal.
///
/// It takes a lock and calls the file system, so it must run on an ordinary thread (one that waits for signals), not inside a signal
/// handler. Operations in progress fail afterwards; targets are untouched.
pub fn remove_temporaries() {
    if let Ok(mut named) = NAMED.lock() {
        for path in named.drain(..) {
            let _ = fs::remove_file(path);
        }
    }
}

/// An output that has a path: made by [`Target::create`].
pub enum Target {
    /// A regular file, not yet under its name.
    File(Temporary),
    /// A device or a pipe that has a name.
    Stream(File),
}

/// A regular file in the making. Dropped without [`commit`](Temporary::commit), it vanishes.
pub struct Temporary {
    /// What is written.
    pub file: File,
    target: PathBuf,
    /// Its name; none where it has none yet.
    named: Option<PathBuf>,
    replace: bool,
}

impl Target {
    /// Prepares to write `path`. `mode` is the new file's, less the process's mask; a file that is replaced keeps its own.
    pub fn create(path: &Path, mode: u32, replace: bool) -> Result<Target> {
        let place = || path.display().to_string();
        let failed = |error| Error::io("create", &place(), error);
        match fs::metadata(path) {
            Ok(old) if old.is_dir() => Err(failed(Errno::ISDIR.into())),
            Ok(old) if !old.is_file() => {
                Ok(Target::Stream(OpenOptions::new().write(true).open(path).map_err(failed)?))
            }
            Ok(_) if !replace => Err(Error::Exists(place())),
            Ok(old) => {
                let target = fs::canonicalize(path).map_err(failed)?;
                let temporary = Temporary::create(target, mode, true).map_err(failed)?;
                let permissions = fs::Permissions::from_mode(old.permissions().mode() & 0o777);
                temporary.file.set_permissions(permissions).map_err(failed)?;
                Ok(Target::File(temporary))
            }
            Err(_) if !replace && path.symlink_metadata().is_ok() => Err(Error::Exists(place())),
            Err(_) => Ok(Target::File(Temporary::create(path.to_owned(), mode, replace).map_err(failed)?)),
        }
    }
}

impl Temporary {
    fn create(target: PathBuf, mode: u32, replace: bool) -> std::io::Result<Temporary> {
        let folder = folder_of(&target);
        sweep(&folder);
        if let Some(file) = create_hidden(&folder, mode)? {
            return Ok(Temporary { file, target, named: None, replace });
        }
        let (file, path) = create_named(&folder, mode)?;
        Ok(Temporary { file, target, named: Some(path), replace })
    }

    /// Reserves room for a file of this length: a full disk is known before any work, and writers do not wait for each other.
    pub fn allocate(&self, bytes: u64) -> Result<()> {
        let place = self.target.display().to_string();
        io::allocate(&self.file, bytes).map_err(|error| Error::io("reserve room for", &place, error))
    }

    /// Gives the file its name; with `sync`, only after its bytes are on the disk, and then the folder's entry too.
    /// Returns the time that syncing took.
    pub fn commit(mut self, sync: bool) -> Result<Duration> {
        let place = self.target.display().to_string();
        let failed = |action| move |error: std::io::Error| (action, error);
        let syncing = Instant::now();
        let outcome = (|| {
            if sync {
                io::sync(&self.file).map_err(failed("sync"))?;
            }
            let mut waited = syncing.elapsed();
            self.give_name().map_err(|errno| ("create", errno.into()))?;
            if sync {
                let syncing = Instant::now();
                let folder = File::open(folder_of(&self.target)).map_err(failed("sync the folder of"))?;
                // Some file systems do not let folders be synced, and need no sync there.
                match io::sync(&folder) {
                    Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {}
                    result => result.map_err(failed("sync the folder of"))?,
                }
                waited += syncing.elapsed();
            }
            Ok(if sync { waited } else { Duration::ZERO })
        })();
        outcome.map_err(|(action, error): (&'static str, std::io::Error)| {
            if !self.replace && error.kind() == std::io::ErrorKind::AlreadyExists {
                Error::Exists(place)
            } else {
                Error::Io { action, place, source: error }
            }
        })
    }

    fn give_name(&mut self) -> rustix::io::Result<()> {
        if self.named.is_none() {
            let from = hidden_path(&self.file);
            match io::link(&from, &self.target, AtFlags::SYMLINK_FOLLOW) {
                Err(Errno::EXIST) if self.replace => {
                    let path = new_name(&folder_of(&self.target));
                    register(&path);
                    self.named = Some(path.clone());
                    io::link(&from, &path, AtFlags::SYMLINK_FOLLOW)?;
                }
                result => return result,
            }
        }
        let path = self.named.clone().expect("named above if it was not before");
        if self.replace {
            io::rename(&path, &self.target)?;
        } else {
            rename_to_new(&path, &self.target)?;
        }
        unregister(&path);
        self.named = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = self.named.take() {
            let _ = fs::remove_file(&path);
            unregister(&path);
        }
    }
}

/// Renames unless the new name exists: in one step where the kernel and file system can, else by a link, else by looking first.
fn rename_to_new(from: &Path, to: &Path) -> rustix::io::Result<()> {
    match io::rename_new(from, to) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        result => return result,
    }
    match io::link(from, to, AtFlags::empty()) {
        Ok(()) => {
            let _ = fs::remove_file(from);
            Ok(())
        }
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) if to.symlink_metadata().is_err() => {
            io::rename(from, to)
        }
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => Err(Errno::EXIST),
        result => result,
    }
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A file without a name, if this file system has such and `/proc` can name it later.
fn create_hidden(folder: &Path, mode: u32) -> std::io::Result<Option<File>> {
    #[cfg(test)]
    if crate::faults::no_hidden_files() {
        return Ok(None);
    }
    let flags = OFlags::TMPFILE.bits() as i32;
    match OpenOptions::new().read(true).write(true).custom_flags(flags).mode(mode).open(folder) {
        Ok(file) if hidden_path(&file).exists() => Ok(Some(file)),
        Ok(_) => Ok(None),
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOSYS | Errno::INVAL) => Ok(None),
            _ => Err(error),
        },
    }
}

fn hidden_path(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

fn create_named(folder: &Path, mode: u32) -> std::io::Result<(File, PathBuf)> {
    #[cfg(test)]
    crate::faults::strike("create")?;
    let path = new_name(folder);
    register(&path);
    let made = OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&path);
    match made {
        Ok(file) => {
            // Where locks do not work, the number of the process in the name protects it alone.
            let _ = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
            Ok((file, path))
        }
        Err(error) => {
            unregister(&path);
            Err(error)
        }
    }
}

fn new_name(folder: &Path) -> PathBuf {
    let mut random = [0; 8];
    // A name need not be secret: it is created only if it is new.
    let _ = getrandom::fill(&mut random);
    let pid = std::process::id();
    folder.join(format!("{PREFIX}{pid}-{:016x}{SUFFIX}", u64::from_ne_bytes(random)))
}

fn register(path: &Path) {
    NAMED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(path.to_owned());
}

fn unregister(path: &Path) {
    NAMED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).retain(|known| known != path);
}

/// Removes from a folder, once in each process, the temporaries whose writers are dead: no process has their number, and nobody holds
/// their lock (which matters when machines share the folder).
fn sweep(folder: &Path) {
    let Ok(key) = fs::canonicalize(folder) else { return };
    let mut swept = SWEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !swept.get_or_insert_default().insert(key) {
        return;
    }
    drop(swept);
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if let Some(pid) = writer_of(&entry.file_name().to_string_lossy())
            && rustix::process::test_kill_process(pid) == Err(Errno::SRCH)
            && let Ok(file) = File::open(entry.path())
            && rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that made a temporary of this name.
fn writer_of(name: &str) -> Option<rustix::process::Pid> {
    let (pid, random) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
    let random_ok = random.len() == 16 && random.bytes().all(|digit| digit.is_ascii_hexdigit());
    rustix::process::Pid::from_raw(pid.parse().ok().filter(|_| random_ok)?)
}

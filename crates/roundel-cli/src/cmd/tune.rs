//! `roundel tune`: measures what the planner needs to know of this machine, and keeps it.

use super::bench::{Watch, command_line};
use crate::args::Global;
use crate::error::Error;
use crate::output;
use roundel::plan::{Constraints, estimates, install};
use roundel::simd::{self, Level};
use roundel::{CIPHERS, Cipher, Policy};
use roundel_lab::bench::Observer;
use roundel_lab::date;
use roundel_lab::machine::Machine;
use roundel_lab::tune::{self, SealRun, Tuned, store};
use roundel_seal::{Input, Lock, Output, Suite, keys};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Options of `roundel tune`. Without any: all ciphers, in under a minute, kept where `plan`, `seal` and the others look.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Measure nothing anew: compare the stored profile's plans with the best, and its predictions with what is measured.
    #[arg(long)]
    check: bool,
    /// With --check: only these ciphers.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "check")]
    cipher: Vec<String>,
    /// With --check: the longest message, as 64M or 4G; it is held in memory.
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = crate::args::bytes, requires = "check")]
    longest: u64,
    /// With --check: only strategies whose timing does not depend on secrets.
    #[arg(long, requires = "check")]
    constant_time: bool,
    /// With --check: print the results as JSON.
    #[arg(long, requires = "check")]
    json: bool,
    /// Keep it here [default: ROUNDEL_PROFILE, else roundel/profile in the user's cache directory].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the table of built-in estimates instead: for roundel's own source.
    #[arg(long, value_name = "FILE", hide = true, conflicts_with_all = ["check", "output"])]
    estimates: Option<PathBuf>,
}

/// Measuring the strategies takes so long on a quiet machine; the rest some seconds.
const BUDGET: Duration = Duration::from_secs(45);

/// What GCM adds at a lower level is found on one cipher in this time.
const SHORT_BUDGET: Duration = Duration::from_secs(2);

/// Half of a profile would plan badly.
const STOPPED: Error = Error::Interrupted("nothing was kept, and a profile from before is as it was");

/// `roundel tune`.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    if cfg!(debug_assertions) {
        global.note("this is a debug build: its figures mean nothing; build with --release");
    }
    if options.check {
        return check(options, global);
    }
    let path = options.output.clone().or_else(store::path).ok_or_else(|| {
        Error::Other("there is no cache directory to keep the profile in: name a file with -o".to_owned())
    })?;
    check_writable(options.estimates.as_ref().unwrap_or(&path))?;
    let watch = Watch::new(global)?;
    let sealing = Sealing::new()?;
    let seal = |bytes, threads| sealing.run(bytes, threads, watch.flag());
    let tuned = measure(CIPHERS, BUDGET, Some(&seal), &watch);
    watch.finish();
    if tuned.interrupted {
        return Err(STOPPED);
    }
    if let Some(path) = &options.estimates {
        return write_estimates(path, &tuned, &watch);
    }
    store::save(&path, &tuned.profile).map_err(|error| Error::file("write", &path, error))?;
    output::print(&summary(&tuned, &path))
}

/// Fails before the measuring what would fail after it.
fn check_writable(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Err(Error::Usage(format!("{} is a folder: name a file with -o", path.display())));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let made = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
    made.map(drop).map_err(|error| Error::file("write", path, error))
}

fn measure(
    ciphers: &[&'static Cipher],
    budget: Duration,
    seal: Option<SealRun<'_>>,
    observer: &dyn Observer,
) -> Tuned {
    let ciphers = ciphers.to_vec();
    let memory_bytes = Constraints::MEMORY_BYTES;
    tune::tune(&tune::Options { ciphers, budget, memory_bytes, seal }, observer)
}

fn summary(tuned: &Tuned, path: &Path) -> String {
    let mut text = format!(
        "{} curves of {} ciphers from {} samples in {:.0} s; kept in {}\n",
        tuned.curves,
        CIPHERS.len(),
        tuned.samples,
        tuned.elapsed.as_secs_f64(),
        path.display()
    );
    let profile = &tuned.profile;
    text += &format!(
        "Lengths that were not fitted are predicted within {:.1} % (median), nine in ten within {:.1} %.\n",
        100.0 * profile.median_error,
        100.0 * profile.most_error,
    );
    let machine = &profile.machine;
    let cores = machine.speed_up.len();
    text += &format!(
        "A thread costs {:.1} us; {cores} cores are {:.2} times as fast as one; memory gives {:.1} GB/s to one and {:.1} GB/s to all.\n",
        machine.thread_start_ns / 1e3,
        machine.speed_up(cores),
        1.0 / machine.memory_byte_ns(1),
        1.0 / machine.memory_byte_ns(cores),
    );
    if let Some(seal) = profile.seal {
        text += &format!(
            "Sealing a file takes {:.2} ms and, beside the cipher, {:.2} ns a byte; two threads are {:.2} times as fast as one.\n",
            seal.file_ns / 1e6,
            seal.byte_ns,
            seal.speed_up
        );
    }
    text
}

fn write_estimates(path: &Path, tuned: &Tuned, watch: &Watch) -> Result<(), Error> {
    let cap = simd::cap();
    let mut lower = Vec::new();
    let serpent = roundel::cipher("serpent")?;
    for level in Level::ALL.into_iter().filter(|level| *level < Level::HIGHEST && level.in_cpu()) {
        simd::set_cap(level);
        let short = measure(&[serpent], SHORT_BUDGET, None, watch);
        if short.interrupted {
            return Err(STOPPED);
        }
        lower.extend(estimates::gcm_of(&short.profile).map(|costs| (level, costs)));
    }
    simd::set_cap(cap);
    let machine = Machine::detect();
    let heading = format!(
        "Made by `roundel tune --estimates FILE` ({}) on {}, level {}.\nLines as in a stored profile; `gcm LEVEL`: what GCM adds to CTR at lower levels, per key, message and block, in ns.",
        machine.build, machine.cpu, machine.level
    );
    let table = estimates::table(&heading, &tuned.profile, &lower);
    std::fs::write(path, table).map_err(|error| Error::file("write", path, error))
}

fn check(options: &Options, global: &Global) -> Result<(), Error> {
    let ciphers: Vec<&'static Cipher> = match options.cipher.as_slice() {
        [] => CIPHERS.to_vec(),
        names => names.iter().map(|name| roundel::cipher(name)).collect::<Result<_, _>>()?,
    };
    let path = options.output.clone().or_else(store::path).unwrap_or_default();
    let profile = match store::load(&path, None) {
        Ok(Some(profile)) => profile,
        Ok(None) => return Err(Error::Other("there is no profile yet: `roundel tune` makes it".to_owned())),
        Err(why) => return Err(Error::Other(why.to_string())),
    };
    let policy = if options.constant_time { Policy::ConstantTime } else { Policy::AnyTiming };
    let watch = Watch::new(global)?;
    let stopped = || {
        watch.finish();
        Error::Interrupted("nothing of a comparison that is not complete is shown")
    };
    install(profile.clone());
    let regret = tune::regret(&ciphers, &profile, policy, &watch).ok_or_else(stopped)?;
    let sealing = Sealing::new()?;
    let seal = |bytes, threads| sealing.run(bytes, threads, watch.flag());
    let aes = roundel::cipher("aes")?;
    let errors = tune::prediction_errors(aes, &profile, policy, options.longest, Some(&seal), &watch)
        .ok_or_else(stopped)?;
    watch.finish();
    if options.json {
        let result = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "date": date::now_utc(),
            "command": command_line(),
            "machine": Machine::detect(),
            "regret": regret,
            "errors": errors,
        });
        return output::print(&format!("{result}\n"));
    }
    let width = output::width();
    output::print(&format!("{}\n{}", tune::regret_table(&regret, width), tune::errors_table(&errors, width)))
}

/// Seals a file of its own in a folder of its own.
struct Sealing {
    folder: tempfile::TempDir,
    recipient: keys::BoxRecipient,
}

impl Sealing {
    fn new() -> Result<Sealing, Error> {
        let folder = tempfile::Builder::new().prefix("roundel-tune").tempdir()?;
        let recipient = keys::recipient(&keys::generate().public).map_err(Error::Seal)?;
        Ok(Sealing { folder, recipient })
    }

    /// From one file in the system's cache to another; nothing waits for a disk.
    fn run(&self, bytes: u64, threads: usize, stop: &AtomicBool) -> Option<f64> {
        let input = self.folder.path().join(format!("{bytes}"));
        if !input.exists() {
            let zeros = vec![0; 1 << 20];
            let mut file = std::fs::File::create(&input).ok()?;
            let mut left = bytes;
            while left > 0 && !stop.load(Ordering::Relaxed) {
                let now = left.min(zeros.len() as u64);
                std::io::Write::write_all(&mut file, &zeros[..now as usize]).ok()?;
                left -= now;
            }
        }
        let output = self.folder.path().join("sealed");
        let lock = Lock::Recipients { to: std::slice::from_ref(&self.recipient), suite: Suite::default() };
        let options = roundel_seal::Options {
            threads,
            sync: false,
            replace: true,
            cancel: Some(stop),
            ..roundel_seal::Options::default()
        };
        let start = Instant::now();
        roundel_seal::seal(Input::Path(input), Output::Path(output), &lock, &options).ok()?;
        Some(start.elapsed().as_nanos() as f64)
    }
}

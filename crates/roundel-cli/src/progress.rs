//! How far a run is: a bar on a terminal, a line a minute in a log, JSON lines, or nothing.

use crate::args::Global;
use indicatif::{BinaryBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// `--progress`.
#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
pub(crate) enum Mode {
    /// A bar if standard error is a terminal, else a line a minute
    #[default]
    Auto,
    /// A line of JSON on standard error, five times a second
    Json,
    /// Nothing
    None,
}

const JSON_EVERY: Duration = Duration::from_millis(200);

/// Counts the bytes of all files of a run. Threads share it.
pub(crate) struct Meter {
    /// The verb.
    what: &'static str,
    display: Display,
    total: Option<u64>,
    done: AtomicU64,
    began: Instant,
    /// When the last line was printed, in milliseconds since the beginning.
    printed_ms: AtomicU64,
}

enum Display {
    Bar(ProgressBar),
    Log(Log),
    Json,
    None,
}

impl Meter {
    /// Of a run of this verb over `total` bytes, if that is known.
    pub(crate) fn new(mode: Mode, global: &Global, what: &'static str, total: Option<u64>) -> Meter {
        let display = match mode {
            Mode::Auto if global.quiet => Display::None,
            Mode::Auto if std::io::stderr().is_terminal() => Display::Bar(bar(total)),
            Mode::Auto => Display::Log(Log::new(global)),
            Mode::Json => Display::Json,
            Mode::None => Display::None,
        };
        Meter {
            what,
            display,
            total,
            done: AtomicU64::new(0),
            began: Instant::now(),
            printed_ms: AtomicU64::new(0),
        }
    }

    /// What to hand to one file's work: it may be called by several threads, in any order.
    pub(crate) fn file(&self) -> impl Fn(roundel_seal::Progress) + Sync + '_ {
        let seen = AtomicU64::new(0);
        move |progress| {
            let before = seen.fetch_max(progress.done, Ordering::Relaxed);
            if progress.done > before {
                self.add(progress.done - before);
            }
        }
    }

    /// Counts bytes that are done; called by any thread.
    pub(crate) fn add(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        match &self.display {
            Display::Bar(bar) => bar.inc(bytes),
            Display::Log(log) => match self.total {
                Some(total) => log.progress(self.what, done as f64 / total.max(1) as f64),
                None => log.line(|minute| format!("{}: {} after {minute} min", self.what, BinaryBytes(done))),
            },
            Display::Json => {
                let now = self.began.elapsed().as_millis() as u64;
                let last = self.printed_ms.load(Ordering::Relaxed);
                let due = now >= last + JSON_EVERY.as_millis() as u64;
                if due
                    && self
                        .printed_ms
                        .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
                        .is_ok()
                {
                    self.print(done);
                }
            }
            Display::None => {}
        }
    }

    fn print(&self, done: u64) {
        let seconds = self.began.elapsed().as_secs_f64();
        eprintln!("{}", serde_json::json!({ "done": done, "total": self.total, "seconds": seconds }));
    }

    /// Prints something without disturbing the bar.
    pub(crate) fn say(&self, text: &str) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(|| eprintln!("{text}")),
            _ => eprintln!("{text}"),
        }
    }

    /// The run is over: the bar goes, the last line comes.
    pub(crate) fn finish(&self) {
        match &self.display {
            Display::Bar(bar) => bar.finish_and_clear(),
            Display::Json => self.print(self.done.load(Ordering::Relaxed)),
            Display::Log(_) | Display::None => {}
        }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
    let template = match total {
        Some(_) => {
            "{bar:30} {percent:>3} %  {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left"
        }
        None => "{spinner} {binary_bytes}, {binary_bytes_per_sec}",
    };
    bar.set_style(ProgressStyle::with_template(template).expect("the template is a constant"));
    bar
}

/// A line a minute where there is no terminal for a bar.
pub(crate) struct Log {
    wanted: bool,
    began: Instant,
    /// The last minute that has its line.
    minute: AtomicU64,
}

impl Log {
    pub(crate) fn new(global: &Global) -> Log {
        let wanted = !global.quiet && !std::io::stderr().is_terminal();
        Log { wanted, began: Instant::now(), minute: AtomicU64::new(0) }
    }

    /// So much of `what` is done, 0 to 1. Any thread may say so.
    pub(crate) fn progress(&self, what: &str, share: f64) {
        self.line(|minute| format!("{what}: {:.0} % after {minute} min", 100.0 * share));
    }

    /// The line of a minute that has none yet.
    fn line(&self, text: impl FnOnce(u64) -> String) {
        if let Some(minute) = self.due() {
            eprintln!("roundel: {}", text(minute));
        }
    }

    /// The minute, if it wants a line and has none.
    fn due(&self) -> Option<u64> {
        let minute = self.began.elapsed().as_secs() / 60;
        (self.wanted && self.minute.fetch_max(minute, Ordering::Relaxed) < minute).then_some(minute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_one_line() {
        let log = |wanted, seconds| Log {
            wanted,
            began: Instant::now() - Duration::from_secs(seconds),
            minute: AtomicU64::new(0),
        };
        assert_eq!((log(true, 50).due(), log(false, 130).due()), (None, None));
        let log = log(true, 130);
        assert_eq!((log.due(), log.due()), (Some(2), None));
    }
}

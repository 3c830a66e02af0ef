//! What `seal`, `open`, `check` and `rescue` share: how a run over files goes, and what it reports.

use crate::args::Global;
use crate::batch::{self, Task, Tasks};
use crate::cmd::profile;
use crate::error::Error;
use crate::input::is_dash;
use crate::output;
use crate::progress::{self, Meter};
use roundel::Policy;
use roundel_seal::{Input, Options, Output, Report};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Options of every verb that reads sealed or unsealed files.
#[derive(Debug, clap::Args)]
pub(crate) struct RunOptions {
    /// Allow strategies whose timing depends on the key
    #[arg(long)]
    allow_timing_leaks: bool,
    /// Print a summary as one JSON object (on standard error if the data goes to standard output)
    #[arg(long)]
    json: bool,
    /// How far it is, on standard error
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto", hide_possible_values = true)]
    progress: progress::Mode,
}

/// Options of every verb that writes files.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputOptions {
    /// Output file, or folder for several files; `-` for standard output
    #[arg(long, short, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Leave flushing to the disk to the system
    #[arg(long)]
    pub(crate) no_sync: bool,
}

impl OutputOptions {
    /// Whether output would go to a terminal that nobody asked for by `-o -`.
    pub(crate) fn is_terminal(&self, tasks: &Tasks) -> bool {
        !self.output.as_ref().is_some_and(|path| is_dash(path))
            && tasks.tasks.iter().any(|task| task.output.is_none())
            && io::stdout().is_terminal()
    }
}

/// Everything about a run but the files and the work.
pub(crate) struct Run<'a> {
    /// The verb, and its past tense.
    pub(crate) verb: (&'static str, &'static str),
    pub(crate) global: &'a Global,
    pub(crate) options: &'a RunOptions,
    /// None for a verb that writes nothing.
    pub(crate) output: Option<&'a OutputOptions>,
    pub(crate) allow_unsound: bool,
}

impl Run<'_> {
    /// Works on all files and reports. The only file's error is the run's; of several, the number that failed.
    pub(crate) fn all<T: Outcome>(
        &self,
        tasks: &Tasks,
        work: impl Fn(&Task, &Options<'_>) -> Result<T, Error> + Sync,
    ) -> Result<(), Error> {
        let Run { global, options, .. } = self;
        if tasks.skipped > 0 {
            global.note(&format!("{} links and other files in folders were left out", tasks.skipped));
        }
        profile::load(global, None);
        let began = Instant::now();
        let meter = Meter::new(options.progress, global, self.verb.0, tasks.total());
        let results = batch::run(&tasks.tasks, global.threads(), |task, threads| {
            let progress = meter.file();
            let result = work(task, &self.seal_options(threads, &progress));
            if let (true, Err(error)) = (tasks.several, &result) {
                meter.say(&format!("roundel: {}: {error}", task.name()));
            }
            result
        });
        meter.finish();
        if options.json {
            self.print_json(tasks, &results)?;
        } else if io::stderr().is_terminal() {
            global.note(&self.summary(&results, began.elapsed()));
        }
        let total = results.len();
        let mut failures = results.into_iter().filter_map(Result::err);
        match failures.next() {
            Some(error) if !tasks.several => Err(error),
            Some(_) => Err(Error::SomeFailed { failed: failures.count() + 1, total }),
            None => Ok(()),
        }
    }

    fn seal_options<'o>(
        &self,
        threads: usize,
        progress: &'o (dyn Fn(roundel_seal::Progress) + Sync),
    ) -> Options<'o> {
        let leaks = self.options.allow_timing_leaks;
        Options {
            threads,
            policy: if leaks { Policy::AnyTiming } else { Policy::ConstantTime },
            allow_unsound: self.allow_unsound,
            sync: self.output.is_some_and(|output| !output.no_sync),
            replace: self.output.is_some_and(|output| output.force),
            progress: Some(progress),
            cancel: None,
        }
    }

    fn summary<T: Outcome>(&self, results: &[Result<T, Error>], elapsed: Duration) -> String {
        let done: Vec<_> = results.iter().flatten().map(Outcome::report).collect();
        let bytes: u64 = done.iter().map(|report| report.text_bytes).sum();
        let seconds = elapsed.as_secs_f64();
        let what = match done[..] {
            [report] if !report.sync.is_zero() => {
                format!("{bytes} bytes, {:.2} s of it waiting for the disk,", report.sync.as_secs_f64())
            }
            [_] => format!("{bytes} bytes"),
            _ => format!("{} files, {bytes} bytes", done.len()),
        };
        format!("{} {what} in {seconds:.2} s ({:.2} GB/s)", self.verb.1, bytes as f64 / seconds / 1e9)
    }

    fn print_json<T: Outcome>(&self, tasks: &Tasks, results: &[Result<T, Error>]) -> Result<(), Error> {
        let files: Vec<Value> = tasks
            .tasks
            .iter()
            .zip(results)
            .map(|(task, result)| {
                let mut file = json!({ "input": task.name() });
                let facts = match result {
                    Ok(outcome) => outcome.facts(),
                    Err(error) => json!({ "error": error.to_string(), "exit_code": error.exit_code() }),
                };
                if let (Value::Object(file), Value::Object(facts)) = (&mut file, facts) {
                    file.extend(facts);
                    if self.output.is_some() {
                        let output = task.output.as_ref().map(|path| path.display().to_string());
                        file.insert("output".to_owned(), json!(output));
                    }
                }
                file
            })
            .collect();
        let object = json!({ "verb": self.verb.0, "files": files });
        let data_on_stdout = self.output.is_some() && tasks.tasks.iter().any(|task| task.output.is_none());
        if data_on_stdout {
            eprintln!("{object}");
            return Ok(());
        }
        output::print(&format!("{object}\n"))
    }
}

/// What the work on a file gives.
pub(crate) trait Outcome: Send {
    fn report(&self) -> &Report;

    /// For `--json`.
    fn facts(&self) -> Value;
}

impl Outcome for Report {
    fn report(&self) -> &Report {
        self
    }

    fn facts(&self) -> Value {
        json!({
            "text_bytes": self.text_bytes,
            "sealed_bytes": self.sealed_bytes,
            "suite": self.suite,
            "strategy": self.strategy,
            "threads": self.threads,
            "seconds": self.elapsed.as_secs_f64(),
            "sync_seconds": self.sync.as_secs_f64(),
        })
    }
}

impl Task {
    /// Its input for the library.
    pub(crate) fn source(&self) -> Input<'static> {
        self.input.clone().map_or(Input::Stdin, Input::Path)
    }

    /// Its output for the library.
    pub(crate) fn target(&self, only_text: bool) -> Output<'static> {
        match &self.output {
            Some(path) => Output::Path(path.clone()),
            None if only_text => Output::writer(OnlyText(io::stdout())),
            None => Output::Stdout,
        }
    }
}

/// A terminal that refuses what would garble it.
struct OnlyText(io::Stdout);

impl Write for OnlyText {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if data.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
            return Err(io::Error::other(
                "this would write binary data to the terminal: name a file with -o, or insist with -o -",
            ));
        }
        self.0.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

//! `roundel rescue`: writes what verifies of a damaged file and says what is missing.

use crate::args::Global;
use crate::batch::{self, Naming};
use crate::error::Error;
use crate::keys::UnlockOptions;
use crate::run::{Outcome, OutputOptions, Run, RunOptions};
use roundel_seal::{Report, Rescued};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Mutex;

/// Options of `rescue`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    run: RunOptions,
    /// The damaged file
    input: PathBuf,
}

/// Rescues one file. What is not whole is an error, after everything that verifies was written.
pub(crate) fn run(options: Options, global: &Global) -> Result<(), Error> {
    let inputs = [options.input];
    let tasks = batch::plan(&inputs, options.output.output.as_deref(), Naming::Open)?;
    if tasks.several {
        return Err(Error::Usage("rescue takes one file at a time".to_owned()));
    }
    let only_text = options.output.is_terminal(&tasks);
    let unlocks = options.unlock.read(&inputs)?;
    let run = Run {
        verb: ("rescue", "rescued"),
        global,
        options: &options.run,
        output: Some(&options.output),
        allow_unsound: true,
    };
    let damage = Mutex::new(None);
    run.all(&tasks, |task, options| {
        let rescued = unlocks.with(|unlock| {
            Ok(roundel_seal::rescue(task.source(), task.target(only_text), unlock, options)?)
        })?;
        *damage.lock().expect("no holder panics: storing cannot") = describe(&rescued);
        Ok(rescued)
    })?;
    damage.into_inner().expect("no holder panics: storing cannot").map_or(Ok(()), Err)
}

/// What is wrong with the file; none if it is whole.
fn describe(rescued: &Rescued) -> Option<Error> {
    if rescued.is_whole() {
        return None;
    }
    let mut wrong = Vec::new();
    if rescued.header_damaged {
        wrong.push("the header is damaged".to_owned());
    }
    if !rescued.missing.is_empty() {
        let ranges: Vec<_> =
            rescued.missing.iter().map(|range| format!("{} to {}", range.start, range.end - 1)).collect();
        wrong.push(format!("bytes {} are missing", ranges.join(", ")));
    }
    if rescued.truncated {
        wrong.push("the end is cut off".to_owned());
    }
    if rescued.trailing {
        wrong.push("foreign bytes follow the end".to_owned());
    }
    let message =
        format!("rescued {} of {} bytes: {}", rescued.report.text_bytes, rescued.len, wrong.join(", "));
    Some(if rescued.truncated { Error::Truncated(message) } else { Error::Damaged(message) })
}

impl Outcome for Rescued {
    fn report(&self) -> &Report {
        &self.report
    }

    fn facts(&self) -> Value {
        let mut facts = self.report.facts();
        facts["len"] = json!(self.len);
        facts["missing"] =
            self.missing.iter().map(|range| json!({ "start": range.start, "end": range.end })).collect();
        facts["truncated"] = json!(self.truncated);
        facts["trailing"] = json!(self.trailing);
        facts["header_damaged"] = json!(self.header_damaged);
        facts
    }
}

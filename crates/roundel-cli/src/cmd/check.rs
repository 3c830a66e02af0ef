//! `roundel check`: verifies sealed files without writing anything.

use crate::args::Global;
use crate::batch::{self, Naming};
use crate::error::Error;
use crate::keys::UnlockOptions;
use crate::run::{Run, RunOptions};
use std::path::PathBuf;

/// Options of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    unlock: UnlockOptions,
    #[command(flatten)]
    run: RunOptions,
    /// Sealed files, and folders of them [default: standard input]
    inputs: Vec<PathBuf>,
}

/// Checks every input.
pub(crate) fn run(options: Options, global: &Global) -> Result<(), Error> {
    let tasks = batch::plan(&options.inputs, None, Naming::Check)?;
    let unlocks = options.unlock.read(&options.inputs)?;
    let run =
        Run { verb: ("check", "checked"), global, options: &options.run, output: None, allow_unsound: true };
    run.all(&tasks, |task, options| {
        unlocks.with(|unlock| Ok(roundel_seal::check(task.source(), unlock, options)?))
    })
}

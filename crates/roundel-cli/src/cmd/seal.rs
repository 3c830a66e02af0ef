//! `roundel seal`: authenticated encryption of files and streams.

use crate::args::Global;
use crate::batch::{self, Naming};
use crate::error::Error;
use crate::keys::LockOptions;
use crate::output;
use crate::run::{OutputOptions, Run, RunOptions};
use std::path::PathBuf;

/// Options of `seal`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    lock: LockOptions,
    /// Seal even with a cipher that is broken or unreviewed
    #[arg(long)]
    allow_broken: bool,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    run: RunOptions,
    /// Files and folders [default: standard input]
    inputs: Vec<PathBuf>,
}

/// Seals every input.
pub(crate) fn run(options: Options, global: &Global) -> Result<(), Error> {
    let tasks = batch::plan(&options.inputs, options.output.output.as_deref(), Naming::Seal)?;
    if options.output.is_terminal(&tasks) {
        return Err(output::binary_to_terminal());
    }
    let locks = options.lock.read()?;
    let run = Run {
        verb: ("seal", "sealed"),
        global,
        options: &options.run,
        output: Some(&options.output),
        allow_unsound: options.allow_broken,
    };
    run.all(&tasks, |task, options| {
        locks.with(|lock| Ok(roundel_seal::seal(task.source(), task.target(false), lock, options)?))
    })
}

//! `roundel open`: the way back from `seal`.

use crate::args::Global;
use crate::batch::{self, Naming};
use crate::error::Error;
use crate::keys::UnlockOptions;
use crate::run::{OutputOptions, Run, RunOptions};
use std::path::PathBuf;

/// Options of `open`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    unlock: UnlockOptions,
    /// Only LEN bytes from byte START on (`START:` for all to the end); reads only what it needs
    #[arg(long, value_name = "START:LEN", value_parser = range)]
    range: Option<Range>,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    run: RunOptions,
    /// Sealed files, and folders of them [default: standard input]
    inputs: Vec<PathBuf>,
}

/// `--range`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) len: Option<u64>,
}

/// Reads START:LEN or START:.
pub(super) fn range(text: &str) -> Result<Range, String> {
    let parse = |number: &str| number.parse().map_err(|_| format!("'{number}' is no number of bytes"));
    let (start, len) = text.split_once(':').ok_or("expected START:LEN or START:")?;
    Ok(Range { start: parse(start)?, len: if len.is_empty() { None } else { Some(parse(len)?) } })
}

/// Opens every input.
pub(crate) fn run(options: Options, global: &Global) -> Result<(), Error> {
    let tasks = batch::plan(&options.inputs, options.output.output.as_deref(), Naming::Open)?;
    let only_text = options.output.is_terminal(&tasks);
    let unlocks = options.unlock.read(&options.inputs)?;
    let run = Run {
        verb: ("open", "opened"),
        global,
        options: &options.run,
        output: Some(&options.output),
        allow_unsound: true,
    };
    run.all(&tasks, |task, seal_options| {
        unlocks.with(|unlock| {
            let (source, target) = (task.source(), task.target(only_text));
            let report = match options.range {
                Some(Range { start, len }) => {
                    roundel_seal::open_range(source, target, start, len, unlock, seal_options)
                }
                None => roundel_seal::open(source, target, unlock, seal_options),
            };
            Ok(report?)
        })
    })
}

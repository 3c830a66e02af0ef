//! `roundel study`: published tables beside the figures of this machine.

use super::bench::command_line;
use super::verify::{BAR_STEPS, progress_bar};
use crate::args::Global;
use crate::error::Error;
use crate::output;
use crate::progress::Log;
use roundel_lab::report::plain;
use roundel_lab::studies::{self, STUDIES};

/// Options of `roundel study`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The study; without it, they are listed.
    name: Option<String>,
    /// A short run: results are proved at fewer points, and times are scaled.
    #[arg(long)]
    quick: bool,
    /// Only these of its ciphers.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    cipher: Vec<String>,
    /// Print the result as JSON.
    #[arg(long, conflicts_with = "markdown", requires = "name")]
    json: bool,
    /// Print the result as a Markdown document.
    #[arg(long, requires = "name")]
    markdown: bool,
}

/// `roundel study`.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    let Some(name) = &options.name else { return output::print(&list()) };
    let study = studies::study(name)
        .ok_or_else(|| Error::Usage(format!("there is no study '{name}': `roundel study` lists them")))?;
    if cfg!(debug_assertions) {
        global.note("this is a debug build: its figures mean nothing; build with --release");
    }
    // The planner's predictions are part of some studies.
    super::profile::load(global, None);
    let bar = progress_bar(global);
    let log = Log::new(global);
    let outcome = (study.run)(&studies::Options {
        ciphers: options.cipher.iter().map(|name| roundel::cipher(name)).collect::<Result<_, _>>()?,
        quick: options.quick,
        threads: global.threads(),
        command: command_line(),
        progress: &|share| {
            bar.set_position((share * BAR_STEPS as f64) as u64);
            log.progress(study.name, share);
        },
    });
    bar.finish_and_clear();
    let outcome = outcome.map_err(|error| Error::Usage(error.to_string()))?;
    output::print(&match (options.json, options.markdown) {
        (true, _) => outcome.json.clone(),
        (_, true) => outcome.markdown(),
        _ => outcome.terminal(output::width()),
    })?;
    match outcome.failed {
        0 => Ok(()),
        failed => Err(Error::Other(format!(
            "{failed} results disagree with their vectors: `roundel verify` shows where else"
        ))),
    }
}

fn list() -> String {
    let rows: Vec<_> =
        STUDIES.iter().map(|study| vec![study.name.to_owned(), study.summary.to_owned()]).collect();
    plain::table(&["study", "what it reproduces"], &rows, &[], output::width()) + "\n"
}

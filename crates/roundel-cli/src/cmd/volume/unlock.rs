//! `roundel volume unlock`: the plaintext of a BitLocker volume, whole or not at all.

use super::OpenOptions;
use crate::args::Global;
use crate::cmd::open::{Range, range};
use crate::error::Error;
use crate::input::is_dash;
use crate::output::{self, Output, Target};
use crate::progress::{self, Meter};
use crate::run::OutputOptions;
use roundel_volume::{Sink, copy};
use serde_json::json;
use std::fs::{self, File, Metadata};
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::time::Instant;

/// Options of `volume unlock`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    open: OpenOptions,
    /// Only LEN bytes from byte START on (`START:` for all to the end)
    #[arg(long, value_name = "START:LEN", value_parser = range)]
    range: Option<Range>,
    #[command(flatten)]
    output: OutputOptions,
    /// Print a summary as one JSON object (on standard error if the data goes to standard output)
    #[arg(long)]
    json: bool,
    /// How far it is, on standard error
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto", hide_possible_values = true)]
    progress: progress::Mode,
}

/// Opens the volume and writes it out.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    let target = Target { path: options.output.output.as_deref(), force: options.output.force };
    target.check(true)?;
    refuse_source(options, target)?;
    let volume = options.open.unlock(global)?;
    let range = match options.range {
        Some(Range { start, len }) => volume.range(start, len)?,
        None => volume.range(0, None)?,
    };
    let bytes = range.end - range.start;
    let began = Instant::now();
    let meter = Meter::new(options.progress, global, "unlock", Some(bytes));
    let copy_to = |sink: Sink<'_>| copy(&volume, range, sink, global.threads(), &|done| meter.add(done));
    let mut output = Output::create(target)?;
    let copied = match &mut output {
        Output::Stream(stream) => copy_to(Sink::Stream(stream)).map_err(Error::from),
        Output::File(temporary) => temporary
            .allocate(bytes)
            .map_err(Error::from)
            .and_then(|()| Ok(copy_to(Sink::File(&temporary.file))?)),
    };
    meter.finish();
    copied?;
    let to_file = matches!(output, Output::File(_));
    output.finish(!options.output.no_sync)?;
    let seconds = began.elapsed().as_secs_f64();
    if options.json {
        let object = json!({ "verb": "volume unlock", "bytes": bytes, "seconds": seconds });
        if !to_file {
            eprintln!("{object}");
            return Ok(());
        }
        return output::print(&format!("{object}\n"));
    }
    if std::io::stderr().is_terminal() {
        global.note(&format!(
            "unlocked {bytes} bytes in {seconds:.2} s ({:.2} GB/s)",
            bytes as f64 / seconds / 1e9
        ));
    }
    Ok(())
}

/// The image is never written to, under whatever name the output is given.
fn refuse_source(options: &Options, target: Target<'_>) -> Result<(), Error> {
    let Ok(source) = fs::metadata(&options.open.image) else { return Ok(()) };
    let output = match target.path.filter(|path| !is_dash(path)) {
        Some(path) => fs::metadata(path),
        None => std::io::stdout().as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata()),
    };
    if output.is_ok_and(|output| is_same(&source, &output)) {
        let sentence = "the output is the volume itself, which is only read: name another file";
        return Err(Error::Usage(sentence.to_owned()));
    }
    Ok(())
}

/// The same file, or two names of the same device.
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    let devices = a.file_type().is_block_device() && b.file_type().is_block_device();
    (a.dev(), a.ino()) == (b.dev(), b.ino()) || devices && a.rdev() == b.rdev()
}

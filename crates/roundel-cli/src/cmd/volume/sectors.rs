//! `roundel volume encrypt` and `roundel volume decrypt`: the sectors of a raw image, to another file or in place.

use crate::args::Global;
use crate::cmd::open::{Range, range};
use crate::cmd::raw::warn;
use crate::cmd::raw_key::KeyOptions;
use crate::error::Error;
use crate::input::{Input, is_dash};
use crate::output::{Output, Target};
use crate::pipeline::Pipeline;
use crate::progress::{self, Meter};
use roundel::modes::{SectorCipher, SectorMode};
use roundel::{Choice, Policy};
use roundel_volume::in_place::{self, Direction, Job, Outcome};
use roundel_volume::{LockedFile, journal_beside};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Options of both directions.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// cbc, xts, elephant-cbc, elephant-ecb; with other numbers of diffuser cycles elephant-cbc-ac2-bc1
    #[arg(long, value_name = "MODE")]
    mode: SectorMode,
    /// Cipher, as `roundel list` shows them
    #[arg(long, value_name = "NAME", default_value = "aes")]
    cipher: String,
    /// Strategy [default: the preferred one whose timing is independent of secrets]
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
    /// Let the default strategy be one whose timing depends on secrets
    #[arg(long)]
    allow_timing_leaks: bool,
    #[command(flatten)]
    key: KeyOptions,
    /// Length of a sector: 512 to 8192
    #[arg(long, value_name = "BYTES", default_value = "512")]
    sector_size: usize,
    /// Number of the image's first sector, counted from the start of its volume
    #[arg(long, value_name = "N", default_value = "0")]
    first_sector: u64,
    /// Only LEN bytes from byte START on (`START:` for all to the end)
    #[arg(long, value_name = "START:LEN", value_parser = range)]
    range: Option<Range>,
    /// Change the image itself; a run that was interrupted, however, goes on when the command is given again
    #[arg(long, requires = "input", conflicts_with_all = ["output", "force"])]
    in_place: bool,
    /// Where --in-place keeps what it needs to go on [default: beside the image]
    #[arg(long, value_name = "FILE", requires = "in_place")]
    journal: Option<PathBuf>,
    /// How much --in-place does between two waits for the disk
    #[arg(long, value_name = "BYTES", default_value_t = in_place::STEP_BYTES, value_parser = step, requires = "in_place")]
    step: u64,
    /// Replace the output if it exists
    #[arg(long, short)]
    force: bool,
    /// How far it is, on standard error
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto", hide_possible_values = true)]
    progress: progress::Mode,
    /// Image: a file or a device [default: standard input]
    input: Option<PathBuf>,
    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A step is in memory as a whole.
const MAX_STEP_BYTES: u64 = 1 << 30;

fn step(text: &str) -> Result<u64, String> {
    let bytes =
        text.parse().ok().filter(|bytes| (8192..=MAX_STEP_BYTES).contains(bytes) && bytes % 8192 == 0);
    bytes.ok_or_else(|| format!("a step is a multiple of 8192, up to {MAX_STEP_BYTES}"))
}

impl Options {
    /// Whether the image itself is changed.
    pub(crate) fn is_in_place(&self) -> bool {
        self.in_place
    }

    fn choice(&self) -> Result<Choice, Error> {
        let cipher = roundel::cipher(&self.cipher)?;
        match &self.strategy {
            Some(name) => Ok(cipher.strategy(name)?),
            None if self.allow_timing_leaks => Ok(cipher.best(Policy::AnyTiming)?),
            None => Ok(cipher.best(Policy::ConstantTime)?),
        }
    }

    fn key(&self, choice: &Choice) -> Result<Zeroizing<Vec<u8>>, Error> {
        let keys = self.mode.keys();
        self.key.read(|bytes| bytes.is_multiple_of(keys) && choice.cipher.keys.accepts(bytes / keys))
    }
}

/// Either direction.
pub(crate) fn run(options: &Options, global: &Global, direction: Direction) -> Result<(), Error> {
    let choice = options.choice()?;
    let key = options.key(&choice)?;
    let cipher = SectorCipher::new(choice, options.mode, &key, options.sector_size)?;
    if direction == Direction::Decrypt {
        cipher.prepare_decrypt();
    }
    let run = Run { options, global, direction, cipher };
    if let (true, Some(image)) = (options.in_place, &options.input) {
        warn(global, choice.cipher, Some(&options.mode.to_string()));
        return run.change(image, in_place::key_check(choice, &key));
    }
    let target = Target { path: options.output.as_deref(), force: options.force };
    target.check(true)?;
    let mut input = Input::open(options.input.as_deref())?;
    warn(global, choice.cipher, Some(&options.mode.to_string()));
    let part = Part::new(options, direction, &mut input)?;
    let mut output = Output::create(target)?;
    let meter = Meter::new(options.progress, global, verb(direction), part.bytes);
    let done = run.convert(&part, &mut input, &mut output, &meter);
    meter.finish();
    done?;
    output.finish(true)
}

/// The name of the verb.
fn verb(direction: Direction) -> &'static str {
    match direction {
        Direction::Encrypt => "encrypt",
        Direction::Decrypt => "decrypt",
    }
}

/// What of the input is worked on, and what of the result is wanted.
struct Part {
    /// Where the first sector begins, in the input.
    start: u64,
    /// Result bytes before the range: it may begin within a sector.
    skip: u64,
    /// Result bytes wanted, if not all to the end.
    len: Option<u64>,
    /// Bytes that will be read, if that is known.
    bytes: Option<u64>,
}

impl Part {
    /// Moves the input to the first sector of the range.
    fn new(options: &Options, direction: Direction, input: &mut Input) -> Result<Part, Error> {
        let Range { start, len } = options.range.unwrap_or(Range { start: 0, len: None });
        let sector_bytes = options.sector_size as u64;
        let skip = start % sector_bytes;
        if direction == Direction::Encrypt && (skip != 0 || !len.unwrap_or(0).is_multiple_of(sector_bytes)) {
            return Err(Error::Usage(format!(
                "a part of a sector cannot be encrypted: give a range of whole sectors of {sector_bytes} bytes"
            )));
        }
        let first = start - skip;
        let total = match input {
            Input::File(file) if file.metadata().is_ok_and(|data| !is_stream(&data)) => {
                let total = file.seek(SeekFrom::End(0))?;
                file.seek(SeekFrom::Start(first))?;
                Some(total)
            }
            _ => {
                io::copy(&mut input.by_ref().take(first), &mut io::sink())?;
                None
            }
        };
        if total.is_some_and(|total| start > total) {
            return Err(Error::Usage(format!(
                "the range begins at byte {start}, but there are only {} bytes",
                total.unwrap_or(0)
            )));
        }
        let wanted = len.map(|len| len.saturating_add(skip));
        let there = total.map(|total| total - first);
        let bytes = [wanted, there].into_iter().flatten().min();
        Ok(Part { start: first, skip, len, bytes })
    }
}

fn is_stream(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = data.file_type();
    kind.is_fifo() || kind.is_socket() || kind.is_char_device()
}

/// About how much a thread takes at once: it stays in a second-level cache, and is whole sectors of every length.
const PIECE_BYTES: usize = 3 << 16;

/// A checked request.
struct Run<'a> {
    options: &'a Options,
    global: &'a Global,
    direction: Direction,
    cipher: SectorCipher,
}

impl Run<'_> {
    /// From a file or a stream to another.
    fn convert(
        &self,
        part: &Part,
        input: &mut Input,
        output: &mut Output,
        meter: &Meter,
    ) -> Result<(), Error> {
        let sector_bytes = self.options.sector_size;
        let first = self.options.first_sector.saturating_add(part.start / sector_bytes as u64);
        let wanted = part.len.map(|len| len.saturating_add(part.skip).next_multiple_of(sector_bytes as u64));
        let mut input = input.take(wanted.unwrap_or(u64::MAX));
        let mut output = Window { output, skip: part.skip, left: part.len.unwrap_or(u64::MAX) };
        let threads = self.global.threads();
        let pipeline = Pipeline { threads, piece_bytes: PIECE_BYTES, preceding: Vec::new() };
        pipeline.run(&mut input, &mut output, |piece| {
            let over = piece.data.len() % sector_bytes;
            if over != 0 {
                let at = part.start + piece.offset + (piece.data.len() - over) as u64;
                return Err(Error::Usage(format!(
                    "the input is not whole sectors of {sector_bytes} bytes: it ends {over} bytes after byte {at}"
                )));
            }
            let number = first.saturating_add(piece.offset / sector_bytes as u64);
            match self.direction {
                Direction::Encrypt => self.cipher.encrypt(number, piece.data)?,
                Direction::Decrypt => self.cipher.decrypt(number, piece.data)?,
            }
            meter.add(piece.data.len() as u64);
            Ok(())
        })
    }

    /// In place.
    fn change(&self, path: &Path, key_check: String) -> Result<(), Error> {
        let Run { options, global, direction, cipher } = self;
        if is_dash(path) {
            return Err(Error::Usage(
                "a stream cannot be changed in place: name a file or a device".to_owned(),
            ));
        }
        let image = LockedFile::image(path)?;
        let bytes = in_place::Disk::bytes(&image)?;
        let Range { start, len } = options.range.unwrap_or(Range { start: 0, len: None });
        let end = len.map_or(bytes, |len| start.saturating_add(len));
        let journal_path = options.journal.clone().or_else(|| journal_beside(path)).ok_or_else(|| {
            Error::Usage(
                "a device has no place beside it that lasts: say with --journal where to keep the journal"
                    .to_owned(),
            )
        })?;
        let journal = LockedFile::journal(&journal_path)?;
        let meter =
            Meter::new(options.progress, global, verb(self.direction), Some(end.saturating_sub(start)));
        let count = meter.file();
        let progress = |done| count(roundel_seal::Progress { done, total: None });
        let outcome = in_place::run(
            &image,
            &journal,
            &Job {
                cipher,
                key_check,
                direction: *direction,
                range: start..end,
                first_sector: options.first_sector,
                step_bytes: options.step,
                threads: global.threads(),
                progress: &progress,
            },
        );
        meter.finish();
        drop_if_empty(&journal_path);
        let (journal, image) = (journal_path.display(), path.display());
        match outcome? {
        Outcome::AlreadyDone => global.note(&format!(
            "this was done before, as {journal} says: {image} was left as it is (remove that file to do it once more)"
        )),
        Outcome::Resumed(from) => global.note(&format!("{image}: went on from byte {from}, and is done")),
        Outcome::Done => {}
    }
        Ok(())
    }
}

/// Lets through `left` bytes after the first `skip`.
struct Window<'a> {
    output: &'a mut Output,
    skip: u64,
    left: u64,
}

impl Write for Window<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let skipped = self.skip.min(data.len() as u64);
        self.skip -= skipped;
        let wanted = (data.len() as u64 - skipped).min(self.left);
        self.output.write_all(&data[skipped as usize..(skipped + wanted) as usize])?;
        self.left -= wanted;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// A refusal before the first step leaves no empty journal behind.
fn drop_if_empty(journal: &Path) {
    if File::open(journal).and_then(|file| file.metadata()).is_ok_and(|data| data.len() == 0) {
        let _ = std::fs::remove_file(journal);
    }
}

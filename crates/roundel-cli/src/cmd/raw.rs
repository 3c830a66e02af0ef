//! `roundel encrypt` and `roundel decrypt`: a cipher in a raw mode, for interoperability and laboratory work.

use super::raw_key::{Bytes, KeyOptions, hex};
use super::{profile, raw_gcm};
use crate::args::{Global, MemoryOptions};
use crate::error::Error;
use crate::input::Input;
use crate::output::{Output, Target};
use crate::pipeline::Pipeline;
use roundel::modes::{Cbc, Ctr, Ecb, Xts};
use roundel::{Choice, Cipher, Kernel, Policy, Standing, plan};
use std::path::PathBuf;
use std::sync::Mutex;
use zeroize::Zeroizing;

/// Options of both directions.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Cipher, as `roundel list` shows them
    #[arg(long, value_name = "NAME", default_value = "aes")]
    cipher: String,
    /// Mode of operation
    #[arg(long, value_enum)]
    mode: Mode,
    /// Strategy [default: the one planned for the input, of those whose timing is independent of secrets]
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
    /// Let the default strategy be one whose timing depends on secrets
    #[arg(long)]
    allow_timing_leaks: bool,
    #[command(flatten)]
    memory: MemoryOptions,
    #[command(flatten)]
    key: KeyOptions,
    /// IV, nonce or first counter block; for XTS the first data unit's number as 16 little-endian bytes
    #[arg(long, value_name = "HEX", value_parser = hex)]
    iv: Option<Bytes>,
    /// GCM: additional data that the tag covers
    #[arg(long, value_name = "HEX", value_parser = hex)]
    pub(super) aad: Option<Bytes>,
    /// GCM decryption: the tag, as `encrypt` prints it on standard error
    #[arg(long, value_name = "HEX", value_parser = hex)]
    pub(super) tag: Option<Bytes>,
    /// XTS: length of a data unit (sector)
    #[arg(long, value_name = "BYTES", default_value = "512", value_parser = data_unit)]
    data_unit: usize,
    /// XTS: number of the first data unit [default: 0]
    #[arg(long, value_name = "N", conflicts_with = "iv")]
    first_unit: Option<u128>,
    /// Replace the output if it exists
    #[arg(long, short)]
    force: bool,
    /// Input file [default: standard input]
    input: Option<PathBuf>,
    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is done with the block cipher.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Mode {
    Ecb,
    Cbc,
    Ctr,
    Xts,
    Gcm,
}

fn data_unit(text: &str) -> Result<usize, String> {
    let bytes = text.parse().ok().filter(|bytes| (16..=MAX_DATA_UNIT).contains(bytes));
    bytes.ok_or_else(|| format!("a data unit has 16 to {MAX_DATA_UNIT} bytes"))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}

impl Direction {
    fn planned(self) -> plan::Direction {
        match self {
            Direction::Encrypt => plan::Direction::Encrypt,
            Direction::Decrypt => plan::Direction::Decrypt,
        }
    }
}

/// `roundel encrypt`.
pub(crate) fn encrypt(options: Options, global: &Global) -> Result<(), Error> {
    run(options, global, Direction::Encrypt)
}

/// `roundel decrypt`.
pub(crate) fn decrypt(options: Options, global: &Global) -> Result<(), Error> {
    run(options, global, Direction::Decrypt)
}

fn run(options: Options, global: &Global, direction: Direction) -> Result<(), Error> {
    options.check_mode()?;
    options.memory.apply();
    let (choice, threads) = options.choice(global, direction)?;
    let key = options.key(&choice)?;
    let job = Job { iv: options.iv(&choice)?, options: &options, direction, threads };
    if options.mode == Mode::Gcm {
        raw_gcm::check(&options, direction)?;
    }
    let mut kernels = Vec::new();
    for part in key.chunks(key.len().max(1) / options.mode.keys()) {
        kernels.push(choice.kernel(part)?);
    }
    let mut input = Input::open(options.input.as_deref())?;
    let target = Target { path: options.output.as_deref(), force: options.force };
    target.check(direction == Direction::Encrypt)?;
    warn(global, choice.cipher, (options.mode != Mode::Gcm).then(|| options.mode.name()));
    if options.mode == Mode::Gcm {
        let kernel = kernels.pop().expect("one key makes one kernel");
        return raw_gcm::run(&options, &job.iv, direction, kernel, &mut input, target);
    }
    let mut output = Output::create(target)?;
    job.run(&kernels, &mut input, &mut output)?;
    output.finish(false)
}

impl Mode {
    /// How many keys of the cipher's it takes, one after the other.
    fn keys(self) -> usize {
        if self == Mode::Xts { 2 } else { 1 }
    }

    fn planned(self) -> plan::Mode {
        match self {
            Mode::Ecb => plan::Mode::Ecb,
            Mode::Cbc => plan::Mode::Cbc,
            Mode::Ctr => plan::Mode::Ctr,
            Mode::Xts => plan::Mode::Xts,
            Mode::Gcm => plan::Mode::Gcm,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Mode::Ecb => "ECB",
            Mode::Cbc => "CBC",
            Mode::Ctr => "CTR",
            Mode::Xts => "XTS",
            Mode::Gcm => "GCM",
        }
    }
}

impl Options {
    /// Refuses options that the mode does not know, before anything is read.
    fn check_mode(&self) -> Result<(), Error> {
        let given = [
            ("--iv", self.iv.is_some(), self.mode != Mode::Ecb),
            ("--aad", self.aad.is_some(), self.mode == Mode::Gcm),
            ("--tag", self.tag.is_some(), self.mode == Mode::Gcm),
            ("--first-unit", self.first_unit.is_some(), self.mode == Mode::Xts),
        ];
        if let Some((name, ..)) = given.iter().find(|(_, given, takes)| *given && !takes) {
            return Err(Error::Usage(format!("{} takes no {name}", self.mode.name())));
        }
        if matches!(self.mode, Mode::Cbc | Mode::Ctr | Mode::Gcm) && self.iv.is_none() {
            return Err(Error::Usage(format!("{} needs --iv HEX", self.mode.name())));
        }
        Ok(())
    }

    /// The strategy that is named, on all threads; else what is planned for a message of the input's length.
    fn choice(&self, global: &Global, direction: Direction) -> Result<(Choice, usize), Error> {
        let cipher = roundel::cipher(&self.cipher)?;
        if let Some(name) = &self.strategy {
            return Ok((cipher.strategy(name)?, global.threads()));
        }
        profile::load(global, Some(cipher));
        let (mode, direction) = (self.mode.planned(), direction.planned());
        let policy = if self.allow_timing_leaks { Policy::AnyTiming } else { Policy::ConstantTime };
        let cores = global.threads().min(usize::from(u16::MAX)) as u16;
        let constraints = plan::Constraints { policy, cores, ..plan::Constraints::default() };
        let file = self.input.as_ref().and_then(|path| std::fs::metadata(path).ok());
        let length = file.filter(|file| file.is_file()).map(|file| file.len());
        // A stream is taken to be long. The key is read later; the longest stands for it.
        let message_bytes = length.unwrap_or(1 << 30);
        let key_bytes = cipher.keys.standard.last().copied().unwrap_or(16);
        let request = plan::Request {
            direction,
            ..plan::Request::fresh_key(cipher, key_bytes, mode, message_bytes, constraints)
        };
        let plan = plan::plan(&request)?;
        let known = length.is_some() && plan.predicted_ns.is_some();
        Ok((plan.choice, if known { plan.threads } else { global.threads() }))
    }

    /// The key, as many bytes as the mode takes.
    fn key(&self, choice: &Choice) -> Result<Zeroizing<Vec<u8>>, Error> {
        let keys = self.mode.keys();
        let accepts = |bytes: usize| bytes.is_multiple_of(keys) && choice.cipher.keys.accepts(bytes / keys);
        let key = self.key.read(accepts)?;
        if keys == 2 && !accepts(key.len()) {
            return Err(Error::Usage(format!(
                "XTS takes two keys of {} bits, one after the other, not {} bits",
                choice.cipher.keys.describe(),
                8 * key.len()
            )));
        }
        Ok(key)
    }

    /// The IV, its length checked.
    fn iv(&self, choice: &Choice) -> Result<Vec<u8>, Error> {
        let iv = match (&self.iv, self.first_unit) {
            (Some(iv), _) => iv.0.to_vec(),
            (None, Some(number)) => number.to_le_bytes().to_vec(),
            (None, None) if self.mode == Mode::Xts => vec![0; 16],
            (None, None) => Vec::new(),
        };
        let takes = match self.mode {
            Mode::Cbc | Mode::Ctr => choice.cipher.block_bytes,
            Mode::Xts => 16,
            Mode::Ecb | Mode::Gcm => iv.len(),
        };
        if iv.len() != takes {
            return Err(roundel::Error::IvLength { mode: self.mode.name(), takes, got: iv.len() }.into());
        }
        Ok(iv)
    }
}

/// SP 800-38E: a data unit has at most 2^20 blocks. It also bounds the memory.
const MAX_DATA_UNIT: usize = 16 << 20;

/// About how much a thread takes at once: it stays in a second-level cache, and is a multiple of every block length (16, 24 and 32).
const PIECE_BYTES: usize = 3 << 16;

/// What the user should know, on standard error: what is known of the cipher, and that the mode (unless it is none) does not authenticate.
pub(super) fn warn(global: &Global, cipher: &Cipher, unauthenticated: Option<&str>) {
    match cipher.standing {
        Standing::Sound => {}
        Standing::Unreviewed(why) => global.note(&format!("{} is unreviewed: {why}", cipher.name)),
        Standing::Broken(why) => global.note(&format!("{} is broken: {why}", cipher.name)),
    }
    if let Some(mode) = unauthenticated {
        global.note(&format!(
            "{mode} does not authenticate: changes will go unnoticed (`roundel seal` authenticates)"
        ));
    }
}

/// A checked request.
struct Job<'a> {
    options: &'a Options,
    iv: Vec<u8>,
    direction: Direction,
    threads: usize,
}

impl Job<'_> {
    fn run(&self, kernels: &[Box<dyn Kernel>], input: &mut Input, output: &mut Output) -> Result<(), Error> {
        let kernel = &*kernels[0];
        let block = kernel.block_bytes();
        let encrypts = self.direction == Direction::Encrypt;
        if !encrypts {
            kernel.prepare_decrypt();
        }
        let pipeline = Pipeline { threads: self.threads, piece_bytes: PIECE_BYTES, preceding: Vec::new() };
        match self.options.mode {
            Mode::Ecb => {
                let ecb = Ecb::new(kernel);
                pipeline.run(input, output, |piece| {
                    whole(
                        piece.offset,
                        if encrypts { ecb.encrypt(piece.data) } else { ecb.decrypt(piece.data) },
                    )
                })
            }
            Mode::Cbc if encrypts => {
                let cbc = Mutex::new(Cbc::new(kernel, &self.iv)?);
                Pipeline { threads: 1, ..pipeline }.run(input, output, |piece| {
                    let mut cbc = cbc.lock().expect("the only thread that takes it is alive");
                    whole(piece.offset, cbc.encrypt(piece.data))
                })
            }
            Mode::Cbc => Pipeline { preceding: self.iv.clone(), ..pipeline }.run(input, output, |piece| {
                whole(piece.offset, Cbc::new(kernel, piece.preceding)?.decrypt(piece.data))
            }),
            Mode::Ctr => pipeline.run(input, output, |piece| {
                Ctr::at_block(kernel, &self.iv, piece.offset / block as u64)?.apply(piece.data);
                Ok(())
            }),
            Mode::Xts => self.xts(&Xts::new(kernel, &*kernels[1])?, pipeline, input, output),
            Mode::Gcm => unreachable!("GCM has a file of its own"),
        }
    }

    fn xts(
        &self,
        xts: &Xts<'_>,
        pipeline: Pipeline,
        input: &mut Input,
        output: &mut Output,
    ) -> Result<(), Error> {
        let unit_bytes = self.options.data_unit;
        let first_unit = u128::from_le_bytes(self.iv[..].try_into().expect("checked: XTS takes 16 bytes"));
        let piece_bytes = PIECE_BYTES.next_multiple_of(unit_bytes);
        Pipeline { piece_bytes, ..pipeline }.run(input, output, |piece| {
            let unit = first_unit.wrapping_add(u128::from(piece.offset) / unit_bytes as u128);
            match self.direction {
                Direction::Encrypt => xts.encrypt(unit, unit_bytes, piece.data)?,
                Direction::Decrypt => xts.decrypt(unit, unit_bytes, piece.data)?,
            }
            Ok(())
        })
    }
}

/// The error of a piece that is not whole blocks, told of the whole input.
fn whole(offset: u64, result: Result<(), roundel::Error>) -> Result<(), Error> {
    result.map_err(|error| match error {
        roundel::Error::DataLength { mode, requires, got } => {
            roundel::Error::DataLength { mode, requires, got: offset as usize + got }.into()
        }
        _ => error.into(),
    })
}

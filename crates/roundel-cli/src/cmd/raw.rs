//! `roundel encrypt` and `roundel decrypt`: a cipher in a raw mode.

use crate::args::Global;
use crate::error::Error;
use roundel::modes::{Cbc, Ctr, Ecb};
use roundel::{Kernel, Policy};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Options of both directions.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The cipher: `roundel list` shows them.
    #[arg(long, default_value = "aes")]
    cipher: String,
    /// The mode.
    #[arg(long, value_enum)]
    mode: Mode,
    /// The strategy [default: the preferred constant-time one].
    #[arg(long)]
    strategy: Option<String>,
    /// The key, hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = hex)]
    key: Bytes,
    /// The initialisation vector or first counter block, hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = hex, default_value = "")]
    iv: Bytes,
    /// The input [default: standard input].
    input: Option<PathBuf>,
    /// The output [default: standard output].
    #[arg(long, short)]
    output: Option<PathBuf>,
}

/// A byte string of the command line.
#[derive(Clone, Debug)]
struct Bytes(Vec<u8>);

fn hex(text: &str) -> Result<Bytes, String> {
    let digits: Vec<u8> = text
        .chars()
        .map(|c| c.to_digit(16).map(|digit| digit as u8))
        .collect::<Option<_>>()
        .ok_or("not hexadecimal")?;
    if !digits.len().is_multiple_of(2) {
        return Err("an odd number of hexadecimal digits".to_owned());
    }
    Ok(Bytes(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()))
}

/// What is done with the block cipher.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Mode {
    Ecb,
    Cbc,
    Ctr,
}

/// `roundel encrypt`.
pub(crate) fn encrypt(options: Options, _global: &Global) -> Result<(), Error> {
    let kernel = kernel(&options)?;
    match options.mode {
        Mode::Ecb => stream(&options, |data| Ecb::new(&*kernel).encrypt(data)),
        Mode::Cbc => {
            let mut cbc = Cbc::new(&*kernel, &options.iv.0)?;
            stream(&options, |data| cbc.encrypt(data))
        }
        Mode::Ctr => ctr(&options, &*kernel),
    }
}

/// `roundel decrypt`.
pub(crate) fn decrypt(options: Options, _global: &Global) -> Result<(), Error> {
    let kernel = kernel(&options)?;
    match options.mode {
        Mode::Ecb => stream(&options, |data| Ecb::new(&*kernel).decrypt(data)),
        Mode::Cbc => {
            let mut cbc = Cbc::new(&*kernel, &options.iv.0)?;
            stream(&options, |data| cbc.decrypt(data))
        }
        Mode::Ctr => ctr(&options, &*kernel),
    }
}

fn kernel(options: &Options) -> Result<Box<dyn Kernel>, Error> {
    let cipher = roundel::cipher(&options.cipher)?;
    let choice = match &options.strategy {
        Some(name) => cipher.strategy(name)?,
        None => cipher.best(Policy::ConstantTime)?,
    };
    Ok(choice.kernel(&options.key.0)?)
}

fn ctr(options: &Options, kernel: &dyn Kernel) -> Result<(), Error> {
    let mut ctr = Ctr::new(kernel, &options.iv.0)?;
    stream(options, |data| {
        ctr.apply(data);
        Ok(())
    })
}

/// Input to output through `work`, in pieces that are whole blocks but for the last.
fn stream(
    options: &Options,
    mut work: impl FnMut(&mut [u8]) -> Result<(), roundel::Error>,
) -> Result<(), Error> {
    let mut input: Box<dyn Read> = match &options.input {
        Some(path) => Box::new(File::open(path).map_err(|error| Error::file("open", path, error))?),
        None => Box::new(io::stdin()),
    };
    let mut output: Box<dyn Write> = match &options.output {
        Some(path) => Box::new(File::create_new(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists(path.clone()),
            _ => Error::file("create", path, error),
        })?),
        None => Box::new(io::stdout()),
    };
    let mut piece = Vec::new();
    loop {
        piece.clear();
        if input.by_ref().take(3 << 18).read_to_end(&mut piece)? == 0 {
            return Ok(output.flush()?);
        }
        work(&mut piece)?;
        output.write_all(&piece)?;
    }
}

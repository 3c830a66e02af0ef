//! The arguments: what is common to all verbs, and the list of verbs. Each verb's own options are in its file.

use crate::cmd;
use crate::error::Error;
use crate::output;
use clap::{Parser, Subcommand};
use roundel::simd::Level;

/// What `roundel` says when it is asked nothing.
pub(crate) const WELCOME: &str = "\
roundel encrypts files on all cores, and is a laboratory for symmetric ciphers:
every cipher can run in several ways, proved equal and measured on your machine.

  roundel bench                          which way of running which cipher is fastest here
  roundel report                         the same as charts, in one HTML file
  roundel verify                         prove every cipher and strategy with published vectors
  roundel seal -p FILE -o FILE.rndl      encrypt and authenticate a file with a passphrase
  roundel open FILE.rndl -o FILE         the way back

`roundel help` shows all commands, `roundel help COMMAND` one of them.
";

/// Encrypts files on all cores, and is a laboratory for symmetric ciphers.
#[derive(Debug, Parser)]
#[command(name = "roundel", version, disable_help_subcommand = false, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

/// Options that every verb takes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Global {
    /// Highest CPU level to use: portable, jit, sse2, ssse3, avx2, aes, vaes or vaes512
    #[arg(long, value_name = "LEVEL", env = "ROUNDEL_CPU", hide_env = true, global = true)]
    pub(crate) cpu: Option<Level>,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Say nothing on standard error but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

impl Global {
    /// The number of threads to use.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(roundel::parallel::cores, usize::from)
    }

    /// Says something on standard error, unless `--quiet`.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            eprintln!("roundel: {text}");
        }
    }
}

/// The option of verbs that run strategies.
#[derive(Debug, clap::Args)]
pub(crate) struct MemoryOptions {
    /// Let strategies share tables of up to so many bytes [default: 8M]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    allow_memory: Option<u64>,
}

impl MemoryOptions {
    /// Allows it to this process.
    pub(crate) fn apply(&self) {
        if let Some(bytes) = self.allow_memory {
            roundel::memory::allow(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
    }
}

/// One variant per verb.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Encrypt and authenticate files or a stream
    Seal(cmd::seal::Options),
    /// Open what was sealed
    Open(cmd::open::Options),
    /// Verify sealed files without writing anything
    Check(cmd::check::Options),
    /// Write what verifies of a damaged file
    Rescue(cmd::rescue::Options),
    /// Show what a sealed file says about itself without a key
    Inspect(cmd::inspect::Options),
    /// Make a key pair
    Keygen(cmd::keygen::Options),
    /// Encrypt with a raw mode (ECB, CBC, CTR, XTS, GCM), for interoperability
    Encrypt(cmd::raw::Options),
    /// Decrypt what a raw mode encrypted
    Decrypt(cmd::raw::Options),
    /// Hash files with a construction over a block cipher, or check digests
    Hash(cmd::hash::Options),
    /// Read BitLocker volumes, encrypt and decrypt disk images
    Volume(cmd::volume::Options),
    /// Prove every cipher and strategy with published vectors
    Verify(cmd::verify::Options),
    /// Measure which way of running which cipher is fastest here.
    Bench(cmd::bench::Options),
    /// Measure what planning needs to know of this machine
    Tune(cmd::tune::Options),
    /// Show what would run for a message, and why
    Plan(cmd::plan::Options),
    /// Predict how long so many bytes will take, here or on more cores
    Predict(cmd::predict::Options),
    /// List the ciphers and their strategies.
    List(cmd::list::Options),
    /// Reproduce a published table beside the figures of this machine.
    Study(cmd::study::Options),
    /// Show results as one HTML file, or compare two
    Report(cmd::report::Options),
    /// Print completions for a shell
    Completions(cmd::completions::Options),
    /// Print the manual page
    Man(cmd::man::Options),
}

impl Verb {
    /// Whether a signal must clean up after it.
    pub(crate) fn writes_files(&self) -> bool {
        use Verb::{Decrypt, Encrypt, Open, Rescue, Seal, Volume};
        match self {
            Seal(_) | Open(_) | Rescue(_) | Encrypt(_) | Decrypt(_) => true,
            Volume(options) => options.writes_files(),
            _ => false,
        }
    }
}

/// A length in bytes: 64, 16K, 1M, 1G, 2T, in powers of 1024.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches(['b', 'B']).trim_end_matches('i');
    let digits = number.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let unit = match &number[digits.len()..] {
        "" => Some(1),
        "k" | "K" => Some(1 << 10),
        "m" | "M" => Some(1 << 20),
        "g" | "G" => Some(1 << 30),
        "t" | "T" => Some(1u64 << 40),
        _ => None,
    };
    let bytes = digits.parse::<u64>().ok().zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    bytes.ok_or_else(|| "a length, as 64, 16K, 1M or 1G".to_owned())
}

/// The process's arguments. Help and version are printed here; a usage error becomes one sentence.
pub(crate) fn parse() -> Result<Args, Error> {
    Args::try_parse().or_else(|error| {
        if !error.use_stderr() {
            output::print(&error.render().to_string())?;
            std::process::exit(0);
        }
        Err(Error::Usage(one_sentence(&error.render().to_string())))
    })
}

/// The first paragraph of clap's message, on one line.
fn one_sentence(message: &str) -> String {
    let paragraph = message.split("\n\n").next().unwrap_or(message);
    let words: Vec<_> = paragraph.split_whitespace().collect();
    let text = words.join(" ");
    format!("{} (try --help)", text.strip_prefix("error: ").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn clap_finds_no_fault() {
        Args::command().debug_assert();
    }

    #[test]
    fn lengths_with_and_without_unit() {
        for (text, length) in
            [("64", 64), ("16K", 16 << 10), ("16KiB", 16 << 10), ("1m", 1 << 20), ("2T", 2 << 40), ("0", 0)]
        {
            assert_eq!(bytes(text), Ok(length));
        }
        for text in ["", "K", "-1", "1P", "1KM", "99999999999999999999", "99999999T"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn help_fits_on_a_screen() {
        assert!(Args::command().render_help().to_string().lines().count() <= 40);
    }
}

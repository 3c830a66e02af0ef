//! `roundel plan`: what would run for a message, and why.

use super::profile;
use crate::args::Global;
use crate::error::Error;
use crate::output;
use roundel::Policy;
use roundel::plan::{Constraints, Direction, Mode, Request};
use roundel_lab::planning;

/// Options of `roundel plan`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Cipher, as `roundel list` shows them [default: aes; with --table, all that are sound]
    #[arg(long, value_name = "NAME")]
    cipher: Option<String>,
    /// Length of the message, as 64, 16K or 1G
    #[arg(long, value_name = "BYTES", value_parser = crate::args::bytes, required_unless_present = "table", conflicts_with = "table")]
    message: Option<u64>,
    #[command(flatten)]
    work: Work,
    /// A fresh key for each message [default: a key that is kept]
    #[arg(long, conflicts_with = "table")]
    fresh_keys: bool,
    /// So many messages to a key
    #[arg(long, value_name = "N", conflicts_with_all = ["table", "fresh_keys"], value_parser = clap::value_parser!(u64).range(1..))]
    messages_per_key: Option<u64>,
    /// Plan for tables that have left the caches
    #[arg(long, conflicts_with = "table")]
    cold: bool,
    /// Plan for decryption
    #[arg(long, conflicts_with = "table")]
    decrypt: bool,
    /// The best option for each length from 16 bytes to 1 MiB, under a fresh key and under one that is kept
    #[arg(long)]
    table: bool,
    /// With --table across ciphers: broken and unreviewed ones too
    #[arg(long, requires = "table", conflicts_with = "cipher")]
    all: bool,
    /// Show every option and what its time is made of
    #[arg(long, conflicts_with = "table")]
    explain: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What is to be done, and what must be kept to: `plan` and `predict` share it.
#[derive(Debug, clap::Args)]
pub(crate) struct Work {
    /// Length of the key [default: 128; for seal 256, as seal does]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u16).range(8..=2048))]
    key_bits: Option<u16>,
    /// Mode: ecb, cbc, ctr, gcm, xts, hash or seal
    #[arg(long, value_name = "MODE", value_parser = mode)]
    mode: Option<Mode>,
    /// Allow strategies whose timing depends on the key
    #[arg(long)]
    allow_timing_leaks: bool,
    /// Allow tables of so many bytes
    #[arg(long, value_name = "BYTES", default_value = "8M", value_parser = crate::args::bytes)]
    allow_memory: u64,
}

fn mode(name: &str) -> Result<Mode, String> {
    Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
        let names: Vec<_> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        format!("the modes are {}", names.join(", "))
    })
}

impl Work {
    /// The mode, or this one if none was named.
    pub(crate) fn mode_or(&self, default: Mode) -> Mode {
        self.mode.unwrap_or(default)
    }

    fn key_bytes(&self, mode: Mode) -> Result<usize, Error> {
        match self.key_bits.unwrap_or(if mode == Mode::Seal { 256 } else { 128 }) {
            bits if bits.is_multiple_of(8) => Ok(usize::from(bits / 8)),
            bits => Err(Error::Usage(format!("a key of {bits} bits is no whole bytes"))),
        }
    }

    /// On so many cores.
    pub(crate) fn constraints(&self, cores: usize) -> Constraints {
        roundel::memory::allow(usize::try_from(self.allow_memory).unwrap_or(usize::MAX));
        Constraints {
            policy: if self.allow_timing_leaks { Policy::AnyTiming } else { Policy::ConstantTime },
            memory_bytes: usize::try_from(self.allow_memory).unwrap_or(usize::MAX),
            cores: cores.min(usize::from(u16::MAX)) as u16,
            ..Constraints::default()
        }
    }

    /// Refuses a mode or key that the cipher does not take.
    pub(crate) fn check(&self, cipher: &'static roundel::Cipher, mode: Mode) -> Result<usize, Error> {
        let bytes = self.key_bytes(mode)?;
        planning::check(cipher, mode, bytes)?;
        Ok(bytes)
    }
}

/// `roundel plan`.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    if options.table {
        return table(options, global);
    }
    let cipher = roundel::cipher(options.cipher.as_deref().unwrap_or("aes"))?;
    let mode = options.work.mode_or(Mode::Ctr);
    let request = Request {
        cipher,
        key_bytes: options.work.check(cipher, mode)?,
        mode,
        direction: if options.decrypt { Direction::Decrypt } else { Direction::Encrypt },
        message_bytes: options.message.unwrap_or_default(),
        messages_per_key: match (options.fresh_keys, options.messages_per_key) {
            (true, _) => 1,
            (false, Some(messages)) => messages,
            (false, None) => Request::KEPT,
        },
        cold: options.cold,
        constraints: options.work.constraints(global.threads()),
    };
    let profile = profile::load(global, Some(cipher));
    let planned = planning::planned(&request, &profile)?;
    if options.json {
        return print_json(&planned);
    }
    output::print(&planning::render(&planned, options.explain, output::width()))
}

fn table(options: &Options, global: &Global) -> Result<(), Error> {
    let mode = options.work.mode_or(Mode::Ctr);
    let (ciphers, key_bytes) = match &options.cipher {
        Some(name) => {
            let cipher = roundel::cipher(name)?;
            (vec![cipher], options.work.check(cipher, mode)?)
        }
        None => (planning::comparable(options.all), options.work.key_bytes(mode)?),
    };
    let profile = profile::load(global, None);
    let constraints = options.work.constraints(global.threads());
    let rows = planning::best_options(&ciphers, key_bytes, mode, constraints, &profile);
    if rows.is_empty() {
        return Err(roundel::Error::NoStrategy { cipher: ciphers.first().map_or("none", |c| c.name) }.into());
    }
    if options.json {
        return print_json(&rows);
    }
    let what = options.cipher.as_deref().unwrap_or("Any cipher that is sound");
    let what = if options.all { "Any cipher" } else { what };
    let timing = match constraints.policy {
        Policy::ConstantTime => "constant-time strategies",
        Policy::AnyTiming => "strategies of any timing",
    };
    let title = format!("{what}, {} bits, {}, {timing}", 8 * key_bytes, mode.name());
    output::print(&planning::render_best(&title, &rows, ciphers.len() > 1, &profile, output::width()))
}

pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Error::Other(error.to_string()))?;
    output::print(&format!("{text}\n"))
}

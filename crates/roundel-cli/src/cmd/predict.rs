//! `roundel predict`: how long so many bytes will take, here or on more cores.

use super::plan::{Work, print_json};
use super::profile;
use crate::args::Global;
use crate::error::Error;
use crate::output;
use roundel::plan::{Direction, Mode, Request};
use roundel_lab::predict::{predict, table};
use std::ops::RangeInclusive;

/// Options of `roundel predict`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Lengths, as 64, 16K, 1G or 2T
    #[arg(value_name = "SIZE", value_parser = crate::args::bytes, required_unless_present = "rate")]
    sizes: Vec<u64>,
    /// Cipher, as `roundel list` shows them
    #[arg(long, value_name = "NAME", default_value = "aes")]
    cipher: String,
    #[command(flatten)]
    work: Work,
    /// Predict decryption
    #[arg(long)]
    decrypt: bool,
    /// Predict the rate of very long messages
    #[arg(long)]
    rate: bool,
    /// Cores, as 4 or 1..64: more than this machine has are extrapolated [default: those of this machine]
    #[arg(long, value_name = "N", value_parser = cores)]
    cores: Option<Cores>,
    /// Price of a core for an hour: shows what a terabyte costs
    #[arg(long, value_name = "PRICE", value_parser = price)]
    price: Option<f64>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Counts of cores.
#[derive(Clone, Debug, PartialEq)]
struct Cores(RangeInclusive<usize>);

/// The most that is extrapolated to.
const MOST_CORES: usize = 64;

fn cores(text: &str) -> Result<Cores, String> {
    let number = |text: &str| text.parse().ok().filter(|n| (1..=MOST_CORES).contains(n));
    let range = match text.split_once("..") {
        Some((from, to)) => number(from).zip(number(to)).map(|(from, to)| from..=to),
        None => number(text).map(|n| n..=n),
    };
    let range = range.filter(|range| !range.is_empty());
    range.map(Cores).ok_or_else(|| format!("1 to {MOST_CORES}, as 4 or 1..{MOST_CORES}"))
}

impl Cores {
    /// The first, its doublings, and the last.
    fn counts(&self) -> Vec<usize> {
        let (first, last) = (*self.0.start(), *self.0.end());
        let doublings = std::iter::successors(Some(first), |n| Some(2 * n)).take_while(|n| *n < last);
        doublings.chain([last]).collect()
    }
}

fn price(text: &str) -> Result<f64, String> {
    let price = text.parse::<f64>().ok().filter(|price| price.is_finite() && *price >= 0.0);
    price.ok_or_else(|| "a number, as 0.04".to_owned())
}

/// The message that stands for a rate: long enough for start and end not to count.
const RATE_BYTES: u64 = 1 << 40;

/// `roundel predict`.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    let cipher = roundel::cipher(&options.cipher)?;
    let mode = options.work.mode_or(Mode::Seal);
    let key_bytes = options.work.check(cipher, mode)?;
    let profile = profile::load(global, Some(cipher));
    let counts = options.cores.as_ref().map_or_else(|| vec![global.threads()], Cores::counts);
    let mut sizes = options.sizes.clone();
    if options.rate {
        sizes.push(RATE_BYTES);
    }
    let mut predictions = Vec::new();
    for message_bytes in sizes {
        let request = Request {
            cipher,
            key_bytes,
            mode,
            direction: if options.decrypt { Direction::Decrypt } else { Direction::Encrypt },
            message_bytes,
            messages_per_key: 1,
            cold: false,
            constraints: options.work.constraints(1),
        };
        for &cores in &counts {
            predictions.push(predict(&request, &profile, cores, options.price)?);
        }
    }
    if options.json {
        return print_json(&predictions);
    }
    let way = if options.decrypt { "decryption" } else { "encryption" };
    let what = match mode {
        Mode::Seal => format!(
            "{}, {} bits, {} a file, from and to the system's cache: a disk adds its own time",
            cipher.name,
            8 * key_bytes,
            if options.decrypt { "opening" } else { "sealing" }
        ),
        _ => format!("{}, {} bits, {} {way} in memory", cipher.name, 8 * key_bytes, mode.name()),
    };
    output::print(&table(&what, &predictions, &profile, output::width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_cores() {
        assert_eq!(cores("1..64").unwrap().counts(), [1, 2, 4, 8, 16, 32, 64]);
        assert_eq!(cores("3..10").unwrap().counts(), [3, 6, 10]);
        assert_eq!(cores("4").unwrap().counts(), [4]);
        for text in ["0", "65", "4..2", "1..", "..3", "x"] {
            assert!(cores(text).is_err(), "{text}");
        }
        assert!(price("-1").is_err() && price("nan").is_err() && price("0.04").is_ok());
    }
}

//! What the program would choose for a cipher, and why, from what was just measured.

use super::operation::Operation;
use super::result::{BenchResult, Chosen, Point};
use crate::report::three_digits;
use roundel::{Choice, Cipher, Policy, Timing};

/// Message length by which bulk speed is compared.
pub(crate) const BULK_BYTES: usize = 16 << 10;

/// Differences up to this factor are not worth a word.
const NOTABLE: f64 = 1.03;

/// Operations by which strategies are compared: the first that was measured.
const BY: [Operation; 5] = [
    Operation::Ctr,
    Operation::GcmEncrypt,
    Operation::EcbEncrypt,
    Operation::XtsEncrypt,
    Operation::CbcDecrypt,
];

/// A strategy's bulk speed: cycles per byte at the minimum, which chooses.
struct Speed<'r> {
    strategy: &'static str,
    constant_time: bool,
    cycles_per_byte: f64,
    point: &'r Point,
}

/// The choice for this cipher; `None` if no bulk operation of its own strategies was measured.
pub(super) fn choose(result: &BenchResult, cipher: &'static Cipher) -> Option<Chosen> {
    let speeds = BY.iter().map(|&by| speeds(result, cipher, by)).find(|speeds| !speeds.is_empty())?;
    let default = default_strategy(cipher)?;
    Some(Chosen {
        cipher: cipher.name.to_owned(),
        strategy: default.strategy.name.to_owned(),
        why: why(default, &speeds),
    })
}

/// The strategy that runs when none is asked for: constant time if there is one.
fn default_strategy(cipher: &'static Cipher) -> Option<Choice> {
    cipher.best(Policy::ConstantTime).or_else(|_| cipher.best(Policy::AnyTiming)).ok()
}

fn speeds<'r>(result: &'r BenchResult, cipher: &'static Cipher, by: Operation) -> Vec<Speed<'r>> {
    let of = |(index, choice): (usize, Choice)| {
        let bits = *result.key_lengths(index).last()?;
        let point = result.longest_up_to(Some(index), bits, by, bulk_bytes(result))?;
        Some(Speed {
            strategy: choice.strategy.name,
            constant_time: choice.strategy.timing == Timing::Constant,
            cycles_per_byte: point.cycles_per_byte().min,
            point,
        })
    };
    let ours = result.contenders.iter().enumerate().filter(|(_, facts)| facts.cipher == cipher.name);
    let mut speeds: Vec<Speed<'_>> = ours
        .filter(|(_, facts)| facts.is_ours())
        .filter_map(|(index, facts)| of((index, cipher.strategy(&facts.strategy).ok()?)))
        .collect();
    speeds.sort_by(|a, b| a.cycles_per_byte.total_cmp(&b.cycles_per_byte));
    speeds
}

/// The message length that stands for bulk: 16 KiB, or what comes nearest to it in this run.
pub(crate) fn bulk_bytes(result: &BenchResult) -> usize {
    let lengths = || result.points.iter().filter(|p| p.threads == 0 && p.bytes > 0).map(|p| p.bytes);
    lengths().filter(|&bytes| bytes <= BULK_BYTES).max().or_else(|| lengths().min()).unwrap_or(BULK_BYTES)
}

fn why(default: Choice, speeds: &[Speed<'_>]) -> String {
    let Some(chosen) = speeds.iter().find(|speed| speed.strategy == default.strategy.name) else {
        return "its default; it was not measured in this run".to_owned();
    };
    let constant = |speed: &&Speed<'_>| speed.constant_time;
    let faster = |than: &Speed<'_>, speed: &Speed<'_>| than.cycles_per_byte / speed.cycles_per_byte;
    let figures = format!(
        "{} {} cycles/byte, {} GB/s on one core",
        chosen.point.operation.name().to_uppercase().replace('-', " "),
        three_digits(chosen.point.cycles_per_byte().median),
        three_digits(chosen.point.gigabytes_per_second()),
    );
    let fastest = &speeds[0];
    let among_constant = speeds.iter().find(constant);
    let mut why = if chosen.strategy == fastest.strategy {
        let timing = if chosen.constant_time { ", and constant-time" } else { "" };
        format!("the fastest here ({figures}){timing}")
    } else if chosen.constant_time && among_constant.is_some_and(|best| best.strategy == chosen.strategy) {
        format!("the fastest here whose timing does not depend on secrets ({figures})")
    } else {
        format!("its default order ({figures})")
    };
    let second = speeds.iter().find(|speed| speed.strategy != chosen.strategy);
    if chosen.strategy == fastest.strategy {
        if let Some(second) = second {
            why += &format!("; {:.1} times as fast as {}", faster(second, chosen), second.strategy);
        }
    } else if faster(chosen, fastest) > NOTABLE {
        let caveat = if fastest.constant_time { "" } else { ", but its timing depends on secrets" };
        why += &format!("; {} is {:.1} times as fast{caveat}", fastest.strategy, faster(chosen, fastest));
    }
    if !chosen.constant_time {
        why += "; its timing depends on secrets, so it runs only when allowed or named";
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::result_with;

    #[test]
    fn the_sentence_names_the_strategy_its_speed_and_the_runner_up() {
        let result = result_with(&[("reference", 100.0), ("ttable", 10.0)]);
        let cipher = roundel::cipher("rijndael").unwrap();
        let chosen = choose(&result, cipher).unwrap();
        assert_eq!(chosen.cipher, "rijndael");
        let speeds = speeds(&result, cipher, Operation::Ctr);
        let expected: &[&str] =
            if cipher.strategy("ttable").is_ok() { &["ttable", "reference"] } else { &["reference"] };
        assert_eq!(speeds.iter().map(|speed| speed.strategy).collect::<Vec<_>>(), expected);
        let reference = cipher.strategy("reference").unwrap();
        let sentence = why(reference, &speeds);
        assert!(sentence.contains("CTR 100 cycles/byte"), "{sentence}");
        if speeds.len() == 2 {
            assert!(sentence.starts_with("the fastest here whose timing does not depend"), "{sentence}");
            assert!(
                sentence.ends_with("ttable is 10.0 times as fast, but its timing depends on secrets"),
                "{sentence}"
            );
        }
    }
}

//! `roundel list`: the registry as data, for people and for programs.

use crate::report::{markdown::pipe_table, plain, size};
use roundel::{Cipher, Standing, Strategy, Timing};
use serde::Serialize;

/// One cipher.
#[derive(Debug, Serialize)]
pub struct CipherEntry {
    /// The name used everywhere.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Name, designers and year.
    pub title: &'static str,
    /// Bits of a block.
    pub block_bits: usize,
    /// Key lengths of the standard, in bits.
    pub key_bits: Vec<usize>,
    /// All accepted key lengths, in words.
    pub accepts_key_bits: String,
    /// "sound", "unreviewed" or "broken".
    pub standing: &'static str,
    /// Why it is not sound, in a sentence.
    pub standing_note: Option<&'static str>,
    /// Its strategies, `reference` first.
    pub strategies: Vec<StrategyEntry>,
}

/// One strategy.
#[derive(Debug, Serialize)]
pub struct StrategyEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The CPU level it needs.
    pub needs: &'static str,
    /// Whether this CPU, under the cap in force, can run it.
    pub available: bool,
    /// Whether its timing does not depend on secrets.
    pub constant_time: bool,
    /// Bytes for each key.
    pub key_bytes: usize,
    /// Bytes of tables shared by all keys.
    pub shared_bytes: usize,
    /// Blocks that it likes to get at once.
    pub batch_blocks: usize,
}

/// These ciphers as data.
pub fn entries(ciphers: &[&'static Cipher]) -> Vec<CipherEntry> {
    ciphers.iter().map(|cipher| cipher_entry(cipher)).collect()
}

fn cipher_entry(cipher: &'static Cipher) -> CipherEntry {
    let (standing, standing_note) = match cipher.standing {
        Standing::Sound => ("sound", None),
        Standing::Unreviewed(note) => ("unreviewed", Some(note)),
        Standing::Broken(note) => ("broken", Some(note)),
    };
    CipherEntry {
        name: cipher.name,
        aliases: cipher.aliases,
        title: cipher.title,
        block_bits: 8 * cipher.block_bytes,
        key_bits: cipher.keys.standard.iter().map(|bytes| 8 * bytes).collect(),
        accepts_key_bits: cipher.keys.describe(),
        standing,
        standing_note,
        strategies: cipher.strategies.iter().map(strategy_entry).collect(),
    }
}

fn strategy_entry(strategy: &'static Strategy) -> StrategyEntry {
    StrategyEntry {
        name: strategy.name,
        summary: strategy.summary,
        needs: strategy.needs.name(),
        available: strategy.available(),
        constant_time: strategy.timing == Timing::Constant,
        key_bytes: strategy.memory.per_key,
        shared_bytes: strategy.memory.shared,
        batch_blocks: strategy.batch_blocks,
    }
}

/// As JSON.
pub fn json(entries: &[CipherEntry]) -> String {
    serde_json::to_string_pretty(entries).expect("strings, numbers and lists only") + "\n"
}

const HEADINGS: [&str; 7] = ["strategy", "needs", "here", "const. time", "per key", "shared", "what it is"];

/// Columns that are left out where the width is short, the first of them first: the JSON has all.
const DISPENSABLE: [usize; 3] = [5, 4, 1];

/// One table per cipher, with its facts above it.
pub fn terminal(entries: &[CipherEntry], width: Option<usize>) -> String {
    let mut text = String::new();
    for cipher in entries {
        let rows: Vec<_> = cipher.strategies.iter().map(cells).collect();
        let table = plain::table(&HEADINGS, &rows, &DISPENSABLE, width);
        text += &format!("{}{table}\n\n", heading(cipher, width));
    }
    let (here, all) = counts(entries);
    let ciphers = entries.len();
    text + &plain::wrapped(
        &format!("{ciphers} ciphers, {all} strategies, of which {here} run on this CPU."),
        width,
    )
}

fn heading(cipher: &CipherEntry, width: Option<usize>) -> String {
    let aliases = match cipher.aliases {
        [] => String::new(),
        names => format!(" (also {})", names.join(", ")),
    };
    let note = cipher.standing_note.map_or(String::new(), |note| format!(": {}", note.trim_end_matches('.')));
    let name = format!("{}{aliases}: {}", cipher.name, cipher.title);
    let facts = format!(
        "keys of {} bits, blocks of {} bits; {}{note}",
        cipher.accepts_key_bits, cipher.block_bits, cipher.standing,
    );
    plain::wrapped(&name, width) + &plain::indented(&facts, width)
}

fn cells(strategy: &StrategyEntry) -> Vec<String> {
    let yes_no = |yes| if yes { "yes" } else { "no" }.to_owned();
    vec![
        strategy.name.to_owned(),
        strategy.needs.to_owned(),
        yes_no(strategy.available),
        yes_no(strategy.constant_time),
        size(strategy.key_bytes),
        if strategy.shared_bytes == 0 { "-".to_owned() } else { size(strategy.shared_bytes) },
        strategy.summary.to_owned(),
    ]
}

fn counts(entries: &[CipherEntry]) -> (usize, usize) {
    let strategies = || entries.iter().flat_map(|cipher| &cipher.strategies);
    (strategies().filter(|strategy| strategy.available).count(), strategies().count())
}

/// The README's table of ciphers and strategies: the same on every machine.
pub fn markdown(entries: &[CipherEntry]) -> String {
    let headings =
        ["cipher", "key bits", "block bits", "standing", "strategies (* timing depends on secrets)"];
    let strategy = |strategy: &StrategyEntry| {
        format!("`{}`{}", strategy.name, if strategy.constant_time { "" } else { "\\*" })
    };
    let row = |cipher: &CipherEntry| {
        let aliases: String = cipher.aliases.iter().map(|alias| format!(", `{alias}`")).collect();
        vec![
            format!("`{}`{aliases}", cipher.name),
            cipher.accepts_key_bits.clone(),
            cipher.block_bits.to_string(),
            cipher.standing.to_owned(),
            cipher.strategies.iter().map(strategy).collect::<Vec<_>>().join(" "),
        ]
    };
    pipe_table(&headings.map(str::to_owned), entries.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cipher_and_strategy_of_the_registry_is_in_every_form() {
        let entries = entries(roundel::CIPHERS);
        let parsed: serde_json::Value = serde_json::from_str(&json(&entries)).unwrap();
        let (terminal, markdown) = (terminal(&entries, None), markdown(&entries));
        for (i, cipher) in roundel::CIPHERS.iter().enumerate() {
            assert_eq!(parsed[i]["name"], cipher.name);
            assert!(terminal.contains(cipher.title) && markdown.contains(&format!("`{}`", cipher.name)));
            for (j, strategy) in cipher.strategies.iter().enumerate() {
                assert_eq!(parsed[i]["strategies"][j]["name"], strategy.name);
                assert_eq!(parsed[i]["strategies"][j]["available"], strategy.available());
                assert!(
                    terminal.contains(strategy.summary) && markdown.contains(&format!("`{}`", strategy.name))
                );
            }
        }
        assert_eq!(markdown.lines().count(), roundel::CIPHERS.len() + 2);
    }

    #[test]
    fn narrow_terminals_get_narrow_lines() {
        for width in [60, 70] {
            let text = terminal(&entries(roundel::CIPHERS), Some(width));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
        }
    }
}

//! `roundel inspect`: what a sealed file says about itself without any key.

use crate::error::Error;
use crate::input::is_dash;
use crate::output;
use roundel_seal::{Input, Inspection};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Options of `inspect`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The sealed file [default: standard input]
    input: Option<PathBuf>,
}

/// Prints the header.
pub(crate) fn run(options: Options) -> Result<(), Error> {
    let input = options.input.filter(|path| !is_dash(path)).map_or(Input::Stdin, Input::Path);
    let found = roundel_seal::inspect(input)?;
    output::print(&if options.json { as_json(&found) } else { as_text(&found) })
}

fn as_json(found: &Inspection) -> String {
    let stanzas: Vec<_> = found
        .stanzas
        .iter()
        .map(|stanza| json!({ "kind": stanza.kind, "args": stanza.args, "body_bytes": stanza.body_bytes }))
        .collect();
    let object = json!({
        "version": found.version,
        "suite": found.suite,
        "size": found.size,
        "stanzas": stanzas,
        "header_bytes": found.header_bytes,
        "file_bytes": found.file_bytes,
        "chunks": found.chunks,
        "whole": found.whole,
    });
    format!("{object}\n")
}

fn as_text(found: &Inspection) -> String {
    let number = |value: Option<u64>| value.map_or("unknown".to_owned(), |value| value.to_string());
    let whole = match found.whole {
        Some(true) => "that of a whole file",
        Some(false) => "not that of a whole file: it was truncated or extended",
        None => "unknown",
    };
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<11} {value}");
    };
    line("format", found.version);
    line("suite", &found.suite);
    line("plaintext", &format!("{} bytes", number(found.size)));
    line("chunks", &number(found.chunks));
    line("header", &format!("{} bytes", found.header_bytes));
    line("file", &format!("{} bytes; its length is {whole}", number(found.file_bytes)));
    for stanza in &found.stanzas {
        line("opened by", &format!("{} {}", stanza.kind, stanza.args.join(" ")));
    }
    text
}

//! `roundel report`: results as one HTML file.

use super::bench::command_line;
use super::profile;
use crate::args::Global;
use crate::error::Error;
use crate::output::{self, Output, Target};
use roundel_lab::bench::BenchResult;
use roundel_lab::compare::{Comparison, Pair, compare};
use roundel_lab::report::html::{self, Kind, Results};
use roundel_lab::report::{json, size};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Options of `roundel report`. Without files: what lies in this folder under the name roundel-*.json.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Results of bench, and of study, verify and tune --check with --json; what a file holds is seen from it
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Two results of bench side by side: differences larger than the noise are marked
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with = "files")]
    compare: Vec<PathBuf>,
    /// Where the report goes; '-' for standard output
    #[arg(long, short, value_name = "FILE", default_value = "roundel-report.html")]
    output: PathBuf,
}

/// `roundel report`.
pub(crate) fn run(options: &Options, global: &Global) -> Result<(), Error> {
    let (results, comparison) = match &options.compare[..] {
        [a, b] => {
            let (a, b) = (read(a)?, read(b)?);
            let comparison = compare(&benchmark(&a)?, &benchmark(&b)?);
            (vec![a.0, b.0], Some(comparison))
        }
        _ => (given_or_found(&options.files, global)?, None),
    };
    let profile = match comparison {
        None => Some(profile::load(global, None)).filter(|profile| profile.measured),
        Some(_) => None,
    };
    let html = html::render(&results, comparison.as_ref(), profile.as_deref(), &command_line());
    let mut file = Output::create(Target { path: Some(&options.output), force: true })?;
    file.write_all(html.as_bytes()).map_err(|error| Error::file("write", &options.output, error))?;
    file.finish(false)?;
    if options.output.as_os_str() == "-" {
        return Ok(());
    }
    if let Some(comparison) = comparison {
        output::print(&verdict(&comparison))?;
    }
    global.note(&format!("open {} in a browser", options.output.display()));
    Ok(())
}

/// A file's results and its text.
type Read = (Results, String);

fn read(path: &Path) -> Result<Read, Error> {
    let bytes = fs::read(path).map_err(|error| Error::file("open", path, error))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let results = Results::parse(&name, &text).map_err(|error| Error::Usage(error.to_string()))?;
    Ok((results, text))
}

fn benchmark((results, text): &Read) -> Result<BenchResult, Error> {
    if results.kind != Kind::Bench {
        return Err(Error::Usage(format!(
            "{} is no result of roundel bench: only these are compared",
            results.name
        )));
    }
    json::parse(text).map_err(|error| Error::Usage(format!("{}: {error}", results.name)))
}

/// The files' results, benchmarks first; without files, those of this folder.
fn given_or_found(files: &[PathBuf], global: &Global) -> Result<Vec<Results>, Error> {
    let mut results = Vec::new();
    for path in files {
        results.push(read(path)?.0);
    }
    if files.is_empty() {
        for path in found()? {
            match read(&path) {
                Ok((result, _)) => results.push(result),
                Err(error) => global.note(&format!("left out: {error}")),
            }
        }
        if results.is_empty() {
            let first = "there are no results in this folder: run `roundel bench` first, which writes roundel-bench.json";
            return Err(Error::Other(first.to_owned()));
        }
        let names: Vec<&str> = results.iter().map(|result| &result.name[..]).collect();
        global.note(&format!("from {}", names.join(", ")));
    }
    results.sort_by_key(|result| result.kind != Kind::Bench);
    Ok(results)
}

/// Files of this folder under the names that our help suggests.
fn found() -> Result<Vec<PathBuf>, Error> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(".")? {
        let name = entry?.file_name();
        let text = name.to_string_lossy();
        if text.starts_with("roundel-") && text.ends_with(".json") {
            paths.push(PathBuf::from(&name));
        }
    }
    paths.sort();
    Ok(paths)
}

/// Marked differences that are printed; the report has all.
const SHOWN: usize = 20;

fn verdict(comparison: &Comparison) -> String {
    let marked: Vec<&Pair> = comparison.pairs.iter().filter(|pair| pair.marked).collect();
    let mut text = format!(
        "{} of {} points differ by more than the noise\n{}\n",
        marked.len(),
        comparison.pairs.len(),
        comparison.rule
    );
    for pair in marked.iter().take(SHOWN) {
        let name = if pair.strategy.is_empty() { &pair.library } else { &pair.strategy };
        text += &format!(
            "{} {} {name}, {} of {}: B takes {:.2} times as long\n",
            pair.cipher,
            pair.key_bits,
            pair.operation,
            size(pair.bytes),
            pair.ratio
        );
    }
    if marked.len() > SHOWN {
        text += &format!("... and {} more: the report has them\n", marked.len() - SHOWN);
    }
    text
}

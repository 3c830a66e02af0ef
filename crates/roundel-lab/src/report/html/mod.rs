//! Results as one HTML file that loads nothing: the charts, the library that draws them and the raw data are all in it.
//!
//! The page is written in HTML, CSS and JavaScript beside this file. Rust puts the pieces together and the data into them, compressed, and
//! names the sum of each script in a Content-Security-Policy: a browser runs these scripts and no others, and fetches nothing.

mod model;

use crate::bench::{BenchResult, FORMAT};
use crate::compare::Comparison;
use crate::{date, list};
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::{Compression, write::GzEncoder};
use roundel::plan::Profile;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::Write;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const D3: &str = include_str!("vendor/d3.min.js");
const PLOT: &str = include_str!("vendor/plot.umd.min.js");

/// Our scripts, in an order in which they can run.
const CODE: [&str; 12] = [
    include_str!("data.js"),
    include_str!("page.js"),
    include_str!("filters.js"),
    include_str!("answer.js"),
    include_str!("throughput.js"),
    include_str!("lengths.js"),
    include_str!("scaling.js"),
    include_str!("model.js"),
    include_str!("studies.js"),
    include_str!("verify.js"),
    include_str!("compare.js"),
    include_str!("main.js"),
];

/// A report is smaller than this: where all samples do not fit, every second, third, ... is kept.
pub const MOST_BYTES: usize = 3_000_000;

/// What a file of results holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `roundel bench`.
    Bench,
    /// `roundel study NAME --json`.
    Study,
    /// `roundel verify --json`.
    Verify,
    /// `roundel tune --check --json`.
    Check,
}

impl Kind {
    /// Its name in the page's data.
    fn name(self) -> &'static str {
        match self {
            Kind::Bench => "bench",
            Kind::Study => "study",
            Kind::Verify => "verify",
            Kind::Check => "check",
        }
    }
}

/// A file of results.
#[derive(Clone, Debug)]
pub struct Results {
    /// The file's name, without folders.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    json: Value,
}

/// Why a file cannot be reported.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Nothing in it.
    #[error("{0} is empty: what should have written it failed or was interrupted; run it again")]
    Empty(String),
    /// Not JSON.
    #[error("{name} is not JSON: {error}")]
    Syntax {
        /// The file.
        name: String,
        /// The parser's complaint.
        error: serde_json::Error,
    },
    /// JSON of something else.
    #[error(
        "{0} holds no results: it should come from roundel bench, study NAME --json, verify --json or tune --check --json"
    )]
    Unknown(String),
    /// A benchmark in a format of another version.
    #[error("{name} is a benchmark of format '{format}': this version reads '{FORMAT}'; measure again")]
    Format {
        /// The file.
        name: String,
        /// Its format.
        format: String,
    },
}

impl Results {
    /// Reads a file's text; what it holds is seen from its fields.
    pub fn parse(name: &str, text: &str) -> Result<Results, ReportError> {
        if text.trim().is_empty() {
            return Err(ReportError::Empty(name.to_owned()));
        }
        let json: Value = serde_json::from_str(text)
            .map_err(|error| ReportError::Syntax { name: name.to_owned(), error })?;
        let has = |field: &str| json.get(field).is_some();
        let kind = match json.get("format").and_then(Value::as_str) {
            Some(FORMAT) => Kind::Bench,
            Some(format) if format.starts_with("roundel-bench/") => {
                return Err(ReportError::Format { name: name.to_owned(), format: format.to_owned() });
            }
            _ if has("study") => Kind::Study,
            _ if has("totals") && has("cpu_level") => Kind::Verify,
            _ if has("errors") && has("regret") => Kind::Check,
            _ => return Err(ReportError::Unknown(name.to_owned())),
        };
        Ok(Results { name: name.to_owned(), kind, json })
    }

    /// The results with every `keep`-th sample of a benchmark.
    fn thinned(&self, keep: usize) -> Value {
        let mut json = self.json.clone();
        if let (Kind::Bench, true) = (self.kind, keep > 1) {
            for point in json["points"].as_array_mut().into_iter().flatten() {
                for samples in ["ns", "ghz"] {
                    let kept = point[samples].as_array().into_iter().flatten().step_by(keep).cloned();
                    point[samples] = Value::Array(kept.collect());
                }
            }
        }
        json
    }

    /// What a profile's model predicts for each point of a benchmark, in nanoseconds.
    fn predictions(&self, profile: &Profile) -> Option<Vec<Option<f64>>> {
        let bench: BenchResult = match self.kind {
            Kind::Bench => serde_json::from_value(self.json.clone()).ok()?,
            _ => return None,
        };
        Some(model::predictions(&bench, profile))
    }
}

/// The file: of these results or, with a comparison, of the two benchmarks that it compares. `command` is what made it. With a profile of this
/// machine, what its model predicts is drawn beside what a benchmark of this machine measured.
pub fn render(
    results: &[Results],
    comparison: Option<&Comparison>,
    profile: Option<&Profile>,
    command: &str,
) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let code = format!("\n\"use strict\";\n{}", CODE.join("\n"));
    let hashes: Vec<String> = [D3, PLOT, &code].map(hash).into_iter().collect();
    let title = results.iter().find_map(|file| file.json["machine"]["cpu"].as_str()).unwrap_or("results");
    let page = PAGE
        .replace("@hashes@", &hashes.join(" "))
        .replace("@generator@", &format!("roundel {version}"))
        .replace("@title@", &escaped(&format!("roundel report: {title}")))
        .replace("@style@", STYLE);
    let assemble = |keep| {
        let data = packed(&data(results, comparison, profile, command, keep));
        page.replace("@data@", &data).replace("@d3@", D3).replace("@plot@", PLOT).replace("\n@code@", &code)
    };
    // Even one sample of each point of the longest run fits.
    (1..=64).map(assemble).find(|html| html.len() <= MOST_BYTES).unwrap_or_else(|| assemble(64))
}

fn data(
    results: &[Results],
    comparison: Option<&Comparison>,
    profile: Option<&Profile>,
    command: &str,
    keep: usize,
) -> Value {
    let file = |file: &Results| {
        json!({
            "name": file.name,
            "kind": file.kind.name(),
            "content": file.thinned(keep),
            "predictions": profile.and_then(|profile| file.predictions(profile)),
        })
    };
    let files: Vec<Value> = results.iter().map(file).collect();
    json!({
        "generator": concat!("roundel ", env!("CARGO_PKG_VERSION")),
        "made": date::now_utc(),
        "command": command,
        "keep": keep,
        "ciphers": list::entries(roundel::CIPHERS),
        "files": files,
        "comparison": comparison,
    })
}

/// Compressed, and without a character that means something in HTML.
fn packed(data: &Value) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let bytes = gzip.write_all(data.to_string().as_bytes()).and_then(|()| gzip.finish());
    BASE64_STANDARD.encode(bytes.expect("writing to memory does not fail"))
}

/// A script's sum as a Content-Security-Policy names it.
fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script.as_bytes())))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;

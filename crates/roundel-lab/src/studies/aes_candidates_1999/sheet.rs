//! The study for the report.

use super::result::{Candidate, StudyResult};
use crate::studies::sheet::{Chart, Sheet, SheetRow, SheetTable};

/// The table of 1999 with a row for each candidate and machine.
pub(super) fn sheet(result: &StudyResult) -> Sheet {
    let cores = format!("{} processors", result.origin.threads);
    let row = |candidate: &Candidate, series: &str, minutes, seconds, ratio| SheetRow {
        label: candidate.cipher.clone(),
        series: series.to_owned(),
        x: None,
        published: Some(minutes),
        at_least: candidate.published.at_least,
        ours: (candidate.failed == 0).then_some(seconds),
        ratio: (candidate.failed == 0).then_some(ratio),
        note: candidate.strategy.clone(),
    };
    let rows = result.candidates.iter().flat_map(|c| {
        [
            row(c, "1 processor", c.published.piii_minutes, c.one_core_seconds, c.ratio_one_core),
            row(c, &cores, c.published.smp_minutes, c.all_cores_seconds, c.ratio_all_cores),
        ]
    });
    Sheet {
        source: "Minutes of the designers' codes for the full known-answer and Monte Carlo program of the AES contest, \
                 January 1999: on a 500 MHz Pentium III, and on a machine with two 450 MHz processors."
            .to_owned(),
        method: "The same program for every candidate, on the strategy that a short measurement found fastest: 960 known answers and twelve \
                 Monte Carlo chains of 400 key setups and 4,000,000 serial blocks, all compared with NIST's vectors. One processor: CPU \
                 time of its threads; several: wall clock from the start of the candidate's first chain to the end of its last."
            .to_owned(),
        tables: vec![SheetTable {
            caption: "The whole program".to_owned(),
            chart: Chart::Ratios,
            label: "candidate".to_owned(),
            series: "machine".to_owned(),
            published_unit: "min".to_owned(),
            our_unit: "s".to_owned(),
            rows: rows.collect(),
        }],
    }
}

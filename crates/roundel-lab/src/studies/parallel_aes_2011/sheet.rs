//! The study for the report.

use super::published::{DECRYPTION_MODEL, ENCRYPTION_MODEL, seconds};
use super::{Constant, Row, StudyResult};
use crate::studies::sheet::{Chart, Sheet, SheetRow, SheetTable};

/// Seconds by size, and the constants of "time = c x size".
pub(super) fn sheet(result: &StudyResult) -> Sheet {
    let cores = format!("{} cores", result.origin.threads);
    let times = result.rows.iter().flat_map(|row| {
        let old = seconds(row.encrypts, row.kilobytes);
        [
            time(row, "1 core", old.map(|old| old.0), row.sequential.seconds),
            time(row, &cores, old.map(|old| old.1), row.parallel.seconds),
        ]
    });
    let constants = result.constants.iter().flat_map(|ours| {
        let old = if ours.encrypts { ENCRYPTION_MODEL } else { DECRYPTION_MODEL };
        [constant(ours, "1 core", old.0, ours.sequential), constant(ours, &cores, old.1, ours.parallel)]
    });
    let (times, constants) = (times.collect(), constants.collect());
    Sheet {
        source: "Seconds to encrypt and decrypt files of 1000 to 6000 KB by AES-128 on a Core 2 Duo at 2.4 GHz, 2011, sequentially and on both \
                 cores, and the constant of \"time = c x size\" that was fitted to them."
            .to_owned(),
        method: format!(
            "{} in ECB with a 128-bit key, in memory, in place, by the wall clock; the least of some rounds over all sizes, of which \
             the larger are a thousand times those of 2011. The constant is fitted to 1000, 2000 and 3000 KB.",
            result.strategy
        ),
        tables: vec![
            table("Seconds by size", Chart::Lines, "KB", "s", times),
            table("Seconds per KB: the constant of the model", Chart::Ratios, "direction", "ms/KB", constants),
        ],
    }
}

fn table(caption: &str, chart: Chart, label: &str, unit: &str, rows: Vec<SheetRow>) -> SheetTable {
    SheetTable {
        caption: caption.to_owned(),
        chart,
        label: label.to_owned(),
        series: "how".to_owned(),
        published_unit: unit.to_owned(),
        our_unit: unit.to_owned(),
        rows,
    }
}

fn direction(encrypts: bool) -> &'static str {
    if encrypts { "encryption" } else { "decryption" }
}

fn time(row: &Row, cores: &str, published: Option<f64>, ours: f64) -> SheetRow {
    SheetRow {
        label: row.kilobytes.to_string(),
        series: format!("{}, {cores}", direction(row.encrypts)),
        x: Some(row.kilobytes as f64),
        published,
        at_least: false,
        ours: Some(ours),
        ratio: published.map(|published| published / ours),
        note: String::new(),
    }
}

/// In milliseconds.
fn constant(of: &Constant, cores: &str, published: f64, ours: f64) -> SheetRow {
    SheetRow {
        label: direction(of.encrypts).to_owned(),
        series: cores.to_owned(),
        x: None,
        published: Some(1e3 * published),
        at_least: false,
        ours: Some(1e3 * ours),
        ratio: Some(published / ours),
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::invented;
    use super::*;

    #[test]
    fn times_and_constants_stand_beside_those_of_2011() {
        let [times, constants] = &sheet(&invented()).tables[..] else { panic!("two tables") };
        // Three sizes, both ways, on one core and on two; of decryption 2011 has no 4000 KB.
        assert_eq!(times.rows.len(), 12);
        assert_eq!(times.rows.iter().filter(|row| row.published.is_none()).count(), 2);
        let first = &times.rows[1];
        assert_eq!(
            (&first.label[..], &first.series[..], first.x),
            ("1000", "encryption, 2 cores", Some(1000.0))
        );
        assert_eq!((first.published, first.ours, first.ratio), (Some(1.608), Some(0.6), Some(1.608 / 0.6)));
        let ratio = constants.rows[0].ratio.unwrap();
        assert!(constants.rows.len() == 4 && (ratio / 2.6582 - 1.0).abs() < 1e-6, "{ratio}");
    }
}

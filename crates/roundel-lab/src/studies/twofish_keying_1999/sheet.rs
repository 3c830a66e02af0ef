//! The study for the report.

use super::{Row, StudyResult};
use crate::studies::sheet::{Chart, Sheet, SheetRow, SheetTable};

/// The best option for each length, beside the published best.
pub(super) fn sheet(result: &StudyResult) -> Sheet {
    let row = |row: &Row| {
        let ours = row.totals[row.best].map(|total| total / row.bytes as f64);
        let published = row.published.map(|old| old.per_byte);
        let old = row.published.map_or(String::new(), |old| format!("; published: {}", old.option));
        SheetRow {
            label: row.bytes.to_string(),
            series: String::new(),
            x: Some(row.bytes as f64),
            published,
            at_least: false,
            ours,
            ratio: published.zip(ours).map(|(published, ours)| published / ours),
            note: format!("{}{old}", result.options[row.best].name),
        }
    };
    Sheet {
        source: "Best total clocks for one message under a new 128-bit key on a Pentium Pro, by length, in the Twofish book of 1999."
            .to_owned(),
        method: "Every keying option of this program keys and encrypts messages of each length under keys never seen before; the best \
                 one's core cycles are shown, by the clock measured beside them."
            .to_owned(),
        tables: vec![SheetTable {
            caption: "Keying and encrypting one message, clocks per byte".to_owned(),
            chart: Chart::Lines,
            label: "bytes".to_owned(),
            series: String::new(),
            published_unit: "clocks/byte".to_owned(),
            our_unit: "clocks/byte".to_owned(),
            rows: result.rows.iter().map(row).collect(),
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::invented;
    use super::*;

    #[test]
    fn each_length_has_the_best_option() {
        let sheet = sheet(&invented());
        let [first, second] = &sheet.tables[0].rows[..] else { panic!("two lengths") };
        assert_eq!((first.x, first.published, first.ours), (Some(64.0), Some(73.3), Some(740.0 / 64.0)));
        assert_eq!(
            (&first.note[..], &second.note[..]),
            ("zero; published: zero", "full; published: partial")
        );
    }
}

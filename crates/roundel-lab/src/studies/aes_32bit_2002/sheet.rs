//! The study for the report.

use super::{ROWS, Row, StudyResult};
use crate::studies::sheet::{Chart, Sheet, SheetRow, SheetTable};

/// The table of 2002: a row for each technique, length of key and rate.
pub(super) fn sheet(result: &StudyResult) -> Sheet {
    let rows = ROWS.iter().flat_map(|old| {
        let same = |row: &&Row| row.strategy == old.strategy && row.key_bits == old.key_bits;
        let ours = result.rows.iter().find(same).map(|row| row.rates);
        let (key, decryption_key) = old.keys.map_or((None, None), |(key, both)| (Some(key), both));
        let rates = [
            ("key schedule", key, ours.map(|rates| rates.encryption_key)),
            ("encryption", Some(old.encrypt), ours.map(|rates| rates.encrypt)),
            ("key schedule for decryption", decryption_key, ours.map(|rates| rates.decryption_key)),
            ("decryption", Some(old.decrypt), ours.map(|rates| rates.decrypt)),
        ];
        rates.map(|(series, published, ours)| published.map(|published| (old, series, published, ours)))
    });
    let rows = rows.flatten().map(|(old, series, published, ours)| SheetRow {
        label: format!("{}, {} bits", old.technique, old.key_bits),
        series: series.to_owned(),
        x: None,
        published: Some(published),
        at_least: false,
        ours,
        ratio: ours.map(|ours| ours / published),
        note: old.strategy.to_owned(),
    });
    Sheet {
        source: "Mbit/s of AES on a 450 MHz processor of 32 bits, 2002: byte-wise code, tables of products, and 32-bit tables; a key \
                 schedule counts in bits of key. Where the table has no key schedule of its own, it is that of the byte-wise code."
            .to_owned(),
        method: "CPU time of one thread, the least of the samples, which were taken in rounds over all strategies: ECB over 16 KiB in \
                 place (512 bytes for slow strategies), and the key schedules by themselves. The byte-wise strategy computes its S-box \
                 in constant time, which that of 2002 looked up."
            .to_owned(),
        tables: vec![SheetTable {
            caption: "Mbit/s by technique".to_owned(),
            chart: Chart::Ratios,
            label: "technique".to_owned(),
            series: "rate".to_owned(),
            published_unit: "Mbit/s".to_owned(),
            our_unit: "Mbit/s".to_owned(),
            rows: rows.collect(),
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::invented;
    use super::*;

    #[test]
    fn every_published_rate_has_a_row() {
        let table = &sheet(&invented()).tables[0];
        // Four rates in three rows, three in three, two in three.
        assert_eq!(table.rows.len(), 3 * (4 + 3 + 2));
        let row = |label: &str, series: &str| {
            let of = |row: &&SheetRow| row.label == label && row.series == series;
            table.rows.iter().find(of).cloned().unwrap()
        };
        let words = row("32-bit tables, 128 bits", "encryption");
        assert_eq!((words.published, words.ours, words.ratio), (Some(87.0), Some(100.0), Some(100.0 / 87.0)));
        assert_eq!(row("32-bit tables, 256 bits", "decryption").ours, None);
    }
}

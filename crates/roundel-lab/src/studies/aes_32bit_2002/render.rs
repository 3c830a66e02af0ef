//! The result as tables and sentences.

use super::super::document::{Findings, Grid};
use super::published::MACHINES;
use super::{Origin, ROWS, StudyResult, sheet::sheet};
use crate::report::three_digits;
use crate::studies::sheet::Sheet;

impl Findings for StudyResult {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn grids(&self) -> Vec<Grid> {
        vec![beside(self), all(self)]
    }

    fn sentences(&self) -> Vec<String> {
        sentences(self)
    }

    fn sheet(&self) -> Sheet {
        sheet(self)
    }
}

/// The rows of 2002 beside ours: rate, speed-up over byte-wise code, and how many times the rate of 2002.
fn beside(result: &StudyResult) -> Grid {
    let mut rows = Vec::new();
    for old in &ROWS {
        let same = |row: &&super::Row| row.strategy == old.strategy && row.key_bits == old.key_bits;
        let (Some(ours), Some(base)) = (result.rows.iter().find(same), result.byte_wise(old.key_bits)) else {
            continue;
        };
        let old_base = ROWS.iter().find(|row| row.strategy == "reference" && row.key_bits == old.key_bits);
        let old_up = |of: fn(&super::Published) -> f64| {
            old_base.map_or(String::new(), |base| format!("{:.1}x", of(old) / of(base)))
        };
        let key = old.keys.map_or(String::new(), |(key, _)| three_digits(key));
        rows.push(vec![
            old.key_bits.to_string(),
            old.technique.to_owned(),
            key,
            three_digits(old.encrypt),
            three_digits(old.decrypt),
            old_up(|row| row.encrypt),
            old_up(|row| row.decrypt),
            old.strategy.to_owned(),
            three_digits(ours.rates.encryption_key),
            three_digits(ours.rates.encrypt),
            three_digits(ours.rates.decrypt),
            format!("{:.1}x", ours.rates.encrypt / base.rates.encrypt),
            format!("{:.1}x", ours.rates.decrypt / base.rates.decrypt),
            format!("{:.0}x", ours.rates.encrypt / old.encrypt),
        ]);
    }
    Grid::new(
        "Mbit/s of 2002 (450 MHz) beside ours; speed-ups over byte-wise code",
        &[
            "key bits",
            "2002",
            "key",
            "encrypt",
            "decrypt",
            "enc up",
            "dec up",
            "ours",
            "key",
            "encrypt",
            "decrypt",
            "enc up",
            "dec up",
            "ours/2002",
        ],
        rows,
    )
    .narrowed_by(&[12, 6, 11, 5, 10, 4, 8, 2])
}

/// Every strategy, those since 2002 among them.
fn all(result: &StudyResult) -> Grid {
    let rows = result.rows.iter().map(|row| {
        let base = result.byte_wise(row.key_bits).map_or(f64::NAN, |base| base.rates.encrypt);
        let base_decrypt = result.byte_wise(row.key_bits).map_or(f64::NAN, |base| base.rates.decrypt);
        vec![
            row.key_bits.to_string(),
            row.strategy.to_owned(),
            if row.constant_time { "yes" } else { "no" }.to_owned(),
            three_digits(row.rates.encryption_key),
            three_digits(row.rates.encrypt),
            three_digits(row.rates.decryption_key),
            three_digits(row.rates.decrypt),
            format!("{:.1}x", row.rates.encrypt / base),
            format!("{:.1}x", row.rates.decrypt / base_decrypt),
        ]
    });
    Grid::new(
        "Every strategy, Mbit/s",
        &[
            "key bits",
            "strategy",
            "const. time",
            "encryption key",
            "encrypt",
            "decryption key",
            "decrypt",
            "enc up",
            "dec up",
        ],
        rows.collect(),
    )
    .narrowed_by(&[8, 5, 3])
}

fn sentences(result: &StudyResult) -> Vec<String> {
    let machines: Vec<_> = MACHINES
        .iter()
        .map(|(mhz, encrypt, decrypt)| {
            format!("{mhz:.0} MHz {encrypt} and {decrypt} Mbit/s ({:.2} bit a cycle)", encrypt / mhz)
        })
        .collect();
    let mut sentences = vec![
        format!("32-bit tables on the three machines of 2002, 128-bit keys: {}.", machines.join("; ")),
        "Ours: CPU time of one thread; the least of the samples; ECB over 16 KiB in place (512 bytes for slow strategies). A key schedule \
         counts in bits of key; that for decryption has that for encryption in it, and the kernel's allocation. A strategy that needs no second \
         schedule shows the same rate twice. `reference` computes every product and S-box bit by bit in constant time, so it is \
         slower against tables than the byte-wise code of 2002, which looked its S-box up."
            .to_owned(),
    ];
    if result.origin.quick {
        sentences.push("A short run: three samples each.".to_owned());
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::tests::invented;
    use super::*;

    #[test]
    fn speed_ups_refer_to_byte_wise_code() {
        let grids = invented().grids();
        let row = |grid: usize, of: &str| {
            let rows = &grids[grid].rows;
            rows.iter().find(|row| row.iter().any(|cell| cell == of)).cloned().unwrap_or_default().join(" ")
        };
        assert_eq!(
            row(0, "ttable"),
            "128 32-bit tables 50.7 87.0 86.5 61.3x 101.8x ttable 500 100 50.0 50.0x 50.0x 1x"
        );
        assert_eq!(
            row(0, "lookup"),
            "128 tables of products  8.10 7.20 5.7x 8.5x lookup 80.0 16.0 8.00 8.0x 8.0x 2x"
        );
        assert_eq!(row(1, "since"), "128 since no 10000 2000 5000 1000 1000.0x 1000.0x");
    }
}

//! The table of a result as text cells: what the terminal and Markdown have in common.

use super::{plain::Column, three_digits};
use crate::bench::{BenchResult, Operation, Point, bulk_bytes};
use crate::stats::Summary;

/// One row: a contender at a key length.
#[derive(Clone, Copy)]
struct Row {
    contender: usize,
    key_bits: usize,
}

/// How the figures are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Medians.
    Plain,
    /// Medians with their spread.
    WithSpread,
}

struct Cells<'r> {
    result: &'r BenchResult,
    bulk: usize,
    style: Style,
}

/// All columns that have something to say.
pub(super) fn columns(result: &BenchResult, style: Style) -> Vec<Column> {
    use Operation as O;
    let cells = Cells { result, bulk: bulk_bytes(result), style };
    let rows = rows(result);
    let column = |heading: &str, dispensable, is_text, cell: &dyn Fn(Row) -> Option<String>| Column {
        heading: heading.to_owned(),
        cells: rows.iter().map(|&row| cell(row).unwrap_or_default()).collect(),
        dispensable,
        is_text,
    };
    let text = |heading, dispensable, cell: &dyn Fn(Row) -> String| {
        column(heading, dispensable, true, &|row| Some(cell(row)))
    };
    let figure = |heading, dispensable, cell: &dyn Fn(Row) -> Option<String>| {
        column(heading, dispensable, false, cell)
    };
    let both = |heading, dispensable, encrypt, decrypt| {
        figure(heading, dispensable, &|row| cells.both_ways(row, encrypt, decrypt))
    };
    let mut cipher = text("cipher\nkey bits", 0, &|row| cells.cipher(row));
    blank_repetitions(&mut cipher.cells);
    let all = [
        cipher,
        text("strategy", 0, &|row| cells.strategy(row)),
        text("const.\ntime", 1, &|row| cells.constant_time(row)),
        figure("key setup\nenc +dec", 3, &|row| cells.key_setup(row)),
        both("ECB\nenc / dec", 7, O::EcbEncrypt, O::EcbDecrypt),
        both("CBC\nenc / dec", 6, O::CbcEncrypt, O::CbcDecrypt),
        figure("CTR", 0, &|row| cells.cycles_per_byte(row, O::Ctr)),
        both("GCM\nenc / dec", 2, O::GcmEncrypt, O::GcmDecrypt),
        both("XTS\nenc / dec", 5, O::XtsEncrypt, O::XtsDecrypt),
        both("XTS 512 B\nenc / dec", 8, O::SectorsEncrypt, O::SectorsDecrypt),
        figure("new key\nCTR ns", 9, &|row| cells.fresh(row, O::FreshCtr)),
        figure("new key\nGCM ns", 9, &|row| cells.fresh(row, O::FreshGcm)),
        figure("CTR\nGB/s", 0, &|row| cells.gigabytes(row)),
        figure("of\nmemcpy", 4, &|row| cells.of_memcpy(row)),
        figure("of\nbest", 3, &|row| cells.of_best(row, &rows)),
        figure("all\ncores", 3, &|row| cells.all_cores(row)),
    ];
    all.into_iter().filter(|column| column.cells.iter().any(|cell| !cell.is_empty())).collect()
}

fn blank_repetitions(cells: &mut [String]) {
    for i in (1..cells.len()).rev() {
        if cells[i] == cells[i - 1] {
            cells[i].clear();
        }
    }
}

/// Ciphers in the order in which they come, then key lengths, then contenders in the order in which they come.
fn rows(result: &BenchResult) -> Vec<Row> {
    let with_keys = |contender| {
        result.key_lengths(contender).into_iter().map(move |key_bits| Row { contender, key_bits })
    };
    let mut rows: Vec<Row> = (0..result.contenders.len()).flat_map(with_keys).collect();
    let first = |row: &Row| {
        let cipher = &result.contenders[row.contender].cipher;
        result.contenders.iter().position(|facts| facts.cipher == *cipher)
    };
    rows.sort_by_key(|row| (first(row), row.key_bits));
    rows
}

/// Length of the message under a new key in the table: a short one, so that the key counts.
pub(super) const FRESH_BYTES: usize = 64;

impl Cells<'_> {
    fn cipher(&self, row: Row) -> String {
        format!("{} {}", self.result.contenders[row.contender].cipher, row.key_bits)
    }

    /// The strategy's name; of other libraries, theirs with it.
    fn strategy(&self, row: Row) -> String {
        let facts = &self.result.contenders[row.contender];
        if facts.is_ours() {
            return facts.strategy.clone();
        }
        format!("{} {}", facts.library, facts.strategy).trim_end().to_owned()
    }

    fn constant_time(&self, row: Row) -> String {
        let constant_time = self.result.contenders[row.contender].constant_time;
        if constant_time { "yes" } else { "no" }.to_owned()
    }

    fn bulk(&self, row: Row, operation: Operation) -> Option<&Point> {
        self.result.longest_up_to(Some(row.contender), row.key_bits, operation, self.bulk)
    }

    fn figure(&self, summary: Summary) -> String {
        let median = three_digits(summary.median);
        match self.style {
            Style::Plain => median,
            Style::WithSpread => format!("{median} ±{}", three_digits(summary.mad)),
        }
    }

    /// With a star where the message had to be shorter than the heading says, by more than whole blocks explain.
    fn cycles_per_byte(&self, row: Row, operation: Operation) -> Option<String> {
        const LARGEST_BLOCK: usize = 32;
        let point = self.bulk(row, operation)?;
        let star = if point.bytes + LARGEST_BLOCK <= self.bulk { "*" } else { "" };
        Some(self.figure(point.cycles_per_byte()) + star)
    }

    fn both_ways(&self, row: Row, encrypt: Operation, decrypt: Operation) -> Option<String> {
        let [e, d] = [encrypt, decrypt].map(|operation| self.cycles_per_byte(row, operation));
        Some(format!("{} / {}", e?, d?))
    }

    /// Cycles of the encryption schedule, and what the decryption schedule takes on top, where that was measured: some libraries make both at once.
    fn key_setup(&self, row: Row) -> Option<String> {
        let cycles = |operation| {
            let point = self.result.point(Some(row.contender), row.key_bits, operation, 0, 0)?;
            Some(point.cycles_per_call().median)
        };
        let encrypt = cycles(Operation::KeyEncrypt)?;
        let more = cycles(Operation::KeyBoth)
            .map_or(String::new(), |both| format!(" +{:.0}", (both - encrypt).max(0.0)));
        Some(format!("{encrypt:.0}{more}"))
    }

    fn fresh(&self, row: Row, operation: Operation) -> Option<String> {
        let point = self.result.point(Some(row.contender), row.key_bits, operation, FRESH_BYTES, 0)?;
        Some(self.figure(point.ns_per_call()))
    }

    fn gigabytes(&self, row: Row) -> Option<String> {
        Some(three_digits(self.bulk(row, Operation::Ctr)?.gigabytes_per_second()))
    }

    fn of_memcpy(&self, row: Row) -> Option<String> {
        let ctr = self.bulk(row, Operation::Ctr)?;
        let copy = self.result.longest_up_to(None, 0, Operation::Copy, ctr.bytes)?;
        let ratio = ctr.cycles_per_byte().median / copy.cycles_per_byte().median;
        Some(format!("1/{}", three_digits(ratio)))
    }

    /// Speed as a part of that of the fastest contender for the same cipher and key length.
    fn of_best(&self, row: Row, rows: &[Row]) -> Option<String> {
        let cipher = |row: Row| &self.result.contenders[row.contender].cipher;
        let own = self.bulk(row, Operation::Ctr)?.cycles_per_byte().median;
        let best = rows
            .iter()
            .filter(|rival| rival.key_bits == row.key_bits && cipher(**rival) == cipher(row))
            .filter_map(|&rival| self.bulk(rival, Operation::Ctr))
            .map(|point| point.cycles_per_byte().median)
            .fold(own, f64::min);
        Some(three_digits(best / own))
    }

    /// How many times as much all cores do as one: CTR, both by the wall clock.
    fn all_cores(&self, row: Row) -> Option<String> {
        let team = |alone: bool| {
            self.result.points.iter().find(|p| {
                (p.contender, p.key_bits, p.operation) == (Some(row.contender), row.key_bits, Operation::Ctr)
                    && p.threads > 0
                    && (p.threads == 1) == alone
            })
        };
        let ratio = team(false)?.gigabytes_per_second() / team(true)?.gigabytes_per_second();
        Some(format!("{ratio:.2}x"))
    }
}

//! A result as Markdown: the table with the spread of each figure, and the cost by message length.

use super::table::{Style, columns};
use super::{machine_line, size, three_digits, typical_deviation_percent};
use crate::bench::{BenchResult, Operation, Point, bulk_bytes};

/// Operations that are also shown by message length.
const BY_LENGTH: [Operation; 5] =
    [Operation::Copy, Operation::Ctr, Operation::GcmEncrypt, Operation::GcmDecrypt, Operation::XtsEncrypt];

/// A document of its own: where, how, the table, the choices, and the figures by message length.
pub fn render(result: &BenchResult) -> String {
    let mut text = format!(
        "# Benchmark of {}\n\nMade by `{}` (version {}, {}) on {}.\n\n{}\n",
        result.date.split('T').next().unwrap_or_default(),
        result.command,
        result.version,
        result.machine.build,
        machine_line(result),
        method(result),
    );
    text += &main_table(result);
    text += "\n";
    for chosen in &result.choices {
        text += &format!("- roundel runs {} with `{}`: {}.\n", chosen.cipher, chosen.strategy, chosen.why);
    }
    for operation in BY_LENGTH {
        let figure = |point: &Point| three_digits(point.cycles_per_byte().median);
        let heading = format!("{}, cycles per byte by length of message", operation.name());
        text += &section(&heading, &grid(result, operation, figure));
    }
    for operation in [Operation::FreshCtr, Operation::FreshGcm] {
        let figure = |point: &Point| {
            let (ns, cycles) = (point.ns_per_call().median, point.cycles_per_call().median);
            format!("{} ns, {cycles:.0} cycles", three_digits(ns))
        };
        let heading = format!("{}: a message under a new key, by its length", operation.name());
        text += &section(&heading, &grid(result, operation, figure));
    }
    text
}

fn section(heading: &str, table: &str) -> String {
    if table.is_empty() { String::new() } else { format!("\n## {heading}\n\n{table}") }
}

fn method(result: &BenchResult) -> String {
    let load = result.load_average.map(|load| load.map_or("unknown".to_owned(), |load| format!("{load:.1}")));
    format!(
        "{} rounds in {:.0} s; load average {} before and {} after; typical deviation {:.1} %. Core cycles per byte of {} \
         messages (* shorter), median ± median absolute deviation; key setup in cycles. What the figures mean: \
         docs/METHOD.md.\n",
        result.method.rounds,
        result.method.elapsed_s,
        load[0],
        load[1],
        typical_deviation_percent(result),
        size(bulk_bytes(result)),
    )
}

fn main_table(result: &BenchResult) -> String {
    let columns = columns(result, Style::WithSpread);
    let headings: Vec<String> = columns.iter().map(|column| column.heading.replace('\n', " ")).collect();
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let row = |row: usize| columns.iter().map(|column| column.cells[row].clone()).collect();
    pipe_table(&headings, (0..rows).map(row))
}

/// A pipe table.
pub fn pipe_table(headings: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(headings);
    text += &line(&vec!["---".to_owned(); headings.len()]);
    rows.for_each(|row| text += &line(&row));
    text
}

/// A row for each contender and key length, a column for each message length; empty if the operation was not measured.
fn grid(result: &BenchResult, operation: Operation, figure: impl Fn(&Point) -> String) -> String {
    let points: Vec<&Point> =
        result.points.iter().filter(|p| p.operation == operation && p.threads == 0).collect();
    let mut lengths: Vec<usize> = points.iter().map(|p| p.bytes).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let mut rows: Vec<(Option<usize>, usize)> = points.iter().map(|p| (p.contender, p.key_bits)).collect();
    rows.sort_unstable();
    rows.dedup();
    if rows.is_empty() {
        return String::new();
    }
    let cell = |row, bytes| {
        let found = points.iter().find(|p| (p.contender, p.key_bits) == row && p.bytes == bytes);
        found.map_or_else(String::new, |point| figure(point))
    };
    let headings: Vec<String> =
        std::iter::once(String::new()).chain(lengths.iter().map(|&n| size(n))).collect();
    let line = |&row: &(Option<usize>, usize)| {
        let name = row_name(result, row.0, row.1);
        std::iter::once(name).chain(lengths.iter().map(|&bytes| cell(row, bytes))).collect()
    };
    pipe_table(&headings, rows.iter().map(line))
}

fn row_name(result: &BenchResult, contender: Option<usize>, key_bits: usize) -> String {
    let Some(index) = contender else { return "memcpy".to_owned() };
    let facts = &result.contenders[index];
    let library = if facts.is_ours() { "" } else { facts.library.as_str() };
    let words = [&facts.cipher, &key_bits.to_string(), library, &facts.strategy];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::result_with;
    use super::*;

    #[test]
    fn every_row_of_a_table_has_as_many_cells_as_its_heading() {
        let text = render(&result_with(&[("reference", 100.0), ("ttable", 10.0)]));
        let mut in_table = 0;
        for line in text.lines() {
            let cells = line.matches('|').count();
            if cells > 0 && in_table > 0 {
                assert_eq!(cells, in_table, "{line}");
            }
            in_table = cells;
        }
        assert!(text.contains("| 10.0 ±0.000 |"), "{text}");
        assert!(text.contains("| rijndael 256 ttable | 10.0 |"), "{text}");
        assert!(text.contains("Made by `roundel bench`"));
    }

    #[test]
    fn a_key_schedule_is_shown_without_the_one_for_decryption() {
        let mut result = result_with(&[("reference", 100.0)]);
        let mut key = result.points[1].clone();
        (key.operation, key.bytes, key.ns) = (Operation::KeyEncrypt, 0, vec![50.0; 3]);
        result.points.push(key.clone());
        // 50 ns at 2 GHz.
        let text = main_table(&result);
        assert!(text.contains("| key setup enc +dec |") && text.contains("| 100 |"), "{text}");
        (key.operation, key.ns) = (Operation::KeyBoth, vec![75.0; 3]);
        result.points.push(key);
        assert!(main_table(&result).contains("| 100 +50 |"));
    }
}

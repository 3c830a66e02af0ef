//! A result as one table that fits the terminal, and a few sentences.

use super::table::{Column, Style, columns};
use super::{machine_line, size, typical_deviation_percent};
use crate::bench::{BenchResult, Unavailable, bulk_bytes};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// What a column takes beside its text: two blanks and a border that is a blank.
const BESIDE: usize = 3;

/// The table, as wide as `width` allows (all columns if `None`), and below it what it means.
pub fn render(result: &BenchResult, width: Option<usize>) -> String {
    let (kept, left_out) = fitting(columns(result, Style::Plain), width);
    let mut text = format!("{}\n{}\n{}", machine_line(result), table(&kept), legend(result));
    if left_out > 0 {
        text += &format!("{left_out} columns are left out for want of width; the JSON file has them.\n");
    }
    for Unavailable { cipher, strategy, needs } in &result.unavailable {
        text += &format!("Not measured: {cipher} {strategy} needs {needs}.\n");
    }
    for chosen in &result.choices {
        text += &format!("roundel runs {} with {}: {}.\n", chosen.cipher, chosen.strategy, chosen.why);
    }
    if result.interrupted {
        text += "Interrupted: these are the results so far.\n";
    }
    text
}

/// Leaves out the most dispensable columns until the rest fits.
fn fitting(mut columns: Vec<Column>, width: Option<usize>) -> (Vec<Column>, usize) {
    let before = columns.len();
    let total = |columns: &[Column]| columns.iter().map(|column| column.width() + BESIDE).sum::<usize>();
    while width.is_some_and(|width| total(&columns) > width) {
        let most = columns.iter().map(|column| column.dispensable).max().unwrap_or(0);
        let Some(last) = columns.iter().rposition(|c| c.dispensable == most && most > 0) else { break };
        columns.remove(last);
    }
    let left_out = before - columns.len();
    (columns, left_out)
}

fn table(columns: &[Column]) -> Table {
    const UNDER_HEADING: TableStyle =
        TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    let mut table = Table::new();
    table.load_style(UNDER_HEADING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| column.heading.as_str()));
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        table.add_row(columns.iter().map(|column| column.cells[row].as_str()));
    }
    for (column, shown) in columns.iter().zip(table.column_iter_mut()) {
        if !column.is_text {
            shown.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn legend(result: &BenchResult) -> String {
    let checks: usize = result.contenders.iter().map(|facts| facts.checks).sum();
    let load = match result.load_average {
        [Some(start), Some(end)] => format!("; load average {start:.1} before, {end:.1} after"),
        _ => String::new(),
    };
    format!(
        "Core cycles per byte of {} messages (* shorter, where that takes too long), one core, in place;\n\
         key setup in cycles; new key: a {} message with its key setup.\n\
         Medians of {} samples, typical deviation {:.1} %{load}.\n\
         Before that, {checks} comparisons with published vectors and the reference, all equal.\n",
        size(bulk_bytes(result)),
        size(super::table::FRESH_BYTES),
        result.method.rounds,
        typical_deviation_percent(result),
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::result_with;
    use super::*;

    #[test]
    fn shows_figures_ratios_and_the_legend() {
        let text = render(&result_with(&[("reference", 100.0), ("ttable", 10.0)]), None);
        let row = |name: &str| -> Vec<&str> {
            text.lines().find(|line| line.contains(name)).unwrap().split_whitespace().collect()
        };
        // 10 cycles per byte at 2 GHz are 0.2 GB/s; memcpy does 50.
        assert_eq!(row("ttable"), ["ttable", "no", "10.0", "0.200", "1/250", "1.00"]);
        let reference = ["rijndael", "256", "reference", "yes", "100", "0.020", "1/2500", "0.100"];
        assert_eq!(row(" reference "), reference);
        for part in ["Invented CPU", "16 KiB messages", "48 comparisons"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn narrow_terminals_lose_the_dispensable_columns_first() {
        let result = result_with(&[("reference", 100.0)]);
        let all = columns(&result, Style::Plain).len();
        let (kept, left_out) = fitting(columns(&result, Style::Plain), Some(55));
        assert_eq!(kept.len() + left_out, all);
        assert!(left_out > 0 && kept.iter().any(|column| column.heading == "CTR"));
        let widest = table(&kept).to_string().lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 55, "{widest}");
    }
}

//! A result as one table that fits the terminal, and a few sentences.

use super::plain::{fitting, side_by_side, want_of_width, wrapped};
use super::table::{Style, columns};
use super::{machine_line, size, typical_deviation_percent};
use crate::bench::{BenchResult, Unavailable, bulk_bytes};
use comfy_table::{LineStyle, TableStyle};

const UNDER_HEADING: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// The table, as wide as `width` allows (all columns if `None`), and below it what it means.
pub fn render(result: &BenchResult, width: Option<usize>) -> String {
    let (kept, left_out) = fitting(columns(result, Style::Plain), width);
    let mut sentences = legend(result);
    if left_out > 0 {
        sentences.push(want_of_width(left_out, "the JSON file"));
    }
    for Unavailable { cipher, strategy, needs } in &result.unavailable {
        sentences.push(format!("Not measured: {cipher} {strategy} needs {needs}."));
    }
    for chosen in &result.choices {
        sentences.push(format!("roundel runs {} with {}: {}.", chosen.cipher, chosen.strategy, chosen.why));
    }
    if result.interrupted {
        sentences.push("Interrupted: these are the results so far.".to_owned());
    }
    let table = side_by_side(&kept, UNDER_HEADING, width);
    let sentences: String = sentences.iter().map(|sentence| wrapped(sentence, width)).collect();
    format!("{}{table}\n{sentences}", wrapped(&machine_line(result), width))
}

fn legend(result: &BenchResult) -> Vec<String> {
    let checks: usize = result.contenders.iter().map(|facts| facts.checks).sum();
    let load = match result.load_average {
        [Some(start), Some(end)] => format!("; load average {start:.1} before, {end:.1} after"),
        _ => String::new(),
    };
    vec![
        format!(
            "Core cycles per byte of {} messages (* shorter, where that takes too long), one core, in place; \
             key setup in cycles; new key: a {} message with its key setup.",
            size(bulk_bytes(result)),
            size(super::table::FRESH_BYTES),
        ),
        format!(
            "Medians of {} samples, typical deviation {:.1} %{load}.",
            result.method.rounds,
            typical_deviation_percent(result),
        ),
        format!("Before that, {checks} comparisons with published vectors and the reference, all equal."),
    ]
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
        let (all, narrow) = (render(&result, None), render(&result, Some(45)));
        assert!(all.contains("memcpy") && !narrow.contains("memcpy"), "{narrow}");
        assert!(narrow.contains("CTR") && narrow.contains("left out for want of width"), "{narrow}");
        assert!(narrow.lines().all(|line| line.chars().count() <= 45), "{narrow}");
    }
}

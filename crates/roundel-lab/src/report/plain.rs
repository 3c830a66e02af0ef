//! Tables and paragraphs that fit the terminal: figures to the right, words to the left, and nothing cut.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, TableStyle, Width, presets};

/// A column: its heading, its cells, and how soon it is left out where the width is short (the highest number first, 0 never).
pub(super) struct Column {
    pub(super) heading: String,
    pub(super) cells: Vec<String>,
    pub(super) dispensable: usize,
    pub(super) is_text: bool,
}

/// What a column takes beside its text: two blanks.
const BESIDE: usize = 2;

impl Column {
    /// Characters that it cannot do without: words are not cut, and figures keep their unit beside them.
    fn least_width(&self) -> usize {
        let words = self.heading.split_whitespace();
        let cells = self.cells.iter().flat_map(|cell| {
            let (cell, words) = if self.is_text { ("", cell.as_str()) } else { (cell.as_str(), "") };
            words.split_whitespace().chain([cell])
        });
        words.chain(cells).map(|text| text.chars().count()).max().unwrap_or(0)
    }
}

/// Leaves out the most dispensable columns until the rest fits, and says how many.
pub(super) fn fitting(mut columns: Vec<Column>, width: Option<usize>) -> (Vec<Column>, usize) {
    let before = columns.len();
    let total =
        |columns: &[Column]| columns.iter().map(|column| column.least_width() + BESIDE).sum::<usize>();
    while width.is_some_and(|width| total(&columns) > width) {
        let most = columns.iter().map(|column| column.dispensable).max().unwrap_or(0);
        let Some(last) = columns.iter().rposition(|c| c.dispensable == most && most > 0) else { break };
        columns.remove(last);
    }
    let left_out = before - columns.len();
    (columns, left_out)
}

/// The columns side by side, at most `width` wide if they are [`fitting`]: headings and words go on in the next line.
pub(super) fn side_by_side(columns: &[Column], style: TableStyle, width: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = width.and_then(|width| u16::try_from(width).ok()) {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header(columns.iter().map(|column| column.heading.as_str()));
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        table.add_row(columns.iter().map(|column| column.cells[row].as_str()));
    }
    for (column, shown) in columns.iter().zip(table.column_iter_mut()) {
        let least = u16::try_from(column.least_width() + BESIDE).unwrap_or(u16::MAX);
        shown.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        if !column.is_text {
            shown.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<_> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Rows under headings, at most `width` wide. A column whose cells all begin as numbers, or are empty, is set to the right. Where the width is
/// short, `dispensable` columns are left out, the first of these indexes first, and a sentence below says so.
pub fn table(
    headings: &[impl AsRef<str>],
    rows: &[Vec<String>],
    dispensable: &[usize],
    width: Option<usize>,
) -> String {
    let column = |(index, heading): (usize, &_)| {
        let cells: Vec<String> = rows.iter().map(|row| row.get(index).cloned().unwrap_or_default()).collect();
        let rank = dispensable.iter().position(|&own| own == index);
        Column {
            heading: AsRef::<str>::as_ref(heading).to_owned(),
            dispensable: rank.map_or(0, |rank| dispensable.len() - rank),
            is_text: !cells.iter().all(|cell| is_figure(cell)),
            cells,
        }
    };
    let (columns, left_out) = fitting(headings.iter().enumerate().map(column).collect(), width);
    let mut text = side_by_side(&columns, presets::NOTHING, width);
    if left_out > 0 {
        text += "\n\n";
        text += wrapped(&want_of_width(left_out, "--json"), width).trim_end();
    }
    text
}

/// The sentence about columns that are left out, and what has them.
pub(super) fn want_of_width(columns: usize, elsewhere: &str) -> String {
    let are = if columns == 1 { "column is" } else { "columns are" };
    format!("{columns} {are} left out for want of width: {elsewhere} has all.")
}

/// A paragraph with two blanks before each line.
pub fn indented(paragraph: &str, width: Option<usize>) -> String {
    let lines = wrapped(paragraph, width.map(|width| width.saturating_sub(2)));
    lines.lines().map(|line| format!("  {line}\n")).collect()
}

fn is_figure(cell: &str) -> bool {
    let start = cell.trim_start_matches(['+', '-', '~', '>', '<', ' ', '*']);
    start.is_empty() || start.starts_with(|c: char| c.is_ascii_digit())
}

/// Longer lines are hard to read, however wide the terminal.
const READABLE: usize = 100;

/// A paragraph in lines that fit the width, unless a word is longer.
pub fn wrapped(paragraph: &str, width: Option<usize>) -> String {
    let width = width.unwrap_or(READABLE).min(READABLE);
    let mut text = String::new();
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            column = 0;
        }
        if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[[&str; 3]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect()
    }

    #[test]
    fn figures_stand_to_the_right() {
        let rows = rows(&[["full", "8", "+1.5 %"], ["minimal", "1024", "-12 %"]]);
        let text = table(&["option", "bytes", "change"], &rows, &[], None);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].ends_with("   8  +1.5 %") && lines[1].starts_with(" full "), "{text}");
    }

    #[test]
    fn narrow_tables_fold_words_keep_figures_whole_and_leave_out_the_rest() {
        let rows = rows(&[["the full table", "10.5 ms", "2"], ["none", "3 ms", "1"]]);
        let at = |width| table(&["what", "time for it", "threads"], &rows, &[2], Some(width));
        let within = |text: &str, width: usize| text.lines().all(|line| line.chars().count() <= width);
        for width in [25, 24] {
            let text = at(width);
            assert!(within(&text, width) && text.contains("10.5 ms") && text.contains("full"), "{text}");
            assert_eq!(
                (text.contains("threads"), text.contains("1 column is left out")),
                (width == 25, width == 24),
                "{text}"
            );
        }
        assert!(
            at(200).lines().next().unwrap().trim_start().starts_with("what            time for it"),
            "{}",
            at(200)
        );
    }

    #[test]
    fn words_are_not_cut() {
        assert_eq!(wrapped("a bc def ghijklmnop q", Some(6)), "a bc\ndef\nghijklmnop\nq\n");
        let long = wrapped(&"word ".repeat(100), Some(500));
        assert!(long.lines().all(|line| line.len() <= READABLE), "{long}");
    }
}

//! Tables for the terminal that need no frame: figures to the right, words to the left.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Rows under headings. A column whose cells all begin as numbers, or are empty, is set to the right.
pub fn table(headings: &[impl AsRef<str>], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().map(AsRef::as_ref));
    table.add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        if rows.iter().all(|row| row.get(index).is_none_or(|cell| is_figure(cell))) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<_> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

fn is_figure(cell: &str) -> bool {
    let start = cell.trim_start_matches(['+', '-', '~', '>', '<', ' ', '*']);
    start.is_empty() || start.starts_with(|c: char| c.is_ascii_digit())
}

/// A paragraph in lines of at most `width` characters, unless a word is longer.
pub fn wrapped(paragraph: &str, width: usize) -> String {
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

    #[test]
    fn figures_stand_to_the_right() {
        let rows = [["full", "8", "+1.5 %"], ["minimal", "1024", "-12 %"]]
            .map(|row| row.map(str::to_owned).to_vec());
        let text = table(&["option", "bytes", "change"], &rows);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].ends_with("   8  +1.5 %") && lines[1].starts_with(" full "), "{text}");
    }

    #[test]
    fn words_are_not_cut() {
        assert_eq!(wrapped("a bc def ghijklmnop q", 6), "a bc\ndef\nghijklmnop\nq\n");
    }
}

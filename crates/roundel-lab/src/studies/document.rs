//! What the renderings of a study are made of: tables and paragraphs, for the terminal and as Markdown.

use crate::machine::Machine;
use crate::report::{markdown::pipe_table, plain};

/// Rows under headings, with a title.
pub(super) struct Grid {
    pub(super) title: &'static str,
    pub(super) headings: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Everything that a study shows.
pub(super) struct Document<'a> {
    pub(super) study: &'static str,
    pub(super) command: &'a str,
    pub(super) date: &'a str,
    pub(super) machine: &'a Machine,
    pub(super) grids: Vec<Grid>,
    pub(super) sentences: Vec<String>,
}

/// Width of paragraphs in the terminal.
const WIDTH: usize = 100;

impl Grid {
    pub(super) fn new(title: &'static str, headings: &[&str], rows: Vec<Vec<String>>) -> Grid {
        Grid { title, headings: headings.iter().map(|&heading| heading.to_owned()).collect(), rows }
    }
}

impl Document<'_> {
    fn place(&self) -> String {
        let Machine { cpu, cores, level, .. } = self.machine;
        format!("{cpu}, {cores} cores, CPU level {level}.")
    }

    pub(super) fn terminal(&self) -> String {
        let mut text = self.place() + "\n";
        for Grid { title, headings, rows } in &self.grids {
            text += &format!("\n{title}\n\n{}\n", plain::table(headings, rows));
        }
        text + "\n"
            + &self.sentences.iter().map(|sentence| plain::wrapped(sentence, WIDTH)).collect::<String>()
    }

    pub(super) fn markdown(&self) -> String {
        let day = self.date.split('T').next().unwrap_or_default();
        let mut text = format!(
            "# {}\n\nMade by `{}` (version {}, {}) on {day}.\n\n{}\n",
            self.study,
            self.command,
            env!("CARGO_PKG_VERSION"),
            self.machine.build,
            self.place(),
        );
        for Grid { title, headings, rows } in &self.grids {
            text += &format!("\n## {title}\n\n{}", pipe_table(headings, rows.iter().cloned()));
        }
        text + "\n## Method\n\n" + &self.sentences.join("\n\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_have_the_same_cells() {
        let machine = Machine { cpu: "Invented CPU".into(), ..Machine::detect() };
        let document = Document {
            study: "none-1999",
            command: "roundel study none-1999",
            date: "2026-11-21T21:04:05Z",
            machine: &machine,
            grids: vec![Grid::new("Clocks", &["option", "clocks"], vec![vec!["zero".into(), "1250".into()]])],
            sentences: vec!["A sentence.".into()],
        };
        let terminal = document.terminal();
        assert!(terminal.starts_with("Invented CPU, ") && terminal.contains("\nClocks\n\n"), "{terminal}");
        assert!(terminal.lines().any(|line| line.split_whitespace().eq(["zero", "1250"])), "{terminal}");
        let markdown = document.markdown();
        assert!(
            markdown.contains("Made by `roundel study none-1999`") && markdown.contains("on 2026-11-21.")
        );
        assert!(markdown.contains("\n## Clocks\n\n| option | clocks |\n| --- | --- |\n| zero | 1250 |\n"));
    }
}

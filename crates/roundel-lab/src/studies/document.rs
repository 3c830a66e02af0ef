//! A study's renderings: tables and paragraphs, for the terminal and as Markdown, and its figures as JSON.

use super::Outcome;
use super::origin::Origin;
use super::sheet::{self, Sheet};
use crate::report::{markdown::pipe_table, plain};
use crate::verify::Failure;
use serde::Serialize;

/// A study's result, as far as all of them are alike. Serialised it is every figure, and where they come from.
pub(super) trait Findings: Serialize {
    fn origin(&self) -> &Origin;

    /// Its tables.
    fn grids(&self) -> Vec<Grid>;

    /// What they mean and how they were made, in paragraphs.
    fn sentences(&self) -> Vec<String>;

    /// What the report draws.
    fn sheet(&self) -> Sheet;
}

/// Rows under headings, with a title. A heading may be of two lines; in Markdown it is of one.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) title: &'static str,
    pub(super) headings: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Columns that a narrow terminal does without, the first of them first.
    dispensable: Vec<usize>,
}

impl Grid {
    pub(super) fn new(title: &'static str, headings: &[&str], rows: Vec<Vec<String>>) -> Grid {
        let headings = headings.iter().map(|&heading| heading.to_owned()).collect();
        Grid { title, headings, rows, dispensable: Vec::new() }
    }

    /// The same, where these columns are left out of narrow terminals, the first of them first.
    pub(super) fn narrowed_by(self, dispensable: &[usize]) -> Grid {
        Grid { dispensable: dispensable.to_vec(), ..self }
    }
}

impl Outcome {
    /// What was found.
    pub(super) fn of(findings: &impl Findings) -> Outcome {
        let origin = findings.origin();
        Outcome {
            origin: origin.clone(),
            grids: findings.grids(),
            sentences: [failed(origin), findings.sentences()].concat(),
            json: sheet::json(findings, &findings.sheet()),
            failed: origin.failures.len(),
        }
    }

    /// For a terminal of this width.
    pub fn terminal(&self, width: Option<usize>) -> String {
        let mut text = plain::wrapped(&self.origin.place(), width);
        for Grid { title, headings, rows, dispensable } in &self.grids {
            let table = plain::table(headings, rows, dispensable, width);
            text += &format!("\n{}\n{table}\n", plain::wrapped(title, width));
        }
        text + "\n"
            + &self.sentences.iter().map(|sentence| plain::wrapped(sentence, width)).collect::<String>()
    }

    /// A document of its own.
    pub fn markdown(&self) -> String {
        let Origin { study, version, command, machine, .. } = &self.origin;
        let day = self.origin.date.split('T').next().unwrap_or_default();
        let mut text = format!(
            "# {study}\n\nMade by `{command}` (version {version}, {}) on {day}.\n\n{}\n",
            machine.build,
            self.origin.place(),
        );
        for Grid { title, headings, rows, .. } in &self.grids {
            let headings: Vec<_> = headings.iter().map(|heading| heading.replace('\n', " ")).collect();
            text += &format!("\n## {title}\n\n{}", pipe_table(&headings, rows.iter().cloned()));
        }
        text + "\n## Method\n\n" + &self.sentences.join("\n\n") + "\n"
    }
}

/// A sentence for each result that disagrees with its vector.
fn failed(origin: &Origin) -> Vec<String> {
    let sentence = |failure: &Failure| {
        let Failure { cipher, strategy, file, vector, operation, expected, got } = failure;
        format!("FAILED {cipher} {strategy}: {file} {vector}, {operation}: expected {expected}, got {got}.")
    };
    origin.failures.iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{origin::invented, twofish_keying_1999::STUDY};
    use super::*;
    use serde_json::Value;

    #[derive(Serialize)]
    struct Nothing {
        #[serde(flatten)]
        origin: Origin,
        clocks: f64,
    }

    impl Findings for Nothing {
        fn origin(&self) -> &Origin {
            &self.origin
        }

        fn grids(&self) -> Vec<Grid> {
            let cells = vec!["zero".to_owned(), format!("{}", self.clocks)];
            vec![Grid::new("Clocks", &["option", "clocks\nto key"], vec![cells])]
        }

        fn sentences(&self) -> Vec<String> {
            vec!["A sentence.".into()]
        }

        fn sheet(&self) -> Sheet {
            Sheet { source: "Nowhere.".into(), method: String::new(), tables: Vec::new() }
        }
    }

    #[test]
    fn all_forms_have_the_same_figures() {
        let outcome = Outcome::of(&Nothing { origin: invented(&STUDY), clocks: 1250.0 });
        let (terminal, markdown) = (outcome.terminal(None), outcome.markdown());
        assert!(terminal.starts_with("Invented CPU, ") && terminal.contains("\nClocks\n\n"), "{terminal}");
        assert!(terminal.lines().any(|line| line.split_whitespace().eq(["zero", "1250"])), "{terminal}");
        assert!(terminal.lines().any(|line| line.trim() == "to key"), "{terminal}");
        let made = "# twofish-keying-1999\n\nMade by `roundel study twofish-keying-1999` (version 0.1.0, ";
        assert!(markdown.starts_with(made) && markdown.contains(" on 2026-11-21."), "{markdown}");
        let table = "\n## Clocks\n\n| option | clocks to key |\n| --- | --- |\n| zero | 1250 |\n";
        assert!(markdown.contains(table), "{markdown}");
        let json: Value = serde_json::from_str(&outcome.json).unwrap();
        assert_eq!((&json["study"], &json["clocks"]), (&"twofish-keying-1999".into(), &1250.0.into()));
        assert_eq!((&json["machine"]["cpu"], &json["threads"]), (&"Invented CPU".into(), &2.into()));
        assert_eq!(json["sheet"]["source"], "Nowhere.");
        assert_eq!(outcome.failed, 0);
    }
}

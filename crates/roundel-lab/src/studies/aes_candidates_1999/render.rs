//! The result as tables and sentences.

use super::result::{Candidate, StudyResult};
use super::sheet::sheet;
use crate::report::three_digits;
use crate::studies::Origin;
use crate::studies::document::{Findings, Grid};
use crate::studies::sheet::Sheet;

impl Findings for StudyResult {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn grids(&self) -> Vec<Grid> {
        vec![times(self), parts(self)]
    }

    fn sentences(&self) -> Vec<String> {
        sentences(self)
    }

    fn sheet(&self) -> Sheet {
        sheet(self)
    }
}

fn times(result: &StudyResult) -> Grid {
    let cores = match result.origin.threads {
        1 => "wall clock".to_owned(),
        n => format!("{n} cores"),
    };
    let headings = [
        "candidate",
        "1 core\ns",
        &format!("{cores}\ns"),
        "speed-up",
        "1999: P III\nmin",
        "times as fast\n(1 core)",
        "1999: SMP\nmin",
        &format!("times as fast\n({cores})"),
    ];
    let row = |candidate: &Candidate| {
        let published = candidate.published;
        let over = if published.at_least { "> " } else { "" };
        let ours = [
            seconds(result, candidate.one_core_seconds),
            seconds(result, candidate.all_cores_seconds),
            format!("{:.2}", candidate.speed_up),
        ];
        let [one, all, speed_up] =
            if candidate.failed > 0 { ["FAILED".into(), "-".into(), "-".into()] } else { ours };
        let ratio = |ratio: f64| {
            if candidate.failed > 0 { "-".to_owned() } else { format!("{over}{ratio:.0}") }
        };
        vec![
            candidate.cipher.clone(),
            one,
            all,
            speed_up,
            format!("{over}{:.2}", published.piii_minutes),
            ratio(candidate.ratio_one_core),
            format!("{over}{:.2}", published.smp_minutes),
            ratio(candidate.ratio_all_cores),
        ]
    };
    let mut rows: Vec<_> = result.candidates.iter().map(row).collect();
    if result.origin.failures.is_empty() && rows.len() > 1 {
        let mut total = vec![
            "all".to_owned(),
            seconds(result, result.one_core_seconds),
            seconds(result, result.all_cores_seconds),
            format!("{:.2}", result.one_core_seconds / result.all_cores_seconds),
        ];
        total.resize(headings.len(), String::new());
        rows.push(total);
    }
    Grid::new("Time beside the minutes of 1999", &headings, rows).narrowed_by(&[3, 6])
}

fn parts(result: &StudyResult) -> Grid {
    let headings = [
        "candidate",
        "strategy",
        "known\nanswers %",
        "key\nsetups %",
        "serial\nblocks %",
        "cycles\nper key",
        "cycles\nper block",
    ];
    let row = |candidate: &Candidate| {
        let percent = |seconds| format!("{:.2}", candidate.percent(seconds));
        vec![
            candidate.cipher.clone(),
            candidate.strategy.clone(),
            percent(candidate.known_answer_seconds),
            percent(candidate.setup_seconds),
            percent(candidate.serial_seconds),
            format!("{:.0}", candidate.cycles_per_key),
            three_digits(candidate.cycles_per_block),
        ]
    };
    let sound = result.candidates.iter().filter(|candidate| candidate.failed == 0);
    Grid::new("Where the time went", &headings, sound.map(row).collect()).narrowed_by(&[3, 2])
}

fn seconds(result: &StudyResult, seconds: f64) -> String {
    format!("{}{}", if result.origin.quick { "~" } else { "" }, three_digits(seconds))
}

/// The verdict and the method, in paragraphs.
fn sentences(result: &StudyResult) -> Vec<String> {
    let passed: usize = result.candidates.iter().map(|candidate| candidate.passed).sum();
    let mut lines = Vec::new();
    lines.push(format!(
        "{passed} results agree with their vectors, {} do not; the run took {:.1} s.",
        result.origin.failures.len(),
        result.elapsed_seconds
    ));
    if result.origin.quick {
        lines.push(
            "Times with ~ are scaled: of the 400 outer iterations of a chain only those with a check value were run (0 to 3 and 399)."
                .to_owned(),
        );
    }
    lines.push(
        "A candidate's program: the known answers (variable key and text), and twelve Monte Carlo chains (ECB and CBC, both directions, \
         three key sizes) of 400 key setups and 4,000,000 blocks, each made from the one before. Check values: outer iterations 0 to 3 \
         and 399. The strategy is the one that a short measurement found fastest at a key setup and 10,000 single blocks."
            .to_owned(),
    );
    lines.push(
        "1 core: CPU time of the threads, added up over the chains of the same run, so it holds on a busy machine; where cores share a \
         processor's units (SMT) it is more than a run with --threads 1 takes. More cores: wall clock from the start of the candidate's first \
         chain to the end of its last; the chains of all candidates wait in one queue, so one candidate's end overlaps the next one's \
         start, and other programs on the machine make it longer. Cycles: CPU time by the core's clock, measured beside each chain."
            .to_owned(),
    );
    lines.push(
        "1999: minutes of the designers' codes on a 500 MHz Pentium III and on a machine with two 450 MHz processors (SMP)."
            .to_owned(),
    );
    lines
}

#[cfg(test)]
mod tests {
    use super::super::{STUDY, result::tests::invented};
    use super::*;
    use crate::studies::{Outcome, origin};
    use crate::verify::Failure;

    fn result(failed: usize) -> StudyResult {
        let failure = Failure {
            cipher: "rc6".into(),
            strategy: "ttable".into(),
            file: "rc6/ecb_vk.txt".into(),
            vector: "KEYSIZE=128 I=1".into(),
            operation: "encrypt".into(),
            expected: "00".into(),
            got: "FF".into(),
        };
        StudyResult {
            origin: Origin { failures: vec![failure; failed], ..origin::invented(&STUDY) },
            elapsed_seconds: 4.0,
            one_core_seconds: 8.0,
            all_cores_seconds: 4.0,
            candidates: vec![invented("rijndael", 0), invented("rc6", failed)],
        }
    }

    /// The cells of the first and of the second row that begins with this word.
    fn rows<'t>(text: &'t str, word: &str) -> [Vec<&'t str>; 2] {
        let mut rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        [(); 2].map(|()| rows.find(|cells| cells.first() == Some(&word)).unwrap_or_default())
    }

    #[test]
    fn figures_stand_in_their_columns() {
        let text = Outcome::of(&result(0)).terminal(None);
        let [times, parts] = rows(&text, "rijndael");
        assert_eq!(times, ["rijndael", "4.00", "2.00", "2.00", "12.00", "180", "10.00", "300"]);
        assert_eq!(parts, ["rijndael", "ttable", "0.00", "20.00", "80.00", "2000000", "800"]);
        assert_eq!(rows(&text, "all")[0], ["all", "8.00", "4.00", "2.00"]);
        assert!(text.contains("2040 results agree with their vectors, 0 do not;"), "{text}");
        assert!(!text.contains('~') && text.lines().all(|line| line.len() <= 110), "{text}");
    }

    #[test]
    fn quick_runs_and_bounds_are_marked() {
        let mut result = result(0);
        result.origin.quick = true;
        result.candidates[0].published.at_least = true;
        let text = Outcome::of(&result).terminal(None);
        let [times, _] = rows(&text, "rijndael");
        assert_eq!(
            times,
            ["rijndael", "~4.00", "~2.00", "2.00", ">", "12.00", ">", "180", ">", "10.00", ">", "300"]
        );
        assert!(text.contains("Times with ~ are scaled"));
    }

    #[test]
    fn a_failed_candidate_has_no_figures() {
        let text = Outcome::of(&result(1)).terminal(None);
        assert_eq!(rows(&text, "rc6")[0], ["rc6", "FAILED", "-", "-", "12.00", "-", "10.00", "-"]);
        assert!(rows(&text, "rc6")[1].is_empty() && rows(&text, "all")[0].is_empty());
        let sentence = text.split_once("\nFAILED ").unwrap().1.replace('\n', " ");
        let expected = "rc6 ttable: rc6/ecb_vk.txt KEYSIZE=128 I=1, encrypt: expected 00, got FF.";
        assert!(sentence.starts_with(expected), "{sentence}");
    }

    #[test]
    fn markdown_and_json_have_the_same_figures() {
        let outcome = Outcome::of(&result(0));
        let text = outcome.markdown();
        assert!(text.contains("Made by `roundel study aes-candidates-1999`"));
        assert!(text.contains("| rijndael | 4.00 | 2.00 | 2.00 | 12.00 | 180 | 10.00 | 300 |"), "{text}");
        let value: serde_json::Value = serde_json::from_str(&outcome.json).unwrap();
        assert_eq!(value["candidates"][0]["published"]["piii_minutes"], 12.0);
        let row = &value["sheet"]["tables"][0]["rows"][0];
        assert_eq!((&row["label"], &row["published"]), (&"rijndael".into(), &12.0.into()));
        assert_eq!(row["ratio"], value["candidates"][0]["ratio_one_core"]);
        assert!((value["candidates"][0]["speed_up"].as_f64().unwrap() - 2.0).abs() < 0.01);
    }
}

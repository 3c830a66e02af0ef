//! The result as tables and sentences.

use super::super::document::{Findings, Grid};
use super::published::{DECRYPTION_MODEL, ENCRYPTION_MODEL, seconds};
use super::{FITTED, Origin, Row, StudyResult, Timed, sheet::sheet};
use crate::predict::duration;
use crate::stats::Summary;
use crate::studies::sheet::Sheet;

impl Findings for StudyResult {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn grids(&self) -> Vec<Grid> {
        let times = |title, encrypts| Grid::new(title, &TIMES, rows(self, encrypts)).narrowed_by(&[3, 6, 2]);
        vec![times("Encryption", true), times("Decryption", false), models(self), errors(self)]
    }

    fn sentences(&self) -> Vec<String> {
        sentences(self)
    }

    fn sheet(&self) -> Sheet {
        sheet(self)
    }
}

const TIMES: [&str; 9] = [
    "KB",
    "2011: 1 core s",
    "2 cores s",
    "saved",
    "ours: 1 core",
    "all cores",
    "saved",
    "1 core: faster",
    "all: faster",
];

fn rows(result: &StudyResult, encrypts: bool) -> Vec<Vec<String>> {
    let of_direction = result.rows.iter().filter(|row| row.encrypts == encrypts);
    let saved = |one: f64, all: f64| format!("{:.0} %", 100.0 * (1.0 - all / one));
    of_direction
        .map(|row| {
            let (one, all) = (row.sequential.seconds, row.parallel.seconds);
            let old = seconds(encrypts, row.kilobytes);
            let old_cell = |cell: &dyn Fn((f64, f64)) -> String| old.map_or(String::new(), cell);
            vec![
                row.kilobytes.to_string(),
                old_cell(&|(one, _)| format!("{one:.3}")),
                old_cell(&|(_, two)| format!("{two:.3}")),
                old_cell(&|(one, two)| saved(one, two)),
                duration(one),
                duration(all),
                saved(one, all),
                old_cell(&|(old, _)| format!("{:.0}x", old / one)),
                old_cell(&|(_, old)| format!("{:.0}x", old / all)),
            ]
        })
        .collect()
}

/// Constants of "time = c x size": theirs and ours.
fn models(result: &StudyResult) -> Grid {
    let rows = result.constants.iter().map(|ours| {
        let old = if ours.encrypts { ENCRYPTION_MODEL } else { DECRYPTION_MODEL };
        vec![
            if ours.encrypts { "encrypt" } else { "decrypt" }.to_owned(),
            format!("{:.4e}", old.0),
            format!("{:.4e}", old.1),
            format!("{:.4e}", ours.sequential),
            format!("{:.4e}", ours.parallel),
            format!("{:.0}x", old.0 / ours.sequential),
            format!("{:.0}x", old.1 / ours.parallel),
        ]
    });
    Grid::new(
        "Seconds per KB: time = c x size",
        &[
            "direction",
            "2011: 1 core",
            "2 cores",
            "ours: 1 core",
            "all cores",
            "1 core: faster",
            "all: faster",
        ],
        rows.collect(),
    )
    .narrowed_by(&[6, 2])
}

/// Errors on the sizes that were not fitted.
fn errors(result: &StudyResult) -> Grid {
    let percent =
        |predicted: f64, timed: &Timed| format!("{:+.1} %", 100.0 * (predicted / timed.seconds - 1.0));
    let planner = |timed: &Timed| timed.planner_model.map_or("?".to_owned(), |ns| percent(ns, timed));
    let rows = result.rows.iter().filter(|row| row.kilobytes > FITTED).map(|row| {
        vec![
            if row.encrypts { "encrypt" } else { "decrypt" }.to_owned(),
            row.kilobytes.to_string(),
            percent(row.sequential.constant_model, &row.sequential),
            planner(&row.sequential),
            percent(row.parallel.constant_model, &row.parallel),
            planner(&row.parallel),
        ]
    });
    Grid::new(
        "Errors of both models on sizes that were not fitted",
        &["direction", "KB", "1 core: c x size", "planner", "all cores: c x size", "planner"],
        rows.collect(),
    )
}

fn sentences(result: &StudyResult) -> Vec<String> {
    let unseen = || result.rows.iter().filter(|row| row.kilobytes > FITTED);
    let timed = |row: &Row| [row.sequential, row.parallel];
    let off = |predicted: f64, timed: &Timed| (predicted / timed.seconds - 1.0).abs();
    let constant = Summary::of(unseen().flat_map(timed).map(|t| off(t.constant_model, &t)));
    let planner = Summary::of(unseen().flat_map(timed).filter_map(|t| Some(off(t.planner_model?, &t))));
    let mut sentences = Vec::new();
    if let (Some(constant), Some(planner)) = (constant, planner) {
        sentences.push(format!(
            "Errors on sizes not fitted: c x size {:.1} % in the median and {:.1} % at worst, the planner's model {:.1} % and {:.1} %.",
            100.0 * constant.median,
            100.0 * constant.max,
            100.0 * planner.median,
            100.0 * planner.max
        ));
    }
    if !result.profile_measured {
        sentences.push(
            "The planner had built-in estimates only: `roundel tune` measures this machine.".to_owned(),
        );
    }
    sentences.push(format!(
        "Ours: {} in ECB with a 128-bit key, in memory, in place, by the wall clock, in rounds over all sizes; the least of nine rounds, of three \
         for gigabytes, which go through a buffer of 512 MiB again and again. All cores: {} threads that take 192 KiB at a time. c is fitted to 1000, 2000 \
         and 3000 KB, the planner's model to nothing here: its costs are those of `roundel tune`.",
        result.strategy, result.origin.threads
    ));
    sentences.push(
        "2011: files on a Core 2 Duo at 2.4 GHz, sequential and on both cores; of decryption the first and the last row. The paper prints the \
         constant of parallel decryption ten times too small; its table shows 3.38964e-3."
            .to_owned(),
    );
    if result.origin.quick {
        sentences.push("A short run: the sizes of 2011 only.".to_owned());
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, tests::invented};
    use super::*;

    #[test]
    fn times_stand_beside_those_of_2011() {
        let result = invented();
        let grids = result.grids();
        assert_eq!(grids[0].rows[0].join(" "), "1000 2.658 1.608 40 % 1.00 s 600 ms 40 % 3x 3x");
        assert_eq!(grids[1].rows[1].join(" "), "4000    4.00 s 2.40 s 40 %  ");
        assert_eq!(grids[3].rows[0].join(" "), "encrypt 4000 +2.0 % +10.0 % +2.0 % +10.0 %");
        let text = Outcome::of(&result).terminal(None).replace('\n', " ");
        assert!(
            text.contains(
                "c x size 2.0 % in the median and 2.0 % at worst, the planner's model 10.0 % and 10.0 %"
            ),
            "{text}"
        );
    }
}

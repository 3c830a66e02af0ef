//! The result as tables and sentences.

use super::super::document::{Findings, Grid};
use super::{BULK_SECTORS, Origin, PIECE_SECTORS, Parts, Published, StudyResult, System, sheet::sheet};
use crate::studies::sheet::Sheet;

impl Findings for StudyResult {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn grids(&self) -> Vec<Grid> {
        vec![layers(self), totals(self), processors(self)]
    }

    fn sentences(&self) -> Vec<String> {
        sentences(self)
    }

    fn sheet(&self) -> Sheet {
        sheet(self)
    }
}

fn cycles(value: f64) -> String {
    // Adding zero makes -0 what it is.
    format!("{:.0}", value.round() + 0.0)
}

/// A row for the Pentium 4, for one sector and for many of each system.
fn layers(result: &StudyResult) -> Grid {
    let theirs = |p: Published| {
        [p.diffusers, p.pattern, p.chaining, p.aes]
            .map(|cycles| cycles.to_string())
            .into_iter()
            .chain([String::new(), p.total.to_string()])
    };
    let ours = |p: &Parts| [p.diffusers, p.pattern, p.chaining, p.aes, p.rest(), p.total].map(cycles);
    let rows = result.systems.iter().flat_map(|system| {
        let row = |how: &str, cells: Vec<String>| {
            let mode = if how == FIRST { system.mode.clone() } else { String::new() };
            [vec![mode, how.to_owned()], cells].concat()
        };
        let old = system.published.map(|p| row(FIRST, theirs(p).collect()));
        let none = || row(FIRST, vec!["-".to_owned(); 6]);
        [
            old.unwrap_or_else(none),
            row("one sector alone", ours(&system.alone).into()),
            row("many sectors, one core", ours(&system.bulk).into()),
        ]
    });
    let headings =
        ["system", "cycles per sector", "diffusers", "pattern", "CBC or counter", "AES", "rest", "total"];
    Grid::new("Layers, encrypting", &headings, rows.collect()).narrowed_by(&[6, 3, 4])
}

const FIRST: &str = "2008: Pentium 4";

fn totals(result: &StudyResult) -> Grid {
    let row = |system: &System| {
        let faster = |ours: f64| {
            system.published.map_or_else(|| "-".to_owned(), |p| format!("{:.0}x", f64::from(p.total) / ours))
        };
        vec![
            system.mode.clone(),
            system.published.map_or_else(|| "-".to_owned(), |p| p.total.to_string()),
            cycles(system.alone.total),
            faster(system.alone.total),
            cycles(system.bulk.total),
            faster(system.bulk.total),
            cycles(system.bulk_decrypt),
            format!("{:.2}", system.bulk.total / 512.0),
            format!("{:.2}", system.bulk_decrypt / 512.0),
        ]
    };
    let headings = [
        "system",
        "2008",
        "alone",
        "fewer cycles",
        "many",
        "fewer cycles",
        "many, decrypting",
        "cycles per byte",
        "decrypting",
    ];
    Grid::new("Cycles per sector, one core", &headings, result.systems.iter().map(row).collect())
        .narrowed_by(&[8, 7, 6])
}

fn processors(result: &StudyResult) -> Grid {
    let row = |system: &System| {
        let old = |cell: &dyn Fn(Published) -> String| system.published.map_or_else(|| "-".to_owned(), cell);
        vec![
            system.mode.clone(),
            old(&|p| p.total.to_string()),
            old(&|p| p.two_processors.to_string()),
            old(&|p| format!("{:.2}", f64::from(p.total) / f64::from(p.two_processors))),
            cycles(system.bulk.total),
            cycles(system.all_cores),
            format!("{:.2}", system.speed_up),
        ]
    };
    let all = format!("{} cores", result.origin.threads);
    let headings =
        ["system", "2008: one", "two, estimated", "times as fast", "ours: one core", &all, "times as fast"];
    Grid::new("Cycles per sector, several processors", &headings, result.systems.iter().map(row).collect())
        .narrowed_by(&[3, 2])
}

/// The system of a name, if it was measured.
fn of<'r>(result: &'r StudyResult, mode: &str) -> Option<&'r System> {
    result.systems.iter().find(|system| system.mode == mode)
}

fn sentences(result: &StudyResult) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(elephant), Some(xts)) = (of(result, "elephant-cbc"), of(result, "xts")) {
        lines.push(format!(
            "Today's answer: the diffuser is serial within a sector but not across sectors. With a sector in each lane of a register all of Elephant takes \
             {:.2} cycles per byte here, {:.1} times as much as XTS ({:.2}), and either is faster than most disks; so the reason to drop the diffuser is no longer its time, \
             and the reason to want it back, that a changed bit garbles its whole sector and not 16 bytes of it, is as good as it was. \
             Whoever chooses anew takes neither where there is room for a tag.",
            elephant.bulk.total / 512.0,
            elephant.bulk.total / xts.bulk.total,
            xts.bulk.total / 512.0,
        ));
    }
    lines.push(
        "The estimates of 2008 put two processors on one sector, which the diffusers' chains of additions and CBC leave with little to share; the article's ECB variant \
         was made for that. A disk has millions of sectors, and a processor for each of two shares all layers alike."
            .to_owned(),
    );
    lines.push(format!(
        "AES-256, sectors of 512 bytes, strategies {} and {}. All figures are sampled in rounds{}, and of each the least counts: CPU time of the thread by the core's clock, \
         measured beside it, and for several cores wall-clock time, which other programs on the machine make longer. Many: {BULK_SECTORS} sectors in memory. The layers were timed apart, on \
         {PIECE_SECTORS} sectors (what the program takes at once) or one; the pattern includes transposing the sectors there and back, CBC is what it takes beyond ECB, and the rest is what the \
         total has beyond the sum: three AES blocks a sector for pattern and IV, and calls. It is below zero where layers that were timed apart overlap.",
        result.strategy,
        result.diffuser,
        if result.origin.quick { " (few: a quick run)" } else { "" },
    ));
    lines
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Outcome, STUDY, SYSTEMS};
    use super::*;
    use crate::studies::origin;

    pub(in super::super) fn invented() -> StudyResult {
        let parts = |total| Parts { diffusers: 100.0, pattern: 20.0, chaining: 5.0, aes: 110.0, total };
        let systems = SYSTEMS.map(|(mode, published)| System {
            mode: mode.to_string(),
            published,
            alone: parts(2048.0),
            bulk: parts(256.0),
            bulk_decrypt: 300.0,
            all_cores: 130.0,
            speed_up: 1.97,
        });
        StudyResult {
            origin: origin::invented(&STUDY),
            strategy: "aes-round-256",
            diffuser: "lanes-256",
            systems: systems.into(),
        }
    }

    #[test]
    fn figures_stand_in_their_columns() {
        let result = invented();
        let text = Outcome::of(&result).markdown();
        for row in [
            "| elephant-cbc | 2008: Pentium 4 | 4560 | 128 | 128 | 13888 |  | 18704 |",
            "|  | one sector alone | 100 | 20 | 5 | 110 | 1813 | 2048 |",
            "|  | many sectors, one core | 100 | 20 | 5 | 110 | 21 | 256 |",
            "| elephant-ecb-ac2-bc2 | 16328 | 2048 | 8x | 256 | 64x | 300 | 0.50 | 0.59 |",
            "| elephant-ecb | 18608 | 11584 | 1.61 | 256 | 130 | 1.97 |",
            "| xts | - | - | - | 256 | 130 | 1.97 |",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
        assert!(text.contains("takes 0.50 cycles per byte here, 1.0 times as much as XTS"), "{text}");
    }
}

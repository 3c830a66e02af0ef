//! The result as tables and sentences.

use super::super::document::{Findings, Grid};
use super::{HASHING_PER_BYTE, Origin, StudyResult, sheet::sheet};
use crate::report::{size, three_digits};
use crate::studies::sheet::Sheet;

impl Findings for StudyResult {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn grids(&self) -> Vec<Grid> {
        vec![best(self), all(self)]
    }

    fn sentences(&self) -> Vec<String> {
        sentences(self)
    }

    fn sheet(&self) -> Sheet {
        sheet(self)
    }
}

/// The table of 1999 beside ours: the best option of each length.
fn best(result: &StudyResult) -> Grid {
    let rows = result.rows.iter().map(|row| {
        let option = &result.options[row.best];
        let total = row.totals[row.best].unwrap_or(f64::NAN);
        let per_byte = total / row.bytes as f64;
        let mut cells = vec![
            size(row.bytes),
            option.name.to_owned(),
            format!("{:.0}", option.key),
            format!("{:.0}", total - option.key),
            three_digits(per_byte),
        ];
        cells.extend(match row.published {
            Some(old) => vec![
                old.option.to_owned(),
                format!("{:.0}", old.key),
                format!("{:.0}", old.encrypt),
                format!("{:.1}", old.per_byte),
                format!("{:.1}", old.per_byte / per_byte),
            ],
            None => vec![String::new(); 5],
        });
        cells
    });
    Grid::new(
        "Best option by length of message, a new 128-bit key for each",
        &[
            "message",
            "best",
            "key",
            "encrypt",
            "clocks/byte",
            "1999",
            "key",
            "encrypt",
            "clocks/byte",
            "fewer clocks",
        ],
        rows.collect(),
    )
    .narrowed_by(&[7, 6, 3, 2, 5])
}

/// Total clocks of every option; the best of each length has a star.
fn all(result: &StudyResult) -> Grid {
    let mut rows = vec![
        std::iter::once("to key".to_owned())
            .chain(result.options.iter().map(|option| format!("{:.0}", option.key)))
            .collect::<Vec<_>>(),
    ];
    rows.extend(result.rows.iter().map(|row| {
        let cell = |(index, total): (usize, &Option<f64>)| match total {
            Some(total) => format!("{total:.0}{}", if index == row.best { "*" } else { "" }),
            None => String::new(),
        };
        std::iter::once(size(row.bytes)).chain(row.totals.iter().enumerate().map(cell)).collect()
    }));
    let times_best = |option: usize| result.rows.iter().filter(|row| row.best == option).count();
    let mut dispensable: Vec<usize> = (0..result.options.len()).collect();
    dispensable.sort_by_key(|&option| times_best(option));
    // The first column is that of the lengths.
    dispensable.iter_mut().for_each(|option| *option += 1);
    let headings = std::iter::once("message").chain(result.options.iter().map(|option| option.name));
    Grid::new("Clocks to key and encrypt (* the best)", &headings.collect::<Vec<_>>(), rows)
        .narrowed_by(&dispensable)
}

fn sentences(result: &StudyResult) -> Vec<String> {
    let name = |index: usize| result.options[index].name;
    let crossings: Vec<_> = result
        .crossovers
        .iter()
        .map(|crossing| {
            format!("{} to {} at about {:.0} bytes", name(crossing.from), name(crossing.to), crossing.bytes)
        })
        .collect();
    let mut sentences = Vec::new();
    sentences.push(match crossings.is_empty() {
        true => "One option is the best at all lengths.".to_owned(),
        false => format!("Crossovers: {}.", crossings.join("; ")),
    });
    if let Some(first) = result.rows.first() {
        let per_byte = first.totals[first.best].unwrap_or(f64::NAN) / first.bytes as f64;
        sentences.push(format!(
            "Hashing with a key for each block: {} clocks per byte here, {HASHING_PER_BYTE:.0} in the book.",
            three_digits(per_byte)
        ));
    }
    let leaky: Vec<_> =
        result.options.iter().filter(|option| option.constant_time).map(|option| option.name).collect();
    sentences.push(format!(
        "Constant-time: {}. The others look up secret-dependent addresses.",
        if leaky.is_empty() { "none".to_owned() } else { leaky.join(", ") }
    ));
    if result.origin.quick {
        sentences.push("A short run: fewer lengths, three samples each.".to_owned());
    }
    sentences.push(
        "Clocks: CPU time of the thread by the core's frequency, measured beside each sample; samples are taken in rounds over all options and lengths, and the least counts. Keys are new \
         for each message, on the stack; the message is one run of blocks in ECB; clocks to encrypt are the total less the clocks to key. \
         1999: assembly on a Pentium Pro, from the Twofish book, chapter 5; compiled is code made at run time for each key. \
         The book's row of 128 bytes does not add up: its total is that of zero keying."
            .to_owned(),
    );
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, tests::invented};

    #[test]
    fn the_best_is_marked_and_stands_beside_1999() {
        let result = invented();
        let text = Outcome::of(&result).terminal(None);
        let row = |start: &str, nth: usize| {
            let rows = text.lines().filter(|line| line.trim_start().starts_with(start));
            rows.map(|line| line.split_whitespace().collect::<Vec<_>>()).nth(nth).unwrap_or_default()
        };
        let expected = ["64", "B", "zero", "100", "640", "11.6", "zero", "1250", "3440", "73.3", "6.3"];
        assert_eq!(row("64 B", 0), expected, "{text}");
        assert_eq!(row("64 B", 1), ["64", "B", "740*", "1064"]);
        assert_eq!(row("256 B", 1), ["256", "B", "2660", "1256*"]);
        assert!(text.contains("Crossovers: zero to full at about 100 bytes."), "{text}");
    }
}

//! The study for the report.

use super::{BULK_SECTORS, StudyResult, System};
use crate::studies::sheet::{Chart, Sheet, SheetRow, SheetTable};

/// The layers on top of each other, and the totals.
pub(super) fn sheet(result: &StudyResult) -> Sheet {
    let threads = result.origin.threads;
    Sheet {
        source: "Clock cycles for a sector of 512 bytes under AES-256 on a Pentium 4 at 3 GHz, layer by layer; two processors are the article's estimate."
            .to_owned(),
        method: format!(
            "The least of the samples, which were taken in rounds, in cycles of the core's clock as measured beside them, with {} and the \
             diffuser {}; many: {BULK_SECTORS} sectors in memory. Layers were timed apart, so that they overlap where the whole is run.",
            result.strategy, result.diffuser
        ),
        tables: vec![
            table(
                "Layers in cycles per sector: many sectors, one core",
                Chart::Stack,
                "layer",
                result.systems.iter().flat_map(layers).collect(),
            ),
            table(
                "Cycles per sector",
                Chart::Ratios,
                "how",
                result.systems.iter().flat_map(|system| totals(system, threads)).collect(),
            ),
        ],
    }
}

fn table(caption: &str, chart: Chart, series: &str, rows: Vec<SheetRow>) -> SheetTable {
    SheetTable {
        caption: caption.to_owned(),
        chart,
        label: "system".to_owned(),
        series: series.to_owned(),
        published_unit: "cycles".to_owned(),
        our_unit: "cycles".to_owned(),
        rows,
    }
}

fn row(system: &System, series: &str, published: Option<u32>, ours: f64) -> SheetRow {
    let published = published.map(f64::from);
    SheetRow {
        label: system.mode.clone(),
        series: series.to_owned(),
        x: None,
        published,
        at_least: false,
        ours: Some(ours),
        ratio: published.filter(|_| ours > 0.0).map(|published| published / ours),
        note: String::new(),
    }
}

fn layers(system: &System) -> [SheetRow; 4] {
    let (old, ours) = (system.published, &system.bulk);
    [
        row(system, "diffusers", old.map(|old| old.diffusers), ours.diffusers),
        row(system, "pattern", old.map(|old| old.pattern), ours.pattern),
        row(system, "CBC or counter", old.map(|old| old.chaining), ours.chaining),
        row(system, "AES", old.map(|old| old.aes), ours.aes),
    ]
}

/// Of the systems that were published.
fn totals(system: &System, threads: usize) -> Vec<SheetRow> {
    let Some(old) = system.published else { return Vec::new() };
    vec![
        row(system, "one sector alone, one core", Some(old.total), system.alone.total),
        row(system, "many sectors, one core", Some(old.total), system.bulk.total),
        row(system, &format!("many sectors, {threads} cores"), Some(old.two_processors), system.all_cores),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::render::tests::invented;
    use super::*;

    #[test]
    fn layers_and_totals_stand_beside_those_of_2008() {
        let [layers, totals] = &sheet(&invented()).tables[..] else { panic!("two tables") };
        // XTS has layers of ours only, and no total to compare.
        assert_eq!((layers.rows.len(), totals.rows.len()), (5 * 4, 4 * 3));
        assert_eq!((layers.rows[3].published, layers.rows[3].ours), (Some(13888.0), Some(110.0)));
        assert_eq!(totals.rows[2].ratio, Some(15696.0 / 130.0));
        assert_eq!(layers.rows[16].published, None);
    }
}

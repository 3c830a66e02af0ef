//! What the report draws of a study: the same shape for all. A study's JSON carries it as `sheet` beside its own figures.

use serde::Serialize;

/// A study for the report.
#[derive(Clone, Debug, Serialize)]
pub struct Sheet {
    /// What was published where, on what machine, in a sentence or two.
    pub source: String,
    /// How ours was measured, in two sentences.
    pub method: String,
    /// Its tables, each with a chart.
    pub tables: Vec<SheetTable>,
}

/// A published table beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct SheetTable {
    /// What it shows, in a line.
    pub caption: String,
    /// How it is drawn.
    pub chart: Chart,
    /// What [`SheetRow::label`] is: "candidate", "bytes".
    pub label: String,
    /// What [`SheetRow::series`] is: "machine", "layer"; empty if there is one series only.
    pub series: String,
    /// Unit of [`SheetRow::published`].
    pub published_unit: String,
    /// Unit of [`SheetRow::ours`]; in [`Chart::Lines`] the same as the published one's.
    pub our_unit: String,
    /// Its rows, in the published order.
    pub rows: Vec<SheetRow>,
}

/// How a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chart {
    /// A dot for each row: how many times as fast, on a logarithmic axis.
    Ratios,
    /// Published and ours against [`SheetRow::x`], a pair of lines for each series, on logarithmic axes.
    Lines,
    /// A bar for each label, of series on top of each other: published ones, and ours on an axis of their own.
    Stack,
}

/// One published figure and ours.
#[derive(Clone, Debug, Serialize)]
pub struct SheetRow {
    /// What it is about.
    pub label: String,
    /// Which column of the published table, or which layer.
    pub series: String,
    /// Where it lies on the axis, in [`Chart::Lines`].
    pub x: Option<f64>,
    /// The published figure.
    pub published: Option<f64>,
    /// Whether the publication only says "more than" it.
    pub at_least: bool,
    /// Ours.
    pub ours: Option<f64>,
    /// How many times as fast ours is.
    pub ratio: Option<f64>,
    /// The strategy, or what else must be said.
    pub note: String,
}

/// A study's own figures as JSON, and its sheet with them.
pub fn json(figures: &impl Serialize, sheet: &Sheet) -> String {
    #[derive(Serialize)]
    struct WithSheet<'a, T> {
        #[serde(flatten)]
        figures: &'a T,
        sheet: &'a Sheet,
    }
    serde_json::to_string_pretty(&WithSheet { figures, sheet }).expect("strings, numbers and lists only")
        + "\n"
}

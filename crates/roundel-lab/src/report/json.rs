//! A result as JSON, and back.

use crate::bench::{BenchResult, FORMAT};
use serde_json::Value;

/// Why a file is no result.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// Not the JSON of a result.
    #[error("not a benchmark result: {0}")]
    Syntax(#[from] serde_json::Error),
    /// A version that this program does not know.
    #[error("a benchmark result of format '{0}': this version reads '{FORMAT}'; measure again")]
    Format(String),
}

/// The result with all raw samples, one point per line, so that a difference of two files can be read.
pub fn render(result: &BenchResult) -> String {
    let whole = serde_json::to_value(result).expect("strings, numbers and lists only");
    let fields = whole.as_object().expect("a struct is an object");
    let lines: Vec<String> =
        fields.iter().map(|(name, value)| format!("  \"{name}\": {}", lines_of(value))).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

fn lines_of(value: &Value) -> String {
    match value.as_array() {
        Some(items) if items.iter().any(Value::is_object) => {
            let lines: Vec<String> = items.iter().map(|item| format!("    {item}")).collect();
            format!("[\n{}\n  ]", lines.join(",\n"))
        }
        _ => value.to_string(),
    }
}

/// A result from its JSON; refuses other versions of the format.
pub fn parse(text: &str) -> Result<BenchResult, JsonError> {
    let value: Value = serde_json::from_str(text)?;
    match value.get("format").and_then(Value::as_str) {
        Some(FORMAT) => Ok(serde_json::from_value(value)?),
        other => Err(JsonError::Format(other.unwrap_or("unknown").to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::result_with;
    use super::*;

    #[test]
    fn a_result_survives_the_way_through_json() {
        let result = result_with(&[("reference", 100.0), ("ttable", 10.125)]);
        let text = render(&result);
        assert_eq!(parse(&text).unwrap(), result);
        let points = text.lines().filter(|line| line.contains("\"operation\":")).count();
        assert_eq!(points, result.points.len());
    }

    #[test]
    fn other_formats_are_refused_with_a_sentence() {
        let text = render(&result_with(&[("reference", 100.0)])).replace(FORMAT, "roundel-bench/0");
        assert!(parse(&text).unwrap_err().to_string().contains("'roundel-bench/0'"));
        assert!(parse("{").is_err());
    }
}

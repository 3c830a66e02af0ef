//! Statistics of repeated measurements. The minimum chooses, the median with its spread is reported.

use serde::{Deserialize, Serialize};

/// What is said of a set of repetitions of one measurement. All fields have the unit of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The smallest sample: what the code can do when nothing disturbs it.
    pub min: f64,
    /// The median: what it did here.
    pub median: f64,
    /// Median absolute deviation from the median: half of the samples are nearer than this.
    pub mad: f64,
    /// The largest sample.
    pub max: f64,
}

impl Summary {
    /// The summary of these samples; `None` of none. Samples that are not numbers do not occur: all come from divisions by positive times.
    pub fn of(samples: impl IntoIterator<Item = f64>) -> Option<Summary> {
        let mut sorted: Vec<f64> = samples.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let median = middle(&sorted);
        let mut deviations: Vec<f64> = sorted.iter().map(|sample| (sample - median).abs()).collect();
        deviations.sort_by(f64::total_cmp);
        Some(Summary { min, median, mad: middle(&deviations), max })
    }

    /// The same in another unit.
    pub fn scaled(self, factor: f64) -> Summary {
        Summary {
            min: self.min * factor,
            median: self.median * factor,
            mad: self.mad * factor,
            max: self.max * factor,
        }
    }
}

/// The median of a sorted, non-empty slice: the mean of the two middle samples of an even number.
fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { (sorted[half - 1] + sorted[half]) / 2.0 } else { sorted[half] }
}

/// Rounds to a number of decimals, so that stored samples do not carry digits that mean nothing.
pub fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_and_even_counts_in_any_order() {
        let odd = Summary::of([5.0, 1.0, 2.0, 100.0, 4.0]).unwrap();
        assert_eq!(odd, Summary { min: 1.0, median: 4.0, mad: 2.0, max: 100.0 });
        let even = Summary::of([4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(even, Summary { min: 1.0, median: 2.5, mad: 1.0, max: 4.0 });
    }

    #[test]
    fn one_outlier_moves_neither_median_nor_deviation() {
        let quiet = Summary::of([10.0, 11.0, 12.0, 13.0, 14.0]).unwrap();
        let disturbed = Summary::of([10.0, 11.0, 12.0, 13.0, 1e9]).unwrap();
        assert_eq!((quiet.median, quiet.mad, quiet.min), (disturbed.median, disturbed.mad, disturbed.min));
    }

    #[test]
    fn a_single_sample_has_no_spread_and_none_has_no_summary() {
        assert_eq!(Summary::of([7.0]), Some(Summary { min: 7.0, median: 7.0, mad: 0.0, max: 7.0 }));
        assert_eq!(Summary::of([]), None);
    }

    #[test]
    fn scaling_is_linear() {
        let summary = Summary::of([1.0, 2.0, 4.0]).unwrap();
        assert_eq!(summary.scaled(2.0), Summary::of([2.0, 4.0, 8.0]).unwrap());
        assert_eq!(rounded(1.23456, 3), 1.235);
    }
}

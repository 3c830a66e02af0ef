//! From measured times to a curve of the cost model.

use roundel::plan::{Curve, KNOTS};

/// What was measured of one operation.
pub(super) struct Samples<'a> {
    /// Length in blocks and least nanoseconds, ascending.
    pub(super) points: &'a [(usize, f64)],
    /// Blocks in a batch.
    pub(super) batch: usize,
    pub(super) setup_ns: f64,
    pub(super) warm_ns: f64,
}

/// The curve through these samples: call and batch by least squares of relative errors over whole batches, short messages as they were
/// measured. `None` without any sample.
pub(super) fn fit(samples: &Samples<'_>) -> Option<Curve> {
    let Samples { points, batch, setup_ns, warm_ns } = *samples;
    let whole = points.iter().filter(|(blocks, _)| *blocks > 0 && blocks % batch == 0);
    let batches: Vec<(f64, f64)> = whole.map(|(blocks, ns)| ((blocks / batch) as f64, *ns)).collect();
    let (call_ns, batch_ns) = line(&batches).or_else(|| {
        // Slow strategies: not even a batch was worth its time. A short message is taken for one.
        let (blocks, ns) = *points.last()?;
        Some((0.0, ns * (batch as f64 / blocks.max(1) as f64).max(1.0)))
    })?;
    let mut short_ns = [0.0; KNOTS.len()];
    let knots = KNOTS.iter().take_while(|&&knot| (knot as usize) < batch).count().max(1);
    let mut last = call_ns + batch_ns / batch as f64;
    for (slot, knot) in short_ns[..knots].iter_mut().zip(KNOTS) {
        last = points.iter().find(|(blocks, _)| *blocks == knot as usize).map_or(last, |(_, ns)| *ns);
        *slot = digits(last);
    }
    Some(Curve {
        setup_ns: digits(setup_ns),
        warm_ns: digits(warm_ns),
        cold_ns: 0.0,
        call_ns: digits(call_ns),
        batch_blocks: batch as u32,
        batch_ns: digits(batch_ns),
        short_ns,
    })
}

/// y = a + b x with the least sum of squared relative errors; through the origin where there is one point. `None` of none.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    if let [(x, y)] = points {
        return Some((0.0, y / x));
    }
    // Weights 1/y²: a per cent counts the same at all lengths.
    let (mut w, mut wx, mut wy, mut wxx, mut wxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (x, y) in points {
        let weight = 1.0 / (y * y);
        w += weight;
        wx += weight * x;
        wy += weight * y;
        wxx += weight * x * x;
        wxy += weight * x * y;
    }
    let determinant = w * wxx - wx * wx;
    if points.is_empty() || determinant <= 0.0 {
        return None;
    }
    let slope = (w * wxy - wx * wy) / determinant;
    Some(((wy - slope * wx) / w, slope))
}

/// Four significant digits, which is more than any of them means: profiles stay short.
pub(super) fn digits(value: f64) -> f32 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    ((value * scale).round() / scale) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_line_is_found() {
        let points: Vec<_> = [1, 2, 4, 100, 4096].map(|n| (n, 25.0 + 7.5 * n as f64)).to_vec();
        let curve = fit(&Samples { points: &points, batch: 1, setup_ns: 123.456, warm_ns: 0.0 }).unwrap();
        assert_eq!(
            (curve.call_ns, curve.batch_ns, curve.setup_ns, curve.short_ns[0]),
            (25.0, 7.5, 123.5, 32.5)
        );
        assert!((curve.message_ns(1000) - 7525.0).abs() < 1e-6);
    }

    #[test]
    fn short_messages_stand_as_measured() {
        let points = [(1, 10.0), (2, 11.0), (3, 12.0), (4, 20.0), (8, 36.0), (16, 68.0)];
        let curve = fit(&Samples { points: &points, batch: 4, setup_ns: 0.0, warm_ns: 0.0 }).unwrap();
        assert_eq!(curve.short_ns[..3], [10.0, 11.0, 12.0]);
        assert_eq!((curve.call_ns, curve.batch_ns), (4.0, 16.0));
        assert_eq!([1, 3, 4, 16].map(|n| curve.message_ns(n)), [10.0, 12.0, 20.0, 68.0]);
    }

    #[test]
    fn few_samples_still_make_a_curve() {
        let one = fit(&Samples { points: &[(1, 50.0)], batch: 1, setup_ns: 0.0, warm_ns: 0.0 }).unwrap();
        assert_eq!((one.call_ns, one.batch_ns), (0.0, 50.0));
        let part = fit(&Samples { points: &[(1, 50.0)], batch: 8, setup_ns: 0.0, warm_ns: 0.0 }).unwrap();
        assert_eq!((part.batch_ns, part.short_ns[2]), (400.0, 50.0));
        assert_eq!(fit(&Samples { points: &[], batch: 8, setup_ns: 0.0, warm_ns: 0.0 }), None);
    }

    #[test]
    fn four_digits() {
        assert_eq!([12345.6, 0.0123456, 1.0, 0.0, f64::NAN].map(digits), [12350.0, 0.01235, 1.0, 0.0, 0.0]);
    }
}

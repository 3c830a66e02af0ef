//! Renderings of a [`BenchResult`]: one small file each; `html` shows the other results too.

pub mod csv;
pub mod html;
pub mod json;
pub mod markdown;
pub mod plain;
mod table;
pub mod terminal;

use crate::bench::BenchResult;
use crate::stats::Summary;

/// A figure with the digits that it deserves: three.
pub(crate) fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        v if v < 0.9995 => 3,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Bytes in the unit people use.
pub fn size(bytes: usize) -> String {
    const UNITS: [(usize, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} B"),
    }
}

/// The machine in one line.
fn machine_line(result: &BenchResult) -> String {
    let (machine, clock) = (&result.machine, &result.clock_ghz);
    let virtual_machine = if machine.virtual_machine { ", virtual machine" } else { "" };
    format!(
        "{} (family/model/stepping {}{virtual_machine}); CPU level {}; {} cores at {:.2} GHz as measured \
         ({:.2} to {:.2}); {}",
        machine.cpu,
        machine.family_model_stepping,
        machine.level,
        machine.cores,
        clock.median,
        clock.min,
        clock.max,
        machine.caches.join(", "),
    )
}

/// How far samples typically are from their median, in per cent: the median over all points.
fn typical_deviation_percent(result: &BenchResult) -> f64 {
    let relative = result.points.iter().map(|point| {
        let cycles = point.cycles_per_call();
        100.0 * cycles.mad / cycles.median
    });
    Summary::of(relative).map_or(0.0, |summary| summary.median)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::bench::{ContenderFacts, FORMAT, Method, Operation, Point};
    use crate::machine::Machine;

    /// A result of invented rijndael strategies: 256-bit keys, CTR at 16 KiB with these cycles per byte, at 2 GHz; memcpy at 50 GB/s.
    pub(crate) fn result_with(strategies: &[(&str, f64)]) -> BenchResult {
        let bytes = 16 << 10;
        let point = |contender: Option<usize>, operation, ns| Point {
            contender,
            key_bits: if contender.is_some() { 256 } else { 0 },
            operation,
            bytes,
            threads: 0,
            calls: 1,
            ns: vec![ns, ns * 1.01, ns],
            ghz: vec![2.0; 3],
        };
        let mut points = vec![point(None, Operation::Copy, bytes as f64 / 50.0)];
        let of =
            |(i, (_, cpb)): (usize, &(&str, f64))| point(Some(i), Operation::Ctr, cpb * bytes as f64 / 2.0);
        points.extend(strategies.iter().enumerate().map(of));
        let facts = |(strategy, _): &(&str, f64)| ContenderFacts {
            library: "roundel 0.1.0".into(),
            cipher: "rijndael".into(),
            strategy: (*strategy).into(),
            constant_time: *strategy != "ttable",
            checks: 24,
        };
        BenchResult {
            format: FORMAT.into(),
            version: "0.1.0".into(),
            date: "2026-11-21T21:04:05Z".into(),
            command: "roundel bench".into(),
            machine: Machine {
                cpu: "Invented CPU".into(),
                family_model_stepping: "1/2/3".into(),
                levels: vec!["portable".into()],
                level: "portable".into(),
                cores: 2,
                caches: vec!["L1 32K".into()],
                memory_mib: 1,
                virtual_machine: false,
                system: "linux".into(),
                architecture: "x86_64".into(),
                build: "rustc".into(),
            },
            method: Method {
                effort: "quick".into(),
                rounds: 3,
                sample_ns: 1.0,
                longest_call_ns: 1.0,
                pinned: false,
                elapsed_s: 1.0,
            },
            clock_ghz: Summary::of([2.0]).unwrap(),
            load_average: [Some(0.1), None],
            contenders: strategies.iter().map(facts).collect(),
            unavailable: Vec::new(),
            points,
            choices: Vec::new(),
            interrupted: false,
        }
    }

    #[test]
    fn figures_have_three_digits() {
        for (value, text) in [
            (0.2374, "0.237"),
            (0.9997, "1.00"),
            (3.4821, "3.48"),
            (9.999, "10.0"),
            (34.04, "34.0"),
            (1124.4, "1124"),
            (0.0, "0.000"),
        ] {
            assert_eq!(three_digits(value), text);
        }
    }

    #[test]
    fn sizes_have_their_unit() {
        let texts = [16, 1024, 1536, 16 << 10, 1 << 20, 3 << 30].map(size);
        assert_eq!(texts.join(", "), "16 B, 1 KiB, 1536 B, 16 KiB, 1 MiB, 3 GiB");
    }
}

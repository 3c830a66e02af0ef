//! Where a study's figures come from: the head of every result.

use super::{Options, Study};
use crate::date;
use crate::machine::{Machine, load_average};
use crate::verify::Failure;
use serde::Serialize;

/// Which study, made where, when and how. Its fields stand beside the figures in a result's JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Origin {
    /// The study's name.
    pub study: &'static str,
    /// Version of roundel.
    pub version: &'static str,
    /// When it ended, UTC.
    pub date: String,
    /// The arguments that made it.
    pub command: String,
    /// Where it ran.
    pub machine: Machine,
    /// Load average of the last minute at the start and at the end; `None` where the system does not tell.
    pub load_average: [Option<f64>; 2],
    /// Whether it was a short run, whose figures are less certain or fewer.
    pub quick: bool,
    /// Threads of the runs on all cores.
    pub threads: usize,
    /// Results that disagree with their vectors: figures of such a cipher are worth nothing.
    pub failures: Vec<Failure>,
}

impl Origin {
    /// Of a run that begins now.
    pub(super) fn begin(study: &Study, options: &Options<'_>) -> Origin {
        Origin {
            study: study.name,
            version: env!("CARGO_PKG_VERSION"),
            date: String::new(),
            command: options.command.clone(),
            machine: Machine::detect(),
            load_average: [load_average(), None],
            quick: options.quick,
            threads: options.threads,
            failures: Vec::new(),
        }
    }

    /// The same when the run ends, with what disagreed in it.
    pub(super) fn ended(self, failures: Vec<Failure>) -> Origin {
        let load_average = [self.load_average[0], load_average()];
        Origin { date: date::now_utc(), load_average, failures, ..self }
    }

    /// The machine, in a sentence.
    pub(super) fn place(&self) -> String {
        let Machine { cpu, cores, level, .. } = &self.machine;
        let load = match self.load_average {
            [Some(start), Some(end)] => format!(", load average {start:.1} before and {end:.1} after"),
            _ => String::new(),
        };
        format!("{cpu}, {cores} cores, CPU level {level}{load}.")
    }
}

#[cfg(test)]
pub(super) fn invented(study: &Study) -> Origin {
    Origin {
        study: study.name,
        version: "0.1.0",
        date: "2026-11-21T21:04:05Z".into(),
        command: format!("roundel study {}", study.name),
        machine: Machine { cpu: "Invented CPU".into(), ..Machine::detect() },
        load_average: [Some(0.5), None],
        quick: false,
        threads: 2,
        failures: Vec::new(),
    }
}

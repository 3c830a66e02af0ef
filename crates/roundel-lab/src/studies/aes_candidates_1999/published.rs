//! The table of January 1999.

use serde::Serialize;

/// Minutes for a candidate's full known-answer and Monte Carlo program, as its designers' code did it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// On a machine with two 450 MHz processors.
    pub smp_minutes: f64,
    /// On a 500 MHz Pentium III.
    pub piii_minutes: f64,
    /// Whether the study only says "over" these figures.
    pub at_least: bool,
}

/// The fifteen candidates under the registry's names. MARS had its first-round key schedule then, and CRYPTON was version 0.5.
pub static CANDIDATES: [(&str, Published); 15] = [
    ("cast256", minutes(14.52, 13.15)),
    ("crypton05", minutes(3.93, 3.62)),
    ("deal", minutes(8.35, 7.57)),
    ("dfc", minutes(6.60, 6.17)),
    ("e2", minutes(30.82, 27.88)),
    ("frog", minutes(4.88, 4.42)),
    ("hpc", minutes(16.70, 15.12)),
    ("loki97", minutes(8.97, 5.35)),
    ("magenta", minutes(82.10, 74.65)),
    ("mars-round1", minutes(3.13, 2.85)),
    ("rc6", minutes(1.33, 1.23)),
    ("rijndael", minutes(104.40, 95.87)),
    ("safer-plus", minutes(49.03, 59.40)),
    ("serpent", Published { smp_minutes: 240.0, piii_minutes: 240.0, at_least: true }),
    ("twofish", minutes(17.18, 15.55)),
];

const fn minutes(smp_minutes: f64, piii_minutes: f64) -> Published {
    Published { smp_minutes, piii_minutes, at_least: false }
}

//! The layers of BitLocker's AES-CBC + Elephant diffuser and of the systems that were proposed in its place, in cycles per sector.
//!
//! The article counted them on a Pentium 4 and estimated two processors that share one sector. Here the same layers are timed alone and together, on one sector
//! and on many, on one core and on all.

mod published;
mod render;
mod sheet;

pub use published::{Published, SYSTEMS};

use super::{Options, Origin, Outcome, Study, StudyError, only};
use crate::rounds::{Rounds, Work};
use crate::stats::rounded;
use crate::vectors::{Test, embedded};
use crate::verify::{Failure, sectors};
use roundel::modes::elephant::{self, Diffuser, Layers, PATTERN_BYTES};
use roundel::modes::{SectorCipher, SectorMode};
use roundel::{Choice, Kernel, Policy};
use serde::Serialize;
use std::sync::Arc;

/// The study.
pub static STUDY: Study = Study {
    name: "elephant-2008",
    summary: "cycles per disk sector of BitLocker's Elephant, its faster variants and XTS, layer by layer",
    run: |options| Ok(Outcome::of(&measure(options)?)),
};

/// The article's sector and key.
const SECTOR: usize = 512;
const KEY: [u8; 64] = [0x5A; 64];

/// Sectors of a bulk run.
const BULK_SECTORS: usize = 4096;

/// Sectors that the program works on from layer to layer: the layers alone are timed on as many.
const PIECE_SECTORS: usize = 32;

/// Everything that one run found out. All cycles are core cycles per sector of 512 bytes.
#[derive(Clone, Debug, Serialize)]
pub struct StudyResult {
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: Origin,
    /// The AES strategy.
    pub strategy: &'static str,
    /// The strategy of the diffusers.
    pub diffuser: &'static str,
    /// Each system, in the article's order.
    pub systems: Vec<System>,
}

/// One system's figures.
#[derive(Clone, Debug, Serialize)]
pub struct System {
    /// The mode's name.
    pub mode: String,
    /// The Pentium 4's.
    pub published: Option<Published>,
    /// One sector alone, encrypted.
    pub alone: Parts,
    /// Many sectors, encrypted on one core.
    pub bulk: Parts,
    /// Many sectors, decrypted on one core.
    pub bulk_decrypt: f64,
    /// Many sectors, encrypted on all cores: wall-clock time in cycles.
    pub all_cores: f64,
    /// One core's wall-clock time, taken in the same way, by that of all.
    pub speed_up: f64,
}

/// Cycles of the layers, each by itself, and of all of them together.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Parts {
    /// Both diffusers.
    pub diffusers: f64,
    /// The pattern XORed on; several sectors are transposed there and back as well.
    pub pattern: f64,
    /// What CBC takes beyond ECB, or the counter.
    pub chaining: f64,
    /// The 32 blocks, in ECB.
    pub aes: f64,
    /// Encryption as the program does it.
    pub total: f64,
}

impl Parts {
    /// What the layers leave over: three AES blocks for pattern and IV, and the calls. Below zero where layers overlap that were timed apart.
    pub fn rest(&self) -> f64 {
        self.total - self.diffusers - self.pattern - self.chaining - self.aes
    }
}

fn measure(options: &Options<'_>) -> Result<StudyResult, StudyError> {
    only(&STUDY, options, "rijndael")?;
    let origin = Origin::begin(&STUDY, options);
    let choice = roundel::cipher("rijndael")?.best(Policy::ConstantTime)?;
    let failures = prove(choice)?;
    let (sample_ns, count) = if options.quick { (1e5, 3) } else { (1e6, 100) };
    let mut rounds = Rounds::new(sample_ns, BULK_SECTORS * SECTOR);
    let mut points = Vec::new();
    for (mode, published) in SYSTEMS {
        points.push((mode, published, Points::add(&mut rounds, choice, mode, options.threads)?));
    }
    rounds.run(count, options.progress);
    let systems = points.into_iter().map(|(mode, published, points)| points.system(mode, published, &rounds));
    Ok(StudyResult {
        origin: origin.ended(failures),
        strategy: choice.strategy.name,
        diffuser: elephant::best().name,
        systems: systems.collect(),
    })
}

/// The sector vectors on the strategy that is measured.
fn prove(choice: Choice) -> Result<Vec<Failure>, StudyError> {
    let mut failures = Vec::new();
    for file in embedded(&[choice.cipher])? {
        for case in &file.cases {
            let Test::Sector(sector) = &case.test else { continue };
            if let Err(mismatch) = sectors::sector(choice, &case.label, sector) {
                failures.push(Failure::of(choice.cipher.name, choice.strategy.name, &file.name, mismatch));
            }
        }
    }
    Ok(failures)
}

/// The points of one system.
struct Points {
    alone: PartPoints,
    bulk: PartPoints,
    bulk_decrypt: usize,
    /// On one thread and on all, by the wall clock.
    walls: [usize; 2],
    threads: usize,
}

/// The points of a system's parts on a number of sectors.
struct PartPoints {
    /// Sectors of the layers that are timed apart, and of the whole.
    sectors: [usize; 2],
    /// None of XTS.
    layers: Option<LayerPoints>,
    aes: usize,
    total: usize,
}

struct LayerPoints {
    pattern: usize,
    diffused: usize,
    /// The pattern and the counter, or CBC.
    chained: usize,
    has_counter: bool,
}

const WHOLE: &str = "whole sectors of low numbers";

impl Points {
    fn add(
        rounds: &mut Rounds<'_>,
        choice: Choice,
        mode: SectorMode,
        threads: usize,
    ) -> Result<Points, StudyError> {
        let volume = Arc::new(SectorCipher::new(choice, mode, &KEY, SECTOR)?);
        volume.prepare_decrypt();
        let encrypt = || {
            let volume = volume.clone();
            move |data: &mut [u8]| volume.encrypt(9, data).expect(WHOLE)
        };
        let kernel: Arc<dyn Kernel> = Arc::from(choice.kernel(&KEY[..32])?);
        let mut parts = |piece: usize, whole: usize| {
            let total = rounds.add(whole * SECTOR, encrypt());
            PartPoints::add(rounds, &kernel, mode, [piece, whole], total)
        };
        let (alone, bulk) = (parts(1, 1), parts(PIECE_SECTORS, BULK_SECTORS));
        let bytes = BULK_SECTORS * SECTOR;
        let decrypted = volume.clone();
        let bulk_decrypt = rounds.add(bytes, move |data| decrypted.decrypt(9, data).expect(WHOLE));
        let walls = [1, threads].map(|threads| {
            rounds.add_team(bytes, (0..threads).map(|_| Box::new(encrypt()) as Work<'_>).collect())
        });
        Ok(Points { alone, bulk, bulk_decrypt, walls, threads })
    }

    fn system(&self, mode: SectorMode, published: Option<Published>, rounds: &Rounds<'_>) -> System {
        let per_sector = |point| rounded(rounds.cycles(point) / BULK_SECTORS as f64, 1);
        let [one, all] = self.walls.map(per_sector);
        // All threads work on as many sectors each, in the time of one.
        let all_cores = rounded(all / self.threads as f64, 1);
        System {
            mode: mode.to_string(),
            published,
            alone: self.alone.parts(rounds),
            bulk: self.bulk.parts(rounds),
            bulk_decrypt: per_sector(self.bulk_decrypt),
            all_cores,
            speed_up: rounded(one / all_cores, 2),
        }
    }
}

impl PartPoints {
    /// The layers of a piece of sectors, timed apart; the total is that of the whole.
    fn add(
        rounds: &mut Rounds<'_>,
        kernel: &Arc<dyn Kernel>,
        mode: SectorMode,
        sectors: [usize; 2],
        total: usize,
    ) -> PartPoints {
        let bytes = sectors[0] * SECTOR;
        let layers = mode.layers().map(|layers| LayerPoints::add(rounds, kernel, layers, sectors[0]));
        let kernel = kernel.clone();
        PartPoints { sectors, layers, aes: rounds.add(bytes, move |data| kernel.encrypt(data)), total }
    }

    fn parts(&self, rounds: &Rounds<'_>) -> Parts {
        let [piece, whole] = self.sectors;
        let cycles = |point| rounds.cycles(point) / piece as f64;
        let aes = cycles(self.aes);
        let total = rounded(rounds.cycles(self.total) / whole as f64, 1);
        let Some(layers) = &self.layers else {
            return Parts { aes: rounded(aes, 1), total, ..Parts::default() };
        };
        let pattern = cycles(layers.pattern);
        let before = if layers.has_counter { pattern } else { aes };
        Parts {
            diffusers: rounded(cycles(layers.diffused) - pattern, 1),
            pattern: rounded(pattern, 1),
            chaining: rounded(cycles(layers.chained) - before, 1),
            aes: rounded(aes, 1),
            total,
        }
    }
}

impl LayerPoints {
    fn add(rounds: &mut Rounds<'_>, kernel: &Arc<dyn Kernel>, layers: Layers, sectors: usize) -> LayerPoints {
        let bytes = sectors * SECTOR;
        let diffuser: &Diffuser = elephant::best();
        let patterns = vec![0x77; sectors * PATTERN_BYTES];
        let mut around = |layers: Layers| {
            let patterns = patterns.clone();
            rounds.add(bytes, move |data| (diffuser.encrypt)(layers, SECTOR, &patterns, data))
        };
        let nothing = Layers { a_cycles: 0, b_cycles: 0, counter: false };
        let pattern = around(nothing);
        let diffused = around(Layers { counter: false, ..layers });
        let has_counter = layers.counter;
        let chained = if has_counter {
            around(Layers { counter: true, ..nothing })
        } else {
            let (kernel, mut ivs) = (kernel.clone(), vec![0x11; 16 * sectors]);
            rounds.add(bytes, move |data| kernel.cbc_encrypt_units(&mut ivs, SECTOR, data))
        };
        LayerPoints { pattern, diffused, chained, has_counter }
    }
}

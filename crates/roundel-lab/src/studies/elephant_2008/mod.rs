//! The layers of BitLocker's AES-CBC + Elephant diffuser and of the systems that were proposed in its place, in cycles per sector.
//!
//! The article counted them on a Pentium 4 and estimated two processors that share one sector. Here the same layers are timed alone and together, on one sector
//! and on many, on one core and on all.

mod published;
mod render;

pub use published::{Published, SYSTEMS};

use super::{Options, Outcome, Study, StudyError, json, only};
use crate::clock::core_ghz;
use crate::date;
use crate::machine::{Machine, load_average};
use crate::measure::{calls_for, estimate_ns, sample, sample_threads};
use crate::stats::rounded;
use crate::vectors::{Test, embedded};
use crate::verify::{Failure, sectors};
use roundel::modes::elephant::{self, Diffuser, Layers, PATTERN_BYTES};
use roundel::modes::{SectorCipher, SectorMode};
use roundel::{Choice, Kernel, Policy};
use serde::Serialize;

/// The study.
pub static STUDY: Study = Study {
    name: "elephant-2008",
    summary: "cycles per disk sector of BitLocker's Elephant, its faster variants and XTS, layer by layer",
    run: |options| {
        let result = measure(options)?;
        let document = render::document(&result);
        Ok(Outcome {
            terminal: document.terminal(),
            markdown: document.markdown(),
            json: json(&result),
            failures: result.failures.clone(),
        })
    },
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
    /// When it ended, UTC.
    pub date: String,
    /// The arguments that made it.
    pub command: String,
    /// Where it ran.
    pub machine: Machine,
    /// Load average at the start and at the end.
    pub load_average: [Option<f64>; 2],
    /// Whether fewer repetitions were made.
    pub quick: bool,
    /// Threads of the runs on all cores.
    pub threads: usize,
    /// The AES strategy.
    pub strategy: &'static str,
    /// The strategy of the diffusers.
    pub diffuser: &'static str,
    /// Each system, in the article's order.
    pub systems: Vec<System>,
    /// Sectors that disagree with their vectors.
    pub failures: Vec<Failure>,
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

/// How a figure is made.
struct Effort {
    sample_ns: f64,
    repetitions: usize,
}

fn measure(options: &Options<'_>) -> Result<StudyResult, StudyError> {
    only(&STUDY, options, "rijndael")?;
    let load_before = load_average();
    let choice = roundel::cipher("rijndael")?.best(Policy::ConstantTime)?;
    let failures = prove(choice)?;
    let (sample_ns, repetitions) = if options.quick { (1e5, 3) } else { (1e6, 25) };
    let effort = Effort { sample_ns, repetitions };
    let mut systems = Vec::new();
    for (index, (mode, published)) in SYSTEMS.into_iter().enumerate() {
        systems.push(system(choice, mode, published, options.threads, &effort)?);
        (options.progress)((index + 1) as f64 / SYSTEMS.len() as f64);
    }
    Ok(StudyResult {
        date: date::now_utc(),
        command: options.command.clone(),
        machine: Machine::detect(),
        load_average: [load_before, load_average()],
        quick: options.quick,
        threads: options.threads,
        strategy: choice.strategy.name,
        diffuser: elephant::best().name,
        systems,
        failures,
    })
}

/// The sector vectors on the strategy that is measured.
fn prove(choice: Choice) -> Result<Vec<Failure>, StudyError> {
    let mut failures = Vec::new();
    for file in embedded(&[choice.cipher])? {
        for case in &file.cases {
            let Test::Sector(sector) = &case.test else { continue };
            if let Err(mismatch) = sectors::sector(choice, &case.label, sector) {
                failures.push(Failure {
                    cipher: choice.cipher.name.to_owned(),
                    strategy: choice.strategy.name.to_owned(),
                    file: file.name.clone(),
                    vector: mismatch.vector,
                    operation: mismatch.operation,
                    expected: mismatch.expected,
                    got: mismatch.got,
                });
            }
        }
    }
    Ok(failures)
}

fn system(
    choice: Choice,
    mode: SectorMode,
    published: Option<Published>,
    threads: usize,
    effort: &Effort,
) -> Result<System, StudyError> {
    let cipher = || SectorCipher::new(choice, mode, &KEY, SECTOR);
    let volume = cipher()?;
    volume.prepare_decrypt();
    let kernel = choice.kernel(&KEY[..32])?;
    let mut data = vec![0x33; BULK_SECTORS * SECTOR];
    let whole = "whole sectors of low numbers";
    let alone_total = effort.cycles(1, &mut || volume.encrypt(9, &mut data[..SECTOR]).expect(whole));
    let bulk_total = effort.cycles(BULK_SECTORS, &mut || volume.encrypt(0, &mut data).expect(whole));
    let bulk_decrypt = effort.cycles(BULK_SECTORS, &mut || volume.decrypt(0, &mut data).expect(whole));
    let diffuser = elephant::best();
    let alone = parts(&*kernel, diffuser, mode, &mut data[..SECTOR], alone_total, effort);
    let bulk = parts(&*kernel, diffuser, mode, &mut data[..PIECE_SECTORS * SECTOR], bulk_total, effort);

    let ciphers = (0..threads).map(|_| cipher()).collect::<Result<Vec<_>, _>>()?;
    let wall = |threads: usize| {
        let mut work: Vec<_> = ciphers[..threads]
            .iter()
            .map(|volume| {
                let mut data = vec![0x33; BULK_SECTORS * SECTOR];
                move || volume.encrypt(0, &mut data).expect(whole)
            })
            .collect();
        effort.wall_cycles(threads * BULK_SECTORS, &mut work)
    };
    let (one, all_cores) = (wall(1), wall(threads));
    Ok(System {
        mode: mode.to_string(),
        published,
        alone,
        bulk,
        bulk_decrypt,
        all_cores,
        speed_up: rounded(one / all_cores, 2),
    })
}

/// The layers of these sectors, timed apart.
fn parts(
    kernel: &dyn Kernel,
    diffuser: &Diffuser,
    mode: SectorMode,
    data: &mut [u8],
    total: f64,
    effort: &Effort,
) -> Parts {
    let sectors = data.len() / SECTOR;
    let patterns = vec![0x77; sectors * PATTERN_BYTES];
    let Some(layers) = mode.layers() else {
        let aes = effort.cycles(sectors, &mut || kernel.encrypt(data));
        return Parts { aes, total, ..Parts::default() };
    };
    let mut around =
        |layers: Layers| effort.cycles(sectors, &mut || (diffuser.encrypt)(layers, SECTOR, &patterns, data));
    let nothing = Layers { a_cycles: 0, b_cycles: 0, counter: false };
    let pattern = around(nothing);
    let diffusers = around(Layers { counter: false, ..layers }) - pattern;
    let counter = around(Layers { counter: true, ..nothing }) - pattern;
    let aes = effort.cycles(sectors, &mut || kernel.encrypt(data));
    let mut ivs = vec![0x11; 16 * sectors];
    let chaining = if layers.counter {
        counter
    } else {
        effort.cycles(sectors, &mut || kernel.cbc_encrypt_units(&mut ivs, SECTOR, data)) - aes
    };
    Parts { diffusers, pattern, chaining, aes, total }
}

impl Effort {
    /// Cycles per sector of work on so many, on this thread: the fastest of the repetitions.
    fn cycles(&self, sectors: usize, work: &mut dyn FnMut()) -> f64 {
        let calls = calls_for(self.sample_ns, estimate_ns(self.sample_ns, work));
        let cycles = (0..self.repetitions).map(|_| {
            let sample = sample(calls, work);
            sample.ns_per_call * sample.ghz / sectors as f64
        });
        rounded(cycles.fold(f64::INFINITY, f64::min), 1)
    }

    /// The same by the wall clock, each piece of work on a thread of its own, in the cycles of the core's clock.
    fn wall_cycles<F: FnMut() + Send>(&self, sectors: usize, work: &mut [F]) -> f64 {
        let calls = calls_for(4.0 * self.sample_ns, estimate_ns(self.sample_ns, &mut work[0]));
        let cycles = (0..self.repetitions).map(|_| {
            let work = work.iter_mut().map(|work| work as &mut (dyn FnMut() + Send)).collect();
            sample_threads(calls, true, work).ns_per_call * core_ghz() / sectors as f64
        });
        rounded(cycles.fold(f64::INFINITY, f64::min), 1)
    }
}

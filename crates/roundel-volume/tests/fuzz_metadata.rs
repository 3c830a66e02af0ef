//! Mutations of metadata for as long as one likes, without a fuzzing engine:
//!
//!     ROUNDEL_FUZZ_SECONDS=3600 cargo test --release -p roundel-volume --test fuzz_metadata -- --ignored --nocapture
//!
//! Seconds are those of the CPU, so that a machine that is busy or was stopped shows no hang.
//! `fuzz/fuzz_targets/bitlocker.rs` does the same guided by coverage, where cargo-fuzz is installed.

mod common;

use common::fuzz::{feed, seed};
use common::make::{Wish, make};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Numbers at which sizes and offsets go wrong.
const ODD: [u64; 16] = [
    0,
    1,
    7,
    8,
    9,
    0x7F,
    0xFF,
    0x100,
    0x7FFF,
    0xFFFF,
    0x1_0000,
    0x7FFF_FFFF,
    0xFFFF_FFFF,
    u64::MAX,
    u64::MAX / 2 + 1,
    u64::MAX - 511,
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    let length = random.below(bytes.len() - at).min(1 << random.below(8));
    match random.below(9) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.next() as u8,
        2 | 3 => {
            // A field of 1, 2, 4 or 8 bytes: an odd number, or a small step from what is there.
            let width = (1 << random.below(4)).min(bytes.len() - at);
            let mut field = [0; 8];
            field[..width].copy_from_slice(&bytes[at..at + width]);
            let step = u64::from_le_bytes(field).wrapping_add(random.below(33) as u64).wrapping_sub(16);
            let odd = ODD[random.below(ODD.len())].wrapping_sub(random.below(2) as u64);
            let value = if random.below(2) == 0 { odd } else { step };
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        4 => bytes[at..at + length].fill(random.next() as u8),
        5 => drop(bytes.drain(at..at + length)),
        6 => {
            let copy = bytes[at..at + length].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        7 => bytes.truncate(at),
        _ => {
            let from = random.below(bytes.len() - length + 1);
            bytes.copy_within(from..from + length, at);
        }
    }
}

/// CPU time of this thread.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("time since the thread began")
}

fn run(time: Duration) -> u64 {
    let wishes = [
        Wish::default(),
        Wish::vista(),
        Wish { state: 1, ..Wish::default() },
        Wish { state: 3, watermark: 100 << 10, sector: 4096, method: 0x8001, ..Wish::default() },
        Wish { chunks: Some(8192), ..Wish::default() },
    ];
    let made: Vec<_> = wishes.iter().map(|wish| (make(*wish), wish.vista)).collect();
    let began = cpu_time();
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ u64::from(std::process::id()) << 32 | 1);
    let (mut done, mut slowest) = (0, Duration::ZERO);
    while cpu_time() - began < time {
        let (made, vista) = &made[random.below(made.len())];
        let mut bytes = seed(made);
        for _ in 0..=random.below(6) {
            mutate(&mut bytes, &mut random);
        }
        let started = cpu_time();
        feed(made, *vista, &bytes);
        slowest = slowest.max(cpu_time() - started);
        done += 1;
    }
    println!(
        "{done} mutations in {:.0} s, the slowest took {slowest:.1?}",
        (cpu_time() - began).as_secs_f64()
    );
    assert!(slowest < Duration::from_secs(10), "a hang");
    done
}

#[test]
fn mutated_metadata() {
    assert!(run(Duration::from_secs(2)) > 10);
}

#[test]
#[ignore = "as long as ROUNDEL_FUZZ_SECONDS says, or a minute"]
fn fuzz_metadata() {
    let seconds = std::env::var("ROUNDEL_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    run(Duration::from_secs(seconds.unwrap_or(60)));
}

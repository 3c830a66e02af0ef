//! The clocks: CPU time of the calling thread, and the frequency at which the core runs right now.
//!
//! Virtual machines seldom have hardware counters, and the time-stamp counter ticks at a fixed rate that is not the core's. So the
//! frequency is measured: a chain of dependent one-cycle instructions is timed beside every sample.

use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::sync::OnceLock;

/// CPU time of the calling thread in nanoseconds: stands still while other processes have the core.
pub fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// CPU time of the calling thread that `work` takes, less the time that reading the clock takes.
pub fn cpu_time_ns(work: impl FnOnce()) -> f64 {
    let start = thread_cpu_ns();
    work();
    let elapsed = thread_cpu_ns() - start;
    (elapsed.saturating_sub(read_overhead_ns())).max(1) as f64
}

/// What two readings with nothing between them differ by: a system call, as this clock is not in the vDSO.
pub(crate) fn read_overhead_ns() -> u64 {
    static OVERHEAD: OnceLock<u64> = OnceLock::new();
    *OVERHEAD.get_or_init(|| {
        let once = |_| {
            let start = thread_cpu_ns();
            thread_cpu_ns() - start
        };
        (0..1000).map(once).min().expect("a thousand readings")
    })
}

/// Iterations of the chain in one reading: 32 cycles each, so about 10 microseconds.
const ITERATIONS: u64 = 1024;

/// Cycles per iteration of the chain: 16 pairs of add and xor.
const CYCLES_PER_ITERATION: u64 = 32;

/// Readings of which the fastest counts: an interrupt in one would make the clock look slow, and the code beside it fast.
const READINGS: usize = 3;

/// Readings at most, where some are implausible.
const MOST_READINGS: usize = 30;

/// No core runs as fast.
const HIGHEST_GHZ: f64 = 10.0;

/// The core's frequency now, in GHz, from a chain of dependent additions and XORs.
///
/// Each takes one cycle on every x86-64 and AArch64 core with out-of-order execution. They alternate, and their operands are hidden
/// from the compiler, so that neither it nor the renamer of the CPU can merge them.
pub fn core_ghz() -> f64 {
    let cycles = (ITERATIONS * CYCLES_PER_ITERATION) as f64;
    let reading = |_| {
        cpu_time_ns(|| {
            black_box(chain(ITERATIONS));
        })
    };
    // A virtual machine's CPU-time clock can stand still over a reading, which then shows hardly any time.
    let plausible = |ns: &f64| cycles / ns < HIGHEST_GHZ;
    let fastest =
        (0..MOST_READINGS).map(reading).filter(plausible).take(READINGS).fold(f64::INFINITY, f64::min);
    cycles / fastest
}

#[inline(never)]
fn chain(iterations: u64) -> u64 {
    let (add, xor) = (black_box(0x9E37_79B9_7F4A_7C15u64), black_box(0x5851_F42D_4C95_7F2Du64));
    let mut x = black_box(1u64);
    for _ in 0..iterations {
        // Unrolled by the compiler: the loop's own counter runs beside the chain.
        for _ in 0..CYCLES_PER_ITERATION / 2 {
            x = x.wrapping_add(add) ^ xor;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_computes_what_it_says() {
        let (add, xor) = (0x9E37_79B9_7F4A_7C15u64, 0x5851_F42D_4C95_7F2Du64);
        let expected = (0..2 * CYCLES_PER_ITERATION / 2).fold(1u64, |x, _| x.wrapping_add(add) ^ xor);
        assert_eq!(chain(2), expected);
    }

    #[test]
    fn cpu_time_grows_with_work_and_is_never_zero() {
        assert!(cpu_time_ns(|| ()) >= 1.0);
        let before = thread_cpu_ns();
        black_box(chain(100_000));
        assert!(thread_cpu_ns() > before);
    }
}

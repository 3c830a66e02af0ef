//! What does not depend on the cipher: threads, memory, files.

use super::fit::digits;
use crate::bench::Observer;
use crate::clock::cpu_time_ns;
use crate::measure::sample_threads;
use roundel::plan::{
    Constraints, MAX_CORES, Machine, Mode, Operation, Profile, Request, SealCosts, candidates,
};
use roundel::{CIPHERS, Choice, Kernel, Policy, modes::Ctr};
use std::time::Instant;

/// Seals a file of so many bytes on so many threads; nanoseconds, or `None` where it cannot.
pub type SealRun<'a> = &'a dyn Fn(u64, usize) -> Option<f64>;

/// Until it was measured: one core and no limit.
pub(super) fn unknown() -> Machine {
    Machine {
        thread_start_ns: 30e3,
        speed_up: vec![1.0],
        memory_byte_ns: vec![0.0],
        near_bytes: u64::MAX,
        far_bytes: u64::MAX,
    }
}

/// Message lengths over which the way out of the caches is followed.
const LENGTHS: [usize; 7] = [64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20];

/// From here on a message counts as coming from main memory, if no length of [`LENGTHS`] shows a limit.
const FAR_INDEX: usize = 5;

/// A rate so much above the one in the caches is no longer the cache's, and so near to the slowest is the memory's.
const LEAVES: f64 = 1.08;

/// Threads, caches and memory, by the fastest CTR of the profile: only a fast cipher sees them. `None` if it was stopped.
pub(super) fn machine(profile: &Profile, observer: &dyn Observer) -> Option<Machine> {
    let Some((choice, block_ns)) = fastest_ctr(profile) else { return Some(unknown()) };
    let Ok(kernel) = choice.kernel(&super::key(16)) else { return Some(unknown()) };
    let kernel = &*kernel;
    let cores = roundel::parallel::cores().min(MAX_CORES);
    let counts = thread_counts(cores);
    let mut buffer = vec![1u8; LENGTHS[LENGTHS.len() - 1]];
    let mut byte_ns = Vec::new();
    for (index, bytes) in LENGTHS.into_iter().enumerate() {
        observer.progress("limits", index, 2 * LENGTHS.len());
        byte_ns.push(walk(kernel, &mut buffer[..bytes], 1, observer)? / bytes as f64);
    }
    let inside = block_ns / choice.cipher.block_bytes as f64;
    let near = LENGTHS.iter().zip(&byte_ns).take_while(|(_, ns)| **ns < LEAVES * byte_ns[0]).last();
    let slowest = byte_ns.iter().copied().fold(0.0, f64::max);
    let far = LENGTHS.iter().zip(&byte_ns).position(|(_, ns)| *ns * LEAVES > slowest).unwrap_or(FAR_INDEX);
    let near_bytes = near.map_or(LENGTHS[0], |(bytes, _)| *bytes) as u64;
    let far_bytes = (LENGTHS[far.min(FAR_INDEX)] as u64).max(2 * near_bytes);

    let mut speed_up = Vec::new();
    let mut memory = Vec::new();
    for (index, &threads) in counts.iter().enumerate() {
        observer.progress("limits", LENGTHS.len() + index * LENGTHS.len() / counts.len(), 2 * LENGTHS.len());
        let together = crowd(kernel, threads, observer)?;
        let gain = if threads == 1 { 1.0 } else { crowd(kernel, 1, observer)? * threads as f64 / together };
        speed_up.push((threads, gain));
        let far_ns = walk(kernel, &mut buffer, threads, observer)? / buffer.len() as f64;
        memory.push((threads, beside(far_ns, inside / gain)));
    }
    Some(Machine {
        thread_start_ns: digits(thread_start_ns()),
        speed_up: every_count(&speed_up, cores),
        memory_byte_ns: every_count(&memory, cores),
        near_bytes,
        far_bytes,
    })
}

/// The least of so many times; `None` if one cannot be taken, or as soon as it is stopped.
pub(super) fn least(
    times: usize,
    observer: &dyn Observer,
    mut once: impl FnMut() -> Option<f64>,
) -> Option<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..times {
        if observer.stopped() {
            return None;
        }
        least = least.min(once()?);
    }
    Some(least)
}

/// 1, 2, 4, ... and all.
fn thread_counts(cores: usize) -> Vec<usize> {
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n < cores).collect();
    counts.push(cores);
    counts
}

/// Values for every count up to the last, on lines between those that were measured.
fn every_count(measured: &[(usize, f64)], cores: usize) -> Vec<f32> {
    let value = |threads: usize| {
        let above = measured.iter().position(|(known, _)| *known >= threads).unwrap_or(measured.len() - 1);
        let (high, high_value) = measured[above];
        let (low, low_value) = measured[above.saturating_sub(1)];
        if high == low {
            return high_value;
        }
        low_value + (high_value - low_value) * (threads - low) as f64 / (high - low) as f64
    };
    (1..=cores).map(|threads| digits(value(threads))).collect()
}

/// The memory's time, given that of both together and the cipher's: the planner's rule for two overlapping times, solved.
/// Where the cipher hides the memory, so much that it stays hidden.
fn beside(together: f64, cipher: f64) -> f64 {
    let rest = together.powi(4) - cipher.powi(4);
    rest.max((0.5 * cipher).powi(4)).sqrt().sqrt()
}

/// The strategy with the lowest cost per block in long CTR messages.
fn fastest_ctr(profile: &Profile) -> Option<(Choice, f64)> {
    let constraints = Constraints { policy: Policy::AnyTiming, ..Constraints::default() };
    let plans = CIPHERS.iter().flat_map(|cipher| {
        candidates(&Request::kept_key(cipher, 16, Mode::Ctr, 64 << 10, constraints), profile)
    });
    let fastest = plans.min_by(|a, b| {
        a.predicted_ns.unwrap_or(f64::INFINITY).total_cmp(&b.predicted_ns.unwrap_or(f64::INFINITY))
    })?;
    let cipher = fastest.choice.cipher;
    let index = cipher.strategies.iter().position(|own| std::ptr::eq(own, fastest.choice.strategy))?;
    let costs = profile.strategies(cipher, 16).get(index)?.as_ref()?;
    Some((fastest.choice, costs.curve(Operation::Ctr)?.block_ns()))
}

/// Least nanoseconds for CTR over the buffer, by so many threads, in pieces that the planner would hand out.
fn walk(kernel: &dyn Kernel, buffer: &mut [u8], threads: usize, observer: &dyn Observer) -> Option<f64> {
    const PIECE: usize = 3 << 16;
    let repeats = (256 << 20) / buffer.len().max(64 << 20);
    let calls = ((4 << 20) / buffer.len()).max(1);
    let once = |buffer: &mut [u8]| {
        if threads == 1 {
            ctr(kernel, 0, buffer);
        } else {
            roundel::parallel::for_each_piece(threads, buffer, PIECE, |offset, piece| {
                ctr(kernel, offset, piece)
            });
        }
    };
    let round = || {
        let start = Instant::now();
        let cpu_ns = cpu_time_ns(|| (0..calls).for_each(|_| once(buffer)));
        // The time of one thread is its own, whatever else the machine does.
        let ns = if threads == 1 { cpu_ns } else { start.elapsed().as_nanos() as f64 };
        Some(ns / calls as f64)
    };
    least(repeats.max(1) * 8, observer, round)
}

fn ctr(kernel: &dyn Kernel, offset: usize, data: &mut [u8]) {
    let block = kernel.block_bytes();
    let mut ctr = Ctr::at_block(kernel, &[0; 32][..block], (offset / block) as u64)
        .expect("the counter has the block's length");
    ctr.apply(data);
}

/// Least nanoseconds per call for CTR over 16 KiB when so many threads do it at once, each in a buffer of its own.
fn crowd(kernel: &dyn Kernel, threads: usize, observer: &dyn Observer) -> Option<f64> {
    let mut buffers: Vec<Vec<u8>> = (0..threads).map(|_| vec![0; 16 << 10]).collect();
    let round = || {
        let mut work: Vec<_> = buffers.iter_mut().map(|buffer| move || ctr(kernel, 0, buffer)).collect();
        let work = work.iter_mut().map(|work| work as &mut (dyn FnMut() + Send)).collect();
        Some(sample_threads(500, false, work).ns_per_call)
    };
    least(40, observer, round)
}

/// A thread started and joined: the lower quartile, as most of the noise is upwards.
fn thread_start_ns() -> f64 {
    let mut times: Vec<f64> = (0..60)
        .map(|_| {
            let start = Instant::now();
            std::thread::scope(|scope| {
                scope.spawn(|| ());
            });
            start.elapsed().as_nanos() as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 4]
}

/// The file that stands for long ones, and the one that stands for none.
const SEAL_BYTES: u64 = 64 << 20;

/// What sealing takes beside the cipher. `None` where it cannot, or if it was stopped.
pub(super) fn seal(profile: &Profile, run: SealRun<'_>, observer: &dyn Observer) -> Option<SealCosts> {
    let fastest = |bytes, threads, times: usize| {
        let mut done = 0;
        least(times, observer, || {
            observer.progress("sealing", done, times);
            done += 1;
            run(bytes, threads)
        })
    };
    let file_ns = fastest(16, 1, 40)?;
    let one = fastest(SEAL_BYTES, 1, 9)?;
    let cores = roundel::parallel::cores().min(2);
    let two = if cores > 1 { fastest(SEAL_BYTES, cores, 9)? } else { one };
    let aes = roundel::cipher("aes").ok()?;
    let mut plain = profile.clone();
    plain.seal = None;
    let request = Request::kept_key(aes, 32, Mode::Seal, SEAL_BYTES, Constraints::default());
    let cipher_ns = roundel::plan::plan_with(&request, &plain).ok()?.predicted_ns?;
    Some(SealCosts {
        file_ns: digits(file_ns),
        byte_ns: digits(((one - file_ns - cipher_ns) / SEAL_BYTES as f64).max(0.0)),
        speed_up: digits(((one - file_ns) / (two - file_ns)).clamp(1.0, 2.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_threads_and_what_lies_between() {
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(2), [1, 2]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
        assert_eq!(every_count(&[(1, 1.0), (2, 2.0), (4, 3.0)], 4), [1.0, 2.0, 2.5, 3.0]);
        assert_eq!(every_count(&[(1, 1.0)], 1), [1.0]);
    }

    #[test]
    fn the_memorys_share_is_what_the_planner_will_add_again() {
        let memory = beside(0.12, 0.1);
        let again = (memory.powi(4) + 0.1f64.powi(4)).sqrt().sqrt();
        assert!((again - 0.12).abs() < 1e-9);
        assert!((beside(0.09, 0.1) - 0.05).abs() < 1e-9, "a hidden memory stays hidden");
    }
}

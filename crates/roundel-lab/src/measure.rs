//! One sample of one piece of work: on one thread by its CPU time, on several by the wall clock.

use crate::clock::{core_ghz, cpu_time_ns};
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// One timed repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Nanoseconds per call.
    pub ns_per_call: f64,
    /// The core's frequency while it ran, in GHz.
    pub ghz: f64,
}

/// Nanoseconds of one call, roughly: calls are doubled from one until they last half of `target_ns`.
pub fn estimate_ns(target_ns: f64, work: &mut dyn FnMut()) -> f64 {
    let mut calls = 1u64;
    loop {
        let elapsed = cpu_time_ns(|| (0..calls).for_each(|_| work()));
        if elapsed >= target_ns / 2.0 || calls >= 1 << 30 {
            return elapsed / calls as f64;
        }
        calls *= 2;
    }
}

/// How many calls of this duration last about `target_ns`.
pub fn calls_for(target_ns: f64, call_ns: f64) -> u64 {
    ((target_ns / call_ns).round() as u64).max(1)
}

/// Times `calls` calls on this thread, after one that is not timed (unless a sample is a single long call), with the clock measured before and after. Of the two readings the
/// higher counts: an interruption can only make the clock look slower than it is.
pub fn sample(calls: u64, work: &mut dyn FnMut()) -> Sample {
    if calls > 1 {
        work();
    }
    let before = core_ghz();
    let elapsed = cpu_time_ns(|| (0..calls).for_each(|_| work()));
    Sample { ns_per_call: elapsed / calls as f64, ghz: before.max(core_ghz()) }
}

/// Times `calls` calls of each piece of work, each on a thread of its own, all started together: wall time from the first start to the
/// last end. With `pin`, thread i stays on the i-th core that the process may use.
pub fn sample_threads(calls: u64, pin: bool, work: Vec<&mut (dyn FnMut() + Send)>) -> Sample {
    let threads = work.len();
    let barrier = Barrier::new(threads);
    let run = |index: usize, work: &mut (dyn FnMut() + Send)| {
        if pin {
            pin_to(index);
        }
        if calls > 1 {
            work();
        }
        let ghz = core_ghz();
        barrier.wait();
        let start = Instant::now();
        (0..calls).for_each(|_| work());
        (start, Instant::now(), ghz)
    };
    let spans: Vec<(Instant, Instant, f64)> = std::thread::scope(|scope| {
        let run = &run;
        let started: Vec<_> =
            work.into_iter().enumerate().map(|(i, work)| scope.spawn(move || run(i, work))).collect();
        started.into_iter().map(|thread| thread.join().expect("timed work does not panic")).collect()
    });
    let first = spans.iter().map(|span| span.0).min();
    let last = spans.iter().map(|span| span.1).max();
    let wall = match (first, last) {
        (Some(first), Some(last)) => last - first,
        _ => Duration::ZERO,
    };
    let ghz = spans.iter().map(|span| span.2).sum::<f64>() / threads.max(1) as f64;
    Sample { ns_per_call: wall.as_nanos() as f64 / calls as f64, ghz }
}

/// Keeps the calling thread on one core: the `index`-th of those that the process may use. Left as it was where the system refuses.
pub fn pin_to(index: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let Ok(allowed) = sched_getaffinity(None) else { return };
        let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
        if cores.is_empty() {
            return;
        }
        let mut one = CpuSet::new();
        one.set(cores[index % cores.len()]);
        let _ = sched_setaffinity(None, &one);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = index;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn a_sample_makes_its_calls_and_one_more() {
        let mut calls = 0;
        let sample = sample(10, &mut || calls += 1);
        assert_eq!(calls, 11);
        assert!(sample.ns_per_call > 0.0 && sample.ghz > 0.0);
    }

    #[test]
    fn every_thread_makes_its_calls() {
        let counts = [const { AtomicU64::new(0) }; 3];
        let mut work: Vec<_> = counts
            .iter()
            .map(|count| {
                move || {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            })
            .collect();
        let work = work.iter_mut().map(|work| work as &mut (dyn FnMut() + Send)).collect();
        assert!(sample_threads(5, true, work).ns_per_call > 0.0);
        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 6));
    }

    #[test]
    fn work_is_doubled_until_it_lasts() {
        let mut calls = 0u64;
        let call_ns = estimate_ns(50_000.0, &mut || calls += 1);
        assert!(call_ns > 0.0 && calls >= 1);
        assert_eq!([calls_for(1000.0, 10.0), calls_for(1000.0, 600.0), calls_for(1.0, 1e9)], [100, 2, 1]);
    }
}

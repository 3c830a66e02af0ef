//! Several pieces of work sampled in rounds, each once per round: a busy minute of the machine, or another speed of its caches, so touches
//! all of them alike, and their differences and ratios hold.

use crate::measure::{Sample, calls_for, estimate_ns, sample, sample_threads};
use crate::stats::Summary;

/// Work on a message, in place.
pub(crate) type Work<'a> = Box<dyn FnMut(&mut [u8]) + Send + 'a>;

/// A message that starts on a page, the same for all work, so that none is lucky with its alignment.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
}

impl Buffer {
    const ALIGN: usize = 4096;

    pub(crate) fn new(largest: usize) -> Buffer {
        let bytes: Vec<u8> = (0..largest + Self::ALIGN).map(|i| (i * 89 + i / 251) as u8).collect();
        let start = bytes.as_ptr().align_offset(Self::ALIGN).min(Self::ALIGN);
        Buffer { bytes, start }
    }

    pub(crate) fn message(&mut self, bytes: usize) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + bytes]
    }
}

/// Work whose single call lasts longer is sampled in every third round only.
const LONG_NS: f64 = 40e6;
const LONG_EVERY: usize = 3;

/// What is sampled, and the messages that it works on.
pub(crate) struct Rounds<'a> {
    sample_ns: f64,
    buffers: Vec<Buffer>,
    points: Vec<Point<'a>>,
}

/// One piece of work, or one for each thread.
struct Point<'a> {
    bytes: usize,
    work: Vec<Work<'a>>,
    by: Clock,
    calls: u64,
    call_ns: f64,
    samples: Vec<Sample>,
}

/// How a point is timed.
#[derive(Clone, Copy, PartialEq)]
enum Clock {
    /// CPU time of this thread.
    Cpu,
    /// Wall clock, each piece of work on a thread of its own.
    Wall,
    /// The same, each thread on a core of its own.
    WallPinned,
}

impl<'a> Rounds<'a> {
    /// Samples last about so long, messages are at most `longest` bytes.
    pub(crate) fn new(sample_ns: f64, longest: usize) -> Rounds<'a> {
        Rounds { sample_ns, buffers: vec![Buffer::new(longest)], points: Vec::new() }
    }

    /// Adds work on a message of this length, timed by this thread's CPU time. Gives its index.
    pub(crate) fn add(&mut self, bytes: usize, work: impl FnMut(&mut [u8]) + Send + 'a) -> usize {
        self.push(bytes, vec![Box::new(work)], Clock::Cpu)
    }

    /// The same by the wall clock: for work that has threads of its own.
    pub(crate) fn add_wall(&mut self, bytes: usize, work: impl FnMut(&mut [u8]) + Send + 'a) -> usize {
        self.push(bytes, vec![Box::new(work)], Clock::Wall)
    }

    /// Each piece of work on a thread, a core and a message of its own, by the wall clock.
    pub(crate) fn add_team(&mut self, bytes: usize, work: Vec<Work<'a>>) -> usize {
        let longest = self.buffers[0].bytes.len() - Buffer::ALIGN;
        self.buffers.resize_with(self.buffers.len().max(work.len()), || Buffer::new(longest));
        self.push(bytes, work, Clock::WallPinned)
    }

    fn push(&mut self, bytes: usize, mut work: Vec<Work<'a>>, by: Clock) -> usize {
        let message = self.buffers[0].message(bytes);
        // Threads do not start in the same nanosecond: such samples are longer.
        let target = if by == Clock::Cpu { self.sample_ns } else { 4.0 * self.sample_ns };
        let mut once = || work[0](message);
        let call_ns = match by {
            Clock::Cpu | Clock::WallPinned => estimate_ns(target, &mut once),
            Clock::Wall => sample_threads(1, false, vec![&mut once]).ns_per_call,
        };
        // The call before a sample of several is not timed: it finds the caches as the work before it left them, and other cores.
        let least = if call_ns > LONG_NS { 1 } else { 2 };
        let calls = calls_for(target, call_ns).max(least);
        self.points.push(Point { bytes, work, by, calls, call_ns, samples: Vec::new() });
        self.points.len() - 1
    }

    /// Nanoseconds of one call, roughly, as they were estimated when the work was added.
    pub(crate) fn estimate_ns(&self, index: usize) -> f64 {
        self.points[index].call_ns
    }

    /// Samples all points so many times, round after round; `progress` is told the share that is done.
    pub(crate) fn run(&mut self, rounds: usize, progress: &dyn Fn(f64)) {
        let cost = |point: &Point<'_>, round: usize| match point.call_ns > LONG_NS {
            true if !round.is_multiple_of(LONG_EVERY) => 0.0,
            _ => point.calls as f64 * point.call_ns,
        };
        let all = (0..rounds).flat_map(|round| self.points.iter().map(move |point| cost(point, round)));
        let (total, mut done) = (all.sum::<f64>(), 0.0);
        for round in 0..rounds {
            for point in &mut self.points {
                let cost = cost(point, round);
                if cost > 0.0 {
                    point.sample(&mut self.buffers);
                }
                done += cost;
                progress((done / total).min(1.0));
            }
        }
    }

    /// Core cycles of a call. A clock reading that was interrupted looks slow and would make the least sample of a disturbed one, so none
    /// counts for less than the run's median.
    pub(crate) fn cycles(&self, index: usize) -> f64 {
        let all = self.points.iter().flat_map(|point| &point.samples);
        let typical = Summary::of(all.map(|sample| sample.ghz)).map_or(0.0, |ghz| ghz.median);
        let cycles = |sample: &Sample| sample.ns_per_call * sample.ghz.max(typical);
        least(self.points[index].samples.iter().map(cycles))
    }

    /// Nanoseconds of a call.
    pub(crate) fn ns(&self, index: usize) -> f64 {
        least(self.points[index].samples.iter().map(|sample| sample.ns_per_call))
    }
}

/// The least of the samples: what the work takes when nothing disturbs it.
fn least(samples: impl Iterator<Item = f64>) -> f64 {
    Summary::of(samples).map_or(f64::NAN, |summary| summary.min)
}

impl Point<'_> {
    fn sample(&mut self, buffers: &mut [Buffer]) {
        let (bytes, calls) = (self.bytes, self.calls);
        let mut pairs: Vec<_> = self
            .work
            .iter_mut()
            .zip(buffers)
            .map(|(work, buffer)| {
                let message = buffer.message(bytes);
                move || work(message)
            })
            .collect();
        let sample = match self.by {
            Clock::Cpu => sample(calls, &mut pairs[0]),
            by => {
                let work = pairs.iter_mut().map(|work| work as &mut (dyn FnMut() + Send)).collect();
                sample_threads(calls, by == Clock::WallPinned, work)
            }
        };
        self.samples.push(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn points_take_turns() {
        let called = Mutex::new(Vec::new());
        let order = &called;
        let mut rounds = Rounds::new(1.0, 64);
        for name in ["a", "b"] {
            // One call is more than a nanosecond, so a sample is two calls, after one that is not timed.
            rounds.add(64, move |message| {
                message.fill(1);
                order.lock().unwrap().push(name);
            });
        }
        order.lock().unwrap().clear();
        rounds.run(3, &|share| assert!((0.0..=1.0).contains(&share)));
        assert!(rounds.cycles(0) > 0.0 && rounds.ns(1) > 0.0 && rounds.estimate_ns(0) > 0.0);
        drop(rounds);
        assert_eq!(called.into_inner().unwrap(), ["a", "a", "a", "b", "b", "b"].repeat(3));
    }

    #[test]
    fn long_work_is_sampled_in_every_third_round() {
        let mut rounds = Rounds::new(1.0, 16);
        rounds.add(16, |_| std::hint::black_box(()));
        rounds.points[0].call_ns = 2.0 * LONG_NS;
        rounds.run(7, &|_| ());
        assert_eq!(rounds.points[0].samples.len(), 3);
    }

    #[test]
    fn an_interrupted_clock_makes_no_least_sample() {
        let mut rounds = Rounds::new(1.0, 16);
        let point = rounds.add(16, |_| ());
        let sample = |ns_per_call, ghz| Sample { ns_per_call, ghz };
        rounds.points[point].samples =
            vec![sample(100.0, 3.0), sample(102.0, 3.0), sample(101.0, 1.5), sample(90.0, 3.5)];
        // At 3 GHz 101 ns are 303 cycles; at 3.5 GHz 90 ns are 315.
        assert_eq!((rounds.cycles(point), rounds.ns(point)), (300.0, 90.0));
    }

    #[test]
    fn a_team_has_a_message_for_each() {
        let calls = AtomicU64::new(0);
        let mut rounds = Rounds::new(1000.0, 16);
        let work = (0..3).map(|_| {
            Box::new(|message: &mut [u8]| {
                message[15] ^= 1;
                calls.fetch_add(1, Ordering::Relaxed);
            }) as Work<'_>
        });
        rounds.add_team(16, work.collect());
        assert_eq!(rounds.buffers.len(), 3);
        rounds.points[0].calls = 5;
        calls.store(0, Ordering::Relaxed);
        rounds.run(2, &|_| ());
        drop(rounds);
        // One more call of each is not timed.
        assert_eq!(calls.into_inner(), 3 * 2 * 6);
    }

    #[test]
    fn buffers_start_on_a_page() {
        let mut buffer = Buffer::new(100);
        assert_eq!(buffer.message(100).as_ptr() as usize % Buffer::ALIGN, 0);
    }
}

//! Independent jobs on all cores, the longest first.

use std::sync::Mutex;

/// Does every job on `threads` threads (the calling one included) and returns the results, in no particular order. A job is an
/// estimated cost, in any unit, and whatever `work` needs; the dearest start first, so that no core is left with a long one at the end.
///
/// `done` is told the share of the cost that is finished, 0 to 1, after each job.
pub fn run<J: Send, R: Send>(
    threads: usize,
    mut jobs: Vec<(f64, J)>,
    work: impl Fn(J) -> R + Sync,
    done: impl Fn(f64) + Sync,
) -> Vec<R> {
    jobs.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let total: f64 = jobs.iter().map(|(cost, _)| cost).sum();
    let threads = threads.clamp(1, jobs.len().max(1));
    let results = Mutex::new((0.0, Vec::with_capacity(jobs.len())));
    let jobs = Mutex::new(jobs.into_iter());
    let take_all = || {
        loop {
            let next = jobs.lock().expect("taking from a vector does not panic").next();
            let Some((cost, job)) = next else { break };
            let result = work(job);
            let mut results = results.lock().expect("nothing panics under this lock");
            results.0 += cost;
            results.1.push(result);
            let finished = results.0;
            drop(results);
            done(if total > 0.0 { (finished / total).min(1.0) } else { 1.0 });
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(take_all);
        }
        take_all();
    });
    results.into_inner().expect("nothing panics under this lock").1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_and_the_dearest_first() {
        for threads in [0, 1, 3, 100] {
            let jobs = (0..50).map(|i| (f64::from(i % 7), i)).collect();
            let last = Mutex::new(0.0);
            let mut results = run(threads, jobs, |i| i, |share| *last.lock().unwrap() = share);
            assert_eq!(*last.lock().unwrap(), 1.0);
            if threads <= 1 {
                assert!(results.is_sorted_by_key(|i| -(i % 7)));
            }
            results.sort();
            assert_eq!(results, (0..50).collect::<Vec<_>>());
        }
        assert!(run(2, Vec::new(), |(): ()| (), |_| ()).is_empty());
    }
}

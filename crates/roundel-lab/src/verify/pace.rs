//! How fast strategies are at single blocks: not for reports, but to plan with.

use crate::monte_carlo::INNER_ITERATIONS;
use roundel::{Choice, Cipher};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// The available strategy that is fastest at the outer iterations of a Monte Carlo chain. That is often not the preferred one, which
/// is fastest at long runs.
pub fn fastest_serial(cipher: &'static Cipher) -> Option<Choice> {
    fastest_with_pace(cipher).map(|(choice, _)| choice)
}

/// The same, with its pace.
pub(crate) fn fastest_with_pace(cipher: &'static Cipher) -> Option<(Choice, Pace)> {
    let available = cipher.choices().filter(|choice| choice.strategy.available());
    let paced = available.map(|choice| (choice, Pace::measure(choice)));
    paced.min_by(|(_, a), (_, b)| a.outer_iteration().total_cmp(&b.outer_iteration()))
}

/// The time that a strategy takes, for planning: seconds for a key setup and for a block by itself, the mean of both directions.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(super) setup: f64,
    pub(super) block: f64,
}

impl Pace {
    /// For a strategy that cannot be measured because it panics: slower than all others.
    const UNKNOWN: Pace = Pace { setup: 1.0, block: 1.0 };

    /// Seconds for an outer iteration of a Monte Carlo chain: a key setup and 10,000 dependent blocks.
    pub(crate) fn outer_iteration(self) -> f64 {
        self.setup + self.block * INNER_ITERATIONS as f64
    }

    /// A quick measurement on 32 dependent blocks.
    pub(super) fn measure(choice: Choice) -> Pace {
        catch_unwind(|| Pace::try_measure(choice)).unwrap_or(Pace::UNKNOWN)
    }

    fn try_measure(choice: Choice) -> Pace {
        const BLOCKS: u32 = 32;
        let key = vec![0; choice.cipher.keys.standard.first().copied().unwrap_or(16)];
        let Ok(kernel) = choice.kernel(&key) else { return Pace::UNKNOWN };
        let setup = best(|| {
            if let Ok(kernel) = choice.kernel(&key) {
                kernel.prepare_decrypt();
            }
        });
        let mut block = vec![0; choice.cipher.block_bytes];
        let encrypt = best(|| (0..BLOCKS).for_each(|_| kernel.encrypt(&mut block)));
        let decrypt = best(|| (0..BLOCKS).for_each(|_| kernel.decrypt(&mut block)));
        Pace { setup, block: (encrypt + decrypt) / f64::from(2 * BLOCKS) }
    }
}

/// Seconds for an action: the best of as many as fit into half a millisecond, three at least, so that an interruption does not decide.
fn best(mut action: impl FnMut()) -> f64 {
    const TIME: Duration = Duration::from_micros(500);
    let began = Instant::now();
    let mut best = f64::INFINITY;
    let mut done = 0;
    while done < 3 || began.elapsed() < TIME {
        let started = Instant::now();
        action();
        best = best.min(started.elapsed().as_secs_f64());
        done += 1;
    }
    best
}

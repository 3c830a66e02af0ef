//! How fast strategies are at single blocks: not for reports, but to plan with.

use roundel::{Choice, Cipher};
use std::panic::catch_unwind;
use std::time::Instant;

/// The available strategy that is fastest where each block waits for the one before, as in a Monte Carlo chain. That is often not the
/// preferred one, which is fastest at long runs.
pub fn fastest_serial(cipher: &'static Cipher) -> Option<Choice> {
    let available = cipher.choices().filter(|choice| choice.strategy.available());
    let paced = available.map(|choice| (Pace::measure(choice).block, choice));
    paced.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, choice)| choice)
}

/// The time that a strategy takes, for planning: seconds for a key setup and for a block by itself.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    pub(super) setup: f64,
    pub(super) block: f64,
}

impl Pace {
    /// For a strategy that cannot be measured because it panics: slower than all others.
    const UNKNOWN: Pace = Pace { setup: 1.0, block: 1.0 };

    /// A quick measurement: 32 dependent blocks, best of three.
    pub(super) fn measure(choice: Choice) -> Pace {
        catch_unwind(|| Pace::try_measure(choice)).unwrap_or(Pace::UNKNOWN)
    }

    fn try_measure(choice: Choice) -> Pace {
        const BLOCKS: u32 = 32;
        let best = |mut action: Box<dyn FnMut() + '_>| {
            let time = |_| {
                let started = Instant::now();
                action();
                started.elapsed().as_secs_f64()
            };
            (0..3).map(time).fold(f64::INFINITY, f64::min)
        };
        let key = vec![0; choice.cipher.keys.standard.first().copied().unwrap_or(16)];
        let Ok(kernel) = choice.kernel(&key) else { return Pace::UNKNOWN };
        let setup = best(Box::new(|| drop(choice.kernel(&key))));
        let mut block = vec![0; choice.cipher.block_bytes];
        let blocks = best(Box::new(|| (0..BLOCKS).for_each(|_| kernel.encrypt(&mut block))));
        Pace { setup, block: blocks / f64::from(BLOCKS) }
    }
}

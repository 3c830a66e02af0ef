//! What is assumed where nothing was measured: costs of another machine, of the strategies that this CPU's level allows.
//!
//! Ratios between strategies travel better than times: the plan is usually the right one, its predicted time is not to be trusted.

use super::cost::{Curve, Machine, Profile};
use super::data::Operation;
use super::stored::{profile_from_lines, profile_lines};
use crate::CIPHERS;
use crate::simd::Level;

/// Lines as in a stored profile, and before them for each level below the highest what its GHASH adds to CTR. Comments begin with `#`.
static TABLE: &str = include_str!("estimates.txt");

/// What GCM adds to CTR at a CPU level, in nanoseconds: in generic code the hash is all that depends on the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GcmCosts {
    /// Per key.
    pub setup_ns: f32,
    /// Per message.
    pub call_ns: f32,
    /// Per block.
    pub block_ns: f32,
}

/// The estimates for a CPU of this level.
pub fn profile(level: Level) -> Profile {
    let lines = TABLE.lines().filter(|line| !line.starts_with(['#', 'g']));
    let mut profile = profile_from_lines(lines, None).unwrap_or_else(|| {
        // A test reads the table; should it ever be unreadable, plans fall back on the order of preference.
        Profile::new(Machine {
            thread_start_ns: 30e3,
            speed_up: vec![1.0],
            memory_byte_ns: vec![0.2],
            near_bytes: 256 << 10,
            far_bytes: 32 << 20,
        })
    });
    if let Some(gcm) = gcm_costs(level) {
        with_hash_of(&mut profile, gcm);
    }
    profile
}

/// The line `gcm LEVEL setup call block`; none for the level at which the curves were measured.
fn gcm_costs(level: Level) -> Option<GcmCosts> {
    let line = TABLE
        .lines()
        .find_map(|line| line.strip_prefix("gcm ")?.strip_prefix(level.name())?.strip_prefix(' '))?;
    let mut numbers = line.split(' ').map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some(GcmCosts { setup_ns: next()?, call_ns: next()?, block_ns: next()? })
}

/// Replaces the curves of GCM by those of CTR with a hash, but for strategies that have both in one loop.
fn with_hash_of(profile: &mut Profile, gcm: GcmCosts) {
    for cipher in CIPHERS {
        for key_bytes in [16, 24, 32] {
            let known = profile.strategies(cipher, key_bytes).to_vec();
            for (index, (strategy, costs)) in cipher.strategies.iter().zip(known).enumerate() {
                let Some(mut costs) = costs else { continue };
                if strategy.needs >= Level::Aes {
                    continue;
                }
                if let (Some(ctr), true) = (costs.curve(Operation::Ctr).copied(), cipher.block_bytes == 16) {
                    costs.set(Operation::GcmEncrypt, hashed(ctr, gcm));
                    costs.set(Operation::GcmDecrypt, hashed(ctr, gcm));
                    profile.set(cipher, index, key_bytes, costs);
                }
            }
        }
    }
}

fn hashed(ctr: Curve, gcm: GcmCosts) -> Curve {
    let mut short_ns = ctr.short_ns;
    // Lengths of a batch and more have no entry.
    let used = |knot: u32| knot == 1 || knot < ctr.batch_blocks;
    for (ns, blocks) in short_ns.iter_mut().zip(super::cost::KNOTS).filter(|(_, knot)| used(*knot)) {
        *ns += gcm.call_ns + gcm.block_ns * blocks as f32;
    }
    Curve {
        setup_ns: ctr.setup_ns + gcm.setup_ns,
        call_ns: ctr.call_ns + gcm.call_ns,
        batch_ns: ctr.batch_ns + gcm.block_ns * ctr.batch_blocks as f32,
        short_ns,
        ..ctr
    }
}

/// What GCM adds to CTR by this profile: the median over strategies that need no AES instructions.
pub fn gcm_of(profile: &Profile) -> Option<GcmCosts> {
    let mut differences: Vec<GcmCosts> = Vec::new();
    for cipher in CIPHERS {
        for (strategy, costs) in cipher.strategies.iter().zip(profile.strategies(cipher, 16)) {
            let curves = costs
                .as_ref()
                .and_then(|costs| Some((costs.curve(Operation::Ctr)?, costs.curve(Operation::GcmEncrypt)?)));
            let Some((ctr, gcm)) = curves.filter(|_| strategy.needs < Level::Aes) else { continue };
            differences.push(GcmCosts {
                setup_ns: gcm.setup_ns - ctr.setup_ns,
                call_ns: gcm.call_ns - ctr.call_ns,
                block_ns: (gcm.block_ns() - ctr.block_ns()) as f32,
            });
        }
    }
    let median = |of: fn(&GcmCosts) -> f32| {
        let mut values: Vec<f32> = differences.iter().map(of).collect();
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Some(GcmCosts {
        setup_ns: median(|costs| costs.setup_ns)?,
        call_ns: median(|costs| costs.call_ns)?,
        block_ns: median(|costs| costs.block_ns)?,
    })
}

/// The table of estimates from a measured profile of the highest level, and for each lower level what GCM adds there.
/// `heading` says how it was made.
pub fn table(heading: &str, profile: &Profile, lower: &[(Level, GcmCosts)]) -> String {
    let mut text: String = heading.lines().map(|line| format!("# {line}\n")).collect();
    for (level, GcmCosts { setup_ns, call_ns, block_ns }) in lower {
        text += &format!("gcm {} {setup_ns} {call_ns} {block_ns}\n", level.name());
    }
    // Whatever the table's machine had, estimates are no measurement of this one.
    let mut estimates = profile.clone();
    [estimates.median_error, estimates.most_error] = [0.0; 2];
    text + &profile_lines(&estimates)
}

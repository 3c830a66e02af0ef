//! What the planner's model predicts for the points of a benchmark.

use crate::bench::{BenchResult, ContenderFacts, Operation, Point};
use crate::machine::Machine;
use roundel::plan::{Constraints, Direction, Mode, Profile, Request, cost_of};

/// Nanoseconds of each point's message; `None` of what the model does not know: other libraries, key schedules, memcpy, sectors of 512 bytes,
/// and threads that have a message each. The profile is this machine's: of a benchmark of another one, everything is `None`.
pub(super) fn predictions(bench: &BenchResult, profile: &Profile) -> Vec<Option<f64>> {
    let facts = |machine: &Machine| {
        (machine.cpu.clone(), machine.family_model_stepping.clone(), machine.level.clone(), machine.cores)
    };
    let here = facts(&Machine::detect()) == facts(&bench.machine);
    bench.points.iter().map(|point| if here { prediction(bench, point, profile) } else { None }).collect()
}

fn prediction(bench: &BenchResult, point: &Point, profile: &Profile) -> Option<f64> {
    let facts = bench.contenders.get(point.contender?).filter(|facts| facts.is_ours())?;
    let ContenderFacts { cipher, strategy, .. } = facts;
    let choice = roundel::cipher(cipher).ok()?.strategy(strategy).ok()?;
    let (mode, direction) = planned(point.operation)?;
    let make = if point.operation.is_fresh_key() { Request::fresh_key } else { Request::kept_key };
    let request = make(choice.cipher, point.key_bits / 8, mode, point.bytes as u64, Constraints::default());
    let one_thread = (point.threads == 0).then_some(1)?;
    cost_of(&Request { direction, ..request }, profile, choice, one_thread)?.predicted_ns
}

/// The mode and direction that are planned as this operation.
fn planned(operation: Operation) -> Option<(Mode, Direction)> {
    use Direction::{Decrypt, Encrypt};
    Some(match operation {
        Operation::EcbEncrypt => (Mode::Ecb, Encrypt),
        Operation::EcbDecrypt => (Mode::Ecb, Decrypt),
        Operation::CbcEncrypt => (Mode::Cbc, Encrypt),
        Operation::CbcDecrypt => (Mode::Cbc, Decrypt),
        Operation::Ctr | Operation::FreshCtr => (Mode::Ctr, Encrypt),
        Operation::GcmEncrypt | Operation::FreshGcm => (Mode::Gcm, Encrypt),
        Operation::GcmDecrypt => (Mode::Gcm, Decrypt),
        Operation::XtsEncrypt => (Mode::Xts, Encrypt),
        Operation::XtsDecrypt => (Mode::Xts, Decrypt),
        Operation::Copy
        | Operation::KeyEncrypt
        | Operation::KeyBoth
        | Operation::SectorsEncrypt
        | Operation::SectorsDecrypt => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::result_with;
    use roundel::plan::{OPERATIONS, estimates};
    use roundel::simd::Level;

    #[test]
    fn every_planned_operation_is_predicted_by_its_own_curve() {
        for operation in crate::bench::Mode::ALL.into_iter().flat_map(crate::bench::Mode::operations) {
            let curve = planned(*operation).map(|(mode, direction)| mode.operation(direction).name());
            let own = OPERATIONS.iter().map(|planned| planned.name()).find(|name| *name == operation.name());
            match operation {
                Operation::FreshCtr => assert_eq!(curve, Some("ctr")),
                Operation::FreshGcm => assert_eq!(curve, Some("gcm-encrypt")),
                _ => assert_eq!(curve, own, "{operation:?}"),
            }
        }
    }

    #[test]
    fn points_of_this_machine_are_predicted() {
        let mut result = result_with(&[("reference", 100.0)]);
        result.machine = Machine::detect();
        let profile = estimates::profile(Level::Portable);
        let known = predictions(&result, &profile);
        assert_eq!(known.len(), result.points.len());
        for (point, predicted) in result.points.iter().zip(&known) {
            let expected =
                point.contender.is_some() && point.threads == 0 && planned(point.operation).is_some();
            assert_eq!(predicted.is_some(), expected, "{point:?}");
            assert!(predicted.is_none_or(|ns| ns > 0.0));
        }
        assert!(known.iter().any(Option::is_some));
        result.machine.cpu = "Another CPU".into();
        assert!(predictions(&result, &profile).iter().all(Option::is_none));
    }
}

//! What the program says: one file of commands and their output per topic, in `tests/cmd/`.
//!
//! After a deliberate change of a message, `TRYCMD=overwrite cargo test -p roundel-cli --test messages` writes the new ones; read the diff.

use roundel::plan::{Costs, Curve, KNOTS, Machine, OPERATIONS, Profile, SealCosts};
use roundel_lab::tune::store;

#[test]
fn messages() {
    trycmd::TestCases::new().env("ROUNDEL_PROFILE", "").case("tests/cmd/*.trycmd");
}

/// What planning says under invented costs. Twofish has two strategies there that run everywhere: a cheap key and dear blocks, and the
/// reverse, 1 and 0.1 ns a byte when the key is there.
#[test]
fn plans() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile");
    store::save(&path, &invented()).unwrap();
    let cases = trycmd::TestCases::new();
    cases.env("ROUNDEL_PROFILE", path.to_str().unwrap()).case("tests/planned/*.trycmd").run();
}

fn invented() -> Profile {
    let mut profile = Profile::new(Machine {
        thread_start_ns: 20e3,
        speed_up: vec![1.0, 2.0],
        memory_byte_ns: vec![0.05, 0.05],
        near_bytes: 1 << 18,
        far_bytes: 1 << 25,
    });
    profile.seal = Some(SealCosts { file_ns: 1e6, byte_ns: 0.5, speed_up: 1.8 });
    profile.most_error = 0.07;
    let twofish = roundel::cipher("twofish").unwrap();
    for (name, setup_ns, block_ns) in [("reference", 500.0, 16.0), ("full", 2000.0, 1.6)] {
        let mut short_ns = [0.0; KNOTS.len()];
        short_ns[0] = block_ns;
        let curve = Curve {
            setup_ns,
            warm_ns: 0.0,
            cold_ns: 100.0,
            call_ns: 0.0,
            batch_blocks: 1,
            batch_ns: block_ns,
            short_ns,
        };
        let mut costs = Costs::default();
        OPERATIONS.into_iter().for_each(|operation| costs.set(operation, curve));
        let place = twofish.strategies.iter().position(|strategy| strategy.name == name).unwrap();
        for key_bytes in [16, 32] {
            profile.set(twofish, place, key_bytes, costs);
        }
    }
    profile
}

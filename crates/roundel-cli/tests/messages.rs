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
    let says = |arguments: &str| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_roundel"));
        let arguments = arguments.split(' ').chain(["--cipher", "twofish"]);
        let output = command.args(arguments).env("ROUNDEL_PROFILE", &path).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap()
    };
    for (arguments, expected) in [
        // 500 and four blocks of 16; 2000 and four of 1.6.
        ("plan --message 64 --fresh-keys", "\n  reference, 564 ns\n"),
        ("plan --message 64 --fresh-keys", "Runners-up: full 2006 ns (excluded)."),
        ("plan --message 4K --fresh-keys --allow-timing-leaks", "\n  full, 2410 ns\n"),
        ("plan --message 64 --allow-timing-leaks", "\n  full, 6.40 ns\n"),
        ("plan --message 64 --messages-per-key 5 --cold", "\n  reference, 264 ns\n"),
        ("plan --table --threads 1 --allow-timing-leaks", "twofish, 128 bits, ctr, strategies of any timing"),
        ("predict 1G --mode ctr --allow-timing-leaks --cores 1..64", "main memory sets the rate: 20.0 GB/s"),
        ("predict 1G --mode ctr --allow-timing-leaks --cores 1..64", "More than 2 cores are extrapolated"),
        ("predict 1000000 --mode ctr --cores 1 --price 3.6", "1.00 ms"),
        // As long a key as seal takes.
        ("predict 1G", "twofish, 256 bits, sealing a file"),
        ("predict 1G --key-bits 128", "twofish, 128 bits, sealing a file"),
    ] {
        let text = says(arguments);
        assert!(text.contains(expected), "{arguments}: {text}");
    }
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

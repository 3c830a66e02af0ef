//! Plans from invented costs, compared as data. No cipher runs here.

use super::*;
use crate::simd::Level;
use crate::{Choice, Cipher, Error, KeySizes, Keying, Memory, Policy, Standing, Strategy, Timing};

const fn strategy(name: &'static str, timing: Timing, memory: usize, batch_blocks: usize) -> Strategy {
    Strategy {
        name,
        summary: "invented",
        needs: Level::Portable,
        timing,
        memory: Memory { per_key: memory, shared: 0 },
        batch_blocks,
        keying: Keying {
            boxed: |_| unreachable!("plans run nothing"),
            scoped: |_, _| unreachable!("plans run nothing"),
            once: |_, _| unreachable!("plans run nothing"),
        },
    }
}

/// Twofish's place in the registry, with which tests invent: its strategies' names and number do not matter here.
fn cipher() -> &'static Cipher {
    crate::cipher("twofish").unwrap()
}

fn curve(setup_ns: f32, call_ns: f32, batch_blocks: u32, batch_ns: f32) -> Curve {
    let mut short_ns = [0.0; KNOTS.len()];
    for (slot, knot) in short_ns.iter_mut().zip(KNOTS) {
        // A short message costs a whole batch, as with bit slices.
        *slot = if knot < batch_blocks || knot == 1 { call_ns + batch_ns } else { 0.0 };
    }
    Curve { setup_ns, warm_ns: 0.0, cold_ns: 0.0, call_ns, batch_blocks, batch_ns, short_ns }
}

fn machine() -> Machine {
    Machine {
        thread_start_ns: 20e3,
        speed_up: vec![1.0, 2.0],
        memory_byte_ns: vec![0.1, 0.08],
        near_bytes: 1 << 18,
        far_bytes: 1 << 25,
    }
}

/// The first strategies of Twofish under these curves in every mode.
fn profile(curves: &[Curve]) -> Profile {
    let mut profile = Profile::new(machine());
    for (index, curve) in curves.iter().enumerate() {
        let mut costs = Costs::default();
        OPERATIONS.into_iter().for_each(|operation| costs.set(operation, *curve));
        profile.set(cipher(), index, 16, costs);
        profile.set(cipher(), index, 32, costs);
    }
    profile
}

fn any() -> Constraints {
    Constraints { policy: Policy::AnyTiming, ..Constraints::default() }
}

fn name(plan: &Plan) -> usize {
    cipher().strategies.iter().position(|own| std::ptr::eq(own, plan.choice.strategy)).unwrap()
}

fn planned(profile: &Profile, bytes: u64, fresh: bool, constraints: Constraints) -> Plan {
    let make = if fresh { Request::fresh_key } else { Request::kept_key };
    plan_with(&make(cipher(), 16, Mode::Ctr, bytes, constraints), profile).unwrap()
}

#[test]
fn a_dear_key_pays_from_the_crossover_on() {
    // 1000 + 10 a block against 100 + 40 a block: equal at 30 blocks.
    let profile = profile(&[curve(100.0, 0.0, 1, 40.0), curve(1000.0, 0.0, 1, 10.0)]);
    for (blocks, expected) in [(1, 0), (29, 0), (31, 1), (1000, 1)] {
        assert_eq!(name(&planned(&profile, 16 * blocks, true, any())), expected, "{blocks} blocks");
    }
    let kept = planned(&profile, 16, false, any());
    assert_eq!((name(&kept), kept.predicted_ns), (1, Some(10.0)), "a kept key costs nothing");
}

#[test]
fn the_set_up_is_spread_over_the_messages_of_a_key() {
    let profile = profile(&[curve(100.0, 0.0, 1, 40.0), curve(1000.0, 0.0, 1, 10.0)]);
    let request = |messages_per_key| Request {
        messages_per_key,
        ..Request::fresh_key(cipher(), 16, Mode::Ctr, 16, any())
    };
    assert_eq!(name(&plan_with(&request(29), &profile).unwrap()), 0);
    let plan = plan_with(&request(40), &profile).unwrap();
    assert_eq!((name(&plan), plan.setup_ns, plan.predicted_ns), (1, 25.0, Some(35.0)));
}

#[test]
fn batches_and_tails() {
    let sliced = curve(0.0, 5.0, 8, 80.0);
    for (blocks, ns) in [(0, 5.0), (1, 85.0), (7, 85.0), (8, 85.0), (9, 165.0), (16, 165.0), (17, 245.0)] {
        assert_eq!(sliced.message_ns(blocks), ns, "{blocks} blocks");
    }
    let single = curve(0.0, 5.0, 1, 10.0);
    assert_eq!([1, 2, 100].map(|blocks| single.message_ns(blocks)), [15.0, 25.0, 1005.0]);
    // Measured lengths are met exactly; between them the time is on a line.
    let mut measured = sliced;
    measured.short_ns[..6].copy_from_slice(&[20.0, 30.0, 40.0, 50.0, 70.0, 0.0]);
    for (blocks, ns) in
        [(1, 20.0), (2, 30.0), (3, 40.0), (4, 50.0), (5, 60.0), (6, 70.0), (7, 77.5), (8, 85.0)]
    {
        assert_eq!(measured.message_ns(blocks), ns, "{blocks} blocks");
    }
    // A tail is a short message less the call.
    assert_eq!(measured.message_ns(8 + 6), 85.0 + 65.0);
}

#[test]
fn every_knot_is_found() {
    for batch in [2, 16, 100, 192, 256] {
        let mut curve = curve(0.0, 0.0, batch, 1e6);
        for (ns, knot) in curve.short_ns.iter_mut().zip(KNOTS) {
            *ns = knot as f32;
        }
        for blocks in 1..KNOTS.into_iter().filter(|&knot| knot < batch).max().unwrap_or(1) {
            assert_eq!(curve.message_ns(blocks.into()), f64::from(blocks), "batch {batch}");
        }
    }
}

#[test]
fn memory_and_level_are_kept_to() {
    let profile = profile(&[curve(0.0, 0.0, 1, 40.0), curve(0.0, 0.0, 1, 10.0)]);
    let least = cipher().strategies[0].memory;
    let tight = Constraints { memory_bytes: least.per_key + least.shared, ..any() };
    let large = cipher().strategies[1].memory;
    if large.per_key + large.shared > tight.memory_bytes {
        assert_eq!(name(&planned(&profile, 16, false, tight)), 0);
    }
    let portable = Constraints { level: Level::Portable, ..any() };
    let plan = planned(&profile, 16, false, portable);
    assert!(plan.choice.strategy.needs == Level::Portable);
    let nothing = Constraints { memory_bytes: 0, ..any() };
    let request = Request::kept_key(cipher(), 16, Mode::Ctr, 16, nothing);
    assert_eq!(plan_with(&request, &profile), Err(Error::NoStrategy { cipher: "twofish" }));
}

#[test]
fn constraints_look_at_timing_and_memory() {
    static INVENTED: Cipher = Cipher {
        name: "invented",
        aliases: &[],
        title: "invented",
        block_bytes: 16,
        keys: KeySizes::AES,
        standing: Standing::Sound,
        strategies: &[
            strategy("reference", Timing::Constant, 1000, 1),
            strategy("table", Timing::SecretDependent, 5000, 1),
        ],
    };
    let allowed = |constraints: Constraints| {
        INVENTED
            .choices()
            .filter(|choice| constraints.allow(choice))
            .map(|c| c.strategy.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(allowed(Constraints::default()), ["reference"]);
    assert_eq!(allowed(any()), ["reference", "table"]);
    assert_eq!(allowed(Constraints { memory_bytes: 4999, ..any() }), ["reference"]);
}

#[test]
fn threads_start_where_they_pay() {
    let profile = profile(&[curve(0.0, 0.0, 1, 16.0)]);
    let two = Constraints { cores: 2, ..any() };
    // 1 ns a byte: 20 µs for a thread are not won back by half of 16 KB, but by half of 1 MB.
    assert_eq!(planned(&profile, 16 << 10, false, two).threads, 1);
    let long = planned(&profile, 1 << 20, false, two);
    assert_eq!((long.threads, long.chunk_bytes % 96, long.threads_ns), (2, 0, 20e3));
    let ideal = f64::from(1 << 20) / 2.0;
    let ns = long.predicted_ns.unwrap();
    assert!((ideal + 20e3..1.2 * ideal + 20e3).contains(&ns), "{ns}");
    assert_eq!(planned(&profile, 1 << 20, false, any()).threads, 1);
    // One GCM message is serial, and so is CBC encryption, but not its decryption.
    let threads = |mode, direction| {
        let request = Request { direction, ..Request::kept_key(cipher(), 16, mode, 1 << 20, two) };
        plan_with(&request, &profile).unwrap().threads
    };
    assert_eq!(threads(Mode::Gcm, Direction::Encrypt), 1);
    assert_eq!(threads(Mode::Cbc, Direction::Encrypt), 1);
    assert_eq!(threads(Mode::Cbc, Direction::Decrypt), 2);
    assert_eq!(threads(Mode::Seal, Direction::Encrypt), 2);
}

#[test]
fn memory_limits_fast_ciphers_and_not_slow_ones() {
    let fast = profile(&[curve(0.0, 0.0, 1, 0.8)]);
    let slow = profile(&[curve(0.0, 0.0, 1, 160.0)]);
    let gigabyte = 1 << 30;
    let plan = planned(&fast, gigabyte, false, any());
    // 0.05 ns a byte by the cipher, 0.1 by the memory: the latter, and a little.
    let rate = plan.predicted_ns.unwrap() / gigabyte as f64;
    assert!(plan.memory_bound && (0.1..0.105).contains(&rate), "{rate}");
    let plan = planned(&slow, gigabyte, false, any());
    assert!(!plan.memory_bound);
    assert!((plan.predicted_ns.unwrap() / gigabyte as f64 - 10.0).abs() < 0.001);
    assert!(!planned(&fast, 1 << 16, false, any()).memory_bound, "it stays in the caches");
}

#[test]
fn more_cores_than_were_measured_are_extrapolated() {
    let machine = machine();
    assert_eq!([1, 2, 4, 8].map(|threads| machine.speed_up(threads)), [1.0, 2.0, 4.0, 8.0]);
    assert_eq!(machine.memory_byte_ns(64), machine.memory_byte_ns(2));
    let share = [1 << 10, 1 << 18, 1 << 25, 1 << 30].map(|bytes| machine.far_share(bytes));
    assert_eq!(share, [0.0, 0.0, 1.0, 1.0]);
    assert!((0.4..0.6).contains(&machine.far_share(3 << 20)));
}

#[test]
fn runners_up_stand_in_order_and_hashes_key_for_each_block() {
    let profile = profile(&[curve(100.0, 0.0, 1, 40.0), curve(1000.0, 0.0, 1, 10.0)]);
    let hash = Request::kept_key(cipher(), 16, Mode::Hash, 160, any());
    let plans = candidates(&hash, &profile);
    assert_eq!(plans.iter().map(|plan| plan.predicted_ns.unwrap()).collect::<Vec<_>>(), [1400.0, 10100.0]);
    assert_eq!(plans[0], plan_with(&hash, &profile).unwrap());
    assert_eq!(plans[0].to_string(), "twofish/reference, 1400 ns");
    let second = cost_of(&hash, &profile, plans[1].choice, 1).unwrap();
    assert_eq!(second, plans[1]);
}

#[test]
fn what_is_not_known_falls_back_on_the_order_of_preference() {
    let nothing = Profile::new(machine());
    let plan = planned(&nothing, 64, true, Constraints::default());
    assert_eq!(plan.predicted_ns, None);
    assert!(std::ptr::eq(plan.choice.strategy, cipher().best(Policy::ConstantTime).unwrap().strategy));
    assert_eq!(candidates(&Request::fresh_key(cipher(), 16, Mode::Ctr, 64, any()), &nothing), []);
}

#[test]
fn a_length_of_key_between_two_is_half_way() {
    let mut profile = profile(&[curve(100.0, 0.0, 1, 40.0)]);
    let mut costs = Costs::default();
    costs.set(Operation::Ctr, curve(300.0, 0.0, 1, 60.0));
    profile.set(cipher(), 0, 32, costs);
    profile.fill_in();
    let plan = plan_with(&Request::fresh_key(cipher(), 24, Mode::Ctr, 16, any()), &profile).unwrap();
    assert_eq!((plan.setup_ns, plan.predicted_ns), (200.0, Some(250.0)));
}

fn fingerprint() -> Fingerprint {
    Fingerprint {
        cpu: "Invented CPU @ 3 GHz".into(),
        level: "avx2".into(),
        cores: 2,
        version: "0.1.0".into(),
        registry: registry_hash(),
    }
}

fn stored() -> (Profile, String) {
    let mut profile = profile(&[curve(100.0, 1.5, 1, 40.25), curve(1000.0, 3.0, 16, 10.0)]);
    profile.seal = Some(SealCosts { file_ns: 5e5, byte_ns: 0.25, speed_up: 1.75 });
    profile.median_error = 0.0125;
    profile.measured = true;
    profile.fill_in();
    let text = to_text(&fingerprint(), &profile);
    (profile, text)
}

#[test]
fn what_is_stored_is_read_again() {
    let (profile, text) = stored();
    assert_eq!(from_text(&text, &fingerprint(), None), Ok(profile.clone()));
    let only = from_text(&text, &fingerprint(), Some(cipher())).unwrap();
    assert_eq!(only, profile);
    let other = from_text(&text, &fingerprint(), Some(crate::cipher("serpent").unwrap())).unwrap();
    assert_eq!(other.strategies(cipher(), 16), []);
}

#[test]
fn another_machine_version_or_registry_is_refused_with_a_sentence() {
    let (_, text) = stored();
    let here = fingerprint();
    for (other, sentence) in [
        (
            Fingerprint { cpu: "Another".into(), ..here.clone() },
            "of another CPU (Invented CPU @ 3 GHz, here Another)",
        ),
        (Fingerprint { level: "vaes".into(), ..here.clone() }, "of another CPU level (avx2, here vaes)"),
        (Fingerprint { cores: 4, ..here.clone() }, "of another number of cores (2, here 4)"),
        (Fingerprint { version: "0.2.0".into(), ..here.clone() }, "of another version (0.1.0, here 0.2.0)"),
        (Fingerprint { registry: 1, ..here.clone() }, "of another set of strategies ("),
    ] {
        let message = from_text(&text, &other, None).unwrap_err().to_string();
        assert!(message.starts_with("the stored profile is ") && message.contains(sentence), "{message}");
        assert!(message.ends_with("is not used: `roundel tune` makes a new one"), "{message}");
    }
}

#[test]
fn nonsense_under_a_right_checksum_is_damage() {
    let (_, text) = stored();
    let body = text.splitn(3, '\n').nth(2).unwrap();
    for (from, to) in [
        ("machine 20000 ", "machine NaN "),
        ("speed-up 1 2", "speed-up"),
        ("memory ", "memori "),
        (" ecb-encrypt ", " none-such "),
        (" 40.25", " 1e999"),
        ("errors 0.0125 0\n", "errors 0.0125\n"),
    ] {
        let changed = body.replacen(from, to, 1);
        assert_ne!(changed, body, "{from}");
        let text = stored::with_checksum(&changed);
        assert_eq!(
            from_text(&text, &fingerprint(), None),
            Err(StoredError::Damaged("a line makes no sense")),
            "{to}"
        );
    }
}

proptest::proptest! {
    /// Any byte changed, any part cut out: refused, never a panic, never other costs.
    #[test]
    fn damage_is_found(at in 0usize..4000, flip in 1u8..=255, cut in 0usize..50) {
        let (_, text) = stored();
        let mut bytes = text.into_bytes();
        let at = at % bytes.len();
        bytes[at] ^= flip;
        bytes.drain(at..(at + cut).min(bytes.len()).max(at));
        let read = from_text(&String::from_utf8_lossy(&bytes), &fingerprint(), None);
        proptest::prop_assert!(matches!(read, Err(StoredError::Damaged(_))), "{read:?}");
    }

    /// Lines of random words, under a right checksum.
    #[test]
    fn no_lines_make_it_panic(words in proptest::collection::vec("[a-z0-9. -]{0,30}", 0..20), name in 0usize..6) {
        let name = ["errors", "machine", "speed-up", "memory", "seal", "costs twofish full 16 ctr"][name];
        let (_, text) = stored();
        let body = text.splitn(3, '\n').nth(2).unwrap();
        let lines: String = words.iter().map(|words| format!("{name} {words}\n")).collect();
        let _ = from_text(&stored::with_checksum(&(body.to_owned() + &lines)), &fingerprint(), None);
    }
}

#[test]
fn estimates_can_be_read_and_know_every_cipher() {
    for level in Level::ALL {
        let profile = estimates::profile(level);
        assert!(!profile.measured && profile.machine.thread_start_ns > 0.0);
        for cipher in crate::CIPHERS {
            for key_bytes in cipher.keys.standard {
                let request =
                    Request::fresh_key(cipher, *key_bytes, Mode::Ctr, 64, Constraints { level, ..any() });
                let plan = plan_with(&request, &profile).unwrap();
                assert!(plan.predicted_ns.is_some_and(|ns| ns > 0.0), "{} at {level}", cipher.name);
                assert!(plan.choice.strategy.needs <= level);
            }
        }
    }
}

#[test]
fn remembered_plans_are_those_of_the_profile_in_force() {
    // The only test that installs: the profile is the process's.
    let request = Request::fresh_key(cipher(), 16, Mode::Ctr, 16 * 100, any());
    install(profile(&[curve(100.0, 0.0, 1, 40.0), curve(1000.0, 0.0, 1, 10.0)]));
    for _ in 0..3 {
        assert_eq!(name(&plan(&request).unwrap()), 1);
    }
    install(profile(&[curve(100.0, 0.0, 1, 1.0), curve(1000.0, 0.0, 1, 10.0)]));
    for _ in 0..3 {
        assert_eq!(name(&plan(&request).unwrap()), 0);
    }
    assert_eq!(*current(), profile(&[curve(100.0, 0.0, 1, 1.0), curve(1000.0, 0.0, 1, 10.0)]));
    install(estimates::profile(crate::simd::cap()));
}

/// Prints what planning costs: `cargo test --release -p roundel plan::tests::planning -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn planning_takes_nanoseconds() {
    use std::hint::black_box;
    use std::time::Instant;
    let profile = estimates::profile(crate::simd::cap());
    let time = |work: &mut dyn FnMut(u64)| {
        let round = |_| {
            let start = Instant::now();
            (0..1000).for_each(&mut *work);
            start.elapsed().as_nanos() as f64 / 1000.0
        };
        (0..100).map(round).fold(f64::INFINITY, f64::min)
    };
    for (cipher_name, bytes, cores) in [("rijndael", 64, 1), ("twofish", 64, 1), ("rijndael", 1 << 24, 64)] {
        let cipher = crate::cipher(cipher_name).unwrap();
        let constraints = Constraints { cores, ..any() };
        let request = |more| Request::fresh_key(cipher, 16, Mode::Ctr, bytes + more, constraints);
        let uncached = time(&mut |n| {
            black_box(plan_with(black_box(&request(16 * (n % 7))), &profile).unwrap());
        });
        let cached = time(&mut |_| {
            black_box(plan(black_box(&request(0))).unwrap());
        });
        println!("{cipher_name} {bytes} B, {cores} cores: uncached {uncached:.0} ns, cached {cached:.1} ns");
        assert!(uncached < 1000.0 && cached < 50.0);
    }
}

/// A choice of the invented cipher cannot be asked of the registry's profile.
#[test]
fn a_cipher_outside_the_registry_is_unknown() {
    static OUTSIDE: Cipher = Cipher {
        name: "outside",
        aliases: &[],
        title: "outside",
        block_bytes: 16,
        keys: KeySizes::AES,
        standing: Standing::Sound,
        strategies: &[strategy("reference", Timing::Constant, 0, 1)],
    };
    let mut profile = profile(&[]);
    profile.set(&OUTSIDE, 0, 16, Costs::default());
    let request = Request::kept_key(&OUTSIDE, 16, Mode::Ctr, 16, any());
    assert_eq!(plan_with(&request, &profile).unwrap().predicted_ns, None);
    let choice = Choice { cipher: &OUTSIDE, strategy: &OUTSIDE.strategies[0] };
    assert_eq!(cost_of(&request, &profile, choice, 1), None);
}

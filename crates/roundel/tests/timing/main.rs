//! Whether each strategy's declared [`Timing`] is true of the code as compiled: keys and texts are marked undefined in valgrind's memcheck, which then
//! reports every branch and every address that depends on them. A strategy labelled constant must give no report; one labelled
//! secret-dependent must give some. That the marks are not lost on the way is tested, too: what a constant strategy makes of a public text under a secret
//! key must come out marked.
//!
//!     cargo test --release -p roundel --test timing -- --ignored --nocapture
//!
//! prints the table. What memcheck cannot see: the time of an instruction by its operands. On x86-64 that is division, of
//! which strategies labelled constant use none on secrets.
//!
//! What valgrind's CPU lacks (VAES and VPCLMULQDQ, as of 3.19) is listed as not checked.

#![cfg(target_arch = "x86_64")]

mod memcheck;

use roundel::modes::{Gcm, GcmMessage, Ghash, once};
use roundel::simd::Level;
use roundel::{CIPHERS, Choice, Kernel, Timing, cipher};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::sync::Mutex;

/// The test starts itself under valgrind with this set to what is to be examined: "serpent bitslice-256", "ghash aes".
const SUBJECT: &str = "ROUNDEL_TIMING_SUBJECT";

const SIGILL: i32 = 4;

/// What is done with secrets, in the order of the table's columns.
const PHASES: [&str; 4] = ["key", "encrypt", "decrypt", "modes"];

/// A strategy, or GHASH's implementation at a level.
struct Subject {
    cipher: &'static str,
    strategy: &'static str,
    needs: Level,
    timing: Timing,
}

#[derive(Debug)]
enum Outcome {
    /// Reports in each phase.
    Reports([usize; 4]),
    /// Why it could not run under valgrind.
    NotChecked(&'static str),
    Failed(String),
}

fn subjects() -> Vec<Subject> {
    // Tables beyond the allowance would be built under valgrind, slowly; loads from them depend on secrets as those from smaller ones do.
    let allowed = |choice: &Choice| choice.strategy.memory.shared <= roundel::memory::allowed();
    let strategies = CIPHERS.iter().flat_map(|cipher| {
        cipher.choices().filter(allowed).map(|Choice { strategy, .. }| Subject {
            cipher: cipher.name,
            strategy: strategy.name,
            needs: strategy.needs,
            timing: strategy.timing,
        })
    });
    let ghash = [Level::Portable, Level::Aes, Level::Vaes, Level::Vaes512].into_iter().map(|needs| Subject {
        cipher: "ghash",
        strategy: needs.name(),
        needs,
        timing: Timing::Constant,
    });
    strategies.chain(ghash).collect()
}

#[test]
#[ignore = "needs valgrind, and a minute or two"]
fn labels_hold_under_valgrind() {
    if let Ok(subject) = std::env::var(SUBJECT) {
        let (cipher, strategy) = subject.split_once(' ').expect("a cipher and a strategy");
        return examine(cipher, strategy);
    }
    assert!(
        Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()),
        "valgrind does not run here: install it, or leave this test out"
    );
    let subjects = subjects();
    let rows = run_all(&subjects);
    let names = PHASES.map(|phase| format!("{phase:>9}")).concat();
    println!("{:14} {:16} {:16} reports:{names}", "cipher", "strategy", "label");
    let mut problems = Vec::new();
    let mut not_checked = 0;
    for (subject, outcome) in &rows {
        let Subject { cipher, strategy, timing, .. } = subject;
        let result = match outcome {
            Outcome::Reports(counts) => format!("        {}", counts.map(|n| format!("{n:>9}")).concat()),
            Outcome::NotChecked(why) => format!("not checked: {why}"),
            Outcome::Failed(_) => "failed".to_owned(),
        };
        println!("{cipher:14} {strategy:16} {:16} {result}", format!("{timing:?}"));
        problems.extend(problem(subject, outcome));
        not_checked += usize::from(matches!(outcome, Outcome::NotChecked(_)));
    }
    println!("{} checked, {not_checked} not checked here", rows.len() - not_checked);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn problem(subject: &Subject, outcome: &Outcome) -> Option<String> {
    let Subject { cipher, strategy, needs, timing } = subject;
    let problem = match (outcome, timing) {
        (Outcome::Reports(counts), Timing::Constant) if *counts != [0; 4] => {
            format!(
                "is labelled constant, but branches or addresses depend on secrets; see where:\n    \
                 {SUBJECT}='{cipher} {strategy}' valgrind THIS_PROGRAM --ignored --nocapture"
            )
        }
        (Outcome::Reports([0, 0, 0, 0]), Timing::SecretDependent) => {
            "is labelled secret-dependent, but nothing depends on secrets".to_owned()
        }
        // Levels below are known to valgrind: there, an omission would be a gap in this test.
        (Outcome::NotChecked(why), _) if needs.in_cpu() && *needs < Level::Vaes => {
            format!("was not checked ({why}) although this CPU runs it")
        }
        (Outcome::Failed(output), _) => format!("did not come to an end:\n{output}"),
        _ => return None,
    };
    Some(format!("{cipher} {strategy} {problem}"))
}

/// Examines all, as many at once as there are cores; in the order given.
fn run_all(subjects: &[Subject]) -> Vec<(&Subject, Outcome)> {
    let queue = Mutex::new(subjects.iter().enumerate());
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..roundel::parallel::cores() {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no holder panics").next();
                    let Some((index, subject)) = next else { break };
                    let outcome = run(subject);
                    done.lock().expect("no holder panics").push((index, (subject, outcome)));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no holder panics");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, row)| row).collect()
}

/// This program under valgrind, examining one subject.
fn run(subject: &Subject) -> Outcome {
    let program = std::env::current_exe().expect("a test program knows its path");
    let mut command = Command::new("valgrind");
    command.args(["-q", "--error-limit=no"]).arg(program);
    command.args(["--ignored", "--exact", "labels_hold_under_valgrind", "--nocapture"]);
    command.env(SUBJECT, format!("{} {}", subject.cipher, subject.strategy));
    if subject.cipher == "ghash" {
        command.env("ROUNDEL_CPU", subject.strategy);
    }
    read_outcome(&command.output().expect("valgrind was found before"))
}

fn read_outcome(output: &Output) -> Outcome {
    if output.status.signal() == Some(SIGILL) {
        return Outcome::NotChecked("an instruction that valgrind does not know");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // The test harness may have begun the line.
    let found = text.lines().find_map(|line| line.split_once("examined: "));
    match found {
        Some((_, "unavailable")) => {
            Outcome::NotChecked("valgrind's CPU, or this one, lacks the instructions")
        }
        Some((_, counts)) if output.status.success() => {
            let counts: Vec<_> =
                counts.split(' ').map(|n| n.parse().expect("a number was printed")).collect();
            Outcome::Reports(counts.try_into().expect("a number for each phase was printed"))
        }
        _ => Outcome::Failed(format!("{text}\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

// What runs under valgrind.

/// Counts reports by phase.
#[derive(Default)]
struct Tally([usize; 4]);

impl Tally {
    fn count<R>(&mut self, phase: usize, work: impl FnOnce() -> R) -> R {
        let before = memcheck::reports();
        let result = work();
        self.0[phase] += memcheck::reports() - before;
        result
    }
}

fn examine(cipher_name: &str, strategy: &str) {
    assert!(memcheck::running(), "{SUBJECT} is for runs under valgrind");
    let counted = if cipher_name == "ghash" {
        examine_ghash(strategy.parse().expect("a level's name"))
    } else {
        let cipher = cipher(cipher_name).expect("a cipher's name");
        examine_strategy(cipher.strategy(strategy).expect("a strategy's name"))
    };
    match counted {
        Some(Tally(counts)) => println!("examined: {}", counts.map(|n| n.to_string()).join(" ")),
        None => println!("examined: unavailable"),
    }
}

/// Bytes that the optimiser does not know and valgrind holds for undefined.
fn secret(bytes: usize) -> Vec<u8> {
    let mut data = pattern(bytes);
    memcheck::make_secret(&mut data);
    data
}

fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * i + 7 * i) as u8 ^ 0x5A).collect()
}

fn examine_strategy(choice: Choice) -> Option<Tally> {
    let Choice { cipher, strategy } = choice;
    if !strategy.available() {
        return None;
    }
    let mut tally = Tally::default();
    // One key length shows dependence; independence is shown for all.
    let lengths = match strategy.timing {
        Timing::Constant => cipher.keys.standard,
        Timing::SecretDependent => &cipher.keys.standard[..1],
    };
    for &bytes in lengths {
        let key = secret(bytes);
        tally.count(3, || one_shot(choice, &key));
        let keyed = tally.count(0, || {
            let kernel = choice.kernel(&key).expect("a standard length, and available");
            kernel.prepare_decrypt();
            kernel
        });
        // A block, part of a batch, and two batches and a rest.
        for blocks in [1, strategy.batch_blocks / 2 + 1, 2 * strategy.batch_blocks + 1] {
            examine_blocks(&mut tally, strategy.timing, &*keyed, blocks);
            tally.count(3, || other_modes(&*keyed, blocks));
        }
        if cipher.block_bytes == 16 {
            tally.count(3, || gcm(keyed, 2 * strategy.batch_blocks + 1));
        }
    }
    Some(tally)
}

fn examine_blocks(tally: &mut Tally, timing: Timing, kernel: &dyn Kernel, blocks: usize) {
    let mut text = secret(blocks * kernel.block_bytes());
    tally.count(1, || kernel.encrypt(&mut text));
    // Again: behind a reported look-up memcheck holds everything for defined.
    memcheck::make_secret(&mut text);
    tally.count(2, || kernel.decrypt(&mut text));
    memcheck::make_public(&mut text);
    assert_eq!(text, pattern(text.len()), "decryption undoes encryption");
    if timing == Timing::Constant {
        kernel.encrypt(&mut text);
        assert!(memcheck::is_secret(&mut text), "the key's mark was lost in encryption");
        memcheck::make_public(&mut text);
        kernel.decrypt(&mut text);
        assert!(memcheck::is_secret(&mut text), "the key's mark was lost in decryption");
    }
}

/// Counters, vectors and tweaks' numbers are public; all else is secret.
fn other_modes(kernel: &dyn Kernel, blocks: usize) {
    let mut text = secret(blocks * kernel.block_bytes());
    let iv = || pattern(kernel.block_bytes());
    let part = text.len() - 5;
    kernel.ctr_xor(&mut iv(), &mut text[..part]);
    kernel.cbc_encrypt(&mut iv(), &mut text);
    memcheck::make_secret(&mut text);
    kernel.cbc_decrypt(&mut iv(), &mut text);
    if kernel.block_bytes() == 16 {
        let unit_bytes = text.len().div_ceil(32) * 16;
        let units = text.len().div_ceil(unit_bytes);
        memcheck::make_secret(&mut text);
        kernel.xex_encrypt(&mut secret(16 * units), unit_bytes, &mut text);
        memcheck::make_secret(&mut text);
        kernel.xex_decrypt(&mut secret(16 * units), unit_bytes, &mut text);
    }
}

/// Messages under a key of their own: in one run of blocks, with and without a part of one.
fn one_shot(choice: Choice, key: &[u8]) {
    let Choice { cipher, strategy } = choice;
    for bytes in [5, 64, 250] {
        let mut text = secret(bytes);
        once::ctr(choice, key, &pattern(cipher.block_bytes), &mut text)
            .expect("a standard length, and available");
        if cipher.block_bytes == 16 {
            memcheck::make_secret(&mut text);
            once::gcm_encrypt(choice, key, &[7; 12], &[], &mut text)
                .expect("a standard length, and available");
        }
        assert!(
            strategy.timing != Timing::Constant || memcheck::is_secret(&mut text),
            "the key's mark was lost in a one-shot call"
        );
    }
}

/// GCM in both directions up to the tag; that it compares in constant time is `subtle`'s claim, and whether it is right is public.
fn gcm(kernel: Box<dyn Kernel>, blocks: usize) {
    let gcm = Gcm::new(kernel).expect("a block of 16 bytes");
    // The counter that follows from a nonce of another length is a secret.
    for nonce in [&[7; 12][..], &[7; 8]] {
        gcm_message(&gcm, nonce, 16 * blocks.max(40) - 3);
    }
}

fn gcm_message(gcm: &Gcm, nonce: &[u8], bytes: usize) {
    let mut text = secret(bytes);
    let start = || GcmMessage::new(gcm, nonce, &[1; 21]).expect("a nonce that is not empty");
    let mut message = start();
    message.encrypt(&mut text).expect("a short text");
    let _ = message.tag();
    let mut message = start();
    message.decrypt(&mut text).expect("a short text");
    let mut tag = message.tag();
    memcheck::make_public(&mut tag);
    memcheck::make_public(&mut text);
    assert_eq!(text, pattern(text.len()), "decryption undoes encryption");
}

fn examine_ghash(level: Level) -> Option<Tally> {
    if !level.available() {
        return None;
    }
    let mut tally = Tally::default();
    let key = secret(16).try_into().expect("16 bytes");
    let mut ghash = tally.count(0, || Ghash::new(&key));
    for bytes in [16, 100, 255, 1024] {
        let text = secret(bytes);
        let mut value = tally.count(3, || {
            ghash.update(&text);
            ghash.update_lengths(0, 8 * bytes as u64);
            ghash.value()
        });
        assert!(memcheck::is_secret(&mut value), "the mark was lost");
    }
    Some(tally)
}

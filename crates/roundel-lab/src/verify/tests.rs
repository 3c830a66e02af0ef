use super::*;
use crate::vectors::{embedded, parse};
use roundel::{Kernel, KeySizes, Keying, Memory, Policy, Standing, Strategy, Timing, keying, simd::Level};

fn rijndael() -> &'static Cipher {
    roundel::cipher("rijndael").unwrap()
}

/// Rijndael with a fault that a test chooses.
struct Broken {
    good: Box<dyn Kernel>,
    fault: Fault,
}

#[derive(Clone, Copy)]
enum Fault {
    None,
    /// One bit of a block that is encrypted by itself or at the start of a run.
    FirstBlock,
    /// One bit of the third block of a run: single blocks are right.
    ThirdBlock,
    /// Decryption only.
    Decrypt,
    /// The next counter: CTR of one block is right.
    Counter,
    /// No kernel at all.
    Panics,
}

impl Kernel for Broken {
    fn encrypt(&self, blocks: &mut [u8]) {
        self.good.encrypt(blocks);
        match self.fault {
            Fault::FirstBlock => blocks[0] ^= 1,
            Fault::ThirdBlock if blocks.len() >= 48 => blocks[32] ^= 1,
            _ => {}
        }
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.good.decrypt(blocks);
        if let Fault::Decrypt = self.fault {
            blocks[15] ^= 0x80;
        }
    }

    fn ctr_xor(&self, counter: &mut [u8], data: &mut [u8]) {
        self.good.ctr_xor(counter, data);
        if let Fault::Counter = self.fault {
            counter[15] ^= u8::from(data.len() > 16);
        }
    }
}

const fn strategy(name: &'static str, needs: Level, keying: Keying) -> Strategy {
    let memory = Memory { per_key: 0, shared: 0 };
    Strategy { name, summary: "", needs, timing: Timing::SecretDependent, memory, batch_blocks: 4, keying }
}

impl Broken {
    fn new(key: &[u8], fault: Fault) -> Self {
        if let Fault::Panics = fault {
            panic!("on purpose, for the test of verify");
        }
        Broken { good: rijndael().best(Policy::AnyTiming).unwrap().kernel(key).unwrap(), fault }
    }
}

static FAULTY: Cipher = Cipher {
    name: "rijndael",
    aliases: &["aes"],
    title: "Rijndael with faults",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Broken("on purpose"),
    strategies: &[
        strategy("good", Level::Portable, keying!(|key| Broken::new(key, Fault::None))),
        strategy("first-block", Level::Portable, keying!(|key| Broken::new(key, Fault::FirstBlock))),
        strategy("third-block", Level::Portable, keying!(|key| Broken::new(key, Fault::ThirdBlock))),
        strategy("decrypt", Level::Portable, keying!(|key| Broken::new(key, Fault::Decrypt))),
        strategy("counter", Level::Portable, keying!(|key| Broken::new(key, Fault::Counter))),
        strategy("panics", Level::Portable, keying!(|key| Broken::new(key, Fault::Panics))),
    ],
};

fn options(cipher: &'static Cipher, strategy: &str) -> Options<'static> {
    Options {
        ciphers: vec![cipher],
        strategy: Some(strategy.to_owned()),
        depth: Depth::Quick,
        threads: 2,
        open_chunked: None,
        progress: &|_| (),
    }
}

fn files(names: &[&str]) -> Vec<VectorFile> {
    let all = embedded(&[rijndael()]).unwrap();
    names.iter().map(|name| all.iter().find(|file| file.name == *name).expect("embedded").clone()).collect()
}

const SOME: [&str; 4] =
    ["rijndael/ecb_vt.txt", "rijndael/cbc_e_m.txt", "rijndael/ecb_d_m.txt", "modes/aes-ctr.jsonl"];

#[test]
fn a_good_kernel_passes() {
    let report = verify(&files(&SOME), &options(&FAULTY, "good"));
    assert!(report.passed(), "{}", report.summary(10));
    assert_eq!(report.totals, Counts { passed: 384 + 15 + 15 + 60, failed: 0, unavailable: 0 });
    assert_eq!(report.chains.len(), 6);
    assert!(report.chains.iter().all(|chain| chain.outer_iterations == 5 && chain.serial_seconds > 0.0));
}

#[test]
fn a_flipped_bit_fails_with_its_vector() {
    let report = verify(&files(&SOME), &options(&FAULTY, "first-block"));
    assert!(!report.passed());
    assert_eq!(report.rows[0].known_answers, Counts { passed: 0, failed: 384, unavailable: 0 });
    // The chain that decrypts is right; the one that encrypts fails from its first entry on.
    assert_eq!(report.rows[0].monte_carlo, Counts { passed: 15, failed: 15, unavailable: 0 });
    let failure = &report.failures.iter().find(|failure| failure.file == SOME[0]).unwrap();
    assert_eq!((failure.cipher.as_str(), failure.strategy.as_str()), ("rijndael", "first-block"));
    assert_eq!((failure.vector.as_str(), failure.operation.as_str()), ("KEYSIZE=128 I=1", "encrypt"));
    assert_eq!(failure.expected, "3AD78E726C1EC02B7EBFE92B23D9EC34");
    assert_eq!(failure.got, "3BD78E726C1EC02B7EBFE92B23D9EC34");
    assert!(report.table().contains("FAILED"));
    assert!(report.summary(usize::MAX).contains("KEYSIZE=128 I=1, encrypt\n  expected 3AD7"));
    assert!(report.summary(1).contains("more failures"));
}

#[test]
fn faults_in_runs_and_in_decryption_are_found() {
    let third = verify(&files(&SOME[..1]), &options(&FAULTY, "third-block"));
    assert_eq!(third.totals.failed, 3, "one wrong block in the run of each key size");
    assert!(third.failures[0].operation.starts_with("encrypt block 2 of a run"));
    let decrypt = verify(&files(&SOME[..1]), &options(&FAULTY, "decrypt"));
    assert_eq!(decrypt.totals.failed, 384);
    assert_eq!(decrypt.failures[0].operation, "decrypt");
    let counter = verify(&files(&SOME), &options(&FAULTY, "counter"));
    assert_eq!(counter.rows[0].known_answers.failed, 0);
    assert!(counter.rows[0].messages.failed > 0 && counter.rows[0].messages.passed > 0);
}

#[test]
fn a_panic_fails_and_the_rest_goes_on() {
    let report = verify(&files(&SOME[..1]), &options(&FAULTY, "panics"));
    assert_eq!((report.totals.passed, report.totals.failed), (0, 384));
    assert_eq!(report.failures[0].got, "a panic");
}

#[test]
fn nothing_run_is_not_passed() {
    let report = verify(&[], &options(rijndael(), "reference"));
    assert!(!report.passed());
    let other = verify(&files(&SOME), &options(roundel::cipher("rijndael-block192").unwrap(), "reference"));
    assert_eq!(other.totals, Counts::default());
}

#[test]
fn what_is_not_implemented_is_counted_apart() {
    let names = ["wycheproof/aes_eax_test.json"];
    let report = verify(&files(&names), &options(rijndael(), "reference"));
    assert_eq!((report.totals.passed, report.totals.failed), (0, 0));
    let eax = report.not_implemented.iter().find(|kind| kind.what == "mode AES-EAX").unwrap();
    assert_eq!(eax.cases, 240);
    assert!(report.summary(1).contains("mode AES-EAX (240)"));
}

/// A changed Wycheproof verdict must be noticed: an invalid message that is called valid, and the other way round.
#[test]
fn wrong_verdicts_fail() {
    let names = [
        "wycheproof/aes_gcm_test.json",
        "wycheproof/aes_ccm_test.json",
        "wycheproof/aes_cbc_pkcs5_test.json",
    ];
    let mut wycheproof = files(&names);
    let total: usize = wycheproof.iter().map(|file| file.cases.len()).sum();
    let right = verify(&wycheproof, &options(rijndael(), "reference"));
    assert_eq!(right.totals, Counts { passed: total, failed: 0, unavailable: 0 });
    for case in wycheproof.iter_mut().flat_map(|file| &mut file.cases) {
        if let Test::Message(message) = &mut case.test {
            message.valid = !message.valid;
        }
    }
    let wrong = verify(&wycheproof, &options(rijndael(), "reference"));
    assert_eq!(wrong.totals, Counts { passed: 0, failed: total, unavailable: 0 });
}

/// The chunked vectors against openers that do wrong things.
#[test]
fn chunked_messages_are_judged() {
    let file = files(&["wycheproof/c2sp_chunked_encryption_aes_256_gcm_test.json"]);
    let with = |open: OpenChunked| {
        let mut options = options(rijndael(), "reference");
        options.open_chunked = Some(open);
        verify(&file, &options).totals
    };
    let refuses = with(|_| vec![Opened { way: "", released: Vec::new(), error: Some("no".to_owned()) }]);
    assert_eq!(refuses, Counts { passed: 25, failed: 10, unavailable: 0 });
    let accepts = with(|_| vec![Opened { way: "", released: Vec::new(), error: None }]);
    assert_eq!(accepts.passed, 1, "only the empty message");
    let leaks = with(|_| vec![Opened { way: "", released: vec![0; 20_000], error: Some("late".to_owned()) }]);
    assert_eq!(leaks.failed, 35);
    let unlent = verify(&file, &options(rijndael(), "reference"));
    assert_eq!(unlent.not_implemented[0].cases, 35);
}

#[test]
fn hpc_takes_its_spice() {
    let cipher = roundel::cipher("hpc").unwrap();
    let all = embedded(&[cipher]).unwrap();
    let mut file = all.iter().find(|file| file.name == "hpc/ecb_spice_1999.txt").unwrap().clone();
    let mut options = options(cipher, "reference");
    options.ciphers.push(roundel::cipher("hpc-1999").unwrap());
    let report = verify(std::slice::from_ref(&file), &options);
    assert!(report.passed() && report.totals.passed == file.cases.len(), "{}", report.summary(10));
    for case in &mut file.cases {
        if let Test::Spiced { spice, .. } = &mut case.test {
            spice[63] ^= 1;
        }
    }
    assert!(verify(&[file], &options).totals.failed > 50);
}

/// A chain that is wrong in an entry far down is found where it is computed from its own start.
#[test]
fn the_last_entry_is_checked_even_in_a_short_chain() {
    let path = format!("{}/../../vectors/rijndael/ecb_e_m.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let good = parse("x", text.as_bytes(), Some("rijndael")).unwrap();
    let best = rijndael().best(Policy::AnyTiming).unwrap().strategy.name;
    assert_eq!(verify(&[good], &options(rijndael(), best)).totals.passed, 15);
    let last = text.trim_end().len() - 1;
    let changed = format!("{}{}", &text[..last], if text[last..].starts_with('0') { "1" } else { "0" });
    let bad = parse("x", changed.as_bytes(), Some("rijndael")).unwrap();
    let report = verify(&[bad], &options(rijndael(), best));
    assert_eq!((report.totals.passed, report.totals.failed), (14, 1));
    assert_eq!(report.failures[0].vector, "ecb_e_m KEYSIZE=256 I=399");
}

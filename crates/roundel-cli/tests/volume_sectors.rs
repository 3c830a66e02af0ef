//! `volume encrypt` and `volume decrypt` as their user meets them: published sectors, pipes, ranges, and images that are changed in place by a process that is killed.

mod common;

use common::{fail, names, roundel, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn image(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i / 512 * 7 + i * i / 3) as u8).collect()
}

#[test]
fn published_sectors() {
    for (file, mode) in [
        ("bitlocker-cbc-256", "elephant-cbc"),
        ("cbc-ac2-bc1", "elephant-cbc-ac2-bc1"),
        ("ecb-ac5-bc3", "elephant-ecb"),
        ("ecb-ac2-bc2", "elephant-ecb-ac2-bc2"),
        ("plain-cbc", "cbc"),
        ("xts", "xts"),
    ] {
        let path = format!("{}/../../vectors/elephant/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(path).unwrap();
        // The last has sectors of 8192 bytes.
        for line in [text.lines().nth(5).unwrap(), text.lines().last().unwrap()] {
            let vector: Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| vector[name].as_str().unwrap_or_default();
            let key = format!("{}{}", field("key"), field("sector_key"));
            let (sector, size) = (vector["sector"].to_string(), vector["sector_size"].to_string());
            let both = ["--mode", mode, "--key", &key, "--first-sector", &sector, "--sector-size", &size];
            let run = |verb, input: &[u8]| succeed(&[&["volume", verb][..], &both].concat(), input);
            assert_eq!(run("encrypt", &unhex(field("pt"))), unhex(field("ct")), "{file}");
            assert_eq!(run("decrypt", &unhex(field("ct"))), unhex(field("pt")), "{file}");
        }
    }
}

#[test]
fn files_pipes_and_ranges_agree() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let plain = image(500_000 / 512 * 512);
    fs::write(path("plain"), &plain).unwrap();
    let options = ["--mode", "elephant-cbc", "--key", KEY, "--first-sector", "77", "--threads", "3"];
    let run = |verb: &'static str, rest: &[&str], input: &[u8]| {
        succeed(&[&["volume", verb][..], &options, rest].concat(), input)
    };
    run("encrypt", &[&path("plain"), "-o", &path("encrypted")], b"");
    let encrypted = fs::read(path("encrypted")).unwrap();
    assert!(encrypted == run("encrypt", &[], &plain));
    assert!(plain == run("decrypt", &[&path("encrypted")], b""));
    // A part of the plaintext, from a file and from a pipe; of the ciphertext, whole sectors.
    for (range, from, to) in [
        ("0:1", 0, 1),
        ("511:2", 511, 513),
        ("300000:70001", 300_000, 370_001),
        ("400000:", 400_000, plain.len()),
    ] {
        assert!(plain[from..to] == run("decrypt", &["--range", range, &path("encrypted")], b""), "{range}");
        assert!(plain[from..to] == run("decrypt", &["--range", range], &encrypted), "{range} of a pipe");
    }
    assert!(encrypted[1024..4096] == run("encrypt", &["--range", "1024:3072", &path("plain")], b""));
}

#[test]
fn what_cannot_be_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("image"), image(1000)).unwrap();
    fs::write(path("whole"), image(1024)).unwrap();
    let out = path("out");
    for (rest, code, message) in [
        (vec!["--mode", "xts", &path("image"), "-o", &out], 2, "it ends 488 bytes after byte 512"),
        (
            vec!["--mode", "xts", "--range", "5:512", &path("whole"), "-o", &out],
            2,
            "a part of a sector cannot be encrypted",
        ),
        (
            vec!["--mode", "xts", "--range", "2048:", &path("whole"), "-o", &out],
            2,
            "there are only 1024 bytes",
        ),
        (vec!["--mode", "xts", &path("none"), "-o", &out], 10, "does not exist"),
        (vec!["--mode", "elephant", &path("whole"), "-o", &out], 2, "is no sector mode"),
        (vec!["--mode", "cbc", "--sector-size", "500", &path("whole"), "-o", &out], 2, "a sector has 512"),
        (
            vec!["--mode", "xts", "--first-sector", "18014398509481984", &path("whole"), "-o", &out],
            2,
            "beyond byte 2^63",
        ),
        (vec!["--mode", "xts", &path("whole"), "-o", &path("image")], 11, "exists: --force"),
        (vec!["--mode", "xts", "--in-place", &path("image")], 1, "not whole sectors"),
        (vec!["--mode", "xts", "--in-place", "-"], 2, "a stream cannot be changed in place"),
    ] {
        let arguments = [vec!["volume", "encrypt", "--key", KEY], rest].concat();
        let (got, said) = fail(&arguments, b"");
        assert!(got == code && said.contains(message), "{arguments:?}: {got} {said}");
    }
    assert_eq!(names(folder.path()), [Path::new("image"), Path::new("whole")], "no output and no journal");
    assert!(fs::read(path("image")).unwrap() == image(1000));
}

#[test]
fn in_place_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let name = path.to_str().unwrap();
    let plain = image(300 * 4096);
    fs::write(&path, &plain).unwrap();
    let options = ["--mode", "xts", "--key", KEY, "--sector-size", "4096"];
    let expected = succeed(&[&["volume", "encrypt"][..], &options, &[name]].concat(), b"");
    let in_place =
        |verb| roundel(&[&["volume", verb][..], &options, &["--in-place", name]].concat()).output().unwrap();
    let once = in_place("encrypt");
    assert!(once.status.success() && fs::read(&path).unwrap() == expected);
    // The same once more does nothing, and says why.
    let again = in_place("encrypt");
    assert!(again.status.success() && fs::read(&path).unwrap() == expected);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("this was done before") && said.contains("disk.img.roundel-journal"), "{said}");
    assert!(in_place("decrypt").status.success() && fs::read(&path).unwrap() == plain);
    // A part: what is around it stays.
    let part =
        [&["volume", "encrypt"][..], &options, &["--range", "8192:40960", "--in-place", name]].concat();
    succeed(&part, b"");
    let all = fs::read(&path).unwrap();
    assert!(
        all[8192..49152] == expected[8192..49152]
            && all[..8192] == plain[..8192]
            && all[49152..] == plain[49152..]
    );
}

/// Fifty kills at moments that nobody chose; the same command each time. Where a run gets to its end, the next one goes the other way.
#[test]
fn killed_fifty_times_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let name = path.to_str().unwrap();
    let plain = image(4 << 20);
    fs::write(&path, &plain).unwrap();
    let options = ["--mode", "elephant-cbc", "--key", KEY, "--threads", "2"];
    let encrypted = succeed(&[&["volume", "encrypt"][..], &options, &[name]].concat(), b"");
    let arguments = |verb: &'static str| {
        [&["volume", verb][..], &options, &["--in-place", "--step", "65536", name]].concat()
    };
    let (mut kills, mut encrypts, mut resumed, mut seed) = (0, true, 0, 1u64);
    loop {
        let verb = if encrypts { "encrypt" } else { "decrypt" };
        let mut command = Command::new(env!("CARGO_BIN_EXE_roundel"));
        let mut child = command.args(arguments(verb)).stderr(Stdio::piped()).spawn().unwrap();
        seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        if kills < 50 {
            std::thread::sleep(Duration::from_micros((seed >> 33) % 60_000));
            // It may have ended by itself.
            let _ = child.kill();
        }
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        if output.status.code().is_none() {
            kills += 1;
            continue;
        }
        assert!(output.status.success(), "{said}");
        resumed += u32::from(said.contains("went on from byte"));
        let expected = if encrypts { &encrypted } else { &plain };
        assert!(fs::read(&path).unwrap() == *expected, "{verb} after {kills} kills");
        if kills == 50 {
            break;
        }
        encrypts = !encrypts;
    }
    assert!(resumed > 0, "some run must have had something to go on with");
}

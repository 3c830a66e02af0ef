//! `encrypt` and `decrypt`: equal to OpenSSL, the same on any number of threads, and nothing released before GCM's tag is right.

mod common;

use common::{fail, names, noise, roundel, succeed};
use std::process::Command;

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const IV: &str = "f0f1f2f3f4f5f6f7f8f9fafbfffffffe";
/// Lengths around a block and around the pieces that go to threads, whole blocks.
const LENGTHS: [usize; 6] = [0, 16, 4096, (3 << 16) - 16, (3 << 16) + 16, 3_000_000 / 16 * 16];

/// `openssl enc`, where there is an openssl.
fn openssl(cipher: &str, key: &str, direction: &str, input: &[u8]) -> Option<Vec<u8>> {
    Command::new("openssl").arg("version").output().ok()?;
    let mut command = assert_cmd::Command::new("openssl");
    command.args(["enc", cipher, direction, "-nopad", "-K", key]);
    if !cipher.ends_with("ecb") {
        command.args(["-iv", IV]);
    }
    let output = command.write_stdin(input).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

#[test]
fn as_openssl() {
    for mode in ["ecb", "cbc", "ctr"] {
        for bits in [128, 192, 256] {
            let key = &KEY[..bits / 4];
            let mut arguments = vec!["encrypt", "-q", "--cipher", "aes", "--mode", mode, "--key", key];
            if mode != "ecb" {
                arguments.extend(["--iv", IV]);
            }
            for len in LENGTHS {
                let text = noise(len);
                let sealed = succeed(&arguments, &text);
                let Some(theirs) = openssl(&format!("-aes-{bits}-{mode}"), key, "-e", &text) else {
                    eprintln!("skipped: there is no openssl here");
                    return;
                };
                assert!(sealed == theirs, "{mode} {bits} {len}");
                let mut back = arguments.clone();
                back[0] = "decrypt";
                assert!(succeed(&back, &sealed) == text, "{mode} {bits} {len}");
            }
        }
    }
}

#[test]
fn every_thread_count_gives_the_same() {
    let text = noise(3_000_017);
    for mode in ["ctr", "xts", "gcm", "cbc", "ecb"] {
        let text = if matches!(mode, "cbc" | "ecb") { &text[..3_000_000 / 16 * 16] } else { &text };
        let key = if mode == "xts" { format!("{KEY}{}", KEY.replace('0', "a")) } else { KEY.to_owned() };
        let run = |verb, threads, input: &[u8], more: &[&str]| {
            let mut arguments = vec![verb, "-q", "--mode", mode, "--key", &key, "--threads", threads];
            if mode != "ecb" {
                arguments.extend(["--iv", IV]);
            }
            arguments.extend(more);
            roundel(&arguments).write_stdin(input).output().unwrap()
        };
        let one = run("encrypt", "1", text, &[]);
        assert!(one.status.success());
        let printed = String::from_utf8(one.stderr).unwrap();
        let tag = printed.trim().strip_prefix("tag: ");
        assert_eq!(tag.is_some(), mode == "gcm");
        let tag = tag.map_or(vec![], |tag| vec!["--tag", tag]);
        for threads in ["2", "7"] {
            assert!(run("encrypt", threads, text, &[]).stdout == one.stdout, "{mode} {threads}");
            assert!(run("decrypt", threads, &one.stdout, &tag).stdout == text, "{mode} {threads}");
        }
    }
}

#[test]
fn xts_counts_its_units() {
    let key = format!("{KEY}{}", KEY.replace('0', "a"));
    let text = noise(4 * 4096 + 100);
    let all = ["encrypt", "-q", "--mode", "xts", "--key", &key, "--data-unit", "4096", "--first-unit"];
    let whole = succeed(&[&all[..], &["5"]].concat(), &text);
    let from_the_third = succeed(&[&all[..], &["7"]].concat(), &text[2 * 4096..]);
    assert!(whole[2 * 4096..] == from_the_third);
    let by_iv = [&all[..8], &["--iv", "05000000000000000000000000000000"]].concat();
    assert!(succeed(&by_iv, &text) == whole);
    let back = [&["decrypt"], &all[1..], &["5"]].concat();
    assert!(succeed(&back, &whole) == text);
}

/// SP 800-38D's test case 4 (McGrew and Viega): additional data, a text that is not whole blocks.
#[test]
fn gcm_as_published() {
    let key = "feffe9928665731c6d6a8f9467308308";
    let text = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
    let sealed = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091";
    let tag = "5bc94fbc3221a5db94fae95ae7121a47";
    let aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    let unhex = |digits: &str| -> Vec<u8> {
        (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
    };
    let common = ["--mode", "gcm", "--key", key, "--iv", "cafebabefacedbaddecaf888", "--aad", aad];
    let encrypt = [&["encrypt", "--quiet"], &common[..]].concat();
    let output = roundel(&encrypt).write_stdin(unhex(text)).output().unwrap();
    assert_eq!(output.stdout, unhex(sealed));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("tag: {tag}\n"));
    let decrypt = [&["decrypt"], &common[..], &["--tag", tag]].concat();
    assert_eq!(succeed(&decrypt, &unhex(sealed)), unhex(text));
}

#[test]
fn gcm_releases_nothing_before_the_tag_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    std::fs::write(&target, "old").unwrap();
    let common = ["--mode", "gcm", "--key", KEY, "--iv", "cafebabefacedbaddecaf888"];
    // One in memory, one beyond what is spooled in memory.
    for len in [1000, 9 << 20] {
        let output =
            roundel(&[&["encrypt", "-q"], &common[..]].concat()).write_stdin(noise(len)).output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        let tag = printed.trim().strip_prefix("tag: ").unwrap();
        let decrypt = [&["decrypt"], &common[..], &["--tag", tag]].concat();
        assert!(succeed(&decrypt, &output.stdout) == noise(len));
        let mut bad = output.stdout;
        bad[len / 2] ^= 1;
        let refused = roundel(&decrypt).write_stdin(&bad[..]).output().unwrap();
        assert_eq!(refused.status.code(), Some(20));
        assert!(refused.stdout.is_empty());
        let to_file = [&decrypt[..], &["--force", "-o", target.to_str().unwrap()]].concat();
        assert_eq!(fail(&to_file, &bad).0, 20);
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        assert_eq!(names(folder.path()).len(), 1);
    }
}

#[test]
fn files_appear_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let [input, output, missing] = ["in", "out", "missing"].map(|name| folder.path().join(name));
    let [input_text, output_text, missing_text] =
        [&input, &output, &missing].map(|path| path.to_str().unwrap());
    std::fs::write(&input, noise(1000)).unwrap();
    let ctr = ["encrypt", "-q", "--mode", "ctr", "--key", KEY, "--iv", IV];
    let to_file = [&ctr[..], &[input_text, "-o", output_text]].concat();
    assert!(succeed(&to_file, b"").is_empty());
    let sealed = std::fs::read(&output).unwrap();
    assert_eq!(sealed, succeed(&ctr, &noise(1000)));
    // Again, over the file that is there: refused, then forced. In place works too.
    assert_eq!(fail(&to_file, b"").0, 11);
    succeed(&[&to_file[..], &["--force"]].concat(), b"");
    succeed(&[&ctr[..], &["-f", output_text, "-o", output_text]].concat(), b"");
    assert_eq!(std::fs::read(&output).unwrap(), noise(1000));
    // 1000 bytes are no whole blocks: the old file stays.
    let cbc =
        ["encrypt", "-q", "--mode", "cbc", "--key", KEY, "--iv", IV, "-f", input_text, "-o", output_text];
    let (code, message) = fail(&cbc, b"");
    assert_eq!((code, message.as_str()), (2, "roundel: CBC needs whole blocks; got 1000 bytes\n"));
    assert_eq!(std::fs::read(&output).unwrap(), noise(1000));
    assert_eq!(fail(&[&ctr[..], &[missing_text]].concat(), b"").0, 10);
    assert_eq!(names(folder.path()).len(), 2);
}

#[test]
fn a_key_file_holds_bytes_or_digits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let with_key = succeed(&["encrypt", "-q", "--mode", "ctr", "--key", KEY, "--iv", IV], b"text");
    let raw: Vec<u8> = (0..32).collect();
    for contents in [raw.as_slice(), KEY.as_bytes(), format!("{KEY}\n").as_bytes()] {
        std::fs::write(&path, contents).unwrap();
        let arguments = ["encrypt", "-q", "--mode", "ctr", "--key-file", path.to_str().unwrap(), "--iv", IV];
        assert_eq!(succeed(&arguments, b"text"), with_key);
    }
}

#[test]
fn a_full_disk_and_a_reader_that_leaves() {
    let arguments = ["encrypt", "-q", "--mode", "ctr", "--key", KEY, "--iv", IV];
    let run = |out: std::process::Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_roundel"));
        let zero = std::fs::File::open("/dev/zero").unwrap();
        command.args(arguments).stdin(zero).stdout(out).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = run(full.into()).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains("no space left"), "{message}");
    // A pipe whose reader goes away ends it quietly.
    let mut child = run(std::process::Stdio::piped());
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(141), 0));
}

//! `bench` measures what it is asked for, and writes a result that can be read back. Nothing here looks at a time.

mod common;

use common::{fail, roundel, succeed};
use roundel_lab::bench::Operation;
use roundel_lab::report::json;

/// As little as can be measured.
const LITTLE: [&str; 8] =
    ["bench", "--quick", "--cipher", "aes", "--strategy", "ttable,reference", "--cores", "one"];

#[test]
fn filters_choose_what_is_measured_and_the_result_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("result.json");
    let mut arguments = LITTLE.to_vec();
    arguments.extend(["--mode", "ctr,key", "--size", "16,1K", "--key-bits", "128"]);
    arguments.extend(["-o", file.to_str().unwrap()]);
    let table = String::from_utf8(succeed(&arguments, b"")).unwrap();
    assert!(table.contains("ttable") && table.contains("roundel runs rijndael with"), "{table}");

    let result = json::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let measured: Vec<_> = result
        .points
        .iter()
        .filter(|point| point.contender.is_some())
        .map(|point| (point.operation, point.bytes, point.key_bits, point.threads))
        .collect();
    for operation in [Operation::KeyEncrypt, Operation::KeyBoth] {
        assert_eq!(measured.iter().filter(|point| **point == (operation, 0, 128, 0)).count(), 2);
    }
    for bytes in [16, 1024] {
        assert_eq!(measured.iter().filter(|point| **point == (Operation::Ctr, bytes, 128, 0)).count(), 2);
    }
    assert_eq!(measured.len(), 8);
    assert!(result.contenders.iter().all(|contender| contender.checks > 16));
    assert!(result.points.iter().all(|point| point.ns.len() >= 3 && point.ns.len() == point.ghz.len()));
    assert!(!result.interrupted);
}

#[test]
fn forms_of_the_result() {
    let mut arguments = LITTLE.to_vec();
    arguments.extend(["--mode", "ctr", "--size", "64", "-o", "-", "--format"]);
    let printed = |format| {
        let output = roundel(&[arguments.as_slice(), &[format]].concat()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(json::parse(&printed("json")).is_ok());
    assert!(printed("markdown").contains("| rijndael 256 ttable |"));
}

#[test]
fn what_cannot_be_measured_is_a_usage_error() {
    for (option, value, says) in [
        ("--strategy", "nonesuch", "has a strategy 'nonesuch'"),
        ("--cipher", "nonesuch", "no cipher 'nonesuch'"),
        ("--mode", "ofb", "the modes are key, ecb"),
        ("--size", "2T", "1 to 1G"),
        (
            "--size",
            "64,15",
            "messages of 15 bytes are not measured: messages are whole blocks, here of 16 bytes",
        ),
        ("--key-bits", "100", "nothing to measure"),
    ] {
        let (code, message) = fail(&["bench", "--quick", "-o", "-", option, value], b"");
        assert_eq!(code, 2, "{option} {value}: {message}");
        assert!(message.contains(says), "{option} {value}: {message}");
    }
}

#[test]
fn what_could_not_be_written_is_not_measured() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("none").join("result.json");
    let (code, message) = fail(&["bench", "-o", output.to_str().unwrap()], b"");
    assert_eq!(code, 1);
    // A debug build says first that it is one.
    let said = message.lines().last().unwrap_or_default();
    assert!(said.starts_with("roundel: cannot create ") && said.contains("no such file"), "{message}");
}

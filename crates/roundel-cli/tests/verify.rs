//! `verify` as its user meets it: foreign files, exit codes, JSON, and NIST's files written and read back.

mod common;

use common::{fail, names, succeed};
use std::fs;
use std::path::Path;

fn published(file: &str) -> String {
    format!("{}/../../vectors/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn foreign_files_of_every_format() {
    let text = published("rijndael/ecb_vk.txt");
    let lines = published("modes/aes-gcm.jsonl");
    let json = published("wycheproof/aes_xts_test.json");
    let chunked = published("wycheproof/c2sp_chunked_encryption_aes_128_gcm_test.json");
    let arguments = ["verify", "--json", "--cipher", "aes", "--vectors", &text, &lines, &json, &chunked];
    let report: serde_json::Value = serde_json::from_slice(&succeed(&arguments, b"")).unwrap();
    assert_eq!(report["totals"]["failed"], 0);
    let available = report["rows"].as_array().unwrap().iter().filter(|row| row["available"] == true);
    for row in available {
        let (known, modes) = if row["cipher"] == "cobblestone" { (0, 35) } else { (576, 60 + 123) };
        assert_eq!(row["known_answers"]["passed"], known, "{row}");
        assert_eq!(row["messages"]["passed"], modes, "{row}");
    }
}

/// Every AES strategy on the sectors, every strategy of the diffusers on the diffusers.
#[test]
fn disk_sectors() {
    let files = ["bitlocker-cbc-128", "cbc-ac2-bc1", "ecb-ac2-bc2", "plain-cbc", "xts", "diffuser"]
        .map(|name| published(&format!("elephant/{name}.jsonl")));
    let mut arguments = vec!["verify", "--json", "--vectors"];
    arguments.extend(files.iter().map(String::as_str));
    let report: serde_json::Value = serde_json::from_slice(&succeed(&arguments, b"")).unwrap();
    assert_eq!(report["totals"]["failed"], 0);
    assert!(report["not_implemented"].as_array().unwrap().is_empty());
    let rows = report["rows"].as_array().unwrap();
    let available: Vec<_> = rows.iter().filter(|row| row["available"] == true).collect();
    assert!(available.iter().any(|row| row["cipher"] == "elephant diffuser"));
    for row in available {
        let counts = (row["known_answers"]["passed"].as_u64(), row["messages"]["passed"].as_u64());
        // One diffuser vector is shorter than a sector.
        let expected = match (row["cipher"].as_str(), row["strategy"].as_str()) {
            (Some("elephant diffuser"), Some("reference")) => (20, 0),
            (Some("elephant diffuser"), _) => (19, 0),
            _ => (0, 100),
        };
        assert_eq!(counts, (Some(expected.0), Some(expected.1)), "{row}");
    }
}

#[test]
fn strategies_that_cannot_run_are_counted_and_not_passed() {
    let lines = published("modes/aes-ctr.jsonl");
    let arguments = ["verify", "--cpu", "portable", "--json", "--vectors", &lines];
    let report: serde_json::Value = serde_json::from_slice(&succeed(&arguments, b"")).unwrap();
    let of = |strategy: &str| {
        let rows = report["rows"].as_array().unwrap();
        rows.iter().find(|row| row["strategy"] == strategy).unwrap()["messages"].clone()
    };
    assert_eq!(
        (of("reference")["passed"].as_u64(), of("reference")["unavailable"].as_u64()),
        (Some(60), Some(0))
    );
    let aes = of("aes-round-128");
    assert_eq!((aes["passed"].as_u64(), aes["unavailable"].as_u64()), (Some(0), Some(60)));
    let only = ["verify", "--cpu", "portable", "--strategy", "aes-round-128", "--vectors", &lines];
    let (code, message) = fail(&only, b"");
    assert_eq!(code, 1);
    assert!(message.contains("no vector was run"), "{message}");
}

#[test]
fn a_wrong_answer_names_cipher_strategy_and_vector() {
    let folder = tempfile::tempdir().unwrap();
    let right = fs::read_to_string(published("rijndael/ecb_vt.txt")).unwrap();
    let wrong = right.replace("3AD78E726C1EC02B7EBFE92B23D9EC34", "3AD78E726C1EC02B7EBFE92B23D9EC35");
    let path = written(folder.path(), "wrong.txt", &wrong);
    let arguments = ["verify", "--cipher", "aes", "--strategy", "reference", "--vectors", &path];
    let output = common::roundel(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("FAILED rijndael reference") && text.contains("KEYSIZE=128 I=1, encrypt"),
        "{text}"
    );
    assert!(text.contains("expected 3AD78E726C1EC02B7EBFE92B23D9EC35"), "{text}");
    assert!(text.contains("383 passed, 1 failed"), "{text}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, "roundel: 1 of 384 results disagree with their vectors\n");
}

#[test]
fn files_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read_to_string(published("rijndael/ecb_vt.txt")).unwrap();
    let cut = written(folder.path(), "cut.txt", &whole[..whole.len() - 36]);
    let text = written(folder.path(), "whole.txt", &whole);
    let other = written(folder.path(), "other", "hello\n");
    for (arguments, code, message) in [
        (vec!["--cipher", "aes", "--vectors", &cut], 20, "has no CT: is the file truncated?"),
        (vec!["--vectors", &text], 2, "say which with --cipher"),
        (vec!["--vectors", &other], 2, "neither NIST text"),
        (vec!["--vectors", "/nowhere/at/all"], 10, "does not exist"),
        (vec!["--cipher", "rot13"], 2, "there is no cipher 'rot13'"),
        (vec!["--strategy", "magic"], 2, "no selected cipher has a strategy 'magic'"),
    ] {
        let all: Vec<&str> = ["verify"].into_iter().chain(arguments).collect();
        let (got, said) = fail(&all, b"");
        assert!(got == code && said.contains(message), "{all:?}: {got} {said}");
    }
}

#[test]
fn generated_files_verify() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made");
    let to = made.to_str().unwrap();
    let generate = ["verify", "--quick", "--cipher", "serpent", "--generate", to];
    succeed(&generate, b"");
    let files: Vec<String> =
        names(&made.join("serpent")).iter().map(|name| format!("{to}/serpent/{}", name.display())).collect();
    assert_eq!(files.len(), 6);
    let mut verify = vec!["verify", "--json", "--cipher", "serpent", "--strategy", "reference", "--vectors"];
    verify.extend(files.iter().map(String::as_str));
    let report: serde_json::Value = serde_json::from_slice(&succeed(&verify, b"")).unwrap();
    assert_eq!(report["totals"]["passed"], 576 + 384 + 12 * 4);
    let (code, message) = fail(&generate, b"");
    assert!(code == 1 && message.contains("exists: remove it"), "{message}");
}

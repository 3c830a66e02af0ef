//! `roundel study`: a quick run of one fast cipher, in each form.

mod common;

use common::{fail, succeed};
use serde_json::Value;

#[test]
fn a_quick_study_of_one_cipher() {
    let study = ["study", "aes-candidates-1999", "--quick", "--cipher", "rc6", "--threads", "2"];
    let json = succeed(&[&study[..], &["--json"]].concat(), b"");
    let result: Value = serde_json::from_slice(&json).unwrap();
    let [candidate] = &result["candidates"].as_array().unwrap()[..] else { panic!("one was asked for") };
    // 128 + 192 + 256 variable keys, 3 x 128 variable texts, and 12 chains with 5 entries each.
    assert_eq!(candidate["passed"], 960 + 60);
    assert_eq!((&candidate["cipher"], &candidate["failed"]), (&"rc6".into(), &0.into()));
    assert_eq!((&result["quick"], &result["threads"]), (&true.into(), &2.into()));
    assert!(candidate["one_core_seconds"].as_f64().unwrap() > 0.0);

    let table = String::from_utf8(succeed(&study, b"")).unwrap();
    assert!(table.contains("1020 results agree with their vectors, 0 do not"), "{table}");
    assert!(table.lines().any(|line| line.trim_start().starts_with("rc6") && line.contains('~')), "{table}");
}

#[test]
fn what_is_not_there_is_refused() {
    let (code, message) = fail(&["study", "none-such"], b"");
    assert_eq!(code, 2);
    assert_eq!(message, "roundel: there is no study 'none-such': `roundel study` lists them\n");
    let (code, message) = fail(&["study", "aes-candidates-1999", "--quick", "--cipher", "mars"], b"");
    assert_eq!(code, 2);
    assert!(message.contains("mars is not in aes-candidates-1999, whose ciphers are cast256, "), "{message}");
}

#[test]
fn studies_are_listed() {
    let list = String::from_utf8(succeed(&["study"], b"")).unwrap();
    assert!(list.lines().any(|line| line.trim_start().starts_with("aes-candidates-1999  ")), "{list}");
}

//! Whatever the bytes, the header of a sealed file, a recipients file and an identities file end in a value or in an error. Start from `vectors/seal/`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use roundel_seal::{Input, inspect, keys};
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let _ = inspect(Input::reader(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = keys::recipients_file(text, "fuzzed");
    }
    let _ = keys::identities_file(bytes, "fuzzed", Arc::new(|_: &str| None));
});

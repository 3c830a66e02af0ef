//! Whatever the bytes, parsing a vector file ends in cases or in an error. Start from `vectors/*/`: all three formats are reached.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = roundel_lab::vectors::parse("fuzzed", bytes, Some("rijndael"));
});

//! The vectors of one cipher, for the unit tests in its folder: every known answer, and the first outer iteration of each Monte Carlo
//! chain. `roundel verify` runs the chains further.

use crate::{Cipher, Kernel};
use std::collections::BTreeMap;

/// The fields of one entry: KEY, PT, CT, IV as hexadecimal.
type Entry = BTreeMap<String, String>;

/// The entries of a file, grouped by key size; what precedes a group's first entry holds for all of it.
fn entries(cipher: &Cipher, file: &str) -> Vec<Vec<Entry>> {
    let path = format!("{}/../../vectors/{}/{file}", env!("CARGO_MANIFEST_DIR"), cipher.name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let fields = |part: &str| -> Entry {
        part.lines().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect()
    };
    let group = |text: &str| {
        let (common, entries) = text.split_once("\nI=").expect("a group has entries");
        entries.split("\nI=").map(|entry| fields(common).into_iter().chain(fields(entry)).collect()).collect()
    };
    text.split("\nKEYSIZE=").skip(1).map(group).collect()
}

fn bytes(entry: &Entry, field: &str) -> Vec<u8> {
    let hex = &entry[field];
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal")).collect()
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// The last block of 10000 in a chain: the definitions at the top of the files.
fn chain(kernel: &dyn Kernel, file: &str, entry: &Entry) -> Vec<u8> {
    let decrypts = file.contains("_d_");
    let mut text = bytes(entry, if decrypts { "CT" } else { "PT" });
    let mut vector = entry.get("IV").map(|_| bytes(entry, "IV"));
    for _ in 0..10_000 {
        match (&mut vector, decrypts) {
            (None, false) => kernel.encrypt(&mut text),
            (None, true) => kernel.decrypt(&mut text),
            (Some(vector), false) => {
                let mut block = xor(&text, vector);
                kernel.encrypt(&mut block);
                text = std::mem::replace(vector, block);
            }
            (Some(vector), true) => {
                let mut block = text.clone();
                kernel.decrypt(&mut block);
                let plain = xor(&block, vector);
                *vector = std::mem::replace(&mut text, plain);
            }
        }
    }
    // the encrypting CBC chain feeds the text from the vector: its last ciphertext is the vector
    vector.filter(|_| !decrypts).unwrap_or(text)
}

/// Checks every available strategy.
pub(crate) fn check(cipher: &'static Cipher) {
    for choice in cipher.choices().filter(|choice| choice.strategy.available()) {
        for file in ["ecb_vk.txt", "ecb_vt.txt"] {
            for entry in entries(cipher, file).into_iter().flatten() {
                let kernel = choice.kernel(&bytes(&entry, "KEY")).expect("a standard key length");
                let mut block = bytes(&entry, "PT");
                kernel.encrypt(&mut block);
                assert_eq!(block, bytes(&entry, "CT"), "{} {file} {entry:?}", choice.strategy.name);
                kernel.decrypt(&mut block);
                assert_eq!(block, bytes(&entry, "PT"), "{} {file} {entry:?}", choice.strategy.name);
            }
        }
        for file in ["ecb_e_m.txt", "ecb_d_m.txt", "cbc_e_m.txt", "cbc_d_m.txt"] {
            for entry in entries(cipher, file).iter().map(|group| &group[0]) {
                let kernel = choice.kernel(&bytes(entry, "KEY")).expect("a standard key length");
                let result = bytes(entry, if file.contains("_d_") { "PT" } else { "CT" });
                assert_eq!(chain(&*kernel, file, entry), result, "{} {file} {entry:?}", choice.strategy.name);
            }
        }
    }
}

/// The key bytes 0, 1, 2, ...: what worked examples take.
pub(crate) const COUNTING: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < key.len() {
        key[i] = i as u8;
        i += 1;
    }
    key
};

/// The text of most worked examples.
pub(crate) const TEXT: u128 = 0x00112233445566778899AABBCCDDEEFF;

/// The first 16 and 24 bytes of a key, and all of it.
pub(crate) fn prefixes(key: &[u8; 32]) -> [&[u8]; 3] {
    [&key[..16], &key[..24], key]
}

/// One text under three keys, by every available strategy, and back.
pub(crate) fn check_examples(
    cipher: &'static Cipher,
    plaintext: u128,
    keys: [&[u8]; 3],
    ciphertexts: [u128; 3],
) {
    for (key, ciphertext) in keys.into_iter().zip(ciphertexts) {
        for choice in cipher.choices().filter(|choice| choice.strategy.available()) {
            let label = format!("{} {}, {} key bytes", cipher.name, choice.strategy.name, key.len());
            let kernel = choice.kernel(key).expect("a standard key length");
            let mut text = plaintext.to_be_bytes();
            kernel.encrypt(&mut text);
            assert_eq!(u128::from_be_bytes(text), ciphertext, "{label}");
            kernel.decrypt(&mut text);
            assert_eq!(u128::from_be_bytes(text), plaintext, "{label}, back");
        }
    }
}

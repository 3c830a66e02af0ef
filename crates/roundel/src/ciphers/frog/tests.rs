use super::*;
use crate::ciphers::known_answers::{COUNTING, TEXT, check, check_examples, prefixes};

/// The worked example of the description at each key size, by every strategy.
#[test]
fn worked_example() {
    check_examples(
        &CIPHER,
        TEXT,
        prefixes(&COUNTING),
        [
            0x107D39E1165C7B87A14D33300F56732A,
            0xE2559A6FEEF21E1B11179A4934A43966,
            0x980356B6F55112C9BF3E3B1193E971E2,
        ],
    );
}

/// Every key length makes a program on which all strategies agree.
#[test]
fn all_key_lengths_agree_with_the_reference() {
    for key_bytes in 5..=125 {
        let key: Vec<u8> = (0..key_bytes).map(|i| (i * i + 7 * key_bytes) as u8).collect();
        let results: Vec<[u8; 16]> = CIPHER
            .choices()
            .filter(|choice| choice.strategy.available())
            .map(|choice| {
                let mut text = [0x5A; 16];
                choice.kernel(&key).unwrap().encrypt(&mut text);
                text
            })
            .collect();
        assert!(results.iter().all(|text| *text == results[0]), "{key_bytes} bytes");
    }
    assert!(CIPHER.choices().next().unwrap().kernel(&[0; 4]).is_err());
    assert!(CIPHER.choices().next().unwrap().kernel(&[0; 126]).is_err());
}

#[test]
fn known_answers() {
    check(&CIPHER);
}

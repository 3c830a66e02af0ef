use super::*;

fn block(text: &str) -> u128 {
    u128::from_str_radix(text, 16).expect("hex digits")
}

/// The worked example of the description at each key size, by every strategy.
#[test]
fn worked_example() {
    let counting: Vec<u8> = (0..32).collect();
    for (key_bytes, ciphertext) in [
        (16, "107D39E1165C7B87A14D33300F56732A"),
        (24, "E2559A6FEEF21E1B11179A4934A43966"),
        (32, "980356B6F55112C9BF3E3B1193E971E2"),
    ] {
        for choice in CIPHER.choices().filter(|choice| choice.strategy.available()) {
            let kernel = choice.kernel(&counting[..key_bytes]).unwrap();
            let plaintext = block("00112233445566778899AABBCCDDEEFF").to_be_bytes();
            let mut text = plaintext;
            kernel.encrypt(&mut text);
            assert_eq!(u128::from_be_bytes(text), block(ciphertext), "{}", choice.strategy.name);
            kernel.decrypt(&mut text);
            assert_eq!(text, plaintext, "{}", choice.strategy.name);
        }
    }
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
    crate::ciphers::known_answers::check(&CIPHER);
}

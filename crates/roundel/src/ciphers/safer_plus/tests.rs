use super::*;

/// The submitters' examples, by every strategy.
#[test]
fn submitters_examples() {
    let long = "2312EFDECDBCAB9089786756453423BC78AE8DA840F61247136EC75A68A71CAE";
    let key: Vec<u8> = (0..32).map(|i| u8::from_str_radix(&long[2 * i..2 * i + 2], 16).unwrap()).collect();
    for (key_bytes, ciphertext) in [
        (16, 0x388E5D6B3C64C75299B494CB9F933299u128),
        (24, 0x5344ADCC26ADAF7C1E90AA9D90EAE140),
        (32, 0x9375A16F58A4C0A702F65B37E03AA46E),
    ] {
        for choice in CIPHER.choices().filter(|choice| choice.strategy.available()) {
            let kernel = choice.kernel(&key[32 - key_bytes..]).unwrap();
            let mut text = 0x45D77C9A652C7EAAAF3B87BCFD794825u128.to_be_bytes();
            kernel.encrypt(&mut text);
            assert_eq!(u128::from_be_bytes(text), ciphertext, "{} {key_bytes}", choice.strategy.name);
        }
    }
}

/// Stated by the designers: 45^128 = 256, which becomes 0; E and L are inverse permutations; and the first biases.
#[test]
fn tables_have_the_stated_properties() {
    assert_eq!(tables::EXP[128], 0);
    assert!((0..256).all(|x| usize::from(tables::EXP[usize::from(tables::LOG[x])]) == x));
    assert!((0..16).all(|j| tables::UNSHUFFLE[tables::SHUFFLE[j]] == j));
    // From the printed table: subkeys 2 and 33.
    assert_eq!(tables::BIAS[1][..4], [0x46, 0x97, 0xB1, 0xBA]);
}

#[test]
fn known_answers() {
    crate::ciphers::known_answers::check(&CIPHER);
}

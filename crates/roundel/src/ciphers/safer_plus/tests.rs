use super::*;
use crate::ciphers::known_answers::{check, check_examples};

/// The submitters' examples.
#[test]
fn submitters_examples() {
    let long =
        [0x2312EFDECDBCAB9089786756453423BCu128, 0x78AE8DA840F61247136EC75A68A71CAE].map(u128::to_be_bytes);
    let key = long.as_flattened();
    check_examples(
        &CIPHER,
        0x45D77C9A652C7EAAAF3B87BCFD794825,
        [&key[16..], &key[8..], key],
        [
            0x388E5D6B3C64C75299B494CB9F933299,
            0x5344ADCC26ADAF7C1E90AA9D90EAE140,
            0x9375A16F58A4C0A702F65B37E03AA46E,
        ],
    );
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
    check(&CIPHER);
}

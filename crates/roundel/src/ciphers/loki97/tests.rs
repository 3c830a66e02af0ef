use super::*;

/// The submitters' intermediate value, and its longer keys.
#[test]
fn worked_example() {
    let counting: Vec<u8> = (0..32).collect();
    for (key_bytes, ciphertext) in [
        (16, 0xF65CF3B53C5C7D3A44E4190CB2057622u128),
        (24, 0x5EE6B9460D539E8D63C6D47DA2AAE2B4),
        (32, 0x75080E359F10FE640144B35C57128DAD),
    ] {
        for choice in CIPHER.choices() {
            let kernel = choice.kernel(&counting[..key_bytes]).unwrap();
            let mut text: [u8; 16] = std::array::from_fn(|i| i as u8);
            kernel.encrypt(&mut text);
            assert_eq!(u128::from_be_bytes(text), ciphertext, "{} {key_bytes}", choice.strategy.name);
        }
    }
}

/// The first entries of the printed tables.
#[test]
fn s_boxes_begin_as_printed() {
    assert_eq!(tables::S1[..8], [0x27, 0xA3, 0x05, 0x87, 0x91, 0x01, 0x83, 0x15]);
    assert_eq!(tables::S2[..8], [0x2D, 0x6F, 0xEF, 0xAB, 0x87, 0xD1, 0x75, 0x25]);
}

#[test]
fn known_answers() {
    crate::ciphers::known_answers::check(&CIPHER);
}

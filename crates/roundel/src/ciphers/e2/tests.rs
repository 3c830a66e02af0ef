use super::*;

#[test]
fn worked_example() {
    let counting: Vec<u8> = (0..32).collect();
    for (key_bytes, ciphertext) in [
        (16, 0xDC5FB3D23836B62532AD59FA023F6645u128),
        (24, 0x67C5B8290D4D672FB2BBC0A981C0D11D),
        (32, 0x60543D0346EBBD0ECADFF442F38309AA),
    ] {
        for choice in CIPHER.choices() {
            let kernel = choice.kernel(&counting[..key_bytes]).unwrap();
            let mut text = 0x00112233445566778899AABBCCDDEEFFu128.to_be_bytes();
            kernel.encrypt(&mut text);
            assert_eq!(u128::from_be_bytes(text), ciphertext, "{} {key_bytes}", choice.strategy.name);
        }
    }
}

/// Properties and values that the description prints: a permutation, s(0) = 225, the last entry.
#[test]
fn s_box_is_as_printed() {
    let mut seen = [false; 256];
    tables::SBOX.iter().for_each(|&value| seen[usize::from(value)] = true);
    assert!(seen.iter().all(|&hit| hit));
    assert_eq!((tables::SBOX[0], tables::SBOX[1], tables::SBOX[255]), (0xE1, 0x42, 0x2A));
}

#[test]
fn known_answers() {
    crate::ciphers::known_answers::check(&CIPHER);
}

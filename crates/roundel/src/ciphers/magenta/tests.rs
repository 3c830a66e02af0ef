use super::*;

/// The submitters' example: key counting down from FF, text counting up from 0; by every strategy.
#[test]
fn submitters_example() {
    let key: Vec<u8> = (0..32).map(|i| 0xFF - i).collect();
    for (key_bytes, ciphertext) in [
        (16, 0x0909105491F0EF3D363EAE828A504E2Bu128),
        (24, 0xB553E21C2169CAEA8F67D2936EA3B086),
        (32, 0xBC1128EACA812A9E6564107758A28857),
    ] {
        for choice in CIPHER.choices() {
            let kernel = choice.kernel(&key[..key_bytes]).unwrap();
            let plaintext: [u8; 16] = std::array::from_fn(|i| i as u8);
            let mut text = plaintext;
            kernel.encrypt(&mut text);
            assert_eq!(u128::from_be_bytes(text), ciphertext, "{} {key_bytes}", choice.strategy.name);
            kernel.decrypt(&mut text);
            assert_eq!(text, plaintext, "{} {key_bytes}", choice.strategy.name);
        }
    }
}

/// Stated by the designers: f is a permutation; the table begins with the powers of two and wraps by 0x65.
#[test]
fn f_is_a_permutation() {
    let mut seen = [false; 256];
    tables::F.iter().for_each(|&value| seen[usize::from(value)] = true);
    assert!(seen.iter().all(|&hit| hit));
    assert_eq!(tables::F[6..10], [0x40, 0x80, 0x65, 0xCA]);
}

#[test]
fn known_answers() {
    crate::ciphers::known_answers::check(&CIPHER);
}

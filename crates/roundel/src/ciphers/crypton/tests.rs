use super::*;
use crate::ciphers::known_answers::{COUNTING, TEXT, check, check_examples, prefixes};

#[test]
fn worked_examples() {
    check_examples(
        &V05,
        TEXT,
        prefixes(&COUNTING),
        [
            0xB2E3C68C3183E69504D4B90377D126E6,
            0xBA1744E85800F7A174326DA87EDA7E45,
            0x17D5FAC539EEA17B36371838792EA84D,
        ],
    );
    check_examples(
        &V10,
        TEXT,
        prefixes(&COUNTING),
        [
            0x973ED7133C4AC64E3ED9F9EE8E2487C2,
            0x1A4DD8E16763BDF12258E212CB6FE902,
            0xDDFA648F2C1DE671A4D974486C5EDB32,
        ],
    );
}

/// The designer's properties: S1 and S0 of version 0.5 are inverses; T of version 1.0 is an involution; pi is its own inverse.
#[test]
fn layers_have_the_stated_properties() {
    let [s0, s1, ..] = &tables::SBOXES_05;
    assert!((0..=255).all(|x: u8| s1[usize::from(s0[usize::from(x)])] == x));
    assert_eq!(s0[..4], [0xF0, 0x12, 0x4C, 0x7A]);
    let t = tables::SBOXES_10[0].map(|byte| byte.rotate_right(1));
    assert!((0..=255).all(|x: u8| t[usize::from(t[usize::from(x)])] == x));
    assert_eq!(t[..4], [0xB1, 0x76, 0xAC, 0x55]);
    let state = [0x0123_4567, 0x89AB_CDEF, 0xFEDC_BA98, 0x7654_3210];
    assert!((0..3).all(|p| layers::pi(layers::pi(state, p), p) == state));
}

#[test]
fn known_answers() {
    check(&V05);
    check(&V10);
}

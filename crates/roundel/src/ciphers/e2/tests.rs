use super::*;
use crate::ciphers::known_answers::{COUNTING, TEXT, check, check_examples, prefixes};

#[test]
fn worked_example() {
    check_examples(
        &CIPHER,
        TEXT,
        prefixes(&COUNTING),
        [
            0xDC5FB3D23836B62532AD59FA023F6645,
            0x67C5B8290D4D672FB2BBC0A981C0D11D,
            0x60543D0346EBBD0ECADFF442F38309AA,
        ],
    );
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
    check(&CIPHER);
}

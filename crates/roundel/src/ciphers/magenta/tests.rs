use super::*;
use crate::ciphers::known_answers::{COUNTING, check, check_examples, prefixes};

/// The submitters' example: key counting down from FF, text counting up from 0.
#[test]
fn submitters_example() {
    let key = COUNTING.map(|byte| 0xFF - byte);
    check_examples(
        &CIPHER,
        0x000102030405060708090A0B0C0D0E0F,
        prefixes(&key),
        [
            0x0909105491F0EF3D363EAE828A504E2B,
            0xB553E21C2169CAEA8F67D2936EA3B086,
            0xBC1128EACA812A9E6564107758A28857,
        ],
    );
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
    check(&CIPHER);
}

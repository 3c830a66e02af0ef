use super::*;
use crate::ciphers::known_answers::{COUNTING, TEXT, check, check_examples, prefixes};

/// The description's check values of the round function, chosen for the reduction's edges.
#[test]
fn round_function_at_the_edges() {
    const MAX: u64 = u64::MAX;
    for (a, b, x, result) in [
        (1, 6, MAX, 0x3EB3108F46FF98B7),
        (1, 13, MAX, 0x3EB3109646FF98B7),
        (1, 14, MAX, 0x3EB3108A46FF98B7),
        (0, 0, 0, 0x3EB3108A46FF98B7),
        (MAX, MAX, MAX, 0x3EB310FC46FF98B7),
        (2, MAX, MAX, 0xA061B6297036AF82),
        (MAX, 0, 2, 0xA061B6377036AF82),
    ] {
        assert_eq!(reference::round_function(&[a, b], x), result, "{a:X} {b:X} {x:X}");
        assert_eq!(word::round_function(&[a, b], x), result, "{a:X} {b:X} {x:X}");
    }
}

/// The printed table's first words and its last, KD and KC: digits of e, so the series is right to the end.
#[test]
fn constants_are_digits_of_e() {
    assert_eq!(tables::RT[..4], [0xB7E15162, 0x8AED2A6A, 0xBF715880, 0x9CF4F3C7]);
    assert_eq!((tables::KD, tables::KC), (0x86D1BF275B9B241D, 0xEB64749A));
}

#[test]
fn worked_example() {
    check_examples(
        &CIPHER,
        TEXT,
        prefixes(&COUNTING),
        [
            0xCC69F8D0BD3E0774B209B798E9248ACF,
            0x297BC45B96806A816A565929F340A731,
            0x190124744A9D4F1F5DCDD6FB5503EB53,
        ],
    );
}

#[test]
fn known_answers() {
    check(&CIPHER);
}

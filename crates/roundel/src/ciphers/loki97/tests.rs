use super::*;
use crate::ciphers::known_answers::{COUNTING, check, check_examples, prefixes};

/// The submitters' intermediate value, and its longer keys.
#[test]
fn worked_example() {
    check_examples(
        &CIPHER,
        0x000102030405060708090A0B0C0D0E0F,
        prefixes(&COUNTING),
        [
            0xF65CF3B53C5C7D3A44E4190CB2057622,
            0x5EE6B9460D539E8D63C6D47DA2AAE2B4,
            0x75080E359F10FE640144B35C57128DAD,
        ],
    );
}

/// The first entries of the printed tables.
#[test]
fn s_boxes_begin_as_printed() {
    assert_eq!(tables::S1[..8], [0x27, 0xA3, 0x05, 0x87, 0x91, 0x01, 0x83, 0x15]);
    assert_eq!(tables::S2[..8], [0x2D, 0x6F, 0xEF, 0xAB, 0x87, 0xD1, 0x75, 0x25]);
}

#[test]
fn known_answers() {
    check(&CIPHER);
}

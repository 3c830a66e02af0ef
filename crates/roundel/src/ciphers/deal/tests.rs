use super::*;
use crate::ciphers::known_answers::{COUNTING, TEXT, check, check_examples, prefixes};

/// The description's check of DES itself.
#[test]
fn des_check_value() {
    let keys = schedule::des_schedule(FIXED_KEY);
    assert_eq!(des::encrypt(&keys, 0x4E6F_7720_6973_2074), 0x3FA4_0E8A_984D_4815);
}

/// The crate `des` beside ours: keys with any parity.
#[test]
fn des_equals_rustcryptos() {
    use ::des::cipher::{BlockCipherEncrypt, KeyInit};
    let mut number = 1u64;
    let mut next = || {
        number = number.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        number ^ number >> 31
    };
    for _ in 0..500 {
        let (key, block) = (next(), next());
        let mut theirs = block.to_be_bytes().into();
        ::des::Des::new(&key.to_be_bytes().into()).encrypt_block(&mut theirs);
        let ours = des::encrypt(&schedule::des_schedule(key), block);
        assert_eq!(ours, u64::from_be_bytes(theirs.into()), "key {key:016X}, block {block:016X}");
    }
}

/// The worked example's round keys.
#[test]
fn round_keys_of_the_worked_example() {
    let keys = schedule::des_schedule(FIXED_KEY);
    let counting: [u8; 16] = std::array::from_fn(|i| i as u8);
    let made = round_keys(&counting, |block| des::encrypt(&keys, block));
    assert_eq!(made[0], 0x3260_266C_2CF2_02E2);
    assert_eq!(made[5], 0x91DC_CE24_3982_7D3E);
}

#[test]
fn worked_example() {
    check_examples(
        &CIPHER,
        TEXT,
        prefixes(&COUNTING),
        [
            0x5E48974D3D5FBF4E7B60354E056AE23D,
            0x298DEC07895324F0190E71CC1CA2D360,
            0xE908089FAE31835497EC7C4628110E5B,
        ],
    );
}

#[test]
fn known_answers() {
    check(&CIPHER);
}

use super::*;

/// The description's check of DES itself.
#[test]
fn des_check_value() {
    let keys = schedule::des_schedule(FIXED_KEY);
    assert_eq!(des::encrypt(&keys, 0x4E6F_7720_6973_2074), 0x3FA4_0E8A_984D_4815);
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
    let counting: Vec<u8> = (0..32).collect();
    for (key_bytes, ciphertext) in [
        (16, 0x5E48974D3D5FBF4E7B60354E056AE23Du128),
        (24, 0x298DEC07895324F0190E71CC1CA2D360),
        (32, 0xE908089FAE31835497EC7C4628110E5B),
    ] {
        for choice in CIPHER.choices() {
            let kernel = choice.kernel(&counting[..key_bytes]).unwrap();
            let mut text = 0x00112233445566778899AABBCCDDEEFFu128.to_be_bytes();
            kernel.encrypt(&mut text);
            assert_eq!(u128::from_be_bytes(text), ciphertext, "{} {key_bytes}", choice.strategy.name);
        }
    }
}

#[test]
fn known_answers() {
    crate::ciphers::known_answers::check(&CIPHER);
}

//! RC6 (Ronald Rivest, Matt Robshaw, Ray Sidney and Yiqun Lisa Yin, 1998), one of the five finalists of the AES contest.
//!
//! Two copies of RC5's half-round side by side on four 32-bit words A, B, C, D, 20 rounds: the quadratic f(x) = x(2x + 1) <<< 5 of B and of D
//! is XORed on A and C, which are then rotated by amounts that depend on the other f. The multiplication, in hardware everywhere, makes the
//! rotation amounts depend on all bits. This is RC6-32/20/b, for keys of b = 0 to 255 bytes.
//!
//! **Bytes**: all words little-endian.
//!
//! **Known against it**: nothing practical. Attacks by correlation (Knudsen, Meier 2000; Miyaji and others) reach 14 to 15 of the 20 rounds for most
//! keys, 17 or so for weak ones, and need almost the whole code book.
//!
//! **Constants**: P and Q of RC5: e - 2 and the golden ratio as odd 32-bit fractions.
//!
//! **Strategies**: `reference` follows the paper.

use crate::{Cipher, KeySizes, Standing};

mod reference;

/// RC6-32/20/b.
pub static CIPHER: Cipher = Cipher {
    name: "rc6",
    aliases: &[],
    title: "RC6-32/20 (Rivest, Robshaw, Sidney, Yin 1998)",
    block_bytes: 16,
    keys: KeySizes { standard: &[16, 24, 32], also: Some((0, 255, 1)) },
    standing: Standing::Sound,
    strategies: &[reference::PLAIN],
};

#[cfg(test)]
mod tests {
    use super::CIPHER;

    /// For a key of this many bytes: the ciphertext of ecb_vk, I=1, and the results of the first outer iteration of ecb_e_m and of ecb_d_m.
    const KNOWN: [(usize, u128, u128, u128); 3] = [
        (
            16,
            0x1AD578A02A08162850A15A1552A17AD4,
            0x0A9FB8B5BCB824B72DAF0B98136BF310,
            0xE0B8F71A380BEA9E32DB126047C29813,
        ),
        (
            24,
            0x8301730C7D5FEFC416BEEC1104C51E36,
            0x4CD75ADB51D2297B791FE133EE2F523E,
            0x3016EB7BDC8BE772B94C5719C06C595F,
        ),
        (
            32,
            0x5172978A58543DE597060983FD799F1B,
            0x76EDD1735DA05578557471C737DAB075,
            0xF71349089288C9D8D38128A3BB834023,
        ),
    ];

    #[test]
    fn known_answers_and_the_first_links_of_the_chains() {
        for choice in CIPHER.choices().filter(|choice| choice.strategy.available()) {
            for (key_bytes, one_key_bit, encryption_chain, decryption_chain) in KNOWN {
                let label = format!("{}, {key_bytes} bytes", choice.strategy.name);
                let mut key = vec![0; key_bytes];
                let zero = choice.kernel(&key).unwrap();
                key[0] = 0x80;
                let one = choice.kernel(&key).unwrap();
                let mut block = [0; 16];
                one.encrypt(&mut block);
                assert_eq!(block, one_key_bit.to_be_bytes(), "{label}");
                one.decrypt(&mut block);
                assert_eq!(block, [0; 16], "{label}");

                (0..10_000).for_each(|_| zero.encrypt(&mut block));
                assert_eq!(block, encryption_chain.to_be_bytes(), "{label}");
                block = [0; 16];
                (0..10_000).for_each(|_| zero.decrypt(&mut block));
                assert_eq!(block, decryption_chain.to_be_bytes(), "{label}");
            }
        }
    }
}

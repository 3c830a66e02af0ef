//! Serpent (Ross Anderson, Eli Biham and Lars Knudsen, 1998), second in the AES contest.
//!
//! A substitution-permutation network of 32 rounds on four 32-bit words: a subkey is XORed on, one of eight 4-bit S-boxes is applied to
//! all 32 columns of bits, and a linear transformation of rotations, shifts and XORs mixes the words (the last round has a
//! second subkey in its place). It was made to be run *bitsliced*: an S-box is a circuit of Boolean instructions on whole words, so the
//! natural program has no table and constant time. This is Serpent-1, the form submitted to the contest.
//!
//! **Bytes**: four little-endian words X0 to X3, key bytes likewise, a key under 256 bits followed by one 1 bit: the order of NESSIE
//! and of all current libraries. NIST's files of 1998 print every string the other way round.
//!
//! **Known against it**: nothing practical. The best attacks reach 12 of the 32 rounds (multidimensional linear cryptanalysis; Nguyen, Wu,
//! Wang 2011) with almost the whole code book.
//!
//! **Constants**: the S-boxes were derived from those of DES by a published procedure with three criteria, which a test checks; the
//! constant of the key schedule is the golden ratio.
//!
//! **Strategies**: `reference` evaluates each S-box as a sum over its table.

use crate::{Cipher, KeySizes, Standing};

mod reference;
mod sboxes;

/// Serpent-1.
pub static CIPHER: Cipher = Cipher {
    name: "serpent",
    aliases: &[],
    title: "Serpent (Anderson, Biham, Knudsen 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
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
            0x264E5481EFF42A4606ABDA06C0BFDA3D,
            0x1E6AA8A3D1F700FC1BFA9794BAA5E790,
            0xAE1CCDCC7C9E02F4309DBB456078C647,
        ),
        (
            24,
            0x9E274EAD9B737BB21EFCFCA548602689,
            0x3A8CFBC3774C39DB1FF2B79EB7F78A2D,
            0x982846EE3CC4DD28F3E0E6E40AB0B90F,
        ),
        (
            32,
            0xA223AA1288463C0E2BE38EBD825616C0,
            0x0AE623CE7BDFF4314D797794CAA3EF92,
            0xA3947B9DFC527021D3B00F5D87F5F2CF,
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

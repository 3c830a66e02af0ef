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
//! **Strategies**: `reference` follows the paper. `word` keeps one or two blocks in general registers. `lanes-256` runs sixteen
//! blocks on AVX2, which has the multiplication and the rotation by lane (as two shifts). `lanes-128` does the same with SSE2, which has neither:
//! both are put together from 64-bit products, and that is no faster than `word`. Nothing depends on secrets but the operands of multiplications
//! and rotations, which take fixed time on x86-64.

use crate::{Cipher, KeySizes, Standing};

mod lanes;
mod reference;
mod schedule;
mod word;

/// RC6-32/20/b.
pub static CIPHER: Cipher = Cipher {
    name: "rc6",
    aliases: &[],
    title: "RC6-32/20 (Rivest, Robshaw, Sidney, Yin 1998)",
    block_bytes: 16,
    keys: KeySizes { standard: &[16, 24, 32], also: Some((0, 255, 1)) },
    standing: Standing::Sound,
    strategies: &[reference::PLAIN, lanes::W128, word::PAIRS, lanes::W256],
};

#[cfg(test)]
mod tests {
    use super::CIPHER;
    use crate::ciphers::known_answers;

    #[test]
    fn known_answers() {
        known_answers::check(&CIPHER);
    }
}

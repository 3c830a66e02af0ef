//! Exponentials and logarithms to the base 45 modulo 257, and the biases of the subkeys.

/// E\[x\] = 45^x modulo 257, modulo 256: 45^128 = 256 becomes 0.
pub(super) static EXP: [u8; 256] = exp();

/// The inverse of [`EXP`].
pub(super) static LOG: [u8; 256] = log();

/// Subkeys of the longest key.
pub(super) const MAX_SUBKEYS: usize = 33;

/// BIAS\[i\]\[j\]: added to byte j + 1 of subkey i + 1 (designers' numbering). The first subkey has none.
pub(super) static BIAS: [[u8; 16]; MAX_SUBKEYS] = bias();

const fn exp() -> [u8; 256] {
    let mut table = [0; 256];
    let (mut x, mut power) = (0, 1u32);
    while x < 256 {
        table[x] = power as u8;
        power = power * 45 % 257;
        x += 1;
    }
    table
}

const fn log() -> [u8; 256] {
    let exp = exp();
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        table[exp[x] as usize] = x as u8;
        x += 1;
    }
    table
}

const fn bias() -> [[u8; 16]; MAX_SUBKEYS] {
    let exp = exp();
    let mut table = [[0; 16]; MAX_SUBKEYS];
    let mut i = 2;
    while i <= MAX_SUBKEYS {
        let mut j = 1;
        while j <= 16 {
            let once = exp[(17 * i + j) % 256];
            table[i - 1][j - 1] = if i <= 17 { exp[once as usize] } else { once };
            j += 1;
        }
        i += 1;
    }
    table
}

/// Whether place j (from 0) is one where key bytes are XORed first and the exponential is taken: 1, 4, 5, 8, 9, 12, 13, 16 of the
/// designers' numbering. At the others key bytes are added first and the logarithm is taken.
pub(super) const fn is_x_place(j: usize) -> bool {
    matches!(j % 4, 0 | 3)
}

/// The "Armenian shuffle": new byte i is old byte SHUFFLE\[i\].
pub(super) const SHUFFLE: [usize; 16] = [8, 11, 12, 15, 2, 1, 6, 5, 10, 9, 14, 13, 0, 7, 4, 3];

/// The inverse of [`SHUFFLE`].
pub(super) const UNSHUFFLE: [usize; 16] = [12, 5, 4, 15, 14, 7, 6, 13, 0, 9, 8, 1, 2, 11, 10, 3];

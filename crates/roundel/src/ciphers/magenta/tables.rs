//! The S-box: f(x) = 2^x in GF(2^8) modulo x^8 + x^6 + x^5 + x^2 + 1, and f(255) = 0.

pub(super) static F: [u8; 256] = powers();

const fn powers() -> [u8; 256] {
    let mut table = [0; 256];
    let (mut x, mut power) = (0, 1u16);
    while x < 255 {
        table[x] = power as u8;
        power <<= 1;
        if power & 0x100 != 0 {
            power ^= 0x165;
        }
        x += 1;
    }
    table
}

/// The order in which the 8-byte pieces of the key (counted from 0) serve the rounds: a palindrome.
pub(super) fn piece_order(key_bytes: usize) -> &'static [usize] {
    match key_bytes {
        16 => &[0, 0, 1, 1, 0, 0],
        24 => &[0, 1, 2, 2, 1, 0],
        _ => &[0, 1, 2, 3, 3, 2, 1, 0],
    }
}

/// The round keys in order.
pub(super) fn round_keys(key: &[u8]) -> Vec<[u8; 8]> {
    let pieces = key.as_chunks().0;
    piece_order(key.len()).iter().map(|&piece| pieces[piece]).collect()
}

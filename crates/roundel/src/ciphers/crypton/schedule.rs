//! The key schedules of both versions, and the decryption keys.

use super::Version;
use super::layers::{State, gamma, phi, pi, sigma, tau};
use super::tables::{SBOXES_05, SBOXES_10};

/// K\[0\] to K\[12\].
pub(super) type RoundKeys = [State; 13];

/// The encryption round keys of a key of 16, 24 or 32 bytes: it is padded with zero bytes.
pub(super) fn encryption_keys<V: Version>(key: &[u8]) -> RoundKeys {
    let mut words = [0; 8];
    words.iter_mut().zip(key.as_chunks().0).for_each(|(to, word)| *to = u32::from_le_bytes(*word));
    V::expand(&words)
}

/// The decryption round keys: reversed, the inner ones moved through the linear layer of their round.
pub(super) fn decryption_keys<V: Version>(keys: &RoundKeys) -> RoundKeys {
    std::array::from_fn(|j| match j {
        0 | 12 => keys[12 - j],
        _ => phi(keys[12 - j], even_offset::<V>(12 - j)),
    })
}

/// The offset of a round's S-boxes and permutation.
pub(super) const fn even_offset<V: Version>(round: usize) -> usize {
    if round.is_multiple_of(2) { V::EVEN } else { 0 }
}

/// Each half's rows get the sum of the other half's.
fn combine(u: State, v: State) -> [u32; 8] {
    let sum = |state: State| state.into_iter().fold(0, |sum, row| sum ^ row);
    let (t0, t1) = (sum(u), sum(v));
    std::array::from_fn(|i| if i < 4 { u[i] ^ t1 } else { v[i - 4] ^ t0 })
}

/// Fractions of the square roots of 3, 5, 7, 11 and of 13, 17, 19, 23.
const P: State = [0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F];
const Q: State = [0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19, 0xCBBB_9D5D];

/// Version 0.5: how K\[r\] comes from K\[r - 2\], r = 2 to 12: whether the rows rotated are 0 and 2 (form A) or 1 and 3 (form B), by how much, and
/// the constant's byte for the other two.
const STEPS_05: [(bool, u32, u32, u32); 11] = [
    (true, 8, 16, 0x01),
    (false, 16, 24, 0x01),
    (false, 24, 8, 0x02),
    (true, 8, 16, 0x02),
    (true, 16, 24, 0x04),
    (false, 24, 8, 0x04),
    (false, 8, 16, 0x08),
    (true, 16, 24, 0x08),
    (true, 24, 8, 0x10),
    (false, 8, 16, 0x10),
    (false, 16, 24, 0x20),
];

pub(super) fn expand_05(w: &[u32; 8]) -> RoundKeys {
    let u = tau(gamma(sigma(pi([w[0], w[2], w[4], w[6]], 0), P), &SBOXES_05, 0));
    let v = tau(gamma(sigma(pi([w[1], w[3], w[5], w[7]], 1), Q), &SBOXES_05, 1));
    let e = combine(u, v);
    let mut keys = RoundKeys::default();
    keys.as_flattened_mut()[..8].copy_from_slice(&e);
    for (r, (form_a, a, b, constant)) in (2..).zip(STEPS_05) {
        let [x0, x1, x2, x3] = keys[r - 2];
        let c = constant * 0x0101_0101;
        keys[r] = if form_a {
            [x0.rotate_left(a), x1 ^ c, x2.rotate_left(b), x3 ^ c]
        } else {
            [x0 ^ c, x1.rotate_left(a), x2 ^ c, x3.rotate_left(b)]
        };
    }
    keys[12] = phi(keys[12], 1);
    keys
}

/// Version 1.0: the constants of the rows.
const MC: State = [0xACAC_ACAC, 0x5959_5959, 0xB2B2_B2B2, 0x6565_6565];

/// Every byte rotated by itself.
fn rotate_bytes(word: u32, by: u32) -> u32 {
    u32::from_le_bytes(word.to_le_bytes().map(|byte| byte.rotate_left(by)))
}

pub(super) fn expand_10(w: &[u32; 8]) -> RoundKeys {
    // Even-numbered key bytes make U, odd-numbered ones V; row i takes them from words 2i and 2i + 1.
    let pick = |i: usize, odd: usize| {
        let bytes = [w[2 * i].to_le_bytes(), w[2 * i + 1].to_le_bytes()];
        u32::from_le_bytes([bytes[0][odd], bytes[0][odd + 2], bytes[1][odd], bytes[1][odd + 2]])
    };
    let u = tau(pi(gamma(std::array::from_fn(|i| pick(i, 0)), &SBOXES_10, 0), 0));
    let v = tau(pi(gamma(std::array::from_fn(|i| pick(i, 1)), &SBOXES_10, 2), 2));
    let mut e = combine(u, v);
    let mut constant = 0xA54F_F53Au32;
    let mut keys: RoundKeys = std::array::from_fn(|r| {
        let (even, odd) = e.split_at_mut(4);
        let half = if r % 2 == 0 { even } else { odd };
        let key = std::array::from_fn(|i| half[i] ^ constant ^ MC[i]);
        let [a, b, c, d] = [half[0], half[1], half[2], half[3]];
        half.copy_from_slice(&if r % 2 == 0 {
            [b.rotate_left(24), c.rotate_left(16), rotate_bytes(d, 6), rotate_bytes(a, 6)]
        } else {
            [rotate_bytes(d, 2), rotate_bytes(a, 2), b.rotate_left(8), c.rotate_left(16)]
        });
        constant = constant.wrapping_add(0x3C6E_F372);
        key
    });
    keys[12] = phi(keys[12], 2);
    keys
}

//! MARS's S-box, generated at compile time by the designers' rule ("MARS: a candidate cipher for AES", appendix B): SHA-1 of a counter
//! and three constants, then a repair of nine words.

// 103 hashes and 65 thousand comparisons: more steps than the compiler lets pass silently, about a tenth of a second.
#![allow(long_running_const_eval)]

/// c1, c2 and c3 of the rule: the beginnings of e, pi and the value that the designers' search over c3 ended with.
const SEEDS: [u32; 3] = [0xB7E1_5162, 0x243F_6A88, 0x0291_7D59];

/// The S-box of 512 words: S0 is the first half, S1 the second.
pub(super) static S: [u32; 512] = repaired(repaired(hashed(), 0), 256);

/// S\[i..i+5\] is SHA-1(i, c1, c2, c3), all words little-endian, for i = 0, 5, 10, ...
const fn hashed() -> [u32; 512] {
    let mut s = [0; 512];
    let mut i = 0;
    while i < 512 {
        let digest = sha1([i as u32, SEEDS[0], SEEDS[1], SEEDS[2]]);
        let mut j = 0;
        while j < 5 && i + j < 512 {
            s[i + j] = digest[j];
            j += 1;
        }
        i += 5;
    }
    s
}

/// In the half that begins at `start`: a word that agrees with a later one in two or more bytes is multiplied by 3.
const fn repaired(mut s: [u32; 512], start: usize) -> [u32; 512] {
    let mut i = start;
    while i < start + 256 {
        let mut j = i + 1;
        while j < start + 256 {
            if equal_bytes(s[i], s[j]) >= 2 {
                s[i] = s[i].wrapping_mul(3);
                break;
            }
            j += 1;
        }
        i += 1;
    }
    s
}

const fn equal_bytes(a: u32, b: u32) -> u32 {
    let x = a ^ b;
    (x & 0xFF == 0) as u32
        + (x & 0xFF00 == 0) as u32
        + (x & 0x00FF_0000 == 0) as u32
        + (x & 0xFF00_0000 == 0) as u32
}

/// SHA-1 (FIPS 180-4, section 6.1) of 16 bytes, given and returned as little-endian words.
const fn sha1(message: [u32; 4]) -> [u32; 5] {
    let mut w = [0; 80];
    let mut t = 0;
    while t < 4 {
        w[t] = message[t].swap_bytes();
        t += 1;
    }
    w[4] = 0x8000_0000;
    w[15] = 128;
    t = 16;
    while t < 80 {
        w[t] = (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1);
        t += 1;
    }

    let h: [u32; 5] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    let [mut a, mut b, mut c, mut d, mut e] = h;
    t = 0;
    while t < 80 {
        let (f, k) = match t / 20 {
            0 => (b & c ^ !b & d, 0x5A82_7999),
            1 => (b ^ c ^ d, 0x6ED9_EBA1),
            2 => (b & c ^ b & d ^ c & d, 0x8F1B_BCDC_u32),
            _ => (b ^ c ^ d, 0xCA62_C1D6),
        };
        let sum = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(w[t]);
        (a, b, c, d, e) = (sum, a, b.rotate_left(30), c, d);
        t += 1;
    }
    [
        h[0].wrapping_add(a).swap_bytes(),
        h[1].wrapping_add(b).swap_bytes(),
        h[2].wrapping_add(c).swap_bytes(),
        h[3].wrapping_add(d).swap_bytes(),
        h[4].wrapping_add(e).swap_bytes(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of the published table, and the four words that repair multipliers (section 3.2 of the paper).
    #[test]
    fn words_of_the_published_table() {
        assert_eq!(S[..4], [0x09D0_C479, 0x28C8_FFE0, 0x84AA_6C39, 0x9DAD_7287]);
        assert_eq!(S[265..269], [0xA4A8_D57B, 0x5B5D_193B, 0xC8A8_309B, 0x73F9_A978]);
        assert_eq!(S[508..], [0xAB56_1187, 0x14EE_A0F0, 0xDF0D_4164, 0x19AF_70EE]);
    }

    /// The designers' conditions (appendix B): within each half no two words agree in two or more bytes; S holds neither 0 nor
    /// all ones, and no word's complement or negative.
    #[test]
    fn conditions_of_the_designers() {
        for half in S.chunks(256) {
            for (i, &a) in half.iter().enumerate() {
                assert!(half[..i].iter().all(|&b| equal_bytes(a, b) < 2), "{a:08X}");
            }
        }
        for &a in &S {
            assert!(a != 0 && a != u32::MAX);
            assert!(S.iter().all(|&b| b != !a && b != a.wrapping_neg()), "{a:08X}");
        }
    }
}

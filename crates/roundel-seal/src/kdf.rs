//! HKDF (RFC 5869) over HMAC. Cobblestone takes 16- and 32-byte pseudorandom keys under SHA-512, which the usual crates refuse as
//! shorter than the hash, so expansion is written out.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha512};
use zeroize::Zeroizing;

pub(crate) fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

fn hmac_sha512(key: &[u8], parts: &[&[u8]]) -> [u8; 64] {
    let mut mac = Hmac::<Sha512>::new_from_slice(key).expect("HMAC takes keys of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

/// HKDF-Expand-SHA-512: fills `out` (at most 255 * 64 bytes); `info` is given in parts.
pub(crate) fn expand_sha512(prk: &[u8], info: &[&[u8]], out: &mut [u8]) {
    assert!(out.len() <= 255 * 64, "HKDF gives at most 255 blocks");
    let mut previous = Zeroizing::new([0; 64]);
    for (index, piece) in out.chunks_mut(64).enumerate() {
        let before: &[u8] = if index == 0 { &[] } else { &previous[..] };
        let counter = [index as u8 + 1];
        let parts: Vec<&[u8]> = std::iter::once(before)
            .chain(info.iter().copied())
            .chain(std::iter::once(&counter[..]))
            .collect();
        *previous = hmac_sha512(prk, &parts);
        piece.copy_from_slice(&previous[..piece.len()]);
    }
}

/// HKDF-SHA-512 with an empty salt.
pub(crate) fn hkdf_sha512(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    let prk = Zeroizing::new(hmac_sha512(&[], &[key]));
    expand_sha512(&prk[..], info, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expansion over several blocks equals the `hkdf` formula T(n) = HMAC(prk, T(n-1) || info || n), and prefixes agree.
    #[test]
    fn expansion_chains_blocks() {
        let mut long = [0; 200];
        expand_sha512(b"prk", &[b"in", b"fo"], &mut long);
        let first = hmac_sha512(b"prk", &[b"info\x01"]);
        let second = hmac_sha512(b"prk", &[&first, b"info\x02"]);
        assert_eq!(long[..64], first);
        assert_eq!(long[64..128], second);
        let mut short = [0; 70];
        expand_sha512(b"prk", &[b"info"], &mut short);
        assert_eq!(short, long[..70]);
    }
}

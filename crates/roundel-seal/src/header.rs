//! The header: which suite, how long, and the file key wrapped for each recipient. In the style of age's (c2sp.org/age).
//!
//! ```text
//! roundel-seal/v1
//! suite Cobblestone-256
//! size 0000000000001234
//! -> X25519 CJM36AHmTbdHSuOQL+NESqyVQE75f2e610iRdLPEN20
//! C3ZAeY64NXS4QFrksLm3EGz+uPRyI0eQsWw7LWbbYig
//! --- gxhoSa5BciRDt8lOpYNcx4EYtKpS0CJ06F3ZwN82VaM jN3mdzMWkLDNyPW4
//! ```
//!
//! Parsing is strict: one text for one header. Before any key is tried, the checksum at the end tells damage from a wrong key; the
//! authenticator before it, under a key that only recipients have, tells a changed header from ours. `docs/FORMAT.md` has every byte.

use crate::suite::Suite;
use crate::{Error, Result, kdf};
use age_core::format::{FileKey, Stanza};
use age_core::secrecy::ExposeSecret;
use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD as BASE64;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The first line, without its line feed.
pub const VERSION: &str = "roundel-seal/v1";
/// A header is not longer than this: room for thousands of recipients.
pub const MAX_HEADER_BYTES: usize = 1 << 20;

const SIZE_DIGITS: usize = 16;
const UNKNOWN_SIZE: &str = "----------------";
const MAX_SUITE_LINE: usize = 6 + 64;
const MAX_STANZA_LINE: usize = 4096;
const BODY_COLUMNS: usize = 64;
const CHECK_BYTES: usize = 12;
/// `--- `, 43 characters of MAC, a space, 16 characters of checksum.
const LAST_LINE: usize = 4 + 43 + 1 + 16;
const SCRYPT: &str = "scrypt";

/// A parsed header, its authenticator not yet verified.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) suite_name: String,
    pub(crate) size: Option<u64>,
    pub(crate) stanzas: Vec<Stanza>,
    mac: [u8; 32],
    /// Whether the checksum matches.
    pub(crate) intact: bool,
    text: Vec<u8>,
}

/// Why bytes are not a header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// They may become one: the beginning of a header.
    Incomplete,
    /// The first line is another.
    NotSealed,
    /// This rule is broken.
    Damaged(&'static str),
}

impl Header {
    /// Parses the header at the beginning of `bytes`; what follows it is not looked at.
    pub(crate) fn parse(bytes: &[u8]) -> std::result::Result<Header, Fault> {
        let header = Header::parse_damaged(bytes)?;
        if header.intact { Ok(header) } else { Err(Fault::Damaged("its checksum does not match")) }
    }

    /// The same for a rescue: the checksum need not match, and [`intact`](Header::intact) says whether it does.
    pub(crate) fn parse_damaged(bytes: &[u8]) -> std::result::Result<Header, Fault> {
        let seen = bytes.len().min(VERSION.len() + 1);
        if bytes[..seen] != [VERSION.as_bytes(), b"\n"].concat()[..seen] {
            return Err(Fault::NotSealed);
        }
        let mut lines = Lines { rest: bytes };
        lines.next(VERSION.len())?;
        let suite_name = value(lines.next(MAX_SUITE_LINE)?, "suite ")?.to_owned();
        let size = parse_size(value(lines.next(5 + SIZE_DIGITS)?, "size ")?)?;
        let mut stanzas = Vec::new();
        let last = loop {
            let limit = if lines.rest.starts_with(b"---") { LAST_LINE } else { MAX_STANZA_LINE };
            let line = lines.next(limit)?;
            if line.starts_with("---") {
                break line;
            }
            stanzas.push(parse_stanza(line, &mut lines)?);
        };
        check_stanzas(&stanzas)?;
        let text = &bytes[..bytes.len() - lines.rest.len()];
        let (mac, intact) = parse_last_line(last, text)?;
        Ok(Header { suite_name, size, stanzas, mac, intact, text: text.to_vec() })
    }

    /// Bytes of the header: where the payload begins.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Whether the header was made by somebody who has this file key.
    pub(crate) fn authentic(&self, file_key: &FileKey) -> bool {
        let covered = &self.text[..self.text.len() - (LAST_LINE + 1) + 3];
        header_mac(file_key, covered).ct_eq(&self.mac).into()
    }

    /// Whether a passphrase opens it.
    pub(crate) fn takes_passphrase(&self) -> bool {
        self.stanzas.iter().any(|stanza| stanza.tag == SCRYPT)
    }
}

/// The text of a header. Its length does not depend on `size`, so that one can be replaced by another in place.
pub(crate) fn render(
    suite: &Suite,
    size: Option<u64>,
    stanzas: &[Stanza],
    file_key: &FileKey,
) -> Result<Vec<u8>> {
    let size = size.map_or_else(|| UNKNOWN_SIZE.to_owned(), |size| format!("{size:0SIZE_DIGITS$}"));
    let mut text = format!("{VERSION}\nsuite {}\nsize {size}\n", suite.name());
    for stanza in stanzas {
        text.push_str("-> ");
        text.push_str(&stanza.tag);
        for arg in &stanza.args {
            text.push(' ');
            text.push_str(arg);
        }
        text.push('\n');
        let mut body = BASE64.encode(&stanza.body);
        while body.len() >= BODY_COLUMNS {
            let rest = body.split_off(BODY_COLUMNS);
            text.push_str(&body);
            text.push('\n');
            body = rest;
        }
        text.push_str(&body);
        text.push('\n');
    }
    text.push_str("---");
    let mac = header_mac(file_key, text.as_bytes());
    text.push(' ');
    text.push_str(&BASE64.encode(mac));
    text.push(' ');
    text.push_str(&BASE64.encode(&Sha256::digest(text.as_bytes())[..CHECK_BYTES]));
    text.push('\n');
    match Header::parse(text.as_bytes()) {
        Ok(_) => Ok(text.into_bytes()),
        Err(Fault::Damaged(rule)) => {
            Err(Error::Key(format!("these recipients make no valid header: {rule}")))
        }
        Err(_) => unreachable!("the text begins with the version and ends with the last line"),
    }
}

/// Keyed as age keys its header MAC, with our own label: HMAC-SHA-256 under HKDF-SHA-512 of the file key.
fn header_mac(file_key: &FileKey, text: &[u8]) -> [u8; 32] {
    let mut key = Zeroizing::new([0; 32]);
    kdf::hkdf_sha512(file_key.expose_secret(), &[VERSION.as_bytes(), b" header"], &mut key[..]);
    kdf::hmac_sha256(&key[..], &[text])
}

/// Splits off lines.
struct Lines<'t> {
    rest: &'t [u8],
}

impl<'t> Lines<'t> {
    /// The next line of at most `limit` printable ASCII characters, without its line feed.
    fn next(&mut self, limit: usize) -> std::result::Result<&'t str, Fault> {
        let window = &self.rest[..self.rest.len().min(limit + 1)];
        let end = window.iter().position(|&byte| byte == b'\n');
        let line = &window[..end.unwrap_or(window.len())];
        if !line.iter().all(|byte| (0x20..0x7F).contains(byte)) {
            return Err(Fault::Damaged("it holds a byte that is not printable ASCII"));
        }
        if line.len() > limit {
            return Err(Fault::Damaged("a line is too long"));
        }
        let Some(end) = end else { return Err(Fault::Incomplete) };
        self.rest = &self.rest[end + 1..];
        Ok(std::str::from_utf8(line).expect("ASCII is UTF-8"))
    }
}

fn value<'l>(line: &'l str, name: &str) -> std::result::Result<&'l str, Fault> {
    match line.strip_prefix(name) {
        Some(value) if !value.is_empty() && !value.contains(' ') => Ok(value),
        _ => Err(Fault::Damaged("the suite or size line is malformed")),
    }
}

fn parse_size(digits: &str) -> std::result::Result<Option<u64>, Fault> {
    if digits == UNKNOWN_SIZE {
        return Ok(None);
    }
    if digits.len() != SIZE_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Damaged("the size is not 16 digits"));
    }
    let size = digits.parse().map_err(|_| Fault::Damaged("the size is not a number"))?;
    if size > crate::payload::MAX_TEXT_BYTES {
        return Err(Fault::Damaged("the size exceeds 4 PiB"));
    }
    Ok(Some(size))
}

/// A stanza from its first line on: `-> type args...`, then base64 at 64 columns, of which the last line is shorter.
fn parse_stanza(first: &str, lines: &mut Lines<'_>) -> std::result::Result<Stanza, Fault> {
    let malformed = Fault::Damaged("a stanza is malformed");
    let Some(words) = first.strip_prefix("-> ") else { return Err(malformed) };
    let mut words = words.split(' ').map(str::to_owned);
    let tag = words.next().unwrap_or_default();
    let args: Vec<String> = words.collect();
    if tag.is_empty() || args.iter().any(String::is_empty) {
        return Err(malformed);
    }
    let mut body = String::new();
    loop {
        let line = lines.next(BODY_COLUMNS)?;
        body.push_str(line);
        if line.len() < BODY_COLUMNS {
            break;
        }
    }
    let body = BASE64.decode(body).map_err(|_| Fault::Damaged("a stanza's body is not canonical base64"))?;
    Ok(Stanza { tag, args, body })
}

/// age's rules: at least one stanza, and a passphrase stanza stands alone.
fn check_stanzas(stanzas: &[Stanza]) -> std::result::Result<(), Fault> {
    if stanzas.is_empty() {
        return Err(Fault::Damaged("it has no stanza"));
    }
    if stanzas.len() > 1 && stanzas.iter().any(|stanza| stanza.tag == SCRYPT) {
        return Err(Fault::Damaged("a passphrase stanza is not alone"));
    }
    Ok(())
}

/// `--- MAC CHECKSUM`: the MAC, and whether the checksum is that of everything before it.
fn parse_last_line(line: &str, text: &[u8]) -> std::result::Result<([u8; 32], bool), Fault> {
    let malformed = Fault::Damaged("the last line is malformed");
    if text.len() > MAX_HEADER_BYTES {
        return Err(Fault::Damaged("it is longer than 1 MiB"));
    }
    let Some((mac, check)) = line.strip_prefix("--- ").and_then(|rest| rest.split_once(' ')) else {
        return Err(malformed);
    };
    let (Ok(mac), Ok(check)) = (BASE64.decode(mac), BASE64.decode(check)) else { return Err(malformed) };
    let (Ok(mac), Ok(check)) = (<[u8; 32]>::try_from(mac), <[u8; CHECK_BYTES]>::try_from(check)) else {
        return Err(malformed);
    };
    let covered = &text[..text.len() - 1 - CHECK_BYTES / 3 * 4];
    Ok((mac, Sha256::digest(covered)[..CHECK_BYTES] == check))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file_key() -> FileKey {
        FileKey::new(Box::new([7; 16]))
    }

    fn stanza(tag: &str, args: &[&str], body: usize) -> Stanza {
        Stanza {
            tag: tag.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            body: vec![0xA5; body],
        }
    }

    fn sample() -> Vec<u8> {
        let stanzas =
            [stanza("X25519", &["abc"], 32), stanza("~-grease", &[], 0), stanza("long", &["1", "2"], 96)];
        render(&Suite::default(), Some(1234), &stanzas, &file_key()).unwrap()
    }

    #[test]
    fn round_trip() {
        let text = sample();
        let header = Header::parse(&[&text[..], b"payload"].concat()).unwrap();
        assert_eq!(header.bytes(), text.len());
        assert_eq!((header.suite_name.as_str(), header.size), ("Cobblestone-256", Some(1234)));
        assert_eq!(header.stanzas[1].tag, "~-grease");
        assert_eq!(header.stanzas[2].body, [0xA5; 96]);
        assert!(header.authentic(&file_key()));
        assert!(!header.authentic(&FileKey::new(Box::new([8; 16]))));
    }

    #[test]
    fn the_size_does_not_move_the_payload() {
        let stanzas = [stanza("X25519", &["abc"], 32)];
        let lengths = [None, Some(0), Some(crate::payload::MAX_TEXT_BYTES)]
            .map(|size| render(&Suite::default(), size, &stanzas, &file_key()).unwrap().len());
        assert!(lengths.iter().all(|&len| len == lengths[0]));
    }

    #[test]
    fn every_bit_flip_is_damage_and_every_prefix_is_incomplete() {
        let text = sample();
        let file = [&text[..], &[0x81; 100]].concat();
        for bit in 0..8 * text.len() {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let fault = Header::parse(&flipped).unwrap_err();
            assert_ne!(fault, Fault::Incomplete, "bit {bit}");
        }
        for len in 0..text.len() {
            assert_eq!(Header::parse(&text[..len]).unwrap_err(), Fault::Incomplete, "length {len}");
        }
    }

    #[test]
    fn rules_are_kept() {
        let refused = |stanzas: &[Stanza]| {
            assert!(matches!(render(&Suite::default(), None, stanzas, &file_key()), Err(Error::Key(_))));
        };
        refused(&[]);
        refused(&[stanza("scrypt", &["a", "18"], 32), stanza("X25519", &["abc"], 32)]);
        refused(&[stanza("", &[], 32)]);
        refused(&[stanza("a", &["b c", ""], 32)]);
        refused(&[stanza("a\n", &[], 32)]);
        let many: Vec<_> = (0..12_000).map(|_| stanza("X25519", &["abc"], 64)).collect();
        refused(&many);
    }

    proptest! {
        #[test]
        fn any_bytes_parse_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = Header::parse(&bytes);
            let _ = Header::parse(&[VERSION.as_bytes(), b"\n", &bytes].concat());
        }

        #[test]
        fn any_stanza_survives(tag in "[!-~]{1,20}", args in proptest::collection::vec("[!-~]{1,20}", 0..4), body in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assume!(tag != SCRYPT);
            let stanza = Stanza { tag, args, body };
            let text = render(&Suite::default(), None, std::slice::from_ref(&stanza), &file_key()).unwrap();
            let header = Header::parse(&text).unwrap();
            prop_assert_eq!(&header.stanzas[0], &stanza);
            prop_assert!(header.authentic(&file_key()));
        }
    }
}

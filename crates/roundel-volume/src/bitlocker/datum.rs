//! Datums: the typed, nested entries of the metadata and of BEK files.

use crate::fields::{array, u16_at};
use std::fmt;
use zeroize::Zeroizing;

/// Length of a datum's head: size, role, type and flags, 16 bits each.
const HEAD_BYTES: usize = 8;

/// Types that this reader knows.
pub(super) mod kind {
    pub(crate) const KEY: u16 = 1;
    pub(crate) const TEXT: u16 = 2;
    pub(crate) const STRETCH_KEY: u16 = 3;
    pub(crate) const WRAPPED: u16 = 5;
    pub(crate) const VMK: u16 = 8;
    pub(crate) const EXTERNAL_KEY: u16 = 9;
    pub(crate) const RELOCATION: u16 = 15;
}

/// Roles of the outer datums that this reader knows.
pub(super) mod role {
    pub(crate) const VMK: u16 = 2;
    pub(crate) const FVEK: u16 = 3;
    pub(crate) const EXTERNAL_KEY: u16 = 6;
    pub(crate) const DESCRIPTION: u16 = 7;
    pub(crate) const RELOCATION: u16 = 15;
}

/// One entry. Flags are not judged: values beyond the documented ones appear.
#[derive(Clone, Copy)]
pub(super) struct Datum<'a> {
    pub(super) role: u16,
    pub(super) kind: u16,
    pub(super) body: &'a [u8],
}

/// The datums that fill `bytes`, or none if their sizes do not.
pub(super) fn datums(mut bytes: &[u8]) -> Option<Vec<Datum<'_>>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let (datum, rest) = split(bytes)?;
        found.push(datum);
        bytes = rest;
    }
    Some(found)
}

fn split(bytes: &[u8]) -> Option<(Datum<'_>, &[u8])> {
    let size = usize::from(u16_at(bytes, 0)?);
    let (datum, rest) = bytes.split_at_checked(size)?;
    Some((Datum { role: u16_at(datum, 2)?, kind: u16_at(datum, 4)?, body: datum.get(HEAD_BYTES..)? }, rest))
}

/// The first datum of `bytes` alone.
pub(super) fn first(bytes: &[u8]) -> Option<Datum<'_>> {
    split(bytes).map(|(datum, _)| datum)
}

impl Datum<'_> {
    /// The datums behind `fields` bytes of the body.
    pub(super) fn nested(&self, fields: usize) -> Option<Vec<Datum<'_>>> {
        datums(self.body.get(fields..)?)
    }

    /// UTF-16 up to its terminator.
    pub(super) fn text(&self) -> String {
        let units = self.body.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        char::decode_utf16(units.take_while(|unit| *unit != 0))
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
}

/// A key with the number of the method it is for (type 1).
pub(super) struct Key {
    pub(super) method: u16,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

impl Key {
    pub(super) fn parse(datum: &Datum<'_>) -> Option<Key> {
        let method = u16_at(datum.body, 0)?;
        let bytes = datum.body.get(4..)?.to_vec();
        (datum.kind == kind::KEY).then_some(Key { method, bytes: bytes.into() })
    }

    /// A key of 32 bytes.
    pub(super) fn of_32(&self) -> Option<Zeroizing<[u8; 32]>> {
        self.bytes.as_slice().try_into().ok().map(Zeroizing::new)
    }
}

/// Something sealed with AES-256-CCM (type 5).
#[derive(Clone, Debug)]
pub(super) struct Wrapped {
    pub(super) nonce: [u8; 12],
    pub(super) tag: [u8; 16],
    pub(super) sealed: Vec<u8>,
}

impl Wrapped {
    pub(super) fn parse(datum: &Datum<'_>) -> Option<Wrapped> {
        let (nonce, tag) = (array(datum.body, 0)?, array(datum.body, 12)?);
        let sealed = datum.body.get(28..)?.to_vec();
        (datum.kind == kind::WRAPPED).then_some(Wrapped { nonce, tag, sealed })
    }
}

/// A GUID as Microsoft stores it: the first three fields little-endian.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Guid(pub(crate) [u8; 16]);

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for index in [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15] {
            if matches!(index, 5 | 7 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{:02x}", self.0[index])?;
        }
        Ok(())
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

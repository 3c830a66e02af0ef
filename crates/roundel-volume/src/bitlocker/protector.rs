//! Protectors: each holds the volume's master key (VMK), sealed under a key of its own.

use super::datum::{Datum, Guid, Key, Wrapped, kind};
use crate::fields::{array, u16_at, u64_at};
use std::fmt;
use zeroize::Zeroizing;

/// Length of the fields before a VMK datum's nested datums.
const FIELDS_BYTES: usize = 28;

/// One way to open a volume.
#[derive(Clone)]
pub struct Protector {
    /// Its identifier; a BEK file names it.
    pub guid: Guid,
    /// What opens it.
    pub kind: ProtectorKind,
    /// When it was changed: 100 ns since 1601.
    pub changed: u64,
    /// Its name, if it has one.
    pub name: Option<String>,
    pub(super) salt: Option<[u8; 16]>,
    pub(super) clear_key: Option<Zeroizing<[u8; 32]>>,
    /// Exactly one on every volume seen.
    pub(super) wrapped: Vec<Wrapped>,
}

/// What opens a protector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectorKind {
    /// A key that lies beside it: protection is suspended.
    ClearKey,
    /// The computer's TPM, alone or with a PIN or a startup key.
    Tpm,
    /// A BEK file.
    ExternalKey,
    /// Eight groups of digits.
    RecoveryPassword,
    /// A smart card or another holder of a certificate.
    SmartCard,
    /// A password.
    Password,
    /// A number that is not known.
    Unknown(u16),
}

impl ProtectorKind {
    fn from_number(number: u16) -> ProtectorKind {
        match number {
            0x0000 => ProtectorKind::ClearKey,
            0x0100 | 0x0400 | 0x0500 => ProtectorKind::Tpm,
            0x0200 => ProtectorKind::ExternalKey,
            0x0800 => ProtectorKind::RecoveryPassword,
            0x1000 => ProtectorKind::SmartCard,
            0x2000 => ProtectorKind::Password,
            other => ProtectorKind::Unknown(other),
        }
    }
}

impl fmt::Display for ProtectorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProtectorKind::ClearKey => "clear key",
            ProtectorKind::Tpm => "TPM",
            ProtectorKind::ExternalKey => "external key (BEK file)",
            ProtectorKind::RecoveryPassword => "recovery password",
            ProtectorKind::SmartCard => "smart card",
            ProtectorKind::Password => "password",
            ProtectorKind::Unknown(number) => return write!(f, "unknown kind {number:#06x}"),
        })
    }
}

impl Protector {
    /// From a VMK datum. Nested datums are gone by by type: their order varies, and unknown ones appear.
    pub(super) fn parse(datum: &Datum<'_>) -> Option<Protector> {
        let kind = ProtectorKind::from_number(u16_at(datum.body, 26)?);
        let nested = datum.nested(FIELDS_BYTES)?;
        let of = |kind| nested.iter().find(move |datum| datum.kind == kind);
        let clear_key = match of(kind::KEY).filter(|_| kind == ProtectorKind::ClearKey) {
            Some(datum) => Some(Key::parse(datum)?.of_32()?),
            None => None,
        };
        let wrapped = nested.iter().filter(|datum| datum.kind == kind::WRAPPED);
        Some(Protector {
            guid: Guid(array(datum.body, 0)?),
            kind,
            changed: u64_at(datum.body, 16)?,
            name: of(kind::TEXT).map(Datum::text).filter(|name| !name.is_empty()),
            // Method and flags come before the salt.
            salt: of(kind::STRETCH_KEY).and_then(|datum| array(datum.body, 4)),
            clear_key,
            wrapped: wrapped.map(Wrapped::parse).collect::<Option<_>>()?,
        })
    }
}

impl fmt::Debug for Protector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.guid)
    }
}

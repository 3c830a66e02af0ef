//! What users know or have, and the keys that come of it.

use super::datum::{self, Guid, Key, kind, role};
use super::protector::ProtectorKind;
use crate::Error;
use crate::fields::{array, u32_at};
use sha2::{Digest, Sha256};
use std::str::FromStr;
use zeroize::{Zeroize, Zeroizing};

/// A 256-bit key that unwraps something.
pub(super) type Key256 = Zeroizing<[u8; 32]>;

/// SHA-256 rounds between a password and its key.
const STRETCH_ROUNDS: u64 = 1 << 20;

/// What opens a protector.
pub enum Secret {
    /// A password, as typed.
    Password(Zeroizing<String>),
    /// A recovery password.
    Recovery(RecoveryPassword),
    /// A BEK file's key.
    External(ExternalKey),
    /// The key that lies in the metadata of a suspended volume.
    ClearKey,
}

impl Secret {
    /// The kind of protector that it opens.
    pub fn kind(&self) -> ProtectorKind {
        match self {
            Secret::Password(_) => ProtectorKind::Password,
            Secret::Recovery(_) => ProtectorKind::RecoveryPassword,
            Secret::External(_) => ProtectorKind::ExternalKey,
            Secret::ClearKey => ProtectorKind::ClearKey,
        }
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Secret::Password(_) => "password",
            Secret::Recovery(_) => "recovery password",
            Secret::External(_) => "BEK file",
            Secret::ClearKey => "clear key",
        }
    }
}

/// A recovery password: eight groups of six digits, each a multiple of 11, that hold 16 bytes.
pub struct RecoveryPassword(Zeroizing<[u8; 16]>);

impl FromStr for RecoveryPassword {
    type Err = Error;

    /// Reads groups with dashes or blanks between them. A wrong group is named.
    fn from_str(text: &str) -> Result<RecoveryPassword, Error> {
        let malformed = |sentence: String| Err(Error::RecoveryPassword(sentence));
        let groups: Vec<_> =
            text.split(|c: char| c == '-' || c.is_whitespace()).filter(|group| !group.is_empty()).collect();
        if groups.len() != 8 {
            return malformed(format!("it has {} groups of digits instead of 8", groups.len()));
        }
        let mut bytes = Zeroizing::new([0; 16]);
        for (index, group) in groups.iter().enumerate() {
            let number = index + 1;
            if group.len() != 6 || !group.bytes().all(|digit| digit.is_ascii_digit()) {
                return malformed(format!("group {number} is not six digits"));
            }
            let value: u32 = group.parse().unwrap_or(u32::MAX);
            let Some(word) = u16::try_from(value / 11).ok().filter(|_| value.is_multiple_of(11)) else {
                return malformed(format!("a digit of group {number} is wrong"));
            };
            bytes[2 * index..2 * index + 2].copy_from_slice(&word.to_le_bytes());
        }
        Ok(RecoveryPassword(bytes))
    }
}

/// The key of a BEK file, and the protector that it is for.
pub struct ExternalKey {
    pub(super) guid: Guid,
    pub(super) key: Key256,
}

impl ExternalKey {
    /// Longer files are given by mistake.
    pub const MAX_BYTES: usize = 64 << 10;

    /// From the contents of a BEK file. Windows 11 puts more datums into it than earlier versions: they are skipped.
    pub fn parse(file: &[u8]) -> Result<ExternalKey, Error> {
        let size = u32_at(file, 0).map_or(0, |size| size as usize);
        if u32_at(file, 8) != Some(48) || u32_at(file, 12) != u32_at(file, 0) {
            return Err(Error::BekFile("it does not begin like one"));
        }
        let datums = file.get(48..size).and_then(datum::datums);
        let datums = datums.ok_or(Error::BekFile("it is cut short or damaged"))?;
        let external = datums
            .iter()
            .find(|datum| datum.kind == kind::EXTERNAL_KEY && matches!(datum.role, role::EXTERNAL_KEY | 0));
        let external = external.ok_or(Error::BekFile("it holds no external key"))?;
        let key = external.nested(24).and_then(|nested| {
            let key = nested.iter().find(|datum| datum.kind == kind::KEY)?;
            Key::parse(key)?.of_32()
        });
        let guid = array(external.body, 0).map(Guid);
        let (Some(guid), Some(key)) = (guid, key) else {
            return Err(Error::BekFile("its external key is malformed"));
        };
        Ok(ExternalKey { guid, key })
    }

    /// The identifier of the protector that it opens.
    pub fn guid(&self) -> Guid {
        self.guid
    }
}

/// The hash of a password that is stretched: SHA-256 twice over its UTF-16.
pub(super) fn password_hash(password: &str) -> Key256 {
    let mut hash = Sha256::new();
    for unit in password.encode_utf16() {
        hash.update(unit.to_le_bytes());
    }
    let once = Zeroizing::new(<[u8; 32]>::from(hash.finalize()));
    Zeroizing::new(Sha256::digest(*once).into())
}

/// The hash of a recovery password that is stretched: SHA-256 once over its 16 bytes.
pub(super) fn recovery_hash(password: &RecoveryPassword) -> Key256 {
    Zeroizing::new(Sha256::digest(*password.0).into())
}

/// The chain that makes trying passwords slow: 2^20 times SHA-256 over the last result, the hash, the salt and a counter.
pub(super) fn stretch(initial: &Key256, salt: &[u8; 16]) -> Key256 {
    let mut record = [0; 88];
    record[32..64].copy_from_slice(&**initial);
    record[64..80].copy_from_slice(salt);
    for count in 0..STRETCH_ROUNDS {
        record[80..].copy_from_slice(&count.to_le_bytes());
        let last: [u8; 32] = Sha256::digest(record).into();
        record[..32].copy_from_slice(&last);
    }
    let key = Zeroizing::new(array(&record, 0).expect("the record is longer than a key"));
    record.zeroize();
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    const RECOVERY: &str = "241065-028050-370568-020504-143000-534369-119416-014190";

    /// From the project's research: two secrets with all values on the way to their keys, checked with a volume that other programs open too.
    #[test]
    fn known_keys() {
        let password = password_hash("rm3xgrw8suMLsq");
        assert_eq!(hex(&*password), "0fba63bddec4256278260aa5bf5345ad838da05674dd449889f17b84fb963cc5");
        let salt = 0x2b66b6f2d40b11b2cd991aa60fbb6e32u128.to_be_bytes();
        let key = "ea81e030f7b3a5940ba56d86b3140aa190afecc31c3ac5f703557fe2455b69bd";
        assert_eq!(hex(&*stretch(&password, &salt)), key);

        let recovery: RecoveryPassword = RECOVERY.parse().unwrap();
        assert_eq!(hex(&*recovery.0), "9b55f60998834807c832c3bd682a0a05");
        let hash = recovery_hash(&recovery);
        assert_eq!(hex(&*hash), "9fdd2b1422830d8cc8d5c006a2e4e52dc83cf506be2a8757bfc2c2504f8fd792");
        let salt = 0xae3f1423e03c3317fcfe5dce9bb01334u128.to_be_bytes();
        let key = "5094026a8dbf64a53642912680f06e8d6bf8db2602aa7115ef4509c34d94fdab";
        assert_eq!(hex(&*stretch(&hash, &salt)), key);
    }

    /// Characters beyond U+FFFF are two units: not what a conversion by cutting would give.
    #[test]
    fn passwords_are_utf16() {
        let mut units = vec![0xD83D, 0xDC18, 0x00E4];
        let bytes: Vec<u8> = units.drain(..).flat_map(u16::to_le_bytes).collect();
        let expected: [u8; 32] = Sha256::digest(Sha256::digest(bytes)).into();
        assert_eq!(*password_hash("🐘ä"), expected);
    }

    #[test]
    fn malformed_recovery_passwords() {
        let says = |text: &str| match text.parse::<RecoveryPassword>() {
            Err(Error::RecoveryPassword(sentence)) => sentence,
            Err(other) => other.to_string(),
            Ok(_) => "fine".to_owned(),
        };
        assert_eq!(says(RECOVERY), "fine");
        assert_eq!(says(&RECOVERY.replace('-', " ")), "fine");
        assert_eq!(says(&RECOVERY[..48]), "it has 7 groups of digits instead of 8");
        assert_eq!(says(&RECOVERY.replace("370568", "370569")), "a digit of group 3 is wrong");
        assert_eq!(says(&RECOVERY.replace("534369", "720896")), "a digit of group 6 is wrong");
        assert_eq!(says(&RECOVERY.replace("119416", "11941x")), "group 7 is not six digits");
        assert_eq!(says(&RECOVERY.replace("014190", "14190")), "group 8 is not six digits");
        assert_eq!(says(""), "it has 0 groups of digits instead of 8");
    }
}

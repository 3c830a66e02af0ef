//! What is timed: the operations and the names under which results carry them.

use serde::{Deserialize, Serialize};

/// One timed operation. Serialised under the names of [`name`](Operation::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// `memcpy` of the message to another buffer: the limit.
    Copy,
    /// The key schedule that encryption needs, the kernel made and dropped.
    KeyEncrypt,
    /// The same, and then the schedule that decryption needs.
    KeyBoth,
    /// ECB encryption.
    EcbEncrypt,
    /// ECB decryption.
    EcbDecrypt,
    /// CBC encryption of one stream.
    CbcEncrypt,
    /// CBC decryption.
    CbcDecrypt,
    /// CTR with a 128-bit big-endian counter; both directions are the same.
    Ctr,
    /// GCM encryption with a 12-byte nonce and no additional data, tag made.
    GcmEncrypt,
    /// GCM decryption, tag computed and compared.
    GcmDecrypt,
    /// XTS encryption, the message one data unit.
    XtsEncrypt,
    /// XTS decryption, the message one data unit.
    XtsDecrypt,
    /// XTS encryption in data units of 512 bytes.
    SectorsEncrypt,
    /// XTS decryption in data units of 512 bytes.
    SectorsDecrypt,
    /// A whole CTR message under a key never seen before: key schedule and message.
    FreshCtr,
    /// A whole GCM message under a key never seen before.
    FreshGcm,
}

/// What filters take: operations that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Key schedules.
    Key,
    /// ECB both ways.
    Ecb,
    /// CBC both ways.
    Cbc,
    /// CTR.
    Ctr,
    /// GCM both ways.
    Gcm,
    /// XTS both ways, one data unit.
    Xts,
    /// XTS both ways, 512-byte data units.
    Sectors,
    /// Messages under fresh keys.
    Fresh,
}

impl Mode {
    /// All, in the order of reports.
    pub const ALL: [Mode; 8] =
        [Mode::Key, Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Gcm, Mode::Xts, Mode::Sectors, Mode::Fresh];

    /// The name that `--mode` takes.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Key => "key",
            Mode::Ecb => "ecb",
            Mode::Cbc => "cbc",
            Mode::Ctr => "ctr",
            Mode::Gcm => "gcm",
            Mode::Xts => "xts",
            Mode::Sectors => "sectors",
            Mode::Fresh => "fresh",
        }
    }

    /// Its operations.
    pub fn operations(self) -> &'static [Operation] {
        use Operation as O;
        match self {
            Mode::Key => &[O::KeyEncrypt, O::KeyBoth],
            Mode::Ecb => &[O::EcbEncrypt, O::EcbDecrypt],
            Mode::Cbc => &[O::CbcEncrypt, O::CbcDecrypt],
            Mode::Ctr => &[O::Ctr],
            Mode::Gcm => &[O::GcmEncrypt, O::GcmDecrypt],
            Mode::Xts => &[O::XtsEncrypt, O::XtsDecrypt],
            Mode::Sectors => &[O::SectorsEncrypt, O::SectorsDecrypt],
            Mode::Fresh => &[O::FreshCtr, O::FreshGcm],
        }
    }
}

impl Operation {
    /// Its name in results and tables.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Copy => "copy",
            Operation::KeyEncrypt => "key-encrypt",
            Operation::KeyBoth => "key-both",
            Operation::EcbEncrypt => "ecb-encrypt",
            Operation::EcbDecrypt => "ecb-decrypt",
            Operation::CbcEncrypt => "cbc-encrypt",
            Operation::CbcDecrypt => "cbc-decrypt",
            Operation::Ctr => "ctr",
            Operation::GcmEncrypt => "gcm-encrypt",
            Operation::GcmDecrypt => "gcm-decrypt",
            Operation::XtsEncrypt => "xts-encrypt",
            Operation::XtsDecrypt => "xts-decrypt",
            Operation::SectorsEncrypt => "sectors-encrypt",
            Operation::SectorsDecrypt => "sectors-decrypt",
            Operation::FreshCtr => "fresh-ctr",
            Operation::FreshGcm => "fresh-gcm",
        }
    }

    /// Whether it is defined for ciphers of this block length.
    pub fn defined_for(self, block_bytes: usize) -> bool {
        use Operation as O;
        let only_128 = [
            O::GcmEncrypt,
            O::GcmDecrypt,
            O::XtsEncrypt,
            O::XtsDecrypt,
            O::SectorsEncrypt,
            O::SectorsDecrypt,
            O::FreshGcm,
        ];
        block_bytes == 16 || !only_128.contains(&self)
    }

    /// Whether the time does not depend on a message.
    pub fn is_key_schedule(self) -> bool {
        matches!(self, Operation::KeyEncrypt | Operation::KeyBoth)
    }

    /// Whether every call takes a key that was not used before.
    pub fn is_fresh_key(self) -> bool {
        matches!(self, Operation::FreshCtr | Operation::FreshGcm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_serialised_form_and_every_operation_has_one_mode() {
        let mut seen = vec![Operation::Copy];
        for operation in Mode::ALL.into_iter().flat_map(Mode::operations).copied() {
            assert_eq!(serde_json::to_string(&operation).unwrap(), format!("\"{}\"", operation.name()));
            assert!(!seen.contains(&operation));
            seen.push(operation);
        }
        assert_eq!(seen.len(), Operation::FreshGcm as usize + 1);
    }
}

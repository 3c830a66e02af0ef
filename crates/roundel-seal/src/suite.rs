//! Suites: which block cipher carries the payload, and by what name files call it.

use crate::payload::CHUNK_BYTES;
use crate::{Error, Result};
use roundel::plan::{Constraints, Mode, Request, plan};
use roundel::{CIPHERS, Choice, Cipher, Policy, Standing};

/// A block cipher and key length in GCM, with the name by which headers call it.
///
/// Two are specified outside (C2SP chunked-encryption with HKDF-Expand-SHA-512): `Cobblestone-256`, the default, and `Cobblestone-128`. All
/// others are ours: `roundel-SERPENT-256-GCM` is the same construction over the registry's `serpent` under 256 bits.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    cipher: &'static Cipher,
    key_bytes: usize,
}

impl PartialEq for Suite {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.cipher, other.cipher) && self.key_bytes == other.key_bytes
    }
}

impl Eq for Suite {}

impl Default for Suite {
    fn default() -> Self {
        Suite::COBBLESTONE_256
    }
}

impl Suite {
    /// AES-256-GCM: `Cobblestone-256`.
    pub const COBBLESTONE_256: Suite = Suite { cipher: &roundel::ciphers::rijndael::CIPHER, key_bytes: 32 };
    /// AES-128-GCM: `Cobblestone-128`.
    pub const COBBLESTONE_128: Suite = Suite { cipher: &roundel::ciphers::rijndael::CIPHER, key_bytes: 16 };

    /// The suite of a cipher under a key of this many bits. The block must have 128 bits, the key at least as many.
    pub fn of(cipher: &'static Cipher, key_bits: usize) -> Result<Suite> {
        let key_bytes = key_bits / 8;
        if cipher.block_bytes != 16 {
            return Err(roundel::Error::BlockSize { mode: "GCM", block_bytes: cipher.block_bytes }.into());
        }
        if !key_bits.is_multiple_of(8) || key_bytes < 16 || !cipher.keys.accepts(key_bytes) {
            let takes = cipher.keys.describe();
            return Err(roundel::Error::KeyLength { cipher: cipher.name, bytes: key_bytes, takes }.into());
        }
        Ok(Suite { cipher, key_bytes })
    }

    /// The suite of this name, spelt exactly as [`name`](Suite::name) gives it.
    pub fn from_name(name: &str) -> Result<Suite> {
        let unknown = || Error::UnknownSuite(name.to_owned());
        let suite = match name {
            "Cobblestone-256" => Suite::COBBLESTONE_256,
            "Cobblestone-128" => Suite::COBBLESTONE_128,
            _ => {
                let inner = name.strip_prefix("roundel-").and_then(|rest| rest.strip_suffix("-GCM"));
                let (cipher, bits) = inner.and_then(|inner| inner.rsplit_once('-')).ok_or_else(unknown)?;
                let bits = bits.parse().map_err(|_| unknown())?;
                let cipher = CIPHERS.iter().find(|known| known.name.to_ascii_uppercase() == cipher);
                Suite::of(cipher.ok_or_else(unknown)?, bits).map_err(|_| unknown())?
            }
        };
        if suite.name() == name { Ok(suite) } else { Err(unknown()) }
    }

    /// The name in the header.
    pub fn name(&self) -> String {
        match self.standard() {
            Some((name, _)) => name.to_owned(),
            None => self.private_name(),
        }
    }

    /// The name of the AEAD that goes into the key derivation: IANA's where there is one, else the suite's.
    pub(crate) fn aead(&self) -> String {
        match self.standard() {
            Some((_, aead)) => aead.to_owned(),
            None => self.private_name(),
        }
    }

    fn standard(&self) -> Option<(&'static str, &'static str)> {
        if *self == Suite::COBBLESTONE_256 {
            Some(("Cobblestone-256", "AEAD_AES_256_GCM"))
        } else if *self == Suite::COBBLESTONE_128 {
            Some(("Cobblestone-128", "AEAD_AES_128_GCM"))
        } else {
            None
        }
    }

    fn private_name(&self) -> String {
        format!("roundel-{}-{}-GCM", self.cipher.name.to_ascii_uppercase(), 8 * self.key_bytes)
    }

    /// The block cipher.
    pub fn cipher(&self) -> &'static Cipher {
        self.cipher
    }

    /// Length of the key in bytes: of a bare key, and of the key that is derived from a file key.
    pub fn key_bytes(&self) -> usize {
        self.key_bytes
    }

    /// Refuses ciphers that are not known to be sound.
    pub(crate) fn must_be_sound(&self) -> Result<()> {
        match self.cipher.standing {
            Standing::Sound => Ok(()),
            Standing::Unreviewed(reason) | Standing::Broken(reason) => {
                Err(Error::Unsound { cipher: self.cipher.name, reason })
            }
        }
    }

    /// The strategy that is planned for chunks under a kept key.
    pub(crate) fn choice(&self, policy: Policy) -> Result<Choice> {
        Ok(plan(&self.request(Mode::Gcm, CHUNK_BYTES as u64, policy, 1))?.choice)
    }

    /// As many of these threads as pay for a text of this length; all of them where nothing is known of the cipher's cost.
    pub(crate) fn threads(&self, text_bytes: u64, policy: Policy, most: usize) -> usize {
        match plan(&self.request(Mode::Seal, text_bytes, policy, most)) {
            Ok(plan) if plan.predicted_ns.is_some() => plan.threads,
            _ => most,
        }
    }

    fn request(&self, mode: Mode, bytes: u64, policy: Policy, cores: usize) -> Request {
        let cores = cores.min(usize::from(u16::MAX)) as u16;
        let constraints = Constraints { policy, cores, ..Constraints::default() };
        Request::kept_key(self.cipher, self.key_bytes, mode, bytes, constraints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_are_unique() {
        let mut names = std::collections::HashSet::new();
        for cipher in CIPHERS.iter().filter(|cipher| cipher.block_bytes == 16) {
            for bits in cipher.keys.standard.iter().map(|bytes| 8 * bytes).filter(|&bits| bits >= 128) {
                let suite = Suite::of(cipher, bits).unwrap();
                assert_eq!(Suite::from_name(&suite.name()).unwrap(), suite);
                assert!(names.insert(suite.name()));
            }
        }
        assert!(names.contains("Cobblestone-256") && names.contains("roundel-RIJNDAEL-192-GCM"));
    }

    #[test]
    fn one_name_for_one_suite() {
        for name in [
            "",
            "cobblestone-256",
            "roundel-RIJNDAEL-256-GCM",
            "roundel-RIJNDAEL-0192-GCM",
            "roundel-RIJNDAEL-+192-GCM",
            "roundel-rijndael-192-GCM",
            "roundel-AES-192-GCM",
            "roundel-RIJNDAEL-BLOCK256-256-GCM",
            "roundel-RIJNDAEL-64-GCM",
            "roundel-GCM",
            "roundel--GCM",
        ] {
            assert!(matches!(Suite::from_name(name), Err(Error::UnknownSuite(_))), "{name}");
        }
    }
}

//! From a secret over the master key (VMK) to the key of the sectors (FVEK).

use super::datum::{self, Key, Wrapped};
use super::metadata::{Metadata, Method, Validation};
use super::protector::{Protector, ProtectorKind};
use super::secret::{Key256, Secret, password_hash, recovery_hash, stretch};
use crate::{Error, Result};
use roundel::modes::Ccm;
use roundel::modes::sector::{SectorCipher, SectorMode};
use roundel::{Choice, Policy};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

const TAG_BYTES: usize = 16;

/// What keys are for, as their datums say.
mod purpose {
    pub(super) const VMK: u16 = 0x2003;
    pub(super) const SHA256: u16 = 0x2005;
}

/// The preferred AES whose timing does not depend on keys.
fn aes() -> Result<Choice> {
    Ok(roundel::cipher("aes")?.best(Policy::ConstantTime)?)
}

fn damaged(what: &str) -> Error {
    Error::Damaged(what.to_owned())
}

impl Wrapped {
    /// What is sealed: a key with its purpose. None if `key` is not the right one.
    fn open(&self, key: &Key256) -> Result<Option<Key>> {
        let ccm = Ccm::new(aes()?.kernel(&**key)?, TAG_BYTES)?;
        let mut plain = Zeroizing::new(self.sealed.clone());
        match ccm.decrypt(&self.nonce, &[], &mut plain, &self.tag) {
            Err(roundel::Error::Authentication) => return Ok(None),
            other => other?,
        }
        let malformed = || damaged("a sealed key is malformed");
        let whole = datum::datums(&plain).filter(|datums| datums.len() == 1).ok_or_else(malformed)?;
        Key::parse(&whole[0]).map(Some).ok_or_else(malformed)
    }
}

/// The master key, by the first protector that the secret opens.
pub(super) fn master_key(metadata: &Metadata, secret: &Secret) -> Result<Key256> {
    let kind = secret.kind();
    let candidates: Vec<_> = metadata.protectors.iter().filter(|protector| protector.kind == kind).collect();
    if candidates.is_empty() {
        return Err(Error::NoProtector { wanted: wanted(secret), there: there(metadata) });
    }
    let initial = match secret {
        Secret::Password(password) => Some(password_hash(password)),
        Secret::Recovery(password) => Some(recovery_hash(password)),
        Secret::External(_) | Secret::ClearKey => None,
    };
    for protector in candidates {
        let Some(key) = protector_key(protector, secret, initial.as_ref()) else { continue };
        for wrapped in &protector.wrapped {
            if let Some(vmk) = wrapped.open(&key)? {
                let bytes = vmk.of_32().filter(|_| vmk.method == purpose::VMK);
                return bytes.ok_or_else(|| damaged("the master key is malformed"));
            }
        }
    }
    Err(match secret {
        Secret::ClearKey => damaged("its clear key does not open the master key"),
        _ => Error::WrongSecret(secret.name()),
    })
}

/// The key that should open this protector.
fn protector_key(protector: &Protector, secret: &Secret, initial: Option<&Key256>) -> Option<Key256> {
    match secret {
        Secret::Password(_) | Secret::Recovery(_) => Some(stretch(initial?, &protector.salt?)),
        Secret::External(external) => (external.guid == protector.guid).then(|| external.key.clone()),
        Secret::ClearKey => protector.clear_key.clone(),
    }
}

fn wanted(secret: &Secret) -> &'static str {
    match secret {
        Secret::Password(_) => "a password",
        Secret::Recovery(_) => "a recovery password",
        Secret::External(_) => "a BEK file",
        Secret::ClearKey => "a clear key",
    }
}

fn there(metadata: &Metadata) -> String {
    match kinds(metadata) {
        kinds if kinds.is_empty() => "it has none at all".to_owned(),
        kinds => format!("it opens by {kinds}"),
    }
}

/// The kinds of protectors that are there, each once.
pub(super) fn kinds(metadata: &Metadata) -> String {
    let mut kinds: Vec<ProtectorKind> = Vec::new();
    for protector in &metadata.protectors {
        if !kinds.contains(&protector.kind) {
            kinds.push(protector.kind);
        }
    }
    kinds.iter().map(ProtectorKind::to_string).collect::<Vec<_>>().join(", ")
}

/// Whether the metadata is what was written by one who had the master key; on a decrypted volume, by Windows' word only.
pub(super) fn is_authentic(metadata: &Metadata, vmk: Option<&Key256>) -> Result<bool> {
    let written = match (&metadata.validation, vmk) {
        (Validation::Plain(digest), None) => *digest,
        (Validation::Wrapped(wrapped), Some(vmk)) => match wrapped.open(vmk)? {
            Some(key) if key.method == purpose::SHA256 => {
                *key.of_32().ok_or_else(|| damaged("its sealed hash is malformed"))?
            }
            _ => return Ok(false),
        },
        _ => return Ok(false),
    };
    Ok(written.ct_eq(&metadata.digest).into())
}

/// The cipher of the sectors.
pub(super) fn sector_cipher(metadata: &Metadata, vmk: &Key256) -> Result<SectorCipher> {
    let wrapped = metadata.fvek.as_ref().ok_or_else(|| damaged("the key of the sectors is missing"))?;
    let not_opened = || damaged("the master key does not open the key of the sectors");
    let fvek = wrapped.open(vmk)?.ok_or_else(not_opened)?;
    if fvek.method != metadata.method.0 {
        return Err(damaged("the key of the sectors is for another method"));
    }
    let (mode, key) = mode_and_key(metadata.method, &fvek.bytes)
        .ok_or_else(|| damaged("the key of the sectors has a wrong length"))?;
    Ok(SectorCipher::new(aes()?, mode, &key, metadata.sector_bytes as usize)?)
}

/// The mode, and its keys one after the other.
fn mode_and_key(method: Method, fvek: &[u8]) -> Option<(SectorMode, Zeroizing<Vec<u8>>)> {
    let (mode, bytes) = match method.0 {
        0x8000 | 0x8001 => (SectorMode::BITLOCKER, 64),
        0x8002 => (SectorMode::Cbc, 16),
        0x8003 => (SectorMode::Cbc, 32),
        0x8004 => (SectorMode::Xts, 32),
        0x8005 => (SectorMode::Xts, 64),
        _ => return None,
    };
    let key = match method.0 {
        // Room for two keys of 256 bits, of which AES-128 uses the first half of each; the rest may hold anything.
        0x8000 if fvek.len() == bytes => [&fvek[..16], &fvek[32..48]].concat(),
        _ => fvek.to_vec(),
    };
    (fvek.len() == bytes).then_some((mode, key.into()))
}

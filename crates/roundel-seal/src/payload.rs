//! The payload: C2SP's chunked-encryption construction (c2sp.org/chunked-encryption, called Cobblestone) over GCM with any 128-bit block cipher.
//!
//! `salt (24) || commitment (32) || chunk 0 || chunk 1 || ...`, where each chunk is up to 16 KiB of text and a 16-byte tag, and the last chunk,
//! and only the last, has less than 16 KiB of text. Nothing here reads or writes: the callers do.

use crate::suite::Suite;
use crate::{Error, Result, kdf};
use roundel::modes::{Gcm, TAG_BYTES};
use roundel::{Choice, Policy};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Text bytes of every chunk but the last.
pub const CHUNK_BYTES: usize = 16 * 1024;
/// Bytes of every sealed chunk but the last.
pub const SEALED_CHUNK_BYTES: usize = CHUNK_BYTES + TAG_BYTES;
/// Salt and commitment before the first chunk.
pub const START_BYTES: usize = SALT_BYTES + COMMITMENT_BYTES;
/// One message holds at most 2^38 chunks, of which the last is short.
pub const MAX_TEXT_BYTES: u64 = (1 << 52) - 1;

pub(crate) const SALT_BYTES: usize = 24;
const COMMITMENT_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;

/// Bytes of the sealed chunks of a text, without [`START_BYTES`].
pub(crate) fn chunks_bytes(text_bytes: u64) -> u64 {
    text_bytes + TAG_BYTES as u64 * (text_bytes / CHUNK_BYTES as u64 + 1)
}

/// The text's length from that of its sealed chunks; none when no text has chunks of this length, because the end is missing.
pub(crate) fn text_bytes(chunks_bytes: u64) -> Option<u64> {
    let whole = chunks_bytes / SEALED_CHUNK_BYTES as u64;
    let last = chunks_bytes % SEALED_CHUNK_BYTES as u64;
    let last_text = last.checked_sub(TAG_BYTES as u64)?;
    Some(whole * CHUNK_BYTES as u64 + last_text)
}

/// What the construction is keyed with: a uniformly random key of the suite's length and the application's context.
pub(crate) struct InputKey {
    pub(crate) suite: Suite,
    pub(crate) key: Zeroizing<Vec<u8>>,
    pub(crate) context: Vec<u8>,
}

/// A keyed message: seals and opens chunks by their number.
pub(crate) struct Payload {
    gcm: Gcm,
    base_nonce: [u8; NONCE_BYTES],
    strategy: &'static str,
}

impl Payload {
    /// Keys a new message. Gives its first bytes, salt and commitment, too.
    pub(crate) fn seal(
        input: &InputKey,
        salt: [u8; SALT_BYTES],
        policy: Policy,
    ) -> Result<(Payload, [u8; START_BYTES])> {
        let (payload, commitment) = Payload::derive(input, &salt, policy)?;
        let mut start = [0; START_BYTES];
        start[..SALT_BYTES].copy_from_slice(&salt);
        start[SALT_BYTES..].copy_from_slice(&commitment);
        Ok((payload, start))
    }

    /// Keys an existing message from its first bytes; none if they do not commit to this key and context.
    pub(crate) fn open(
        input: &InputKey,
        start: &[u8; START_BYTES],
        policy: Policy,
    ) -> Result<Option<Payload>> {
        let (salt, claimed) = start.split_first_chunk().expect("START_BYTES has room for the salt");
        let (payload, commitment) = Payload::derive(input, salt, policy)?;
        Ok(bool::from(commitment.ct_eq(claimed)).then_some(payload))
    }

    fn derive(
        input: &InputKey,
        salt: &[u8; SALT_BYTES],
        policy: Policy,
    ) -> Result<(Payload, [u8; COMMITMENT_BYTES])> {
        let InputKey { suite, key, context } = input;
        if key.len() != suite.key_bytes() {
            return Err(Error::Key(format!(
                "{} takes a key of {} bytes, not {}",
                suite.name(),
                suite.key_bytes(),
                key.len()
            )));
        }
        let aead = suite.aead();
        let info: [&[u8]; 5] = [b"c2sp.org/chunked-encryption@v1+", aead.as_bytes(), b"\0", salt, context];
        let mut derived = Zeroizing::new(vec![0; suite.key_bytes() + NONCE_BYTES + COMMITMENT_BYTES]);
        kdf::expand_sha512(key, &info, &mut derived);
        let (message_key, rest) = derived.split_at(suite.key_bytes());
        let (nonce, commitment) = rest.split_first_chunk().expect("made long enough for the nonce");
        let choice: Choice = suite.choice(policy)?;
        let payload = Payload {
            gcm: Gcm::new(choice.kernel(message_key)?)?,
            base_nonce: *nonce,
            strategy: choice.strategy.name,
        };
        Ok((payload, commitment.try_into().expect("what is left is the commitment")))
    }

    /// The strategy that runs the cipher.
    pub(crate) fn strategy(&self) -> &'static str {
        self.strategy
    }

    /// Seals a chunk in place: the last 16 bytes of `chunk` get the tag over those before.
    pub(crate) fn seal_chunk(&self, index: u64, chunk: &mut [u8]) {
        let (text, tag) = chunk.split_last_chunk_mut().expect("callers leave room for the tag");
        *tag = self.gcm.encrypt(&self.nonce(index), &[], text).expect("16 KiB under 12 bytes of nonce");
    }

    /// Opens a sealed chunk in place: text, then the tag. On failure the text is zeros.
    pub(crate) fn open_chunk(&self, index: u64, chunk: &mut [u8]) -> bool {
        match chunk.split_last_chunk_mut() {
            Some((text, tag)) => self.gcm.decrypt(&self.nonce(index), &[], text, tag).is_ok(),
            None => false,
        }
    }

    /// Base nonce XOR the chunk's number, big-endian.
    fn nonce(&self, index: u64) -> [u8; NONCE_BYTES] {
        let mut nonce = self.base_nonce;
        for (byte, count) in nonce[NONCE_BYTES - 8..].iter_mut().zip(index.to_be_bytes()) {
            *byte ^= count;
        }
        nonce
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_round_trip_and_others_are_refused() {
        let chunk = CHUNK_BYTES as u64;
        for text in [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk - 1, 3 * chunk, MAX_TEXT_BYTES] {
            assert_eq!(text_bytes(chunks_bytes(text)), Some(text));
        }
        for whole in 0..4u64 {
            for rest in 0..16 {
                assert_eq!(text_bytes(whole * SEALED_CHUNK_BYTES as u64 + rest), None);
            }
        }
    }
}

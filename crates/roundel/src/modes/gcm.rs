//! Galois/counter mode (SP 800-38D): authenticated encryption over any cipher with a 128-bit block.

use super::{Ghash, OnRun, ctr, wipe_block};
use crate::simd::block_from_halves;
use crate::{Error, Kernel};
use std::ops::Deref;
use std::sync::OnceLock;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

/// Length of the tag in bytes.
pub const TAG_BYTES: usize = 16;

/// The longest text under one nonce: 2^32 - 2 blocks (SP 800-38D, 5.2.1.1).
const MAX_TEXT_BYTES: u64 = ((1 << 32) - 2) * 16;

/// GCM with a key: a kernel, owned or borrowed, and the hash key.
pub struct Gcm<K = Box<dyn Kernel>> {
    kernel: K,
    ghash: Ghash,
    /// The same hash with what long texts need: made by the first of them.
    long: OnceLock<Ghash>,
}

impl<K: Deref<Target: Kernel>> Gcm<K> {
    /// GCM over a keyed kernel with a 128-bit block.
    #[inline]
    pub fn new(kernel: K) -> Result<Self, Error> {
        if kernel.block_bytes() != 16 {
            return Err(Error::BlockSize { mode: "GCM", block_bytes: kernel.block_bytes() });
        }
        let mut h = [0; 16];
        kernel.encrypt(&mut h);
        let ghash = Ghash::new(&h);
        wipe_block(&mut h);
        Ok(Gcm { kernel, ghash, long: OnceLock::new() })
    }

    /// Encrypts `data` in place and returns the tag over it and `aad`. A nonce must not be used twice under one key; 12 bytes is
    /// the length to choose, others (not empty) are for interoperability.
    pub fn encrypt(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG_BYTES], Error> {
        let mut message = GcmMessage::start(self, nonce, aad)?;
        message.encrypt(data)?;
        Ok(message.tag())
    }

    /// Checks the tag over `data` and `aad` and decrypts `data` in place. If the tag is wrong, `data` is overwritten with zeros:
    /// nothing unauthenticated is released.
    pub fn decrypt(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8; TAG_BYTES],
    ) -> Result<(), Error> {
        let mut message = GcmMessage::start(self, nonce, aad)?;
        message.decrypt(data)?;
        message.check(tag, data)
    }

    /// [`encrypt`](Gcm::encrypt) that reads at `from` and writes at `to`.
    ///
    /// # Panics
    /// If the two are not of one length.
    pub fn encrypt_into(
        &self,
        nonce: &[u8],
        aad: &[u8],
        from: &[u8],
        to: &mut [u8],
    ) -> Result<[u8; TAG_BYTES], Error> {
        let mut message = GcmMessage::start(self, nonce, aad)?;
        message.encrypt_into(from, to)?;
        Ok(message.tag())
    }

    /// [`decrypt`](Gcm::decrypt) that reads at `from` and writes at `to`, which is zeros if the tag is wrong.
    ///
    /// # Panics
    /// If the two are not of one length.
    pub fn decrypt_into(
        &self,
        nonce: &[u8],
        aad: &[u8],
        from: &[u8],
        to: &mut [u8],
        tag: &[u8; TAG_BYTES],
    ) -> Result<(), Error> {
        let mut message = GcmMessage::start(self, nonce, aad)?;
        message.decrypt_into(from, to)?;
        message.check(tag, to)
    }
}

/// One message under a [`Gcm`] key, in pieces: whole blocks but for the last.
///
/// Decrypting in pieces hands out plaintext before the tag is checked: keep it from everybody until [`tag`](GcmMessage::tag) was
/// compared (in constant time).
pub struct GcmMessage<'k, K = Box<dyn Kernel>> {
    gcm: &'k Gcm<K>,
    ghash: Ghash,
    counter: [u8; 16],
    tag_mask: [u8; 16],
    /// The nonce was hashed, so that the counter depends on the hash key: fused loops, which look at their counter, are not for it.
    secret_counter: bool,
    aad_bytes: u64,
    text_bytes: u64,
}

impl<'k, K: Deref<Target: Kernel>> GcmMessage<'k, K> {
    /// Starts a message: the nonce is not empty, the additional data is complete.
    pub fn new(gcm: &'k Gcm<K>, nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        Self::start(gcm, nonce, aad)
    }

    /// [`new`](GcmMessage::new), inlined into the whole messages of [`Gcm`]: moving the value costs as much as a block.
    #[inline(always)]
    fn start(gcm: &'k Gcm<K>, nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        let mut ghash = gcm.ghash.clone();
        let [low, high] = first_counter(&mut ghash, nonce)?;
        ghash.update(aad);
        let mut tag_mask = block_from_halves(low, high);
        gcm.kernel.encrypt(&mut tag_mask);
        let counter = block_from_halves(low, next32(high));
        Ok(GcmMessage {
            gcm,
            ghash,
            counter,
            tag_mask,
            secret_counter: nonce.len() != 12,
            aad_bytes: aad.len() as u64,
            text_bytes: 0,
        })
    }

    /// Encrypts the next piece in place.
    #[inline]
    pub fn encrypt(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.start_piece(data.len())?;
        let kernel = &*self.gcm.kernel;
        match self.secret_counter {
            false => kernel.gcm_encrypt(&mut self.ghash, &mut self.counter, data),
            true => encrypt_generic(&|run| kernel.encrypt(run), &mut self.ghash, &mut self.counter, data),
        }
        Ok(())
    }

    /// Decrypts the next piece in place, before anything is known about the tag.
    #[inline]
    pub fn decrypt(&mut self, data: &mut [u8]) -> Result<(), Error> {
        self.start_piece(data.len())?;
        let kernel = &*self.gcm.kernel;
        match self.secret_counter {
            false => kernel.gcm_decrypt(&mut self.ghash, &mut self.counter, data),
            true => decrypt_generic(&|run| kernel.encrypt(run), &mut self.ghash, &mut self.counter, data),
        }
        Ok(())
    }

    /// [`encrypt`](GcmMessage::encrypt) that reads at `from` and writes at `to`.
    ///
    /// # Panics
    /// If the two are not of one length.
    pub fn encrypt_into(&mut self, from: &[u8], to: &mut [u8]) -> Result<(), Error> {
        if self.secret_counter {
            to.copy_from_slice(from);
            return self.encrypt(to);
        }
        self.start_piece(from.len())?;
        self.gcm.kernel.gcm_encrypt_into(&mut self.ghash, &mut self.counter, from, to);
        Ok(())
    }

    /// [`decrypt`](GcmMessage::decrypt) that reads at `from` and writes at `to`.
    ///
    /// # Panics
    /// If the two are not of one length.
    pub fn decrypt_into(&mut self, from: &[u8], to: &mut [u8]) -> Result<(), Error> {
        if self.secret_counter {
            to.copy_from_slice(from);
            return self.decrypt(to);
        }
        self.start_piece(from.len())?;
        self.gcm.kernel.gcm_decrypt_into(&mut self.ghash, &mut self.counter, from, to);
        Ok(())
    }

    #[inline]
    fn start_piece(&mut self, bytes: usize) -> Result<(), Error> {
        if !self.text_bytes.is_multiple_of(16) {
            return Err(Error::DataLength {
                mode: "GCM",
                requires: "whole blocks before the last piece",
                got: bytes,
            });
        }
        self.text_bytes += bytes as u64;
        if self.text_bytes > MAX_TEXT_BYTES {
            return Err(Error::DataLength {
                mode: "GCM",
                requires: "at most 2^36 - 32 bytes under one nonce",
                got: bytes,
            });
        }
        if bytes >= Ghash::LONG_BYTES {
            let gcm = self.gcm;
            self.ghash.share_table(gcm.long.get_or_init(|| gcm.ghash.with_table()));
        }
        Ok(())
    }

    /// Whether the tag of the complete message is `tag`; if not, its text is overwritten with zeros.
    #[inline(always)]
    fn check(self, tag: &[u8; TAG_BYTES], text: &mut [u8]) -> Result<(), Error> {
        if bool::from(self.tag().ct_eq(tag)) {
            Ok(())
        } else {
            text.zeroize();
            Err(Error::Authentication)
        }
    }

    /// The tag of the complete message.
    #[inline]
    pub fn tag(mut self) -> [u8; TAG_BYTES] {
        self.ghash.update_lengths(self.aad_bytes, self.text_bytes);
        (u128::from_ne_bytes(self.ghash.value()) ^ u128::from_ne_bytes(self.tag_mask)).to_ne_bytes()
    }
}

/// J0 of SP 800-38D, 7.1: nonce || 1 for 12 bytes, else the hash of the nonce. As two little-endian halves.
#[inline(always)]
fn first_counter(ghash: &mut Ghash, nonce: &[u8]) -> Result<[u64; 2], Error> {
    if let Ok(nonce) = nonce.try_into() {
        return Ok(nonce_counter(nonce));
    }
    if nonce.is_empty() {
        return Err(Error::IvLength { mode: "GCM", takes: 12, got: 0 });
    }
    ghash.update(nonce);
    ghash.update_lengths(0, nonce.len() as u64);
    let counter = u128::from_le_bytes(ghash.value());
    ghash.reset();
    Ok([counter as u64, (counter >> 64) as u64])
}

/// J0 for a nonce of 12 bytes, as two little-endian halves.
#[inline(always)]
pub(super) fn nonce_counter(nonce: &[u8; 12]) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *nonce;
    [u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::from(u32::from_le_bytes([i, j, k, l])) | 1 << 56]
}

/// Adds one to the last 32 bits of a counter block, given its high half.
#[inline(always)]
pub(super) fn next32(high: u64) -> u64 {
    let count = ((high >> 32) as u32).swap_bytes().wrapping_add(1);
    high & u64::from(u32::MAX) | u64::from(count.swap_bytes()) << 32
}

/// Pieces of this size are read by the cipher and then, from the cache, by the hash.
const PIECE_BYTES: usize = 16 * 1024;

pub(crate) fn encrypt_generic(
    encrypt: OnRun<'_>,
    ghash: &mut Ghash,
    counter: &mut [u8; 16],
    data: &mut [u8],
) {
    for piece in data.chunks_mut(PIECE_BYTES) {
        ctr::xor32_generic(encrypt, counter, piece);
        ghash.update(piece);
    }
}

pub(crate) fn decrypt_generic(
    encrypt: OnRun<'_>,
    ghash: &mut Ghash,
    counter: &mut [u8; 16],
    data: &mut [u8],
) {
    for piece in data.chunks_mut(PIECE_BYTES) {
        ghash.update(piece);
        ctr::xor32_generic(encrypt, counter, piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cipher;

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
    }

    const KEY: &str = "feffe9928665731c6d6a8f9467308308";
    const AAD: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
    const PLAIN: &str = concat!(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72",
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
    );

    /// Test cases 4 to 6 of McGrew and Viega's specification: nonces of 12, 8 and 60 bytes, with every strategy; then a bit of each input flipped.
    #[test]
    fn published_messages() {
        let cases = [
            (
                "cafebabefacedbaddecaf888",
                concat!(
                    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e",
                    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
                ),
                "5bc94fbc3221a5db94fae95ae7121a47",
            ),
            (
                "cafebabefacedbad",
                concat!(
                    "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423",
                    "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
                ),
                "3612d2e79e3b0785561be14aaca2fccb",
            ),
            (
                concat!(
                    "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728",
                    "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
                ),
                concat!(
                    "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7",
                    "01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
                ),
                "619cc5aefffe0bfa462af43c1699d050",
            ),
        ];
        for choice in cipher("aes").unwrap().choices().filter(|choice| choice.strategy.available()) {
            let gcm = Gcm::new(choice.kernel(&hex(KEY)).unwrap()).unwrap();
            for (nonce, ciphertext, tag) in cases {
                let (nonce, aad, mut data) = (hex(nonce), hex(AAD), hex(PLAIN));
                let name = choice.strategy.name;
                let made = gcm.encrypt(&nonce, &aad, &mut data).unwrap();
                assert_eq!((data.clone(), made.to_vec()), (hex(ciphertext), hex(tag)), "{name}");

                for flip in 0..4 {
                    let mut inputs = [nonce.clone(), aad.clone(), data.clone(), made.to_vec()];
                    inputs[flip][5] ^= 0x10;
                    let [nonce, aad, mut data, tag] = inputs;
                    assert_eq!(
                        gcm.decrypt(&nonce, &aad, &mut data, &tag.try_into().unwrap()),
                        Err(Error::Authentication),
                        "{name}"
                    );
                    assert!(
                        data.iter().all(|byte| *byte == 0),
                        "{name}: nothing unauthenticated is released"
                    );
                }
                gcm.decrypt(&nonce, &aad, &mut data, &made).unwrap();
                assert_eq!(data, hex(PLAIN), "{name}");
            }
        }
    }

    /// The count wraps at 32 bits and leaves the rest of the block alone.
    #[test]
    fn counters_wrap_at_32_bits() {
        let high = |bytes: [u8; 8]| u64::from_le_bytes(bytes);
        assert_eq!(next32(high([1, 2, 3, 4, 0, 0, 1, 0xFF])), high([1, 2, 3, 4, 0, 0, 2, 0]));
        assert_eq!(next32(high([1, 2, 3, 4, 0xFF, 0xFF, 0xFF, 0xFF])), high([1, 2, 3, 4, 0, 0, 0, 0]));
    }
}

//! Counter with CBC-MAC (SP 800-38C, RFC 3610): authenticated encryption over any cipher with a 128-bit block.
//!
//! The tag is a CBC-MAC over lengths, nonce, additional data and text, masked with the first block of the key stream; the text is CTR
//! from the second. Both lengths go in first, so a message is given whole.

use super::{RUN_BYTES, wipe, wipe_block, xor_in_place};
use crate::{Error, Kernel};
use subtle::ConstantTimeEq;

const BLOCK: usize = 16;

/// CCM with a key: owns its kernel.
pub struct Ccm {
    kernel: Box<dyn Kernel>,
    tag_bytes: usize,
}

impl Ccm {
    /// CCM over a keyed kernel with a 128-bit block, with tags of 4, 6, 8, 10, 12, 14 or 16 bytes.
    pub fn new(kernel: Box<dyn Kernel>, tag_bytes: usize) -> Result<Self, Error> {
        if kernel.block_bytes() != BLOCK {
            return Err(Error::BlockSize { mode: "CCM", block_bytes: kernel.block_bytes() });
        }
        if !(4..=16).contains(&tag_bytes) || !tag_bytes.is_multiple_of(2) {
            let requires = "a tag of 4, 6, 8, 10, 12, 14 or 16 bytes";
            return Err(Error::DataLength { mode: "CCM", requires, got: tag_bytes });
        }
        Ok(Ccm { kernel, tag_bytes })
    }

    /// Encrypts `data` in place and returns the tag over it and `aad`. The nonce has 7 to 13 bytes and must not be used twice under one
    /// key; what it leaves of 15 bytes counts the text's bytes, so a nonce of 13 allows 64 KiB, one of 12 allows 16 MiB.
    pub fn encrypt(&self, nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Result<Vec<u8>, Error> {
        let mut tag = self.mac(nonce, aad, data)?;
        let mut counter = first_counter(nonce);
        self.kernel.ctr_xor(&mut counter, &mut tag);
        self.kernel.ctr_xor(&mut counter, data);
        Ok(tag[..self.tag_bytes].to_vec())
    }

    /// Decrypts `data` in place and checks the tag over it and `aad`. If the tag is wrong, `data` is overwritten with zeros: nothing
    /// unauthenticated is released.
    pub fn decrypt(&self, nonce: &[u8], aad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        check_lengths(nonce, data.len())?;
        let mut counter = first_counter(nonce);
        let mut mask = [0; BLOCK];
        self.kernel.ctr_xor(&mut counter, &mut mask);
        self.kernel.ctr_xor(&mut counter, data);
        let mut expected = self.mac(nonce, aad, data)?;
        xor_in_place(&mut expected, &mask);
        if bool::from(expected[..self.tag_bytes].ct_eq(tag)) {
            return Ok(());
        }
        wipe(data);
        wipe_block(&mut expected);
        Err(Error::Authentication)
    }

    /// The CBC-MAC before it is masked (SP 800-38C, 6.1, steps 1 to 4).
    fn mac(&self, nonce: &[u8], aad: &[u8], data: &[u8]) -> Result<[u8; BLOCK], Error> {
        check_lengths(nonce, data.len())?;
        let mut chain = self.first_block(nonce, aad, data.len());
        self.kernel.encrypt(&mut chain);
        if !aad.is_empty() {
            let length = encoded_length(aad.len() as u64);
            let (head, tail) = aad.split_at(aad.len().min(BLOCK - length.len()));
            self.absorb(&mut chain, &[&length, head].concat());
            self.absorb(&mut chain, tail);
        }
        self.absorb(&mut chain, data);
        Ok(chain)
    }

    /// B_0 (SP 800-38C, A.2.1): flags, nonce, length of the text.
    fn first_block(&self, nonce: &[u8], aad: &[u8], text_bytes: usize) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        let length_bytes = BLOCK - 1 - nonce.len();
        let has_aad = u8::from(!aad.is_empty());
        block[0] = has_aad << 6 | (((self.tag_bytes - 2) / 2) as u8) << 3 | (length_bytes - 1) as u8;
        block[1..1 + nonce.len()].copy_from_slice(nonce);
        let length = (text_bytes as u64).to_be_bytes();
        let kept = length_bytes.min(8);
        block[BLOCK - kept..].copy_from_slice(&length[8 - kept..]);
        block
    }

    /// Takes bytes, padded with zeros to whole blocks, into the chain: CBC encryption of which only the last block is kept.
    fn absorb(&self, chain: &mut [u8; BLOCK], bytes: &[u8]) {
        let mut run = [0; RUN_BYTES];
        for part in bytes.chunks(RUN_BYTES) {
            let whole = part.len().next_multiple_of(BLOCK);
            run[..part.len()].copy_from_slice(part);
            run[part.len()..whole].fill(0);
            self.kernel.cbc_encrypt(chain, &mut run[..whole]);
        }
        wipe(&mut run);
    }
}

/// The nonce has 7 to 13 bytes, and the text's length fits into the rest of 15.
fn check_lengths(nonce: &[u8], text_bytes: usize) -> Result<(), Error> {
    if !(7..=13).contains(&nonce.len()) {
        return Err(Error::IvLength { mode: "CCM", takes: 12, got: nonce.len() });
    }
    let bits = 8 * (15 - nonce.len()) as u32;
    if bits < u64::BITS && text_bytes as u64 >> bits != 0 {
        let requires = "a text whose length the nonce leaves room to count";
        return Err(Error::DataLength { mode: "CCM", requires, got: text_bytes });
    }
    Ok(())
}

/// Ctr_0 (SP 800-38C, A.3). The text cannot be so long that counting leaves the last `15 - nonce.len()` bytes.
fn first_counter(nonce: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[0] = (14 - nonce.len()) as u8;
    block[1..1 + nonce.len()].copy_from_slice(nonce);
    block
}

/// The length of additional data as it goes before it (SP 800-38C, A.2.2).
fn encoded_length(bytes: u64) -> Vec<u8> {
    match bytes {
        ..0xFF00 => (bytes as u16).to_be_bytes().to_vec(),
        0xFF00..=0xFFFF_FFFF => [&[0xFF, 0xFE][..], &(bytes as u32).to_be_bytes()].concat(),
        _ => [&[0xFF, 0xFF][..], &bytes.to_be_bytes()].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cipher;

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
    }

    /// SP 800-38C, appendix C: examples 1 to 4. The fourth has 64 KiB of additional data: 00, 01, ... FF, 00, ...
    #[test]
    fn published_messages() {
        let long: Vec<u8> = (0..0x10000).map(|i| i as u8).collect();
        let texts: Vec<u8> = (0x20..0x40).collect();
        let cases = [
            ("10111213141516", (0..8).collect::<Vec<u8>>(), 4, "7162015b4dac255d"),
            ("1011121314151617", (0..16).collect(), 16, "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"),
            (
                "101112131415161718191a1b",
                (0..20).collect(),
                24,
                "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951",
            ),
            (
                "101112131415161718191a1b1c",
                long,
                32,
                "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72b4ac6bec93e8598e7f0dadbcea5b",
            ),
        ];
        let key: Vec<u8> = (0x40..0x50).collect();
        for choice in cipher("aes").unwrap().choices().filter(|choice| choice.strategy.available()) {
            for (nonce, aad, bytes, expected) in &cases {
                let (nonce, expected) = (hex(nonce), hex(expected));
                let ccm = Ccm::new(choice.kernel(&key).unwrap(), expected.len() - bytes).unwrap();
                let mut data = texts[..*bytes].to_vec();
                let tag = ccm.encrypt(&nonce, aad, &mut data).unwrap();
                assert_eq!([&data[..], &tag].concat(), expected, "{}", choice.strategy.name);
                ccm.decrypt(&nonce, aad, &mut data, &tag).unwrap();
                assert_eq!(data, texts[..*bytes]);
            }
        }
    }

    /// A bit of each input flipped, or a tag of another length: refused, and the text is gone.
    #[test]
    fn changes_are_refused() {
        let kernel = cipher("aes").unwrap().strategy("reference").unwrap().kernel(&[7; 32]).unwrap();
        let ccm = Ccm::new(kernel, 16).unwrap();
        let mut data = vec![0x55; 1600];
        let tag = ccm.encrypt(&[3; 12], b"header", &mut data).unwrap();
        let sealed = [vec![3; 12], b"header".to_vec(), data.clone(), tag.clone()];
        for changed in 0..4 {
            let mut parts = sealed.clone();
            *parts[changed].last_mut().unwrap() ^= 1;
            let [nonce, aad, mut text, tag] = parts;
            assert_eq!(ccm.decrypt(&nonce, &aad, &mut text, &tag), Err(Error::Authentication));
            assert!(text.iter().all(|byte| *byte == 0));
        }
        assert_eq!(
            ccm.decrypt(&[3; 12], b"header", &mut data.clone(), &tag[..4]),
            Err(Error::Authentication)
        );
        ccm.decrypt(&[3; 12], b"header", &mut data, &tag).unwrap();
        assert!(data.iter().all(|byte| *byte == 0x55));
    }

    #[test]
    fn lengths_that_the_standard_does_not_know() {
        let kernel = || cipher("aes").unwrap().strategy("reference").unwrap().kernel(&[7; 16]).unwrap();
        for tag_bytes in [0, 2, 3, 5, 17, 18] {
            assert!(Ccm::new(kernel(), tag_bytes).is_err(), "{tag_bytes}");
        }
        let ccm = Ccm::new(kernel(), 16).unwrap();
        for nonce_bytes in [0, 6, 14, 16, 61] {
            assert!(ccm.encrypt(&vec![0; nonce_bytes], &[], &mut [0; 8]).is_err(), "{nonce_bytes}");
            assert!(ccm.decrypt(&vec![0; nonce_bytes], &[], &mut [0; 8], &[0; 16]).is_err());
        }
        assert!(ccm.encrypt(&[0; 13], &[], &mut vec![0; 65535]).is_ok());
        assert!(ccm.encrypt(&[0; 13], &[], &mut vec![0; 65536]).is_err());
        assert!(ccm.decrypt(&[0; 13], &[], &mut vec![0; 65536], &[0; 16]).is_err());
    }
}

//! Hash functions from a block cipher: the message is cut into blocks, and each step keys the cipher anew.
//!
//! Davies-Meyer, Matyas-Meyer-Oseas and Miyaguchi-Preneel are three of the twelve that Preneel, Govaerts and Vandewalle (1993) left as
//! good among the 64 simplest constructions. Black, Rogaway and Shrimpton (2002) proved them collision and preimage resistant in the model of an *ideal
//! cipher*, which no real cipher is, up to the birthday bound: with blocks of 128 bits, a collision takes 2^64 steps. They are here
//! for the laboratory (how fast can a cipher be keyed?) and for what was hashed with them, not as a replacement for SHA-2.
//!
//! Padding: the message, 0x80, the fewest zero bytes, the length in bits as 64-bit big-endian number. H_0 is zero.
//!
//! A step is one key setup and one block, so the strategy that suits is the one that is keyed fastest: [`BlockHash::planned`].

#[cfg(feature = "rustcrypto")]
pub mod digest;

use crate::plan::{Constraints, Mode, Request, plan};
use crate::{Choice, Cipher, Error, Policy};

/// How a block cipher E becomes a compression function of the chaining value H and a message block m.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construction {
    /// E(key = m, H) + H.
    DaviesMeyer,
    /// E(key = H, m) + m.
    MatyasMeyerOseas,
    /// E(key = H, m) + m + H.
    MiyaguchiPreneel,
}

impl Construction {
    /// All of them.
    pub const ALL: [Construction; 3] =
        [Construction::DaviesMeyer, Construction::MatyasMeyerOseas, Construction::MiyaguchiPreneel];

    /// The name in vectors and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Construction::DaviesMeyer => "davies-meyer",
            Construction::MatyasMeyerOseas => "matyas-meyer-oseas",
            Construction::MiyaguchiPreneel => "miyaguchi-preneel",
        }
    }
}

/// Bytes of a block, of the key of each step, and of the digest.
pub const DIGEST_BYTES: usize = 16;

/// A message being hashed: given in pieces of any length.
#[derive(Clone, Debug)]
pub struct BlockHash {
    construction: Construction,
    choice: Choice,
    /// H.
    chaining: [u8; 16],
    /// The beginning of a block.
    pending: [u8; 16],
    /// Of the message so far.
    bytes: u64,
}

impl BlockHash {
    /// An empty message. The cipher must have blocks of 128 bits and take keys of 128 bits, and the strategy must run here.
    pub fn new(construction: Construction, choice: Choice) -> Result<Self, Error> {
        if choice.cipher.block_bytes != DIGEST_BYTES {
            let block_bytes = choice.cipher.block_bytes;
            return Err(Error::BlockSize { mode: construction.name(), block_bytes });
        }
        choice.with_kernel(&[0; 16], |_| ())?;
        Ok(BlockHash { construction, choice, chaining: [0; 16], pending: [0; 16], bytes: 0 })
    }

    /// An empty message on the strategy that is planned for long messages: each of their steps is a key and a block.
    pub fn planned(
        construction: Construction,
        cipher: &'static Cipher,
        policy: Policy,
    ) -> Result<Self, Error> {
        const LONG_BYTES: u64 = 1 << 20;
        let constraints = Constraints { policy, ..Constraints::default() };
        let request = Request::kept_key(cipher, DIGEST_BYTES, Mode::Hash, LONG_BYTES, constraints);
        BlockHash::new(construction, plan(&request)?.choice)
    }

    /// The strategy that runs.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Begins anew.
    pub fn reset(&mut self) {
        (self.chaining, self.pending, self.bytes) = ([0; 16], [0; 16], 0);
    }

    /// Takes the next bytes of the message.
    pub fn update(&mut self, data: &[u8]) {
        let pending = self.pending_bytes();
        self.bytes = self.bytes.wrapping_add(data.len() as u64);
        let mut data = data;
        if pending > 0 {
            let (head, rest) = data.split_at(data.len().min(16 - pending));
            self.pending[pending..pending + head.len()].copy_from_slice(head);
            if pending + head.len() < 16 {
                return;
            }
            let block = self.pending;
            self.step(&block);
            data = rest;
        }
        let (blocks, rest) = data.as_chunks();
        blocks.iter().for_each(|block| self.step(block));
        self.pending[..rest.len()].copy_from_slice(rest);
    }

    /// The digest.
    pub fn finish(mut self) -> [u8; DIGEST_BYTES] {
        self.finish_reset()
    }

    /// The digest; begins anew.
    pub fn finish_reset(&mut self) -> [u8; DIGEST_BYTES] {
        let pending = self.pending_bytes();
        let mut last = [0; 16];
        last[..pending].copy_from_slice(&self.pending[..pending]);
        last[pending] = 0x80;
        if pending >= 8 {
            self.step(&last);
            last = [0; 16];
        }
        last[8..].copy_from_slice(&self.bytes.wrapping_mul(8).to_be_bytes());
        self.step(&last);
        let digest = self.chaining;
        self.reset();
        digest
    }

    fn pending_bytes(&self) -> usize {
        (self.bytes % 16) as usize
    }

    /// The compression function. Nothing is allocated.
    #[inline]
    fn step(&mut self, block: &[u8; 16]) {
        let before = self.chaining;
        let (key, mut text) = match self.construction {
            Construction::DaviesMeyer => (block, before),
            Construction::MatyasMeyerOseas | Construction::MiyaguchiPreneel => (&before, *block),
        };
        let keyed = self.choice.encrypt_once(key, &mut text);
        keyed.expect("`new` has keyed this strategy with as many bytes");
        let word = u128::from_ne_bytes;
        let (h, m) = (word(before), word(*block));
        let feed_forward = match self.construction {
            Construction::DaviesMeyer => h,
            Construction::MatyasMeyerOseas => m,
            Construction::MiyaguchiPreneel => m ^ h,
        };
        self.chaining = (word(text) ^ feed_forward).to_ne_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(construction: Construction, choice: Choice, message: &[u8]) -> [u8; 16] {
        let mut hash = BlockHash::new(construction, choice).unwrap();
        hash.update(message);
        hash.finish()
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The value of a field of a JSON line whose values hold no quotes.
    fn field<'l>(line: &'l str, name: &str) -> &'l str {
        line.split(&format!("\"{name}\":\"")).nth(1).unwrap().split('"').next().unwrap()
    }

    #[test]
    fn known_answers_on_every_strategy() {
        let lines = include_str!("../../../../../vectors/modes/hash.jsonl");
        let mut seen = 0;
        for line in lines.lines() {
            let construction =
                Construction::ALL.into_iter().find(|c| c.name() == field(line, "hash")).unwrap();
            let cipher = crate::cipher(field(line, "cipher").strip_suffix("-128").unwrap()).unwrap();
            let message: Vec<u8> = field(line, "msg")
                .as_bytes()
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
                .collect();
            for choice in cipher.choices().filter(|choice| choice.strategy.available()) {
                let got = hex(&digest(construction, choice, &message));
                assert_eq!(got, field(line, "digest"), "{} {line}", choice.strategy.name);
            }
            seen += 1;
        }
        assert_eq!(seen, 60);
    }

    #[test]
    fn pieces_equal_the_whole() {
        let choice = crate::cipher("aes").unwrap().best(Policy::AnyTiming).unwrap();
        let message: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(37)).collect();
        for construction in Construction::ALL {
            for length in [0, 1, 7, 8, 15, 16, 17, 31, 33, 100] {
                let whole = digest(construction, choice, &message[..length]);
                for piece in [1, 5, 16, 23] {
                    let mut hash = BlockHash::new(construction, choice).unwrap();
                    message[..length].chunks(piece).for_each(|piece| hash.update(piece));
                    assert_eq!(hash.finish_reset(), whole, "{construction:?} {length} by {piece}");
                    hash.update(&message[..length]);
                    assert_eq!(hash.finish(), whole, "{construction:?} {length}, again");
                }
            }
        }
    }

    #[test]
    fn other_block_lengths_are_refused() {
        let choice = crate::cipher("rijndael-block256").unwrap().best(Policy::AnyTiming).unwrap();
        let refused = BlockHash::new(Construction::DaviesMeyer, choice).unwrap_err();
        assert_eq!(refused, Error::BlockSize { mode: "davies-meyer", block_bytes: 32 });
    }

    #[test]
    fn the_planned_strategy_keeps_to_the_policy() {
        for cipher in crate::CIPHERS.iter().filter(|cipher| cipher.block_bytes == DIGEST_BYTES) {
            for policy in [Policy::AnyTiming, Policy::ConstantTime] {
                match BlockHash::planned(Construction::DaviesMeyer, cipher, policy) {
                    Ok(hash) => assert!(policy.allows(hash.choice().strategy), "{}", cipher.name),
                    Err(why) => assert_eq!(why, Error::NoStrategy { cipher: cipher.name }),
                }
            }
        }
    }
}

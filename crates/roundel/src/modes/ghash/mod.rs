//! GHASH (SP 800-38D, section 6.4): the universal hash of GCM.

#[cfg(target_arch = "x86_64")]
pub(crate) mod clmul;
mod portable;

use super::wipe_block;
use crate::simd::block_from_halves;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Aes, AesSimd, Simd, Vaes, Vaes512};

/// GHASH under a hash key H = E(0): absorbs blocks, gives the 16-byte hash.
///
/// The implementation is the best that the CPU and the cap allow: VPCLMULQDQ, PCLMULQDQ or masked integer multiplication; the time of none depends
/// on the data. A table of powers of H is made when a long text first needs it, so that a short message under a fresh key costs one
/// multiplication a block and nothing else.
#[derive(Clone)]
pub struct Ghash {
    engine: Engine,
    secret: Secret,
    #[cfg(target_arch = "x86_64")]
    table: Option<clmul::SharedTable>,
}

/// Plain blocks, so that they travel in vector registers: as numbers they would go through general registers, and be stored in halves
/// which the next vector load then waits for.
#[derive(Clone)]
struct Secret {
    /// H, or what the engine makes of it.
    key: [u8; 16],
    state: [u8; 16],
}

impl Drop for Secret {
    fn drop(&mut self) {
        wipe_block(&mut self.key);
        wipe_block(&mut self.state);
    }
}

#[derive(Clone, Copy)]
enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Clmul(Aes),
    #[cfg(target_arch = "x86_64")]
    WideClmul(Vaes),
    #[cfg(target_arch = "x86_64")]
    WidestClmul(Vaes512),
}

impl Engine {
    #[cfg(target_arch = "x86_64")]
    fn detect() -> Engine {
        if let Some(s) = Vaes512::detect() {
            Engine::WidestClmul(s)
        } else if let Some(s) = Vaes::detect() {
            Engine::WideClmul(s)
        } else if let Some(s) = Aes::detect() {
            Engine::Clmul(s)
        } else {
            Engine::Portable
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detect() -> Engine {
        Engine::Portable
    }
}

impl Ghash {
    /// A text of at least this many bytes is worth a table.
    pub(crate) const LONG_BYTES: usize = 1024;

    /// A message of at most so many bytes goes through [`message`](Ghash::message) in one call.
    const SHORT_BYTES: usize = 128;

    /// Starts with the hash key: the encryption of the zero block.
    pub fn new(h: &[u8; 16]) -> Self {
        Self::with_engine(Engine::detect(), h)
    }

    fn with_engine(engine: Engine, h: &[u8; 16]) -> Self {
        let key = match engine {
            Engine::Portable => *h,
            #[cfg(target_arch = "x86_64")]
            Engine::Clmul(s) => clmul::key(s, h),
            #[cfg(target_arch = "x86_64")]
            Engine::WideClmul(s) => clmul::key(s.narrow(), h),
            #[cfg(target_arch = "x86_64")]
            Engine::WidestClmul(s) => clmul::key(s.narrow(), h),
        };
        Ghash {
            engine,
            secret: Secret { key, state: [0; 16] },
            #[cfg(target_arch = "x86_64")]
            table: None,
        }
    }

    /// The state back to zero, the key and its table kept: for the next message.
    pub fn reset(&mut self) {
        self.secret.state = [0; 16];
    }

    /// Absorbs `data`, padded with zero bytes to whole blocks.
    pub fn update(&mut self, data: &[u8]) {
        let (blocks, rest) = data.as_chunks::<16>();
        if !blocks.is_empty() {
            self.absorb(blocks);
        }
        if !rest.is_empty() {
            let mut padded = [0; 16];
            padded[..rest.len()].copy_from_slice(rest);
            self.absorb(&[padded]);
        }
    }

    /// Absorbs the lengths block: bits of the additional data, bits of the text.
    pub fn update_lengths(&mut self, aad_bytes: u64, text_bytes: u64) {
        self.absorb(&[lengths(aad_bytes, text_bytes)]);
    }

    /// Absorbs a whole message: additional data, text, lengths. A short one is put together first, for one call instead of three.
    #[inline]
    pub(crate) fn message(&mut self, aad: &[u8], text: &[u8]) {
        if aad.is_empty() && text.len() <= Self::SHORT_BYTES {
            let mut blocks = [[0; 16]; Self::SHORT_BYTES / 16 + 1];
            blocks.as_flattened_mut()[..text.len()].copy_from_slice(text);
            let count = text.len().div_ceil(16);
            blocks[count] = lengths(0, text.len() as u64);
            self.absorb(&blocks[..=count]);
        } else {
            self.update(aad);
            self.update(text);
            self.update_lengths(aad.len() as u64, text.len() as u64);
        }
    }

    /// The hash of what was absorbed.
    pub fn value(&self) -> [u8; 16] {
        self.secret.state
    }

    #[inline(always)]
    fn absorb(&mut self, blocks: &[[u8; 16]]) {
        let Secret { key, state } = &mut self.secret;
        match self.engine {
            Engine::Portable => portable::absorb(key, state, blocks),
            #[cfg(target_arch = "x86_64")]
            Engine::Clmul(s) => clmul::absorb(s, key, state, &mut self.table, blocks),
            #[cfg(target_arch = "x86_64")]
            Engine::WideClmul(s) => clmul::absorb(s, key, state, &mut self.table, blocks),
            #[cfg(target_arch = "x86_64")]
            Engine::WidestClmul(s) => clmul::absorb(s, key, state, &mut self.table, blocks),
        }
    }

    /// The state and the table of powers, made now if it was not, for loops that multiply themselves; none without PCLMULQDQ.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn state_and_table(&mut self) -> Option<(&mut [u8; 16], &clmul::Table)> {
        let s = match self.engine {
            Engine::Portable => return None,
            Engine::Clmul(s) => s,
            Engine::WideClmul(s) => s.narrow(),
            Engine::WidestClmul(s) => s.narrow(),
        };
        let key = &self.secret.key;
        let table = self.table.get_or_insert_with(|| clmul::Table::shared(s, key));
        Some((&mut self.secret.state, table))
    }

    /// Uses the table that another hash under the same key has made, if any.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    pub(crate) fn share_table(&mut self, other: &Ghash) {
        #[cfg(target_arch = "x86_64")]
        if self.table.is_none() {
            self.table = other.table.clone();
        }
    }

    /// The same hash with its table made.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
    pub(crate) fn with_table(&self) -> Ghash {
        let mut ghash = self.clone();
        #[cfg(target_arch = "x86_64")]
        ghash.state_and_table();
        ghash
    }
}

/// The lengths block: two 64-bit numbers of bits, big-endian.
#[inline(always)]
fn lengths(aad_bytes: u64, text_bytes: u64) -> [u8; 16] {
    let [aad_bits, text_bits] = [aad_bytes, text_bytes].map(|bytes| (bytes << 3).swap_bytes());
    block_from_halves(aad_bits, text_bits)
}

/// The product in GF(2^128) by its definition, in GCM's bit order: 128 steps. What the implementations are compared with.
#[cfg(test)]
fn multiply_bit_by_bit(x: u128, y: u128) -> u128 {
    let (mut product, mut v) = (0, y);
    for bit in 0..128 {
        product ^= v & ((x >> (127 - bit)) & 1).wrapping_neg();
        v = (v >> 1) ^ (0xE1 << 120 & (v & 1).wrapping_neg());
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines() -> Vec<Engine> {
        let mut engines = vec![Engine::Portable];
        #[cfg(target_arch = "x86_64")]
        engines.extend(Aes::detect().map(Engine::Clmul));
        #[cfg(target_arch = "x86_64")]
        engines.extend(Vaes::detect().map(Engine::WideClmul));
        #[cfg(target_arch = "x86_64")]
        engines.extend(Vaes512::detect().map(Engine::WidestClmul));
        if engines.len() < 4 {
            eprintln!("skipped: {} of 3 hardware engines are not available here", 4 - engines.len());
        }
        engines
    }

    fn hash_bit_by_bit(h: &[u8; 16], data: &[u8]) -> [u8; 16] {
        let h = u128::from_be_bytes(*h);
        let mut state = 0;
        for block in data.chunks(16) {
            let mut padded = [0; 16];
            padded[..block.len()].copy_from_slice(block);
            state = multiply_bit_by_bit(state ^ u128::from_be_bytes(padded), h);
        }
        state.to_be_bytes()
    }

    fn text(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|i| (i * i + i / 3) as u8 ^ 0xA5).collect()
    }

    const H: [u8; 16] = *b"\x80\x01hash key \xFF\x00\xFE\x01\x81";

    #[test]
    fn every_length_equals_the_definition() {
        let text = text(2200);
        for engine in engines() {
            // Then those that make a table, and around one run of its powers and two.
            let long = [1023, 1024, 1025, 1040, 1050, 1103, 1104, 2032, 2047, 2048, 2049, 2064, 2200];
            for len in (0..300).chain(long) {
                let mut ghash = Ghash::with_engine(engine, &H);
                ghash.update(&text[..len]);
                assert_eq!(ghash.value(), hash_bit_by_bit(&H, &text[..len]), "{len} bytes");
            }
        }
    }

    #[test]
    fn pieces_and_reset_equal_one_update() {
        let text = text(1600);
        let want = hash_bit_by_bit(&H, &text);
        for engine in engines() {
            let mut ghash = Ghash::with_engine(engine, &H);
            for split in (0..text.len()).step_by(48) {
                ghash.reset();
                ghash.update(&text[..split]);
                ghash.update(&text[split..]);
                assert_eq!(ghash.value(), want, "split at {split}");
            }
        }
    }

    /// The intermediate GHASH values of test cases 2 and 4 of McGrew and Viega's GCM specification.
    #[test]
    fn published_values() {
        let hex = |text: &str| -> Vec<u8> {
            (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
        };
        for engine in engines() {
            let h = hex("66e94bd4ef8a2c3b884cfa59ca342b2e").try_into().unwrap();
            let mut ghash = Ghash::with_engine(engine, &h);
            ghash.update(&hex("0388dace60b6a392f328c2b971b2fe78"));
            ghash.update_lengths(0, 16);
            assert_eq!(ghash.value()[..], hex("f38cbb1ad69223dcc3457ae5b6b0f885"));

            let h = hex("b83b533708bf535d0aa6e52980d53b78").try_into().unwrap();
            let mut ghash = Ghash::with_engine(engine, &h);
            ghash.update(&hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"));
            ghash.update(&hex(concat!(
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e",
                "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            )));
            ghash.update_lengths(20, 60);
            assert_eq!(ghash.value()[..], hex("698e57f70e6ecc7fd9463b7260a9ae5f"));
        }
    }
}

//! The four load-bearing types: [`Cipher`], [`Strategy`], [`Kernel`] and what a strategy declares.

use crate::error::Error;
use crate::keying::Keying;
use crate::memory;
use crate::modes::{Ghash, cbc, ctr, gcm, into_generic, xts};
use crate::simd::Level;

/// A strategy with a key in it, ready to run on runs of whole blocks.
///
/// `encrypt` and `decrypt` are all that a strategy must write. The other methods are the modes' inner loops: written
/// once, generically, and overridden only where a measurement shows the gain. Every call is one virtual call
/// for a whole run, so hand over long runs. Slices hold whole blocks unless said otherwise; a partial block at
/// the end is left as it is.
///
/// Implementations wipe their key material when dropped.
pub trait Kernel: Send + Sync {
    /// Length of a block in bytes: 16 but for Rijndael's larger blocks.
    fn block_bytes(&self) -> usize {
        16
    }

    /// Encrypts each block in place (ECB).
    fn encrypt(&self, blocks: &mut [u8]);

    /// Decrypts each block in place (ECB).
    fn decrypt(&self, blocks: &mut [u8]);

    /// Makes the decryption key schedule now, where there is a separate one; otherwise the first decryption does.
    fn prepare_decrypt(&self) {}

    /// XORs the key stream E(counter), E(counter+1), ... onto `data` of any length. `counter` is one block, a big-endian
    /// number modulo 2^(8*block_bytes); it is advanced past every block of which a byte was used.
    fn ctr_xor(&self, counter: &mut [u8], data: &mut [u8]) {
        ctr::xor_generic(&|run| self.encrypt(run), counter, data);
    }

    /// [`ctr_xor`](Kernel::ctr_xor) that reads at `from` and writes at `to`, which is as long.
    fn ctr_xor_into(&self, counter: &mut [u8], from: &[u8], to: &mut [u8]) {
        into_generic(self.block_bytes(), from, to, |piece| self.ctr_xor(counter, piece));
    }

    /// CBC encryption of one stream; `iv` is one block and becomes the last ciphertext block.
    fn cbc_encrypt(&self, iv: &mut [u8], blocks: &mut [u8]) {
        cbc::encrypt_generic(self, iv, blocks);
    }

    /// CBC decryption; `iv` is one block and becomes the last ciphertext block.
    fn cbc_decrypt(&self, iv: &mut [u8], blocks: &mut [u8]) {
        cbc::decrypt_generic(&|run| self.decrypt(run), iv, blocks);
    }

    /// CBC encryption of one or more streams (sectors) of `unit_bytes` each, all whole blocks, that lie one after the other. `ivs` holds a
    /// block per unit; each is replaced by its unit's last ciphertext block. A stream is serial, but several can go side by side.
    fn cbc_encrypt_units(&self, ivs: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
        let encrypt = |run: &mut [u8]| self.encrypt(run);
        cbc::encrypt_units_generic(&encrypt, self.block_bytes(), ivs, unit_bytes, blocks);
    }

    /// The inverse of [`cbc_encrypt_units`](Kernel::cbc_encrypt_units); each IV is replaced by its unit's last ciphertext block.
    fn cbc_decrypt_units(&self, ivs: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
        let size = self.block_bytes();
        for (iv, unit) in ivs.chunks_exact_mut(size).zip(blocks.chunks_exact_mut(unit_bytes)) {
            self.cbc_decrypt(iv, unit);
        }
    }

    /// XEX over one or more data units of `unit_bytes` each (the last may be shorter), all whole blocks. `tweaks` holds one
    /// encrypted 16-byte tweak per unit; each is replaced by the tweak that follows its unit's last block.
    fn xex_encrypt(&self, tweaks: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
        xts::xex_generic(&|run| self.encrypt(run), tweaks, unit_bytes, blocks);
    }

    /// The inverse of [`xex_encrypt`](Kernel::xex_encrypt).
    fn xex_decrypt(&self, tweaks: &mut [u8], unit_bytes: usize, blocks: &mut [u8]) {
        xts::xex_generic(&|run| self.decrypt(run), tweaks, unit_bytes, blocks);
    }

    /// GCM's inner loop, encrypting: CTR with a 32-bit counter, the ciphertext absorbed by `ghash`. The counter is public, of a nonce of 12
    /// bytes: branches and addresses may depend on it.
    /// `data` is whole blocks but for the last call of a message.
    fn gcm_encrypt(&self, ghash: &mut Ghash, counter: &mut [u8; 16], data: &mut [u8]) {
        gcm::encrypt_generic(&|run| self.encrypt(run), ghash, counter, data);
    }

    /// GCM's inner loop, decrypting: absorbs the ciphertext, then CTR. The caller checks the tag.
    fn gcm_decrypt(&self, ghash: &mut Ghash, counter: &mut [u8; 16], data: &mut [u8]) {
        gcm::decrypt_generic(&|run| self.encrypt(run), ghash, counter, data);
    }

    /// [`gcm_encrypt`](Kernel::gcm_encrypt) that reads at `from` and writes at `to`, which is as long.
    fn gcm_encrypt_into(&self, ghash: &mut Ghash, counter: &mut [u8; 16], from: &[u8], to: &mut [u8]) {
        into_generic(16, from, to, |piece| self.gcm_encrypt(ghash, counter, piece));
    }

    /// [`gcm_decrypt`](Kernel::gcm_decrypt) that reads at `from` and writes at `to`, which is as long.
    fn gcm_decrypt_into(&self, ghash: &mut Ghash, counter: &mut [u8; 16], from: &[u8], to: &mut [u8]) {
        into_generic(16, from, to, |piece| self.gcm_decrypt(ghash, counter, piece));
    }
}

/// Whether a strategy's running time, or the addresses it touches, depend on the key or the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// No secret-dependent branch, address or instruction time on x86-64.
    Constant,
    /// Look-ups or branches depend on secrets: a cache observer may learn the key.
    SecretDependent,
}

/// Memory that a strategy uses beside its code, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// For each key (round keys, key-dependent tables), at the largest standard key size.
    pub per_key: usize,
    /// Shared by all keys (constant tables).
    pub shared: usize,
}

/// What is publicly known about a cipher's strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Reviewed for decades; no practical weakness known.
    Sound,
    /// Little public review: one sentence on what is missing.
    Unreviewed(&'static str),
    /// A published attack: one sentence on it.
    Broken(&'static str),
}

/// Which strategies may be picked automatically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Only those of [`Timing::Constant`].
    ConstantTime,
    /// Any that runs here.
    AnyTiming,
}

impl Policy {
    /// Whether the strategy may be picked.
    pub fn allows(self, strategy: &Strategy) -> bool {
        self == Policy::AnyTiming || strategy.timing == Timing::Constant
    }
}

/// Key lengths in bytes.
#[derive(Clone, Copy, Debug)]
pub struct KeySizes {
    /// The sizes of the proof program and of the tables, ascending: 16, 24 and 32 for an AES candidate.
    pub standard: &'static [usize],
    /// Further accepted lengths: from, to (inclusive) and step.
    pub also: Option<(usize, usize, usize)>,
}

impl KeySizes {
    /// 128, 192 and 256 bits and nothing else.
    pub const AES: KeySizes = KeySizes { standard: &[16, 24, 32], also: None };

    /// Whether a key of this many bytes is accepted.
    #[inline]
    pub fn accepts(&self, bytes: usize) -> bool {
        self.standard.contains(&bytes)
            || self.also.is_some_and(|(from, to, step)| {
                (from..=to).contains(&bytes) && (bytes - from).is_multiple_of(step)
            })
    }

    /// The accepted lengths in bits, as text: "128, 192 or 256", "8 to 2040 in steps of 8".
    pub fn describe(&self) -> String {
        match self.also {
            Some((from, to, step)) => format!("{} to {} in steps of {}", 8 * from, 8 * to, 8 * step),
            None => {
                let bits: Vec<_> = self.standard.iter().map(|bytes| (8 * bytes).to_string()).collect();
                match bits.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    _ => bits.join(""),
                }
            }
        }
    }
}

/// One way to run a cipher.
#[derive(Debug)]
pub struct Strategy {
    /// Technique first, width where it matters: `ttable`, `bitslice-256`.
    pub name: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// The CPU level without which it cannot run.
    pub needs: Level,
    /// Whether timing depends on secrets.
    pub timing: Timing,
    /// Memory beside code.
    pub memory: Memory,
    /// Blocks that it likes to get at once; other counts work and cost more per block.
    pub batch_blocks: usize,
    /// Keys the strategy. Reached through [`Choice::kernel`] and [`Choice::with_kernel`], which have checked the key's length and the CPU level.
    pub keying: Keying,
}

impl Strategy {
    /// Whether this CPU, under the cap in force, can run it, and its shared memory is within the allowance ([`memory`]).
    #[inline]
    pub fn available(&self) -> bool {
        self.needs.available() && self.memory.shared <= memory::allowed()
    }
}

/// An algorithm, its key sizes and its strategies. The registry [`CIPHERS`](crate::CIPHERS) lists them all.
#[derive(Debug)]
pub struct Cipher {
    /// The name used everywhere: command line, vectors, reports.
    pub name: &'static str,
    /// Other names under which [`cipher`](crate::cipher) finds it.
    pub aliases: &'static [&'static str],
    /// Name, designers and year, for people.
    pub title: &'static str,
    /// Length of a block in bytes.
    pub block_bytes: usize,
    /// Lengths of keys.
    pub keys: KeySizes,
    /// What is publicly known about its strength.
    pub standing: Standing,
    /// `reference` first, then in the order in which they would be preferred: the last available one is the default.
    pub strategies: &'static [Strategy],
}

/// A strategy together with its cipher: what can be keyed.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The cipher.
    pub cipher: &'static Cipher,
    /// One of its strategies.
    pub strategy: &'static Strategy,
}

impl Choice {
    /// Keys the strategy; an error for a key of a length that the cipher does not take, or where the CPU cannot run it.
    pub fn kernel(&self, key: &[u8]) -> Result<Box<dyn Kernel>, Error> {
        self.check(key)?;
        Ok((self.strategy.keying.boxed)(key))
    }

    /// Keys the strategy for one call of `run`, on the stack: what a message under a key of its own needs. Fails as [`kernel`](Choice::kernel) does.
    #[inline]
    pub fn with_kernel<R>(&self, key: &[u8], run: impl FnOnce(&dyn Kernel) -> R) -> Result<R, Error> {
        self.check(key)?;
        let (mut run, mut result) = (Some(run), None);
        (self.strategy.keying.scoped)(key, &mut |kernel| result = run.take().map(|run| run(kernel)));
        Ok(result.expect("a keying calls its closure, once"))
    }

    /// Encrypts whole blocks in place, as [`Kernel::encrypt`] does, under a key that is used for nothing else. Fails as [`kernel`](Choice::kernel) does.
    #[inline]
    pub fn encrypt_once(&self, key: &[u8], blocks: &mut [u8]) -> Result<(), Error> {
        self.check(key)?;
        (self.strategy.keying.once)(key, blocks);
        Ok(())
    }

    #[inline]
    fn check(&self, key: &[u8]) -> Result<(), Error> {
        if !self.cipher.keys.accepts(key.len()) || !self.strategy.available() {
            return Err(self.refusal(key));
        }
        Ok(())
    }

    /// What [`check`](Choice::check) found wrong.
    #[cold]
    fn refusal(&self, key: &[u8]) -> Error {
        let Strategy { name, needs, memory: Memory { shared, .. }, .. } = *self.strategy;
        if !self.cipher.keys.accepts(key.len()) {
            let takes = self.cipher.keys.describe();
            return Error::KeyLength { cipher: self.cipher.name, bytes: key.len(), takes };
        }
        if shared > memory::allowed() {
            return Error::MemoryNotAllowed { strategy: name, bytes: shared };
        }
        Error::Unavailable { strategy: name, needs }
    }
}

impl Cipher {
    /// The strategy of this name, whether or not it can run here.
    pub fn strategy(&'static self, name: &str) -> Result<Choice, Error> {
        self.choices()
            .find(|choice| choice.strategy.name == name)
            .ok_or_else(|| Error::UnknownStrategy { cipher: self.name, strategy: name.to_owned() })
    }

    /// All strategies, `reference` first.
    pub fn choices(&'static self) -> impl DoubleEndedIterator<Item = Choice> {
        self.strategies.iter().map(move |strategy| Choice { cipher: self, strategy })
    }

    /// The preferred strategy that can run here and satisfies the policy.
    pub fn best(&'static self, policy: Policy) -> Result<Choice, Error> {
        self.choices()
            .rev()
            .filter(|choice| choice.strategy.available())
            .find(|choice| policy.allows(choice.strategy))
            .ok_or(Error::NoStrategy { cipher: self.name })
    }
}

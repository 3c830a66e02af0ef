//! Who is timed: anything that runs a cipher's operations, ours or somebody else's, through one interface.

use super::operation::Operation;
use roundel::modes::{Cbc, Ctr, Ecb, Gcm, GcmMessage, Xts, once};
use roundel::{Choice, Cipher, Kernel, Timing};
use std::hint::black_box;
use std::sync::Arc;

/// An implementation of a cipher.
pub trait Contender: Send + Sync {
    /// The library with its version: "roundel 0.1.0".
    fn library(&self) -> String;

    /// The cipher.
    fn cipher(&self) -> &'static Cipher;

    /// The strategy's name, or what the library says of its own.
    fn strategy(&self) -> String;

    /// Whether timing depends on secrets, as declared.
    fn timing(&self) -> Timing;

    /// The operation, keyed, or `None` if it has none such.
    fn task(&self, operation: Operation, key: &[u8]) -> Option<Task>;
}

/// A keyed operation: works on the message in place and returns the tag of an authenticated mode, 0 of others.
///
/// Every call starts from the same IV or nonce ([`IV`], [`NONCE`], unit 0), so that results can be compared. Decryption of
/// authenticated modes computes the tag of whatever it gets. An implementation that must be given a valid tag may keep
/// a copy of the message of the first call at each length and work on that in later ones.
pub type Task = Box<dyn FnMut(&mut [u8]) -> u128 + Send>;

/// First counter block or initialisation vector; as many bytes as the block has. The counter carries out of its last byte early.
pub const IV: [u8; 32] = {
    let mut iv = [0xF0; 32];
    iv[15] = 0xFE;
    iv
};

/// GCM's nonce.
pub const NONCE: [u8; 12] = [0xA7; 12];

/// Length of a data unit of the sector operations.
pub const SECTOR_BYTES: usize = 512;

/// XTS's second key, made from the first: they must differ.
pub fn tweak_key(key: &[u8]) -> Vec<u8> {
    key.iter().map(|byte| byte ^ 0x5A).collect()
}

/// Keys for fresh-key operations, in the order in which every implementation takes them: the first is the key itself.
#[derive(Clone)]
pub struct FreshKeys {
    keys: Vec<Vec<u8>>,
    next: usize,
}

impl FreshKeys {
    /// More than a branch predictor could learn, few enough to stay in the first cache.
    const COUNT: usize = 128;

    /// The sequence that starts with this key.
    pub fn new(key: &[u8]) -> FreshKeys {
        let varied =
            |n: usize| key.iter().enumerate().map(|(i, byte)| byte ^ (n * (2 * i + 1)) as u8).collect();
        FreshKeys { keys: (0..Self::COUNT).map(varied).collect(), next: 0 }
    }

    /// The next key, round and round.
    #[inline(always)]
    pub fn next_key(&mut self) -> &[u8] {
        let key = &self.keys[self.next];
        self.next = (self.next + 1) % Self::COUNT;
        key
    }
}

/// One of the registry's strategies.
#[derive(Clone, Copy)]
pub struct Ours(pub Choice);

impl Contender for Ours {
    fn library(&self) -> String {
        concat!("roundel ", env!("CARGO_PKG_VERSION")).to_owned()
    }

    fn cipher(&self) -> &'static Cipher {
        self.0.cipher
    }

    fn strategy(&self) -> String {
        self.0.strategy.name.to_owned()
    }

    fn timing(&self) -> Timing {
        self.0.strategy.timing
    }

    fn task(&self, operation: Operation, key: &[u8]) -> Option<Task> {
        let block = self.0.cipher.block_bytes;
        if !self.0.strategy.available() || !operation.defined_for(block) {
            return None;
        }
        Some(match operation {
            Operation::Copy => return None,
            Operation::KeyEncrypt | Operation::KeyBoth | Operation::FreshCtr | Operation::FreshGcm => {
                self.fresh_task(operation, key)
            }
            _ => self.keyed_task(operation, key),
        })
    }
}

const KEYED: &str = "the key's length is one of the cipher's and the strategy runs here";
const WHOLE: &str = "messages are whole blocks and IVs are one block";

impl Ours {
    fn kernel(&self, key: &[u8]) -> Arc<dyn Kernel> {
        let kernel = self.0.kernel(key).expect(KEYED);
        kernel.prepare_decrypt();
        Arc::from(kernel)
    }

    /// Operations that make a kernel in every call.
    fn fresh_task(&self, operation: Operation, key: &[u8]) -> Task {
        let (choice, iv) = (self.0, &IV[..self.0.cipher.block_bytes]);
        let mut keys = FreshKeys::new(key);
        match operation {
            Operation::KeyEncrypt => Box::new(move |_| {
                choice.with_kernel(keys.next_key(), |kernel| black_box(kernel).block_bytes()).expect(KEYED);
                0
            }),
            Operation::KeyBoth => Box::new(move |_| {
                choice
                    .with_kernel(keys.next_key(), |kernel| black_box(kernel).prepare_decrypt())
                    .expect(KEYED);
                0
            }),
            Operation::FreshGcm => Box::new(move |message| {
                let tag = once::gcm_encrypt(choice, keys.next_key(), &NONCE, &[], message);
                u128::from_be_bytes(tag.expect(WHOLE))
            }),
            _ => Box::new(move |message| {
                once::ctr(choice, keys.next_key(), iv, message).expect(WHOLE);
                0
            }),
        }
    }

    /// Operations under one key.
    fn keyed_task(&self, operation: Operation, key: &[u8]) -> Task {
        let iv = &IV[..self.0.cipher.block_bytes];
        match operation {
            Operation::GcmEncrypt | Operation::GcmDecrypt => return self.gcm_task(operation, key),
            Operation::XtsEncrypt
            | Operation::XtsDecrypt
            | Operation::SectorsEncrypt
            | Operation::SectorsDecrypt => return self.xts_task(operation, key),
            _ => {}
        }
        let kernel = self.kernel(key);
        let run: Untagged = match operation {
            Operation::EcbEncrypt => Box::new(move |m| Ecb::new(&*kernel).encrypt(m).expect(WHOLE)),
            Operation::EcbDecrypt => Box::new(move |m| Ecb::new(&*kernel).decrypt(m).expect(WHOLE)),
            Operation::CbcEncrypt => {
                Box::new(move |m| Cbc::new(&*kernel, iv).expect(WHOLE).encrypt(m).expect(WHOLE))
            }
            Operation::CbcDecrypt => {
                Box::new(move |m| Cbc::new(&*kernel, iv).expect(WHOLE).decrypt(m).expect(WHOLE))
            }
            _ => Box::new(move |m| Ctr::new(&*kernel, iv).expect(WHOLE).apply(m)),
        };
        untagged(run)
    }

    fn gcm_task(&self, operation: Operation, key: &[u8]) -> Task {
        let gcm = Gcm::new(self.0.kernel(key).expect(KEYED)).expect(WHOLE);
        if operation == Operation::GcmEncrypt {
            return Box::new(move |m| u128::from_be_bytes(gcm.encrypt(&NONCE, &[], m).expect(WHOLE)));
        }
        // In pieces, of which there is one: computes the tag that `Gcm::decrypt` would compare, without asking for a valid one.
        Box::new(move |m| {
            let mut message = GcmMessage::new(&gcm, &NONCE, &[]).expect(WHOLE);
            message.decrypt(m).expect(WHOLE);
            u128::from_be_bytes(message.tag())
        })
    }

    fn xts_task(&self, operation: Operation, key: &[u8]) -> Task {
        let (data, tweak) = (self.kernel(key), self.kernel(&tweak_key(key)));
        let sectors = matches!(operation, Operation::SectorsEncrypt | Operation::SectorsDecrypt);
        let encrypts = matches!(operation, Operation::XtsEncrypt | Operation::SectorsEncrypt);
        untagged(Box::new(move |m| {
            let unit = if sectors { SECTOR_BYTES } else { m.len() };
            let xts = Xts::new(&*data, &*tweak).expect(WHOLE);
            let done = if encrypts { xts.encrypt(0, unit, m) } else { xts.decrypt(0, unit, m) };
            done.expect(WHOLE);
        }))
    }
}

/// A keyed operation of a mode without a tag.
type Untagged = Box<dyn FnMut(&mut [u8]) + Send>;

fn untagged(mut run: Untagged) -> Task {
    Box::new(move |message| {
        run(message);
        0
    })
}

/// `memcpy` between two buffers: the limit that ratios refer to.
pub fn copy_task(largest: usize) -> Task {
    let source = vec![0x3C; largest];
    Box::new(move |message| {
        message.copy_from_slice(&source[..message.len()]);
        0
    })
}

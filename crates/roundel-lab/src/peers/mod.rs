//! Other libraries' ciphers, timed in the same run through the same interface (cargo feature `peers`; `peers-c` for those in C and C++): one
//! file for each.

mod aws_lc;
#[cfg(feature = "peers-c")]
mod native;
mod openssl;
mod ring;
mod rust_crypto;

use crate::bench::contender::{Contender, Task};
use crate::bench::{Operation, PeerBox};
use roundel::{Cipher, Timing};
use std::sync::Arc;

/// Every library that is linked, for each cipher that it has.
pub fn all() -> Vec<PeerBox> {
    let mut all = vec![
        peer(concat!("ring ", env!("ROUNDEL_LOCKED_RING")), "aes", ring::task),
        peer(concat!("aws-lc-rs ", env!("ROUNDEL_LOCKED_AWS_LC_RS")), "aes", aws_lc::task),
        peer(concat!("RustCrypto aes ", env!("ROUNDEL_LOCKED_AES")), "aes", rust_crypto::aes),
        peer(&openssl::version(), "aes", openssl::task),
        peer(concat!("RustCrypto cast6 ", env!("ROUNDEL_LOCKED_CAST6")), "cast256", rust_crypto::cast256),
        peer(concat!("RustCrypto rc6 ", env!("ROUNDEL_LOCKED_RC6")), "rc6", rust_crypto::rc6),
        peer(concat!("RustCrypto serpent ", env!("ROUNDEL_LOCKED_SERPENT")), "serpent", rust_crypto::serpent),
        peer(concat!("RustCrypto twofish ", env!("ROUNDEL_LOCKED_TWOFISH")), "twofish", rust_crypto::twofish),
    ];
    #[cfg(feature = "peers-c")]
    all.extend(native::all());
    all
}

fn peer<F>(library: &str, cipher: &str, task: F) -> PeerBox
where
    F: Fn(Operation, &[u8]) -> Option<Task> + Send + Sync + 'static,
{
    let cipher = roundel::cipher(cipher).expect("the registry has the ciphers named here");
    Arc::new(Peer { library: library.to_owned(), cipher, task })
}

/// A library's implementation of a cipher.
struct Peer<F> {
    library: String,
    cipher: &'static Cipher,
    task: F,
}

impl<F: Fn(Operation, &[u8]) -> Option<Task> + Send + Sync> Contender for Peer<F> {
    fn library(&self) -> String {
        self.library.clone()
    }

    fn cipher(&self) -> &'static Cipher {
        self.cipher
    }

    fn strategy(&self) -> String {
        String::new()
    }

    /// AES where the CPU has AES instructions, and Serpent and RC6, are instructions on registers in all libraries; the others look up tables.
    fn timing(&self) -> Timing {
        match self.cipher.name {
            "rijndael" | "serpent" | "rc6" => Timing::Constant,
            _ => Timing::SecretDependent,
        }
    }

    fn task(&self, operation: Operation, key: &[u8]) -> Option<Task> {
        (self.task)(operation, key)
    }
}

/// What a library must have done right, or its interface changed.
const WORKS: &str = "the library takes the cipher's keys, IVs and lengths";

/// Ciphertext with its tag: libraries decrypt only what authenticates.
#[derive(Default)]
struct Authentic {
    ciphertext: Vec<u8>,
    tag: [u8; 16],
}

impl Authentic {
    /// Takes the message as ciphertext, once for each length, and finds its tag by encrypting twice: the key stream is the same.
    fn of(&mut self, message: &[u8], mut encrypt: impl FnMut(&mut [u8]) -> [u8; 16]) -> &Authentic {
        if self.ciphertext.len() != message.len() {
            self.ciphertext = message.to_vec();
            encrypt(&mut self.ciphertext);
            self.tag = encrypt(&mut self.ciphertext);
        }
        self
    }

    fn tag_number(&self) -> u128 {
        u128::from_be_bytes(self.tag)
    }
}

/// A buffer of the library's own, one block longer than the message, for interfaces that ask for that. Filled from the first message of
/// each length, which gets the result; later calls at that length stay within the buffer, so that no copy is timed.
#[derive(Default)]
struct Scratch {
    bytes: Vec<u8>,
}

impl Scratch {
    fn work(&mut self, message: &mut [u8], block: usize, run: impl FnOnce(&mut [u8])) {
        let length = message.len() + block;
        let first = self.bytes.len() != length;
        if first {
            self.bytes.resize(length, 0);
            self.bytes[..message.len()].copy_from_slice(message);
        }
        run(&mut self.bytes);
        if first {
            message.copy_from_slice(&self.bytes[..message.len()]);
        }
    }
}

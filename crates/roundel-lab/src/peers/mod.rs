//! Other libraries' AES, timed in the same run through the same interface (cargo feature `peers`): one file for each.

mod aws_lc;
mod openssl;
mod ring;
mod rust_crypto;

use crate::bench::contender::{Contender, Task};
use crate::bench::{Operation, PeerBox};
use roundel::{Cipher, Timing};
use std::sync::Arc;

/// Every library that is linked.
pub fn all() -> Vec<PeerBox> {
    let aes = roundel::cipher("aes").expect("the registry has AES");
    let library = |name: String, task: fn(Operation, &[u8]) -> Option<Task>| {
        Arc::new(Library { name, cipher: aes, task }) as PeerBox
    };
    vec![
        library(concat!("ring ", env!("ROUNDEL_LOCKED_RING")).to_owned(), ring::task),
        library(concat!("aws-lc-rs ", env!("ROUNDEL_LOCKED_AWS_LC_RS")).to_owned(), aws_lc::task),
        library(concat!("RustCrypto aes ", env!("ROUNDEL_LOCKED_AES")).to_owned(), rust_crypto::task),
        library(openssl::version(), openssl::task),
    ]
}

/// A library's AES. All of them declare that timing does not depend on secrets where the CPU has AES instructions.
struct Library {
    name: String,
    cipher: &'static Cipher,
    task: fn(Operation, &[u8]) -> Option<Task>,
}

impl Contender for Library {
    fn library(&self) -> String {
        self.name.clone()
    }

    fn cipher(&self) -> &'static Cipher {
        self.cipher
    }

    fn strategy(&self) -> String {
        String::new()
    }

    fn timing(&self) -> Timing {
        Timing::Constant
    }

    fn task(&self, operation: Operation, key: &[u8]) -> Option<Task> {
        (self.task)(operation, key)
    }
}

/// What a library must have done right, or its interface changed.
const WORKS: &str = "the library takes keys, IVs and lengths of AES";

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

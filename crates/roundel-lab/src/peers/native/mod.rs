//! Libraries in C and C++ for the ciphers that Rust ones lack or run slowly (cargo feature `peers-c`): keys, ECB and CTR, as far as
//! each has them. `shims/` has one file for each, all with the same five functions.

mod ffi;

use super::peer;
use crate::bench::check::test_key;
use crate::bench::contender::{FreshKeys, IV, Task};
use crate::bench::{Operation, PeerBox};
use ffi::{Session, Shim, What};
use roundel::Cipher;

/// Every library, for each cipher that it has.
pub(super) fn all() -> Vec<PeerBox> {
    let libraries: [(&str, &'static Shim); 5] = [
        ("Botan", &ffi::BOTAN),
        ("Crypto++", &ffi::CRYPTOPP),
        ("libgcrypt", &ffi::GCRYPT),
        ("libmcrypt", &ffi::MCRYPT),
        ("libtomcrypt", &ffi::TOMCRYPT),
    ];
    let ciphers_of = |(name, shim): (&str, &'static Shim)| {
        let library = format!("{name} {}", shim.version());
        let has = move |cipher: &&&'static Cipher| {
            Session::new(shim, cipher, What::EcbEncrypt, &test_key(8 * cipher.keys.standard[0])).is_some()
        };
        roundel::CIPHERS.iter().filter(has).map(move |&cipher| {
            peer(&library, cipher.name, move |operation, key| task(shim, cipher, operation, key))
        })
    };
    libraries.into_iter().flat_map(ciphers_of).collect()
}

/// Contexts are kept and rekeyed: the fast way of each of these libraries.
fn task(shim: &'static Shim, cipher: &Cipher, operation: Operation, key: &[u8]) -> Option<Task> {
    let session = |what| Session::new(shim, cipher, what, key);
    let iv: &[u8; 16] = IV.first_chunk().expect("IV has 32 bytes");
    let mut keys = FreshKeys::new(key);
    let mut session = match operation {
        Operation::KeyEncrypt => session(What::Key),
        Operation::EcbEncrypt => session(What::EcbEncrypt),
        Operation::EcbDecrypt => session(What::EcbDecrypt),
        Operation::Ctr | Operation::FreshCtr => session(What::Ctr),
        _ => None,
    }?;
    Some(match operation {
        Operation::KeyEncrypt => Box::new(move |_| {
            session.set_key(keys.next_key());
            0
        }),
        Operation::FreshCtr => Box::new(move |message| {
            session.set_key(keys.next_key());
            session.run(iv, message);
            0
        }),
        _ => Box::new(move |message| {
            session.run(iv, message);
            0
        }),
    })
}

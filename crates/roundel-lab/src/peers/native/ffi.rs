//! The calls into `shims/`: the only `unsafe` code of the laboratory.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::NonNull;

/// `struct shim` of shims/shim.h.
#[repr(C)]
pub(super) struct Shim {
    version: unsafe extern "C" fn() -> *const c_char,
    open: unsafe extern "C" fn(cipher: *const c_char, what: c_int, key_bytes: usize) -> *mut c_void,
    set_key: unsafe extern "C" fn(state: *mut c_void, key: *const u8, bytes: usize),
    run: unsafe extern "C" fn(state: *mut c_void, iv: *const u8, message: *mut u8, bytes: usize),
    close: unsafe extern "C" fn(state: *mut c_void),
}

// SAFETY: each file of shims/ defines its table of this type, constant, with all functions in it.
unsafe extern "C" {
    #[link_name = "roundel_botan"]
    pub(super) safe static BOTAN: Shim;
    #[link_name = "roundel_cryptopp"]
    pub(super) safe static CRYPTOPP: Shim;
    #[link_name = "roundel_gcrypt"]
    pub(super) safe static GCRYPT: Shim;
    #[link_name = "roundel_mcrypt"]
    pub(super) safe static MCRYPT: Shim;
    #[link_name = "roundel_tomcrypt"]
    pub(super) safe static TOMCRYPT: Shim;
}

/// `enum what` of shims/shim.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) enum What {
    Key,
    EcbEncrypt,
    EcbDecrypt,
    Ctr,
}

impl Shim {
    /// The library's version.
    pub(super) fn version(&self) -> String {
        // SAFETY: takes nothing, and returns a string that stays.
        unsafe { CStr::from_ptr((self.version)()) }.to_string_lossy().into_owned()
    }
}

/// A cipher of a library with a key in it.
pub(super) struct Session {
    shim: &'static Shim,
    state: NonNull<c_void>,
    key_bytes: usize,
    block_bytes: usize,
}

// SAFETY: what `open` returns belongs to its session alone, and none of the libraries ties it to a thread.
unsafe impl Send for Session {}

impl Session {
    /// `None` where the library has no such cipher, or not for keys of this length.
    pub(super) fn new(
        shim: &'static Shim,
        cipher: &roundel::Cipher,
        what: What,
        key: &[u8],
    ) -> Option<Session> {
        let name = CString::new(cipher.name).expect("names of ciphers have no zero byte");
        // SAFETY: the name is a C string; the other two are numbers.
        let state = NonNull::new(unsafe { (shim.open)(name.as_ptr(), what as c_int, key.len()) })?;
        let mut session = Session { shim, state, key_bytes: key.len(), block_bytes: cipher.block_bytes };
        session.set_key(key);
        Some(session)
    }

    /// Another key of the same length.
    pub(super) fn set_key(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.key_bytes, "a session has keys of one length");
        // SAFETY: `state` is from `open` and still open; `open` has agreed to keys of this length.
        unsafe { (self.shim.set_key)(self.state.as_ptr(), key.as_ptr(), key.len()) };
    }

    /// Works on whole blocks in place.
    pub(super) fn run(&mut self, iv: &[u8; 16], message: &mut [u8]) {
        assert!(message.len().is_multiple_of(self.block_bytes), "messages are whole blocks");
        // SAFETY: `state` is from `open`, still open, and has a key (`new`); pointers and length are those of one slice of whole
        // blocks, and `iv` has the 16 bytes that CTR reads.
        unsafe {
            (self.shim.run)(self.state.as_ptr(), iv.as_ptr(), message.as_mut_ptr(), message.len());
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: `state` is from `open` and nobody uses it hereafter.
        unsafe { (self.shim.close)(self.state.as_ptr()) };
    }
}

//! The call into generated code: the only `unsafe` of the ciphers.

#![allow(unsafe_code)]

use crate::simd::CodeBuffer;
use dynasmrt::AssemblyOffset;
use dynasmrt::mmap::ExecutableBuffer;

type Tables = [[[u8; 4]; 256]; 4];

/// Encrypts or decrypts one block.
type Function = unsafe extern "sysv64" fn(tables: *const Tables, block: *mut [u8; 16]);

/// The code for a key. Its constants are key material; dropped, the pages go back to the system, which clears them before anybody gets them.
pub(super) struct Code {
    encrypt: Function,
    decrypt: Function,
    /// What the functions are in.
    _memory: ExecutableBuffer,
}

impl Code {
    /// Of what `generate` in mod.rs has written: a whole function at each offset.
    pub(super) fn new(written: CodeBuffer, encrypt: AssemblyOffset, decrypt: AssemblyOffset) -> Self {
        let memory =
            written.finish().expect("`Level::Jit` is available only where the system makes code executable");
        // SAFETY: this module is visible to mod.rs alone, whose `generate` is the only caller and puts a function at each offset that
        // follows the System V convention (it saves rbx and rbp and uses no stack beyond), reads the 4096 bytes behind its first argument
        // (a byte times 4 and a constant of at most 3072) and reads and writes the 16 behind its second. The pages live as long as `self`, and no
        // one writes to them any more.
        let function = |offset| unsafe { std::mem::transmute::<*const u8, Function>(memory.ptr(offset)) };
        Code { encrypt: function(encrypt), decrypt: function(decrypt), _memory: memory }
    }

    pub(super) fn encrypt(&self, tables: &Tables, blocks: &mut [[u8; 16]]) {
        for block in blocks {
            // SAFETY: both are references to as much as the code accesses (`new`).
            unsafe { (self.encrypt)(tables, block) };
        }
    }

    pub(super) fn decrypt(&self, tables: &Tables, blocks: &mut [[u8; 16]]) {
        for block in blocks {
            // SAFETY: both are references to as much as the code accesses (`new`).
            unsafe { (self.decrypt)(tables, block) };
        }
    }
}

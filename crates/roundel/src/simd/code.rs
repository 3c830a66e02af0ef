//! Code made at run time: memory that is written first and executable afterwards, never both at once.

use dynasmrt::mmap::{ExecutableBuffer, MutableBuffer};
use dynasmrt::{AssemblyOffset, DynasmApi};
use std::io;
use std::sync::OnceLock;

/// Writable memory for an assembler to fill.
pub(crate) struct CodeBuffer {
    memory: MutableBuffer,
    used: usize,
}

impl CodeBuffer {
    /// Room for `bytes` of code, which is all there will be.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        let mut memory = MutableBuffer::new(bytes)?;
        memory.set_len(bytes);
        Ok(CodeBuffer { memory, used: 0 })
    }

    /// Takes the right to write, gives the right to execute. When the result is dropped, the memory goes back to the system, which clears it.
    pub(crate) fn finish(self) -> io::Result<ExecutableBuffer> {
        self.memory.make_exec()
    }
}

impl Extend<u8> for CodeBuffer {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, bytes: I) {
        bytes.into_iter().for_each(|byte| self.push(byte));
    }
}

impl<'a> Extend<&'a u8> for CodeBuffer {
    fn extend<I: IntoIterator<Item = &'a u8>>(&mut self, bytes: I) {
        bytes.into_iter().for_each(|byte| self.push(*byte));
    }
}

impl DynasmApi for CodeBuffer {
    fn offset(&self) -> AssemblyOffset {
        AssemblyOffset(self.used)
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.memory[self.used] = byte;
        self.used += 1;
    }

    fn align(&mut self, alignment: usize, with: u8) {
        while !self.used.is_multiple_of(alignment) {
            self.push(with);
        }
    }
}

/// Whether the system makes memory executable that was writable: hardened ones refuse. Asked once.
pub(super) fn allowed() -> bool {
    static ALLOWED: OnceLock<bool> = OnceLock::new();
    *ALLOWED.get_or_init(|| CodeBuffer::new(1).and_then(CodeBuffer::finish).is_ok())
}

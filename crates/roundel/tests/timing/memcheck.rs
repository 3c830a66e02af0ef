//! Requests to valgrind's memcheck: the instruction sequence of `valgrind.h` for x86-64, which does nothing outside valgrind. Written out, since
//! the alternative, the crate `crabgrind`, takes libclang and valgrind's headers to build.

#![allow(unsafe_code)]

use std::arch::asm;

/// `VG_USERREQ__COUNT_ERRORS` of valgrind.h.
const COUNT_ERRORS: usize = 0x1201;
/// `VG_USERREQ__RUNNING_ON_VALGRIND` of valgrind.h.
const RUNNING_ON_VALGRIND: usize = 0x1001;
/// `VG_USERREQ__MAKE_MEM_UNDEFINED` of memcheck.h: the tool's letters, then its second request.
const MAKE_MEM_UNDEFINED: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16 | 1;
/// `VG_USERREQ__MAKE_MEM_DEFINED`.
const MAKE_MEM_DEFINED: usize = MAKE_MEM_UNDEFINED + 1;
/// `VG_USERREQ__GET_VBITS`.
const GET_VBITS: usize = MAKE_MEM_UNDEFINED + 7;

fn request(code: usize, [a, b, c]: [usize; 3]) -> usize {
    let arguments = [code, a, b, c, 0, 0];
    let mut answer = 0;
    // SAFETY: the rotations add up to 128 bits and the exchange is of a register with itself, so that no register changes but rdx, which is an
    // output. Valgrind reads the six words at rax, which live on this stack frame, and writes at most the buffer of `GET_VBITS`, which
    // `is_secret` owns and has exposed.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") answer,
        );
    }
    answer
}

/// Whether the program runs under valgrind.
pub(crate) fn running() -> bool {
    request(RUNNING_ON_VALGRIND, [0; 3]) != 0
}

/// Makes `data` a secret: memcheck reports every branch and address that depends on it.
pub(crate) fn make_secret(data: &mut [u8]) {
    request(MAKE_MEM_UNDEFINED, [data.as_mut_ptr().expose_provenance(), data.len(), 0]);
}

/// Takes the mark off.
pub(crate) fn make_public(data: &mut [u8]) {
    request(MAKE_MEM_DEFINED, [data.as_mut_ptr().expose_provenance(), data.len(), 0]);
}

/// Whether every byte of `data` depends on a secret. Not so behind a table: what memcheck has reported, it follows no further.
pub(crate) fn is_secret(data: &mut [u8]) -> bool {
    let mut undefined_bits = vec![0u8; data.len()];
    let [from, to] = [&mut *data, &mut undefined_bits].map(|bytes| bytes.as_mut_ptr().expose_provenance());
    let answer = request(GET_VBITS, [from, to, data.len()]);
    answer == 1 && undefined_bits.iter().all(|&bits| bits != 0)
}

/// Reports so far, repetitions included.
pub(crate) fn reports() -> usize {
    request(COUNT_ERRORS, [0; 3])
}

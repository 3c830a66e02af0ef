//! Compiled keying: full tables, and code for each key with the subkeys as constants in its instructions.
//!
//! As in the designers' Pentium code of 1998, one LEA adds both halves of the pseudo-Hadamard transform and a subkey. The code is written by an
//! assembler ([`dynasmrt`]) into memory of its own, which then becomes executable; where the system refuses that, or this is no x86-64, the
//! strategy is not available ([`Level::Jit`]). Its counterpart at compile time is `full`.

mod call;

use super::full::Full;
use super::{Keyable, full};
use crate::ciphers::twofish::schedule::{self, Subkeys};
use crate::simd::{CodeBuffer, Level};
use crate::{Kernel, Memory, Strategy, keying};
use call::Code;
use dynasmrt::{DynasmApi, dynasm};

pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
    name: "compiled",
    summary: "full keying, and code generated for each key with its subkeys as constants",
    needs: Level::Jit,
    memory: Memory { per_key: 4096 + CODE_BYTES, shared: full::STRATEGY.memory.shared },
    batch_blocks: 1,
    keying: keying!(|key| match key.len() {
        16 => Compiled::new::<2>(key),
        24 => Compiled::new::<3>(key),
        _ => Compiled::new::<4>(key),
    }),
    ..full::STRATEGY
};

/// Two pages: both directions take about 2.2 KiB each.
const CODE_BYTES: usize = 8192;

struct Compiled {
    tables: Full,
    code: Code,
}

impl Compiled {
    fn new<const K: usize>(key: &[u8]) -> Self {
        let key = schedule::words::<K>(key);
        let mut tables = Full::default();
        tables.set(&schedule::g_key(&key));
        Compiled { tables, code: generate(&Subkeys::new(&key)) }
    }
}

impl Kernel for Compiled {
    fn encrypt(&self, blocks: &mut [u8]) {
        self.code.encrypt(&self.tables.0, blocks.as_chunks_mut().0);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.code.decrypt(&self.tables.0, blocks.as_chunks_mut().0);
    }
}

/// g of a word into a register, by the word's low and high byte: the four tables lie one after the other at rdi. The word is rotated by
/// half and back.
macro_rules! g {
    ($ops:ident, $into:tt, $word:tt, $low:tt, $high:tt, $t0:expr, $t1:expr, $t2:expr, $t3:expr) => {
        dynasm!($ops
            ; .arch x64
            ; movzx ebp, $low
            ; mov $into, [rdi + rbp * 4 + $t0]
            ; movzx ebp, $high
            ; xor $into, [rdi + rbp * 4 + $t1]
            ; ror $word, 16
            ; movzx ebp, $low
            ; xor $into, [rdi + rbp * 4 + $t2]
            ; movzx ebp, $high
            ; xor $into, [rdi + rbp * 4 + $t3]
            ; ror $word, 16
        )
    };
}

/// F of two words under two subkeys: F0 in r10d, F1 in r11d.
macro_rules! f {
    ($ops:ident, $k0:expr, $k1:expr, $a:tt, $al:tt, $ah:tt, $b:tt, $bl:tt, $bh:tt) => {{
        let (k0, k1) = ($k0 as i32, $k1 as i32);
        g!($ops, r8d, $a, $al, $ah, 0, 1024, 2048, 3072);
        // of the word rotated by 8: byte 0 is in position 1
        g!($ops, r9d, $b, $bl, $bh, 1024, 2048, 3072, 0);
        dynasm!($ops
            ; .arch x64
            ; lea r10d, [r8 + r9 + k0]
            ; lea r11d, [r8 + r9 * 2 + k1]
        );
    }};
}

/// Both directions. The words a, b, c, d are in eax, ebx, ecx, edx, whose second bytes have names.
fn generate(keys: &Subkeys) -> Code {
    let mut ops = CodeBuffer::new(CODE_BYTES).expect("the system gives two pages");
    let encrypt = ops.offset();
    begin(&mut ops, keys.input);
    for &[k0, k1, k2, k3] in &keys.rounds {
        f!(ops, k0, k1, eax, al, ah, ebx, bl, bh);
        dynasm!(ops ; .arch x64 ; xor ecx, r10d ; ror ecx, 1 ; rol edx, 1 ; xor edx, r11d);
        f!(ops, k2, k3, ecx, cl, ch, edx, dl, dh);
        dynasm!(ops ; .arch x64 ; xor eax, r10d ; ror eax, 1 ; rol ebx, 1 ; xor ebx, r11d);
    }
    dynasm!(ops ; .arch x64 ; xchg eax, ecx ; xchg ebx, edx);
    end(&mut ops, keys.output);
    let decrypt = ops.offset();
    begin(&mut ops, keys.output);
    dynasm!(ops ; .arch x64 ; xchg eax, ecx ; xchg ebx, edx);
    for &[k0, k1, k2, k3] in keys.rounds.iter().rev() {
        f!(ops, k2, k3, ecx, cl, ch, edx, dl, dh);
        dynasm!(ops ; .arch x64 ; rol eax, 1 ; xor eax, r10d ; xor ebx, r11d ; ror ebx, 1);
        f!(ops, k0, k1, eax, al, ah, ebx, bl, bh);
        dynasm!(ops ; .arch x64 ; rol ecx, 1 ; xor ecx, r10d ; xor edx, r11d ; ror edx, 1);
    }
    end(&mut ops, keys.input);
    Code::new(ops, encrypt, decrypt)
}

/// The tables are at rdi, the block at rsi.
fn begin(ops: &mut CodeBuffer, whitening: [u32; 4]) {
    let [w0, w1, w2, w3] = whitening.map(|word| word as i32);
    dynasm!(ops
        ; .arch x64
        ; push rbx
        ; push rbp
        ; mov eax, [rsi]
        ; mov ebx, [rsi + 4]
        ; mov ecx, [rsi + 8]
        ; mov edx, [rsi + 12]
        ; xor eax, DWORD w0
        ; xor ebx, DWORD w1
        ; xor ecx, DWORD w2
        ; xor edx, DWORD w3
    );
}

fn end(ops: &mut CodeBuffer, whitening: [u32; 4]) {
    let [w0, w1, w2, w3] = whitening.map(|word| word as i32);
    dynasm!(ops
        ; .arch x64
        ; xor eax, DWORD w0
        ; xor ebx, DWORD w1
        ; xor ecx, DWORD w2
        ; xor edx, DWORD w3
        ; mov [rsi], eax
        ; mov [rsi + 4], ebx
        ; mov [rsi + 8], ecx
        ; mov [rsi + 12], edx
        ; pop rbp
        ; pop rbx
        ; ret
    );
}

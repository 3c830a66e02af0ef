//! The digits of e: EES is the first 2144 bits after the binary point, 67 words of 32 bits, and all constants are pieces of it.

const WORDS: usize = 67;
/// Words beyond the last used one, so that truncated divisions do not reach it.
const GUARD: usize = 3;
/// 1/340! is below 2^-2300.
const TERMS: u64 = 340;

/// EES, word 0 first.
const EES: [u32; WORDS] = fraction_of_e();

/// e = 1 + 1/1 (1 + 1/2 (1 + 1/3 (...))), from the inside out, in fixed point.
const fn fraction_of_e() -> [u32; WORDS] {
    let mut x = [0; WORDS + GUARD];
    let mut n = TERMS;
    let mut integer = 1;
    while n > 0 {
        // x = 1 + x / n; the integer part, 1 or 2, is carried apart.
        let mut remainder = integer;
        integer = 1 + remainder / n;
        remainder %= n;
        let mut i = 0;
        while i < WORDS + GUARD {
            let dividend = remainder << 32 | x[i] as u64;
            x[i] = (dividend / n) as u32;
            remainder = dividend % n;
            i += 1;
        }
        n -= 1;
    }
    let mut ees = [0; WORDS];
    let mut i = 0;
    while i < WORDS {
        ees[i] = x[i];
        i += 1;
    }
    ees
}

const fn pair(i: usize) -> u64 {
    (EES[i] as u64) << 32 | EES[i + 1] as u64
}

/// RT: six bits to 32.
pub(super) static RT: [u32; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = EES[i];
        i += 1;
    }
    table
};

/// Added at the end of the round function.
pub(super) const KD: u64 = pair(64);
/// XORed onto the high half.
pub(super) const KC: u32 = EES[66];
/// KA(2), KA(3), KA(4) of the key schedule.
pub(super) const KA: [u64; 3] = [pair(0), pair(2), pair(4)];
/// KB(2), KB(3), KB(4).
pub(super) const KB: [u64; 3] = [pair(6), pair(8), pair(10)];
/// KS: what short keys are padded with, words 12 to 19.
pub(super) const KS: [u32; 8] = [EES[12], EES[13], EES[14], EES[15], EES[16], EES[17], EES[18], EES[19]];

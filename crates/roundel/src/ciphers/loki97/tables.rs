//! The S-boxes: the low eight bits of the cube of the inverted input, in GF(2^13) and GF(2^11).

/// 13 bits to 8: modulo x^13 + x^11 + x^8 + x^4 + 1.
pub(super) static S1: [u8; 1 << 13] = cubes::<13, { 1 << 13 }>(0x2911);

/// 11 bits to 8: modulo x^11 + x^9 + x^7 + x^5 + x^2 + x + 1.
pub(super) static S2: [u8; 1 << 11] = cubes::<11, { 1 << 11 }>(0x0AA7);

const fn multiply<const BITS: u32>(mut a: u32, b: u32, modulus: u32) -> u32 {
    let (mut product, mut bit) = (0, 0);
    while bit < BITS {
        product ^= a * (b >> bit & 1);
        a <<= 1;
        a ^= modulus * (a >> BITS);
        bit += 1;
    }
    product
}

// 10240 cubes of two products each: about a second, once, at compile time.
#[allow(long_running_const_eval)]
const fn cubes<const BITS: u32, const N: usize>(modulus: u32) -> [u8; N] {
    let mut table = [0; N];
    let mut x = 0;
    while x < N {
        let inverted = (x ^ (N - 1)) as u32;
        let square = multiply::<BITS>(inverted, inverted, modulus);
        table[x] = multiply::<BITS>(square, inverted, modulus) as u8;
        x += 1;
    }
    table
}

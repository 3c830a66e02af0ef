//! The S-box, and the linear map P.

/// s(x) = 97 x^127 + 225 modulo 256, x^127 in GF(2^8) modulo 0x11B.
pub(super) static SBOX: [u8; 256] = sbox();

const fn multiply(mut a: u32, b: u32) -> u32 {
    let (mut product, mut bit) = (0, 0);
    while bit < 8 {
        product ^= a * (b >> bit & 1);
        a = (a << 1) ^ (0x11B * (a >> 7));
        bit += 1;
    }
    product
}

const fn sbox() -> [u8; 256] {
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        // 127 = 1111111 in binary: square and multiply six times.
        let (mut power, mut step) = (x as u32, 0);
        while step < 6 {
            power = multiply(multiply(power, power), x as u32);
            step += 1;
        }
        table[x] = (97 * power + 225) as u8;
        x += 1;
    }
    table
}

/// P of the description on eight bytes as a big-endian word, byte 0 on top: four steps on its two halves.
#[inline(always)]
pub(super) const fn mix(word: u64) -> u64 {
    let (mut x, mut y) = ((word >> 32) as u32, word as u32);
    y ^= x;
    x ^= y.rotate_left(16);
    y ^= x.rotate_right(8);
    x ^= y;
    (x as u64) << 32 | y as u64
}

/// FIRST\[j\]\[x\]: P of the string that has s(x) at place j (from the left) and zeros elsewhere.
pub(super) static FIRST: [[u64; 256]; 8] = first_layer();

const fn first_layer() -> [[u64; 256]; 8] {
    let sbox = sbox();
    let mut tables = [[0; 256]; 8];
    let mut j = 0;
    while j < 8 {
        let mut x = 0;
        while x < 256 {
            tables[j][x] = mix((sbox[x] as u64) << (56 - 8 * j));
            x += 1;
        }
        j += 1;
    }
    tables
}

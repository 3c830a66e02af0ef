//! Twofish in the order and letters of "Twofish: A 128-Bit Block Cipher" (1998), section 4: slow and plain.
//!
//! q0 and q1 are computed from their nibble permutations and the matrix products by shifts, so no address depends on a secret.

use super::tables::{MDS, MDS_FIELD, RS, RS_FIELD, STAGES, gmul, q};
use crate::ciphers::words::{load, store};
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "reference",
    summary: "from the paper: q0, q1 and the matrices computed for every byte",
    needs: Level::Portable,
    timing: Timing::Constant,
    memory: Memory { per_key: 4 * (40 + 4), shared: 0 },
    batch_blocks: 1,
    keying: keying!(|key| Reference::new(key)),
};

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    /// The expanded key words of section 4.3.
    k: [u32; 40],
    /// The vector S of section 4.3 in the order of the list L of h: S_(k-1) to S_0.
    s: Vec<u32>,
}

/// The product of a matrix over GF(2^8) and a vector of bytes.
fn multiply<const N: usize>(matrix: &[[u8; N]; 4], x: &[u8], field: u16) -> u32 {
    u32::from_le_bytes(matrix.map(|row| row.iter().zip(x).fold(0, |z, (&m, &x)| z ^ gmul(m, x, field))))
}

/// The function h (section 4.3.2): the words of L from the last to the first, then the matrix.
fn h(x: u32, l: &[u32]) -> u32 {
    let mut y = x.to_le_bytes();
    for (i, word) in l.iter().enumerate().rev() {
        for (j, l_ij) in word.to_le_bytes().into_iter().enumerate() {
            y[j] = q(STAGES[3 - i][j], y[j]) ^ l_ij;
        }
    }
    for (j, y) in y.iter_mut().enumerate() {
        *y = q(STAGES[4][j], *y);
    }
    multiply(&MDS, &y, MDS_FIELD)
}

/// The pseudo-Hadamard transform (section 4.2 and the last lines of F): a + b and a + 2b.
fn pht(a: u32, b: u32) -> (u32, u32) {
    (a.wrapping_add(b), a.wrapping_add(b).wrapping_add(b))
}

impl Reference {
    /// The key schedule (sections 4.3 and 4.3.4).
    fn new(key: &[u8]) -> Self {
        let m: Vec<u32> = key.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let m_e: Vec<u32> = m.iter().copied().step_by(2).collect();
        let m_o: Vec<u32> = m.iter().copied().skip(1).step_by(2).collect();
        let s = key.chunks_exact(8).map(|m| multiply(&RS, m, RS_FIELD)).rev().collect();

        const RHO: u32 = 0x0101_0101;
        let mut k = [0; 40];
        for (i, pair) in (0..).zip(k.as_chunks_mut::<2>().0) {
            let a_i = h(2 * i * RHO, &m_e);
            let b_i = h((2 * i + 1) * RHO, &m_o).rotate_left(8);
            let (sum, double) = pht(a_i, b_i);
            *pair = [sum, double.rotate_left(9)];
        }
        Reference { k, s }
    }

    /// The function F (section 4.1).
    fn f(&self, r_0: u32, r_1: u32, r: usize) -> (u32, u32) {
        let t_0 = h(r_0, &self.s);
        let t_1 = h(r_1.rotate_left(8), &self.s);
        let (f_0, f_1) = pht(t_0, t_1);
        (f_0.wrapping_add(self.k[2 * r + 8]), f_1.wrapping_add(self.k[2 * r + 9]))
    }

    /// Section 4, figure 1.
    fn encrypt_block(&self, block: &mut [u8; 16]) {
        let p = load(block);
        let mut r: [u32; 4] = std::array::from_fn(|i| p[i] ^ self.k[i]);
        for round in 0..16 {
            let (f_0, f_1) = self.f(r[0], r[1], round);
            r = [(r[2] ^ f_0).rotate_right(1), r[3].rotate_left(1) ^ f_1, r[0], r[1]];
        }
        store(std::array::from_fn(|i| r[(i + 2) % 4] ^ self.k[i + 4]), block);
    }

    /// The same from the end to the beginning.
    fn decrypt_block(&self, block: &mut [u8; 16]) {
        let c = load(block);
        let mut r: [u32; 4] = std::array::from_fn(|i| c[(i + 2) % 4] ^ self.k[(i + 2) % 4 + 4]);
        for round in (0..16).rev() {
            let (f_0, f_1) = self.f(r[2], r[3], round);
            r = [r[2], r[3], r[0].rotate_left(1) ^ f_0, (r[1] ^ f_1).rotate_right(1)];
        }
        store(std::array::from_fn(|i| r[i] ^ self.k[i]), block);
    }
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.encrypt_block(block));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| self.decrypt_block(block));
    }
}

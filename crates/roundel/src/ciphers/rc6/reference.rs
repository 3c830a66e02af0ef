//! RC6-32/20/b from the paper (Rivest, Robshaw, Sidney, Yin 1998), in its order and letters.

use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const PLAIN: Strategy = Strategy {
    name: "reference",
    summary: "from the paper, a block at a time",
    needs: Level::Portable,
    timing: Timing::Constant,
    memory: Memory { per_key: 44 * 4, shared: 0 },
    batch_blocks: 1,
    keying: keying!(|key| Reference::new(key)),
};

/// r, the number of rounds.
const R: usize = 20;

/// Odd((e - 2) 2^32), the magic constant P_32 of RC5 and RC6.
const P: u32 = 0xB7E1_5163;
/// Odd((phi - 1) 2^32), the magic constant Q_32.
const Q: u32 = 0x9E37_79B9;

/// (x * (2x + 1)) <<< lg w.
fn f(x: u32) -> u32 {
    x.wrapping_mul(x.wrapping_mul(2).wrapping_add(1)).rotate_left(5)
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    /// S[0, ..., 2r + 3], the round keys.
    s: [u32; 2 * R + 4],
}

impl Reference {
    /// "Key schedule with RC6-w/r/b": the key's bytes in c little-endian words L, mixed into S three times over the longer of the two.
    fn new(key: &[u8]) -> Self {
        let c = key.len().div_ceil(4).max(1);
        let mut l = vec![0u32; c];
        for (i, byte) in key.iter().enumerate() {
            l[i / 4] |= u32::from(*byte) << (8 * (i % 4));
        }
        let mut s = [0; 2 * R + 4];
        s[0] = P;
        for i in 1..s.len() {
            s[i] = s[i - 1].wrapping_add(Q);
        }
        let (mut a, mut b, mut i, mut j) = (0u32, 0u32, 0, 0);
        for _ in 0..3 * c.max(s.len()) {
            s[i] = s[i].wrapping_add(a).wrapping_add(b).rotate_left(3);
            a = s[i];
            l[j] = l[j].wrapping_add(a).wrapping_add(b).rotate_left(a.wrapping_add(b) & 31);
            b = l[j];
            i = (i + 1) % s.len();
            j = (j + 1) % c;
        }
        l.zeroize();
        Reference { s }
    }

    /// "Encryption with RC6-w/r/b".
    fn encrypt_block(&self, [mut a, mut b, mut c, mut d]: [u32; 4]) -> [u32; 4] {
        let s = &self.s;
        b = b.wrapping_add(s[0]);
        d = d.wrapping_add(s[1]);
        for i in 1..=R {
            let t = f(b);
            let u = f(d);
            a = (a ^ t).rotate_left(u & 31).wrapping_add(s[2 * i]);
            c = (c ^ u).rotate_left(t & 31).wrapping_add(s[2 * i + 1]);
            (a, b, c, d) = (b, c, d, a);
        }
        a = a.wrapping_add(s[2 * R + 2]);
        c = c.wrapping_add(s[2 * R + 3]);
        [a, b, c, d]
    }

    /// "Decryption with RC6-w/r/b".
    fn decrypt_block(&self, [mut a, mut b, mut c, mut d]: [u32; 4]) -> [u32; 4] {
        let s = &self.s;
        c = c.wrapping_sub(s[2 * R + 3]);
        a = a.wrapping_sub(s[2 * R + 2]);
        for i in (1..=R).rev() {
            (a, b, c, d) = (d, a, b, c);
            let u = f(d);
            let t = f(b);
            c = c.wrapping_sub(s[2 * i + 1]).rotate_right(t & 31) ^ u;
            a = a.wrapping_sub(s[2 * i]).rotate_right(u & 31) ^ t;
        }
        d = d.wrapping_sub(s[1]);
        b = b.wrapping_sub(s[0]);
        [a, b, c, d]
    }
}

/// Runs a block function over 16-byte blocks of four little-endian words A, B, C, D.
fn each_block(blocks: &mut [u8], block_function: impl Fn([u32; 4]) -> [u32; 4]) {
    for block in blocks.as_chunks_mut::<16>().0 {
        let words = std::array::from_fn(|j| u32::from_le_bytes(block.as_chunks().0[j]));
        block.copy_from_slice(block_function(words).map(u32::to_le_bytes).as_flattened());
    }
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        each_block(blocks, |words| self.encrypt_block(words));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        each_block(blocks, |words| self.decrypt_block(words));
    }
}

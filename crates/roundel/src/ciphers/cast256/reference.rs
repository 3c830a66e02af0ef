//! CAST-256 in the order and letters of RFC 2612, section 2: slow and plain.
//!
//! Its S-boxes are looked up with bytes of key and text.

use super::tables::S;
use crate::simd::Level;
use crate::{Kernel, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "reference",
    summary: "from RFC 2612, one round after the other",
    needs: Level::Portable,
    timing: Timing::SecretDependent,
    memory: Memory { per_key: 12 * (4 + 16), shared: 4096 },
    batch_blocks: 1,
    keying: keying!(|key| Reference::new(key)),
};

/// The three round functions f1, f2 and f3 of data D, rotation key Kr and masking key Km.
fn f(number: usize, d: u32, kr: u8, km: u32) -> u32 {
    let i = match number {
        1 => km.wrapping_add(d),
        2 => km ^ d,
        _ => km.wrapping_sub(d),
    };
    let [a, b, c, d] = i.rotate_left(kr.into()).to_be_bytes();
    let [s1, s2, s3, s4] = [S[0][a as usize], S[1][b as usize], S[2][c as usize], S[3][d as usize]];
    match number {
        1 => (s1 ^ s2).wrapping_sub(s3).wrapping_add(s4),
        2 => s1.wrapping_sub(s2).wrapping_add(s3) ^ s4,
        _ => (s1.wrapping_add(s2) ^ s3).wrapping_sub(s4),
    }
}

/// Which of f1 to f3 the eight steps of a forward octave use.
const OCTAVE: [usize; 8] = [1, 2, 3, 1, 2, 3, 1, 2];

/// The keys of a quad-round.
#[derive(Clone, Copy, Default, Zeroize)]
struct QuadKeys {
    kr: [u8; 4],
    km: [u32; 4],
}

#[derive(Zeroize, ZeroizeOnDrop)]
struct Reference {
    keys: [QuadKeys; 12],
}

impl Reference {
    /// The key schedule. `kappa` is A to H.
    fn new(key: &[u8]) -> Self {
        let mut kappa = [0u32; 8];
        for (word, &bytes) in kappa.iter_mut().zip(key.as_chunks().0) {
            *word = u32::from_be_bytes(bytes);
        }
        let mut tm = 0x5A82_7999u32;
        let mut tr = 19;
        let keys = std::array::from_fn(|_| {
            for _ in 0..2 {
                for (step, number) in OCTAVE.into_iter().enumerate() {
                    // G ^= f1(H), F ^= f2(G), ..., A ^= f1(B), H ^= f2(A)
                    let from = 7 - step;
                    let to = (from + 7) % 8;
                    kappa[to] ^= f(number, kappa[from], tr, tm);
                    tm = tm.wrapping_add(0x6ED9_EBA1);
                    tr = (tr + 17) % 32;
                }
            }
            let [a, b, c, d, e, f, g, h] = kappa;
            QuadKeys { kr: [a, c, e, g].map(|word| (word % 32) as u8), km: [h, f, d, b] }
        });
        kappa.zeroize();
        Reference { keys }
    }
}

/// Q: a forward quad-round of the block `beta`, A to D.
fn forward([a, b, c, d]: &mut [u32; 4], keys: &QuadKeys) {
    let QuadKeys { kr, km } = keys;
    *c ^= f(1, *d, kr[0], km[0]);
    *b ^= f(2, *c, kr[1], km[1]);
    *a ^= f(3, *b, kr[2], km[2]);
    *d ^= f(1, *a, kr[3], km[3]);
}

/// QBAR: a reverse quad-round.
fn reverse([a, b, c, d]: &mut [u32; 4], keys: &QuadKeys) {
    let QuadKeys { kr, km } = keys;
    *d ^= f(1, *a, kr[3], km[3]);
    *a ^= f(3, *b, kr[2], km[2]);
    *b ^= f(2, *c, kr[1], km[1]);
    *c ^= f(1, *d, kr[0], km[0]);
}

/// Six forward and six reverse quad-rounds; decryption takes the keys in the opposite order.
fn crypt<'k>(block: &mut [u8; 16], keys: impl Iterator<Item = &'k QuadKeys>) {
    let mut beta = std::array::from_fn(|i| u32::from_be_bytes(block.as_chunks().0[i]));
    for (i, keys) in keys.enumerate() {
        if i < 6 {
            forward(&mut beta, keys);
        } else {
            reverse(&mut beta, keys);
        }
    }
    block.copy_from_slice(beta.map(u32::to_be_bytes).as_flattened());
}

impl Kernel for Reference {
    fn encrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| crypt(block, self.keys.iter()));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        blocks.as_chunks_mut().0.iter_mut().for_each(|block| crypt(block, self.keys.iter().rev()));
    }
}

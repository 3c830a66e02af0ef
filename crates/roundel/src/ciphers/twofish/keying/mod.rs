//! The keying options of section 5.1: how much of g is computed for a key beforehand. The rounds around g are the same for all.

use super::schedule::{self, Subkeys};
use crate::Kernel;
use crate::ciphers::words;
use std::array::from_fn;

#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub(super) mod compiled;
pub(super) mod full;
pub(super) mod minimal;
pub(super) mod partial;
pub(super) mod partial_shared;
pub(super) mod precomputed;
pub(super) mod zero;

/// Listed where it cannot run, too; the CPU level keeps it from being keyed.
#[cfg(not(all(feature = "jit", target_arch = "x86_64")))]
pub(super) mod compiled {
    use crate::Strategy;
    use crate::simd::Level;

    pub(in crate::ciphers::twofish) const STRATEGY: Strategy = Strategy {
        name: "compiled",
        summary: "full keying, and code generated for each key with its subkeys as constants",
        needs: Level::Jit,
        batch_blocks: 1,
        ..super::full::STRATEGY
    };
}

/// g with a key in it (section 4.1): the key-dependent S-boxes and the matrix.
trait KeyedG: Send + Sync {
    /// g of a word's bytes.
    fn g(&self, bytes: [usize; 4]) -> u32;

    /// g(x).
    #[inline(always)]
    fn g0(&self, x: u32) -> u32 {
        self.g(x.to_le_bytes().map(usize::from))
    }

    /// g(x <<< 8): the rotation only renames the bytes.
    #[inline(always)]
    fn g1(&self, x: u32) -> u32 {
        let [x0, x1, x2, x3] = x.to_le_bytes().map(usize::from);
        self.g([x3, x0, x1, x2])
    }
}

/// g for keys of `K` pairs of words, before it has one.
trait Keyable<const K: usize>: KeyedG + Default + 'static {
    /// Takes the key words of g, in the order of a list of h.
    fn set(&mut self, list: &[u32; K]);
}

/// Blocks in flight.
const INTERLEAVE: usize = 2;

/// A keying option with a key in it.
struct Keyed<G> {
    subkeys: Subkeys,
    g: G,
}

/// Keys an option. Inlined, so that tables are filled where they stay: copies of 4 KiB would be a fifth of the key setup.
#[inline(always)]
fn keyed<G: Keyable<K>, const K: usize>(key: &[u8]) -> Keyed<G> {
    let key = schedule::words::<K>(key);
    let mut keyed = Keyed { subkeys: Subkeys::new(&key), g: G::default() };
    keyed.g.set(&schedule::g_key(&key));
    keyed
}

impl<G: KeyedG> Kernel for Keyed<G> {
    fn encrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut::<16>().0.as_chunks_mut::<INTERLEAVE>();
        groups.iter_mut().for_each(|group| encrypt(&self.subkeys, &self.g, group));
        rest.iter_mut().for_each(|block| encrypt(&self.subkeys, &self.g, std::array::from_mut(block)));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let (groups, rest) = blocks.as_chunks_mut::<16>().0.as_chunks_mut::<INTERLEAVE>();
        groups.iter_mut().for_each(|group| decrypt(&self.subkeys, &self.g, group));
        rest.iter_mut().for_each(|block| decrypt(&self.subkeys, &self.g, std::array::from_mut(block)));
    }
}

/// Tables of one byte for each input of each byte position, wiped as a whole: `zeroize` would write single bytes.
struct ByteTables([[u8; 256]; 4]);

impl Default for ByteTables {
    fn default() -> Self {
        ByteTables([[0; 256]; 4])
    }
}

impl Drop for ByteTables {
    fn drop(&mut self) {
        crate::modes::wipe(self.0.as_flattened_mut());
    }
}

type Words = [u32; 4];

/// Little-endian words (section 4), XORed with whitening words.
#[inline(always)]
fn load(block: &[u8; 16], whitening: &Words) -> Words {
    let words = words::load(block);
    from_fn(|i| words[i] ^ whitening[i])
}

#[inline(always)]
fn store(block: &mut [u8; 16], words: Words, whitening: &Words) {
    words::store(from_fn(|i| words[i] ^ whitening[i]), block);
}

/// F (section 4.1) of two words under two subkeys.
#[inline(always)]
fn f(g: &impl KeyedG, a: u32, b: u32, key: [u32; 2]) -> (u32, u32) {
    let t0 = g.g0(a);
    let t1 = g.g1(b);
    let sum = t0.wrapping_add(t1);
    (sum.wrapping_add(key[0]), sum.wrapping_add(t1).wrapping_add(key[1]))
}

/// Encrypts `N` blocks, interleaved round by round so that their latencies overlap.
#[inline(always)]
fn encrypt<const N: usize>(keys: &Subkeys, g: &impl KeyedG, blocks: &mut [[u8; 16]; N]) {
    let mut states: [Words; N] = from_fn(|n| load(&blocks[n], &keys.input));
    for &[k0, k1, k2, k3] in &keys.rounds {
        for [a, b, c, d] in &mut states {
            let (f0, f1) = f(g, *a, *b, [k0, k1]);
            *c = (*c ^ f0).rotate_right(1);
            *d = d.rotate_left(1) ^ f1;
        }
        for [a, b, c, d] in &mut states {
            let (f0, f1) = f(g, *c, *d, [k2, k3]);
            *a = (*a ^ f0).rotate_right(1);
            *b = b.rotate_left(1) ^ f1;
        }
    }
    for (block, [a, b, c, d]) in blocks.iter_mut().zip(states) {
        store(block, [c, d, a, b], &keys.output);
    }
}

/// Decrypts `N` blocks, interleaved like [`encrypt`].
#[inline(always)]
fn decrypt<const N: usize>(keys: &Subkeys, g: &impl KeyedG, blocks: &mut [[u8; 16]; N]) {
    let mut states: [Words; N] = from_fn(|n| {
        let [c, d, a, b] = load(&blocks[n], &keys.output);
        [a, b, c, d]
    });
    for &[k0, k1, k2, k3] in keys.rounds.iter().rev() {
        for [a, b, c, d] in &mut states {
            let (f0, f1) = f(g, *c, *d, [k2, k3]);
            *a = a.rotate_left(1) ^ f0;
            *b = (*b ^ f1).rotate_right(1);
        }
        for [a, b, c, d] in &mut states {
            let (f0, f1) = f(g, *a, *b, [k0, k1]);
            *c = c.rotate_left(1) ^ f0;
            *d = (*d ^ f1).rotate_right(1);
        }
    }
    for (block, words) in blocks.iter_mut().zip(states) {
        store(block, words, &keys.input);
    }
}

//! DES on bit planes: a plane holds one bit of as many blocks as a register has bits. S-boxes are circuits (`sboxes.rs`), every permutation is a
//! choice of planes, and a key bit is a mask, so that nothing but values depends on secrets.
//!
//! A batch is 256 blocks with AVX2 (4 KiB), 128 with SSE2. Anything shorter is padded to one and costs as much: use `sp-tables` for single
//! blocks where timing may leak.

use super::reference::des_schedule;
use super::tables::{E, IP, P};
use super::{FIXED_KEY, round_keys, sboxes};
use crate::ciphers::words::in_batches;
use crate::simd::{Avx2, Level, Simd, Sse2, Vector};
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use zeroize::{Zeroize, ZeroizeOnDrop};

const fn strategy(name: &'static str, needs: Level, keying: Keying, batch_blocks: usize) -> Strategy {
    Strategy {
        name,
        summary: "constant-time: bit planes and boolean S-boxes",
        needs,
        timing: Timing::Constant,
        memory: Memory { per_key: 8 * size_of::<DesMasks>(), shared: 0 },
        batch_blocks,
        keying,
    }
}

pub(super) const W128: Strategy =
    strategy("bitslice-128", Level::Sse2, keying!(|key| Bitslice::<Sse2, 2048>::new(key)), 128);
pub(super) const W256: Strategy =
    strategy("bitslice-256", Level::Avx2, keying!(|key| Bitslice::<Avx2, 4096>::new(key)), 256);

/// The round keys of one DES: for each round and S-box six masks, all ones where the key bit is set.
type DesMasks = [[[u32; 6]; 8]; 16];

#[derive(Zeroize, ZeroizeOnDrop)]
struct Masks {
    rounds: Vec<DesMasks>,
}

/// Batches of `BATCH` bytes: as many blocks as a vector has bits.
struct Bitslice<S, const BATCH: usize> {
    simd: S,
    masks: Masks,
}

/// The bit planes of one half of a block, in IP's order.
type Half<V> = [V; 32];
/// Both halves (l, r) of one 64-bit half of DEAL's block.
type Word<V> = [Half<V>; 2];

/// Where bit j of P's input goes: the inverse of P.
const P_TARGETS: [usize; 32] = {
    let mut targets = [0; 32];
    let mut j = 0;
    while j < 32 {
        targets[P[j] as usize - 1] = j;
        j += 1;
    }
    targets
};

impl<S: Simd, const BATCH: usize> Bitslice<S, BATCH> {
    fn new(key: &[u8]) -> Self {
        let simd = S::detect().expect("the strategy is only built where its level is available");
        let fixed = masks(FIXED_KEY);
        let mut keys = round_keys(key, |block| {
            simd.enter(
                #[inline(always)]
                || des(simd, &fixed, block),
            )
        });
        let rounds = keys.iter().map(|&key| masks(key)).collect();
        keys.zeroize();
        Bitslice { simd, masks: Masks { rounds } }
    }

    #[inline(always)]
    fn encrypt_batch(&self, bytes: &mut [u8; BATCH]) {
        let [mut left, mut right] = self.load(bytes);
        for keys in &self.masks.rounds {
            add_des(self.simd, &mut right, &left, keys);
            std::mem::swap(&mut left, &mut right);
        }
        self.store([left, right], bytes);
    }

    #[inline(always)]
    fn decrypt_batch(&self, bytes: &mut [u8; BATCH]) {
        let [mut left, mut right] = self.load(bytes);
        for keys in self.masks.rounds.iter().rev() {
            add_des(self.simd, &mut left, &right, keys);
            std::mem::swap(&mut left, &mut right);
        }
        self.store([left, right], bytes);
    }

    /// Blocks to planes, IP included: it only names them.
    #[inline(always)]
    fn load(&self, bytes: &[u8; BATCH]) -> [Word<S::V>; 2] {
        let mut planes = [self.simd.zero(); 128];
        for (i, plane) in planes.iter_mut().enumerate() {
            *plane = self.simd.load(&bytes[i * S::V::BYTES..]);
        }
        transpose(self.simd, &mut planes);
        let mut words = [[[self.simd.zero(); 32]; 2]; 2];
        for (half, word) in words.iter_mut().enumerate() {
            for (j, plane) in word.as_flattened_mut().iter_mut().enumerate() {
                *plane = planes[const { plane_numbers() }[half][j]];
            }
        }
        words
    }

    /// Planes to blocks, FP included.
    #[inline(always)]
    fn store(&self, words: [Word<S::V>; 2], bytes: &mut [u8; BATCH]) {
        let mut planes = [self.simd.zero(); 128];
        for (half, word) in words.iter().enumerate() {
            for (j, plane) in word.as_flattened().iter().enumerate() {
                planes[const { plane_numbers() }[half][j]] = *plane;
            }
        }
        transpose(self.simd, &mut planes);
        for (i, plane) in planes.into_iter().enumerate() {
            plane.store(&mut bytes[i * S::V::BYTES..]);
        }
    }
}

/// E_PLANES\[box\]\[j\]: the plane of a half that is input j of an S-box.
const E_PLANES: [[usize; 6]; 8] = {
    let mut planes = [[0; 6]; 8];
    let mut i = 0;
    while i < 48 {
        planes[i / 6][i % 6] = E[i] as usize - 1;
        i += 1;
    }
    planes
};

/// The plane that bit j of IP's output comes from, for each half of DEAL's block. Planes are numbered as bits of a little-endian number, DES
/// numbers each byte's bits from the left.
const fn plane_numbers() -> [[usize; 64]; 2] {
    let mut numbers = [[0; 64]; 2];
    let mut j = 0;
    while j < 64 {
        let bit = (IP[j] as usize - 1) ^ 7;
        numbers[0][j] = bit;
        numbers[1][j] = 64 + bit;
        j += 1;
    }
    numbers
}

/// f of DES into `onto`, one S-box after the other.
#[inline(always)]
fn f<S: Simd>(s: S, onto: &mut Half<S::V>, half: &Half<S::V>, keys: &[[u32; 6]; 8]) {
    let ones = s.splat32(!0);
    add_output::<S, 0>(onto, sboxes::s1(ones, input::<S, 0>(s, half, keys)));
    add_output::<S, 1>(onto, sboxes::s2(ones, input::<S, 1>(s, half, keys)));
    add_output::<S, 2>(onto, sboxes::s3(ones, input::<S, 2>(s, half, keys)));
    add_output::<S, 3>(onto, sboxes::s4(ones, input::<S, 3>(s, half, keys)));
    add_output::<S, 4>(onto, sboxes::s5(ones, input::<S, 4>(s, half, keys)));
    add_output::<S, 5>(onto, sboxes::s6(ones, input::<S, 5>(s, half, keys)));
    add_output::<S, 6>(onto, sboxes::s7(ones, input::<S, 6>(s, half, keys)));
    add_output::<S, 7>(onto, sboxes::s8(ones, input::<S, 7>(s, half, keys)));
}

/// The six inputs of an S-box: expansion and key.
#[inline(always)]
fn input<S: Simd, const BOX: usize>(s: S, half: &Half<S::V>, keys: &[[u32; 6]; 8]) -> [S::V; 6] {
    let mut input = [s.zero(); 6];
    for j in 0..6 {
        input[j] = half[const { E_PLANES[BOX] }[j]] ^ s.splat32(keys[BOX][j]);
    }
    input
}

/// The four outputs of an S-box, where P puts them.
#[inline(always)]
fn add_output<S: Simd, const BOX: usize>(onto: &mut Half<S::V>, output: [S::V; 4]) {
    for (j, plane) in output.into_iter().enumerate() {
        let target = const { P_TARGETS }[4 * BOX + j];
        onto[target] = onto[target] ^ plane;
    }
}

/// onto ^= DES(word), both without IP and FP; DES exchanges its halves at the end.
#[inline(always)]
fn add_des<S: Simd>(s: S, onto: &mut Word<S::V>, word: &Word<S::V>, keys: &DesMasks) {
    let [mut l, mut r] = *word;
    for [first, second] in keys.as_chunks().0 {
        f(s, &mut l, &r, first);
        f(s, &mut r, &l, second);
    }
    for j in 0..32 {
        onto[0][j] = onto[0][j] ^ r[j];
        onto[1][j] = onto[1][j] ^ l[j];
    }
}

/// One whole DES encryption: every lane does the same.
#[inline(always)]
fn des<S: Simd>(s: S, keys: &DesMasks, block: u64) -> u64 {
    let mut word = [[s.zero(); 32]; 2];
    for (j, plane) in word.as_flattened_mut().iter_mut().enumerate() {
        *plane = s.splat32(mask(block, IP[j]));
    }
    let mut result = [[s.zero(); 32]; 2];
    add_des(s, &mut result, &word, keys);
    let mut block = 0;
    for (j, plane) in result.as_flattened().iter().enumerate() {
        let mut bytes = [0; 32];
        plane.store(&mut bytes);
        // FP: output bit IP[j] is bit j.
        block |= u64::from(bytes[0] & 1) << (64 - IP[j]);
    }
    block
}

/// All ones if the bit, numbered from 1 at the left of 64, is set.
fn mask(word: u64, bit: u8) -> u32 {
    ((word >> (64 - bit)) as u32 & 1).wrapping_neg()
}

/// The masks of one DES key, from the reference's round keys of 48 bits: that schedule moves bits by public positions only.
fn masks(key: u64) -> DesMasks {
    let mut keys = des_schedule(key);
    let masks = keys
        .map(|key| std::array::from_fn(|sbox| std::array::from_fn(|j| mask(key, (17 + 6 * sbox + j) as u8))));
    keys.zeroize();
    masks
}

/// Transposes the 128 x 128 bits in each 128-bit part of the vectors: bit c of vector r changes places with bit r of vector c.
#[inline(always)]
fn transpose<S: Simd>(simd: S, planes: &mut [S::V; 128]) {
    for r in 0..64 {
        let (a, b) = (planes[r], planes[r + 64]);
        planes[r] = a.unpack_lo64(b);
        planes[r + 64] = a.unpack_hi64(b);
    }
    exchange::<S, 32>(planes, simd.splat64(0x0000_0000_FFFF_FFFF));
    exchange::<S, 16>(planes, simd.splat64(0x0000_FFFF_0000_FFFF));
    exchange::<S, 8>(planes, simd.splat64(0x00FF_00FF_00FF_00FF));
    exchange::<S, 4>(planes, simd.splat64(0x0F0F_0F0F_0F0F_0F0F));
    exchange::<S, 2>(planes, simd.splat64(0x3333_3333_3333_3333));
    exchange::<S, 1>(planes, simd.splat64(0x5555_5555_5555_5555));
}

/// One level of the transposition: bit K of the vectors' numbers against bit K of the bits' numbers.
#[inline(always)]
fn exchange<S: Simd, const K: i32>(planes: &mut [S::V; 128], mask: S::V) {
    let k = K as usize;
    for r in (0..128).filter(|r| r & k == 0) {
        let (a, b) = (planes[r], planes[r + k]);
        let differing = (a.shr64::<K>() ^ b) & mask;
        planes[r] = a ^ differing.shl64::<K>();
        planes[r + k] = b ^ differing;
    }
}

impl<S: Simd, const BATCH: usize> Kernel for Bitslice<S, BATCH> {
    fn encrypt(&self, blocks: &mut [u8]) {
        self.simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| self.encrypt_batch(batch),
                    0,
                    |_| (),
                )
            },
        );
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.simd.enter(
            #[inline(always)]
            || {
                in_batches::<BATCH>(
                    blocks,
                    #[inline(always)]
                    |batch| self.decrypt_batch(batch),
                    0,
                    |_| (),
                )
            },
        );
    }
}

//! The internal key, made fast: the lists of makePermutation as plain arrays, the 144 encryptions by the interpreter of `lookup`.

use super::lookup;
use super::tables::RANDOM_SEED;
use zeroize::{Zeroize, ZeroizeOnDrop};

const RECORD_BYTES: usize = 288;
const RAW_BYTES: usize = 8 * RECORD_BYTES;

/// One iteration of the interpreter's program.
#[derive(Clone, Copy, Zeroize)]
#[repr(C)]
pub(super) struct Record {
    /// XORed onto byte i before the look-up.
    pub(super) xor: [u8; 16],
    /// The position that byte i is XORed onto after the look-up: below 16.
    pub(super) bomb: [u8; 16],
    /// The substitution.
    pub(super) sbox: [u8; 256],
}

/// The program: eight records.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub(super) struct InternalKey {
    pub(super) records: [Record; 8],
}

/// Writes a permutation of 0..N into `out`: each raw byte picks, counted on from the last pick, one of the values that are left.
fn make_permutation<const N: usize>(raw: &[u8; N], out: &mut [u8; N]) {
    let mut left: [u8; N] = std::array::from_fn(|i| i as u8);
    let mut position = 0u32;
    for (i, &step) in raw.iter().enumerate() {
        let count = N - i;
        position = (position + u32::from(step)) % count as u32;
        let at = position as usize;
        out[i] = left[at];
        left.copy_within(at + 1..count, at);
    }
}

/// Joins the cycles of the bomb permutation into one, then keeps each entry off the position after its own.
fn fix_bomb(bomb: &mut [u8; 16]) {
    let mut used = 0u16;
    let mut j = 0;
    for _ in 0..15 {
        if bomb[j] == 0 {
            // The next unused position after j, cyclically.
            let after = (!used).rotate_right(j as u32 + 1).trailing_zeros() as usize;
            let k = (j + 1 + after) % 16;
            bomb[j] = k as u8;
            let mut l = k;
            while usize::from(bomb[l]) != k {
                l = usize::from(bomb[l]);
            }
            bomb[l] = 0;
        }
        used |= 1 << j;
        j = usize::from(bomb[j]);
    }
    for (i, entry) in bomb.iter_mut().enumerate() {
        if usize::from(*entry) == (i + 1) % 16 {
            *entry = ((i + 2) % 16) as u8;
        }
    }
}

impl InternalKey {
    fn from_raw(raw: &[u8; RAW_BYTES]) -> Self {
        let mut key = InternalKey { records: [Record { xor: [0; 16], bomb: [0; 16], sbox: [0; 256] }; 8] };
        for (record, raw) in key.records.iter_mut().zip(raw.as_chunks::<RECORD_BYTES>().0) {
            record.xor = *raw.first_chunk().expect("a record begins with 16 XOR bytes");
            make_permutation(raw[16..].first_chunk().expect("256 raw bytes"), &mut record.sbox);
            make_permutation(raw.last_chunk().expect("16 raw bytes"), &mut record.bomb);
            fix_bomb(&mut record.bomb);
        }
        key
    }

    /// From a key in the interface's byte order (reversed against the internal one).
    pub(super) fn new(key: &[u8]) -> Self {
        let mut raw = [0; RAW_BYTES];
        let repeated = key.iter().rev().cycle();
        for ((byte, seed), key) in raw.iter_mut().zip(RANDOM_SEED.iter().cycle()).zip(repeated) {
            *byte = seed ^ key;
        }
        let simple = InternalKey::from_raw(&raw);
        // A key under 16 bytes leaves the rest of the vector zero, as in the submission's program.
        let mut vector = [0; 16];
        vector.iter_mut().zip(key.iter().rev()).for_each(|(to, byte)| *to = *byte);
        vector[0] ^= key.len() as u8;
        for part in raw.as_chunks_mut().0 {
            lookup::encrypt_internal(&simple, std::array::from_mut(&mut vector));
            *part = vector;
        }
        let key = InternalKey::from_raw(&raw);
        crate::modes::wipe(&mut raw);
        key
    }

    /// The program whose substitutions are inverted: what decryption looks up.
    pub(super) fn inverse(&self) -> Self {
        let mut inverse = self.clone();
        for (inverse, record) in inverse.records.iter_mut().zip(&self.records) {
            for (i, &value) in record.sbox.iter().enumerate() {
                inverse.sbox[usize::from(value)] = i as u8;
            }
        }
        inverse
    }
}

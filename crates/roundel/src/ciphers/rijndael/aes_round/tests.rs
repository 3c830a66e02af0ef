//! Every operation equals the reference's generic one: all key sizes, lengths around each batch, wraps, guard bytes.

use super::text::Apart;
use super::{AesRound, W128, W256, W512, ctr, gcm};
use crate::ciphers::rijndael::reference;
use crate::modes::Ghash;
use crate::simd::{Aes, AesSimd, Vaes, Vaes512};
use crate::{Kernel, Strategy};

/// A cheap generator (xorshift64*): the tests need variety, not secrecy.
struct Random(u64);

impl Random {
    fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut bytes = vec![0; n.next_multiple_of(8)];
        for part in bytes.chunks_mut(8) {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            part.copy_from_slice(&self.0.wrapping_mul(0x2545_F491_4F6C_DD1D).to_le_bytes());
        }
        bytes.truncate(n);
        bytes
    }
}

/// Keys both strategies and the reference alike and hands over each pair.
fn for_each_kernel(mut check: impl FnMut(&str, &dyn Kernel, &dyn Kernel, &mut Random)) {
    let mut random = Random(7);
    for strategy in [&W128, &W256, &W512] as [&Strategy; 3] {
        if !strategy.available() {
            eprintln!("skipped: {} is not available here", strategy.name);
            continue;
        }
        for key_bytes in [16, 24, 32] {
            let key = random.bytes(key_bytes);
            let label = format!("{} with {} key bits", strategy.name, 8 * key_bytes);
            check(
                &label,
                &*(strategy.keying.boxed)(&key),
                &*(reference::BLOCK128.keying.boxed)(&key),
                &mut random,
            );
        }
    }
}

/// The same operation on both kernels, in the middle of a buffer whose other bytes must stay; `state` is the counter or IV.
fn same(
    what: &str,
    (ours, reference): (&dyn Kernel, &dyn Kernel),
    random: &mut Random,
    state: &[u8],
    len: usize,
    operation: impl Fn(&dyn Kernel, &mut [u8], &mut [u8]),
) {
    const GUARD: usize = 33;
    let buffer = random.bytes(len + 2 * GUARD);
    let (mut got, mut want) = (buffer.clone(), buffer);
    let (mut got_state, mut want_state) = (state.to_vec(), state.to_vec());
    operation(ours, &mut got_state, &mut got[GUARD..GUARD + len]);
    operation(reference, &mut want_state, &mut want[GUARD..GUARD + len]);
    assert_eq!(got, want, "{what}, {len} bytes");
    assert_eq!(got_state, want_state, "{what}, {len} bytes: state afterwards");
}

/// 0 to 40 blocks: every tail after none, one and two full batches of either width.
const BLOCKS: std::ops::RangeInclusive<usize> = 0..=40;

#[test]
fn ecb_and_cbc_equal_the_reference() {
    for_each_kernel(|label, ours, reference, random| {
        for blocks in BLOCKS {
            let iv = random.bytes(16);
            let mut check = |what: &str, operation: fn(&dyn Kernel, &mut [u8], &mut [u8])| {
                let what = format!("{label}, {what}");
                same(&what, (ours, reference), random, &iv, 16 * blocks, operation);
            };
            check("ECB encryption", |k, _, data| k.encrypt(data));
            check("ECB decryption", |k, _, data| k.decrypt(data));
            check("CBC encryption", |k, iv, data| k.cbc_encrypt(iv, data));
            check("CBC decryption", |k, iv, data| k.cbc_decrypt(iv, data));
        }
    });
}

#[test]
fn ctr_equals_the_reference_at_every_length_and_wrap() {
    for_each_kernel(|label, ours, reference, random| {
        let what = format!("{label}, CTR");
        for len in (0..600).chain([1008, 1024, 1040, 1090]) {
            let counter = random.bytes(16);
            same(&what, (ours, reference), random, &counter, len, |k, iv, data| k.ctr_xor(iv, data));
        }
        // Counters that carry over 16, 32, 64 and 128 bits, at every place within a batch.
        for wrap_bits in [16, 32, 64, 128] {
            for before in 0..=33_u128 {
                let top = if wrap_bits == 128 { 0 } else { (u128::MAX << wrap_bits) & (0x5555 << 64) };
                let counter = (top | ((u128::MAX >> (128 - wrap_bits)) - before)).to_be_bytes();
                same(&what, (ours, reference), random, &counter, 600, |k, iv, data| k.ctr_xor(iv, data));
            }
        }
    });
}

#[test]
fn gcm_equals_the_reference_at_every_length_and_split() {
    for_each_kernel(|label, ours, reference, random| {
        let h: [u8; 16] = random.bytes(16).try_into().unwrap();
        for encrypt in [true, false] {
            let what = format!("{label}, GCM, encrypting: {encrypt}");
            let run = |pieces: &[usize]| {
                let pieces = pieces.to_vec();
                move |kernel: &dyn Kernel, state: &mut [u8], data: &mut [u8]| {
                    let (counter, hash) = state.split_at_mut(16);
                    let counter: &mut [u8; 16] = counter.try_into().unwrap();
                    let mut ghash = Ghash::new(&h);
                    let mut rest: &mut [u8] = data;
                    for piece in pieces.iter().copied().chain([usize::MAX]) {
                        let now;
                        (now, rest) = rest.split_at_mut(usize::min(piece, rest.len()));
                        match encrypt {
                            true => kernel.gcm_encrypt(&mut ghash, counter, now),
                            false => kernel.gcm_decrypt(&mut ghash, counter, now),
                        }
                    }
                    hash.copy_from_slice(&ghash.value());
                }
            };
            // All short ones; then those that are woven, around one batch, two, and runs of the table's powers.
            let long =
                [1023, 1024, 1025, 1151, 1152, 1279, 1280, 1296, 1535, 1536, 2047, 2048, 2311, 3071, 5000];
            for len in (0..600).chain(long) {
                let state = random.bytes(32);
                same(&what, (ours, reference), random, &state, len, run(&[]));
            }
            for split in (0..=1104).step_by(16).chain([1280, 2048, 2320]) {
                let state = random.bytes(32);
                same(&what, (ours, reference), random, &state, 2325, run(&[split]));
                same(&what, (ours, reference), random, &state, 2325, run(&[split / 32 * 16, split / 2]));
            }
            // The low 32 bits wrap, and nothing is carried beyond, at every place within the first batches.
            for before in 0..=33_u32 {
                let mut state = random.bytes(32);
                state[12..16].copy_from_slice(&(u32::MAX - before).to_be_bytes());
                same(&what, (ours, reference), random, &state, 1700, run(&[]));
            }
        }
    });
}

#[test]
fn xex_equals_the_reference_at_every_unit_size() {
    for_each_kernel(|label, ours, reference, random| {
        for (encrypt, unit) in
            [true, false].into_iter().flat_map(|e| BLOCKS.map(move |unit| (e, 16 * unit.max(1))))
        {
            // Three units, of which the last is shorter.
            for len in [0, unit, 3 * unit, 2 * unit + unit / 32 * 16] {
                let tweaks = random.bytes(16 * len.div_ceil(unit));
                let what = format!("{label}, XEX, encrypting: {encrypt}, units of {unit}");
                same(&what, (ours, reference), random, &tweaks, len, |kernel, tweaks, data| match encrypt {
                    true => kernel.xex_encrypt(tweaks, unit, data),
                    false => kernel.xex_decrypt(tweaks, unit, data),
                });
            }
        }
    });
}

/// Text from one place to another under a key of 256 bits, CTR and GCM's decryption: streamed from `bound` bytes on, at every place within a line,
/// with a page's end in most of the texts.
fn streamed_equals_in_place<S: AesSimd>() {
    let Some(s) = S::detect() else {
        return eprintln!("skipped: level {} is not available here", S::LEVEL);
    };
    let mut random = Random(11);
    let mut kernel = AesRound::<S, 15>::empty();
    kernel.encrypt.expand256(s.narrow(), &random.bytes(32));
    let (keys, bound) = (&kernel.encrypt.0, 2048);
    let h: [u8; 16] = random.bytes(16).try_into().unwrap();
    for len in [0, 63, 64, bound - 1, bound, bound + 1, bound + 16, 2 * bound + 255, 6000] {
        let from = random.bytes(len);
        let mut in_page = random.bytes(len + 8192);
        let page = in_page.as_ptr().align_offset(4096) + 4096 - 1024;
        for offset in 0..=64 {
            let (before, after) = in_page.split_at_mut(page + offset);
            let (room, after) = after.split_at_mut(len);
            let guards = (before.to_vec(), after.to_vec());
            let streams = Apart::new(&from, room).head(bound).is_some();
            assert_eq!(streams, len >= bound && room.as_ptr().addr().is_multiple_of(16));

            let state: [u8; 16] = random.bytes(16).try_into().unwrap();
            let (mut counter, mut want_counter, mut want) = (state, state, from.clone());
            kernel.ctr_xor(&mut want_counter, &mut want);
            ctr::xor_into(s, keys, &mut counter, Apart::new(&from, room), bound);
            assert_eq!((&*room, counter), (&*want, want_counter), "CTR, {len} bytes at {offset}");

            let (mut hash, mut want_hash) = (Ghash::new(&h), Ghash::new(&h));
            let (mut counter, mut want_counter, mut want) = (state, state, from.clone());
            kernel.gcm_decrypt(&mut want_hash, &mut want_counter, &mut want);
            gcm::decrypt_into(s, keys, &mut hash, &mut counter, Apart::new(&from, room), bound);
            assert_eq!((&*room, counter), (&*want, want_counter), "GCM, {len} bytes at {offset}");
            assert_eq!(hash.value(), want_hash.value(), "GCM's hash, {len} bytes at {offset}");
            assert_eq!((&*before, &*after), (&*guards.0, &*guards.1), "outside, {len} bytes at {offset}");
        }
    }
}

#[test]
fn text_past_the_caches_equals_text_in_place() {
    streamed_equals_in_place::<Aes>();
    streamed_equals_in_place::<Vaes>();
    streamed_equals_in_place::<Vaes512>();
}

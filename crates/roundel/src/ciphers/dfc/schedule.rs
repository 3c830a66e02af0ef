//! The key schedule, for any implementation of the round function.

use super::tables::{KA, KB, KS};

/// (a, b) of a round.
pub(super) type RoundKey = [u64; 2];

/// Enc of the description on L | R: rounds, and the halves exchanged at the end.
#[inline(always)]
pub(super) fn feistel<'a>(
    keys: impl IntoIterator<Item = &'a RoundKey>,
    [mut l, mut r]: [u64; 2],
    round_function: impl Fn(&RoundKey, u64) -> u64,
) -> [u64; 2] {
    for key in keys {
        (l, r) = (r, l ^ round_function(key, r));
    }
    [r, l]
}

/// RK1 to RK8: four-round encryptions of each other under two sets of keys by turns.
pub(super) fn round_keys(key: &[u8], round_function: impl Fn(&RoundKey, u64) -> u64) -> [RoundKey; 8] {
    let mut padded = [0; 32];
    let padding = KS.map(u32::to_be_bytes);
    let (own, rest) = padded.split_at_mut(key.len());
    own.copy_from_slice(key);
    rest.copy_from_slice(&padding.as_flattened()[..rest.len()]);
    let word = |n: usize| u64::from(u32::from_be_bytes(padded.as_chunks().0[n - 1]));
    let join = |high: usize, low: usize| word(high) << 32 | word(low);
    let odd = four_keys([join(1, 8), join(5, 4)]);
    let even = four_keys([join(2, 7), join(6, 3)]);
    let mut previous = [0; 2];
    std::array::from_fn(|i| {
        // The array's index 0 is RK1, an odd-numbered key.
        previous = feistel(if i % 2 == 0 { &odd } else { &even }, previous, &round_function);
        previous
    })
}

fn four_keys([a, b]: RoundKey) -> [RoundKey; 4] {
    [[a, b], [a ^ KA[0], b ^ KB[0]], [a ^ KA[1], b ^ KB[1]], [a ^ KA[2], b ^ KB[2]]]
}

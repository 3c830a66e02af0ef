//! The key schedule, for any implementation of the function f(A, B).

/// Subkeys: three for each of sixteen rounds, SK1 first.
pub(super) type Subkeys = [[u64; 3]; 16];

/// The fraction of the golden ratio.
const DELTA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A key is widened to four words by f, then 48 steps of a register of them give the subkeys.
pub(super) fn subkeys(key: &[u8], f: impl Fn(u64, u64) -> u64) -> Subkeys {
    let words: Vec<u64> = key.as_chunks().0.iter().map(|word| u64::from_be_bytes(*word)).collect();
    let (mut k4, mut k3, mut k2, mut k1) = match words[..] {
        [k4, k3] => (k4, k3, f(k3, k4), f(k4, k3)),
        [k4, k3, k2] => (k4, k3, k2, f(k4, k3)),
        [k4, k3, k2, k1] => (k4, k3, k2, k1),
        _ => unreachable!("key lengths were checked: two, three or four words"),
    };
    let mut subkeys = Subkeys::default();
    let mut multiple = DELTA;
    for subkey in subkeys.as_flattened_mut() {
        *subkey = k4 ^ f(k1.wrapping_add(k3).wrapping_add(multiple), k2);
        (k4, k3, k2, k1) = (k3, k2, k1, *subkey);
        multiple = multiple.wrapping_add(DELTA);
    }
    subkeys
}

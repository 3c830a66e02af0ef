//! What every comparison needs: keys in all strategies, guarded buffers, and the reference's result to compare with.

use roundel::simd::cap;
use roundel::{CIPHERS, Cipher, Kernel};

const SEED: u64 = 0x526F_756E_6465_6C21;

/// splitmix64: variety, not secrecy.
pub(crate) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}

/// One cipher under one key, in every strategy that runs here.
pub(crate) struct Keyed {
    pub(crate) cipher: &'static Cipher,
    pub(crate) key: Vec<u8>,
    reference: Box<dyn Kernel>,
    /// All but the reference, by name.
    others: Vec<(&'static str, Box<dyn Kernel>)>,
}

/// Key lengths to try: all standard ones, and the ends and a point between of the further ones.
fn key_lengths(cipher: &Cipher, random: &mut Random) -> Vec<usize> {
    let mut lengths = cipher.keys.standard.to_vec();
    if let Some((from, to, step)) = cipher.keys.also {
        lengths.extend([from, from + step * random.below((to - from) / step + 1), to]);
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Calls `check` for every cipher and key; prints and counts what this CPU cannot run.
pub(crate) fn for_each_key(check: impl Fn(&Keyed, &mut Random)) {
    let mut random = Random(SEED);
    let (mut ran, mut skipped) = (0, 0);
    for cipher in CIPHERS {
        assert_eq!(cipher.strategies[0].name, "reference", "{}: reference comes first", cipher.name);
        for choice in cipher.choices() {
            if choice.strategy.available() {
                ran += 1;
            } else {
                skipped += 1;
                println!("skipped: {} {} needs {}", cipher.name, choice.strategy.name, choice.strategy.needs);
            }
        }
        for length in key_lengths(cipher, &mut random) {
            check(&Keyed::new(cipher, random.bytes(length)), &mut random);
        }
    }
    println!("{ran} strategies checked, {skipped} not available at CPU level {}", cap());
    assert!(ran >= CIPHERS.len(), "every cipher has a reference that always runs");
}

impl Keyed {
    fn new(cipher: &'static Cipher, key: Vec<u8>) -> Keyed {
        let mut kernels = cipher.choices().filter(|choice| choice.strategy.available()).map(|choice| {
            (choice.strategy.name, choice.kernel(&key).expect("available, and a length it takes"))
        });
        let (_, reference) = kernels.next().expect("the reference runs everywhere");
        let others = kernels.collect();
        Keyed { cipher, key, reference, others }
    }

    pub(crate) fn label(&self, strategy: &str, what: &str) -> String {
        let (cipher, bits, level) = (self.cipher.name, 8 * self.key.len(), cap());
        format!("{cipher} {strategy}, {bits}-bit key, level {level}, seed {SEED:#x}: {what}")
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &dyn Kernel)> {
        let others = self.others.iter().map(|(name, kernel)| (*name, &**kernel));
        std::iter::once(("reference", &*self.reference)).chain(others)
    }

    /// Numbers of blocks around every batch (a whole batch, the odd tail, two batches and a tail), and 31 = 16+8+4+2+1.
    pub(crate) fn block_counts(&self) -> Vec<usize> {
        let mut counts = vec![0, 1, 2, 3, 4, 5, 8, 31, 67, 130];
        for strategy in self.cipher.strategies {
            let batch = strategy.batch_blocks;
            counts.extend([batch - 1, batch, batch + 1, 2 * batch + 1]);
        }
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    /// Runs `operation` on a copy of `data` with each strategy; the data it leaves and the state it returns must be the
    /// reference's. Every strategy works at an odd offset between guard bytes.
    pub(crate) fn compare(
        &self,
        what: &str,
        data: &[u8],
        operation: impl Fn(&dyn Kernel, &mut [u8]) -> Vec<u8>,
    ) {
        if self.others.is_empty() {
            return;
        }
        let mut want = data.to_vec();
        let want_state = operation(&*self.reference, &mut want);
        for (at, (strategy, kernel)) in self.others.iter().enumerate() {
            let label = || self.label(strategy, &format!("{what}, {} bytes", data.len()));
            let (got, state) = guarded(data, 2 * at + 1, |data| operation(&**kernel, data), label);
            assert_eq!(got, want, "{}", label());
            assert_eq!(state, want_state, "{}, state after it", label());
        }
    }

    /// `into`, with every strategy, leaves `data` alone and writes elsewhere what the reference's `in_place` makes of it, with the same state after it.
    /// The two places begin at different odd offsets.
    pub(crate) fn compare_into(
        &self,
        what: &str,
        data: &[u8],
        in_place: impl Fn(&dyn Kernel, &mut [u8]) -> Vec<u8>,
        into: impl Fn(&dyn Kernel, &[u8], &mut [u8]) -> Vec<u8>,
    ) {
        let mut want = data.to_vec();
        let want_state = in_place(&*self.reference, &mut want);
        for (at, (strategy, kernel)) in self.all().enumerate() {
            let label = || self.label(strategy, &format!("{what}_into, {} bytes", data.len()));
            let place = vec![0x5A; data.len()];
            let work = |from: &mut [u8]| guarded(&place, 2 * at + 4, |to| into(kernel, from, to), label);
            let (from, (got, state)) = guarded(data, 2 * at + 1, work, label);
            assert_eq!(from, data, "{}: what it read", label());
            assert_eq!(got, want, "{}", label());
            assert_eq!(state, want_state, "{}, state after it", label());
        }
    }
}

/// Runs `operation` on `data` inside a larger buffer, whose other bytes must stay as they were.
pub(crate) fn guarded<R>(
    data: &[u8],
    offset: usize,
    operation: impl FnOnce(&mut [u8]) -> R,
    label: impl Fn() -> String,
) -> (Vec<u8>, R) {
    const GUARD: u8 = 0xA5;
    let offset = 64 + offset % 64;
    let mut buffer = vec![GUARD; offset + data.len() + 128];
    buffer[offset..offset + data.len()].copy_from_slice(data);
    let result = operation(&mut buffer[offset..offset + data.len()]);
    let (before, rest) = buffer.split_at(offset);
    let (inside, after) = rest.split_at(data.len());
    assert!(before.iter().chain(after).all(|&byte| byte == GUARD), "{}: wrote outside its data", label());
    (inside.to_vec(), result)
}

//! Rijndael's blocks of 192 and 256 bits by the same instructions: a block is two registers, and before each round these exchange bytes, so
//! that the instruction's own ShiftRows, which knows four columns, ends where that of six or eight columns would (Intel's white paper on the
//! instructions, S. Gueron 2010, has it for 256 bits).
//!
//! On 256-bit registers a pair holds two blocks, the halves of one beside those of the other: nothing crosses the parts.

use super::exchange::Exchange;
use super::schedule::Keys;
use super::{Decrypt, Direction, Encrypt, Job, walk};
use crate::simd::{Aes, AesSimd, Block, Level, Simd, Vaes, Vector};
use crate::{Kernel, Keying, Memory, Strategy, Timing, keying};
use std::sync::OnceLock;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Pairs of registers in flight: with the constants and a round's keys they fill the sixteen registers.
const BATCH: usize = 4;

const fn strategy(name: &'static str, needs: Level, batch_blocks: usize, keying: Keying) -> Strategy {
    Strategy {
        name,
        summary: "the CPU's AES instructions, bytes exchanged between the halves of a block",
        needs,
        timing: Timing::Constant,
        memory: Memory { per_key: 2 * 32 * 15, shared: 0 },
        batch_blocks,
        keying,
    }
}

pub(in crate::ciphers::rijndael) const BLOCK192_W128: Strategy =
    strategy("aes-round-128", Level::Aes, BATCH, keying192::<Aes>());
pub(in crate::ciphers::rijndael) const BLOCK192_W256: Strategy =
    strategy("aes-round-256", Level::Vaes, 2 * BATCH, keying192::<Vaes>());
pub(in crate::ciphers::rijndael) const BLOCK256_W128: Strategy =
    strategy("aes-round-128", Level::Aes, BATCH, keying256::<Aes>());
pub(in crate::ciphers::rijndael) const BLOCK256_W256: Strategy =
    strategy("aes-round-256", Level::Vaes, 2 * BATCH, keying256::<Vaes>());

const fn keying192<S: AesSimd>() -> Keying {
    keying!(|key| match key.len() {
        16 => LargeBlock::<S, 6, 13>::new(|s, words: &mut Keys<20>| words.expand128(s, key)),
        24 => LargeBlock::<S, 6, 13>::new(|s, words: &mut Keys<20>| words.expand192(s, key)),
        _ => LargeBlock::<S, 6, 15>::new(|s, words: &mut Keys<23>| words.expand256(s, key)),
    })
}

const fn keying256<S: AesSimd>() -> Keying {
    keying!(|key| match key.len() {
        16 => LargeBlock::<S, 8, 15>::new(|s, words: &mut Keys<30>| words.expand128(s, key)),
        24 => LargeBlock::<S, 8, 15>::new(|s, words: &mut Keys<30>| words.expand192(s, key)),
        _ => LargeBlock::<S, 8, 15>::new(|s, words: &mut Keys<30>| words.expand256(s, key)),
    })
}

/// A keyed kernel for blocks of `NB` columns with `K` round keys.
struct LargeBlock<S, const NB: usize, const K: usize> {
    s: S,
    encrypt: Pairs<K>,
    /// The equivalent inverse cipher's keys: made by the first decryption.
    decrypt: OnceLock<Pairs<K>>,
}

impl<S: AesSimd, const NB: usize, const K: usize> LargeBlock<S, NB, K> {
    #[inline(always)]
    fn new<const WORDS: usize>(expand: impl FnOnce(Aes, &mut Keys<WORDS>)) -> Self {
        let s = S::detect().expect("`Strategy::available` was asked before");
        let mut words = Keys::zero(s.narrow());
        expand(s.narrow(), &mut words);
        LargeBlock {
            s,
            encrypt: Pairs::from_words::<NB, WORDS>(s.narrow(), &words),
            decrypt: OnceLock::new(),
        }
    }

    fn decrypt_keys(&self) -> &[[Block; 2]; K] {
        &self.decrypt.get_or_init(|| self.encrypt.inverse(self.s.narrow())).0
    }
}

/// Round keys, each as the two halves of a block.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Pairs<const K: usize>([[Block; 2]; K]);

impl<const K: usize> Pairs<K> {
    /// From the words of the key schedule, four to a register.
    #[inline(always)]
    fn from_words<const NB: usize, const WORDS: usize>(s: Aes, words: &Keys<WORDS>) -> Self {
        let mut pairs = Pairs([[s.zero(); 2]; K]);
        for (i, pair) in pairs.0.iter_mut().enumerate() {
            let words = &words.0[i * NB / 4..];
            *pair = match (NB, i % 2) {
                (8, _) => [words[0], words[1]],
                (_, 0) => [words[0], words[1].unpack_lo64(words[1])],
                _ => [words[0].unpack_hi64(words[1].unpack_lo64(words[1])), words[1].unpack_hi64(words[1])],
            };
        }
        pairs
    }

    /// The keys of the equivalent inverse cipher (FIPS 197, section 5.3.5): reversed, InvMixColumns on all but the ends.
    fn inverse(&self, s: Aes) -> Self {
        s.enter(|| {
            let mut pairs = self.0;
            pairs.reverse();
            for half in pairs[1..K - 1].as_flattened_mut() {
                *half = s.inv_mix_columns(*half);
            }
            Pairs(pairs)
        })
    }
}

/// The first four columns of a block, and its others; of six, the last two stand twice in the second register.
type Halves<V> = [V; 2];

#[inline(always)]
fn load<S: AesSimd, const NB: usize>(s: S, bytes: &[u8]) -> Halves<S::V> {
    let low = s.load_parts(bytes, 4 * NB);
    let high = s.load_parts(&bytes[4 * NB - 16..], 4 * NB);
    [low, if NB == 6 { high.unpack_hi64(high) } else { high }]
}

#[inline(always)]
fn store<V: Vector, const NB: usize>([low, high]: Halves<V>, bytes: &mut [u8]) {
    let high = if NB == 6 { low.unpack_hi64(high) } else { high };
    low.store_parts(bytes, 4 * NB);
    high.store_parts(&mut bytes[4 * NB - 16..], 4 * NB);
}

/// All rounds but the last on `N` pairs, and the exchange before the last.
#[inline(always)]
fn rounds<S: AesSimd, D: Direction, const NB: usize, const N: usize, const K: usize>(
    s: S,
    direction: D,
    keys: &[[Block; 2]; K],
    x: &mut [Halves<S::V>; N],
) {
    let exchange = Exchange::<S::V>::new::<S, D, NB>(s);
    let [first, middle @ .., _] = keys.as_slice() else { unreachable!("at least 13 keys") };
    for [low, high] in x.iter_mut() {
        [*low, *high] = exchange.apply([*low ^ s.repeat(first[0]), *high ^ s.repeat(first[1])]);
    }
    for key in middle {
        let key = [s.repeat(key[0]), s.repeat(key[1])];
        for [low, high] in x.iter_mut() {
            [*low, *high] =
                exchange.apply([direction.round(s, *low, key[0]), direction.round(s, *high, key[1])]);
        }
    }
}

struct Ecb<'k, D, const NB: usize, const K: usize> {
    direction: D,
    keys: &'k [[Block; 2]; K],
}

impl<D: Direction, const NB: usize, const K: usize> Job<&mut [u8]> for Ecb<'_, D, NB, K> {
    const BLOCK_BYTES: usize = 4 * NB;

    #[inline(always)]
    fn batch<S: AesSimd, const N: usize>(&mut self, s: S, chunk: &mut [u8]) {
        let pair_bytes = chunk.len() / N;
        let mut x = [[s.zero(); 2]; N];
        for (i, x) in x.iter_mut().enumerate() {
            *x = load::<S, NB>(s, &chunk[i * pair_bytes..]);
        }
        rounds::<S, D, NB, N, K>(s, self.direction, self.keys, &mut x);
        let last = self.keys[K - 1].map(|half| s.repeat(half));
        for (i, [low, high]) in x.into_iter().enumerate() {
            let x = [self.direction.last(s, low, last[0]), self.direction.last(s, high, last[1])];
            store::<S::V, NB>(x, &mut chunk[i * pair_bytes..]);
        }
    }
}

impl<S: AesSimd, const NB: usize, const K: usize> Kernel for LargeBlock<S, NB, K> {
    fn block_bytes(&self) -> usize {
        4 * NB
    }

    fn encrypt(&self, blocks: &mut [u8]) {
        walk::<S, _, _, BATCH>(
            self.s,
            &mut Ecb::<_, NB, K> { direction: Encrypt, keys: &self.encrypt.0 },
            blocks,
        );
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        let keys = self.decrypt_keys();
        walk::<S, _, _, BATCH>(self.s, &mut Ecb::<_, NB, K> { direction: Decrypt, keys }, blocks);
    }

    fn prepare_decrypt(&self) {
        self.decrypt_keys();
    }
}

//! What every instruction set must obey: each operation equals the portable one, on random lanes.

use super::*;

/// A cheap generator (splitmix64): the laws need variety, not secrecy.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn bytes(&mut self) -> [u8; 64] {
        let mut bytes = [0; 64];
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&self.next().to_le_bytes());
        }
        bytes
    }
}

/// Applies an operation to both operands in 16-byte parts with portable lanes, and at full width with the token's.
fn same<S: Simd>(
    s: S,
    name: &str,
    a: &[u8; 64],
    b: &[u8; 64],
    wide: impl Fn(S::V, S::V) -> S::V,
    narrow: impl Fn(<Portable as Simd>::V, <Portable as Simd>::V) -> <Portable as Simd>::V,
) {
    let p = Portable::detect().expect("everywhere");
    let (mut got, mut want) = ([0; 64], [0; 64]);
    s.enter(|| wide(s.load(a), s.load(b)).store(&mut got));
    for i in (0..S::V::BYTES).step_by(16) {
        narrow(p.load(&a[i..]), p.load(&b[i..])).store(&mut want[i..]);
    }
    assert_eq!(got[..S::V::BYTES], want[..S::V::BYTES], "{name} at level {}", S::LEVEL);
}

macro_rules! laws {
    ($s:expr, $a:expr, $b:expr; $($name:literal: $f:expr),* $(,)?) => {
        $( same($s, $name, $a, $b, $f, $f); )*
    };
}

fn obeys_the_laws<S: Simd>(token: Option<S>) {
    let Some(s) = token else {
        eprintln!("skipped: level {} is not available here", S::LEVEL);
        return;
    };
    let mut random = Random(1);
    for _ in 0..200 {
        let (a, b) = (&random.bytes(), &random.bytes());
        laws!(s, a, b;
            "xor": |a, b| a ^ b,
            "and": |a, b| a & b,
            "or": |a, b| a | b,
            "and_not": |a, b| a.and_not(b),
            "add32": |a, b| a.add32(b),
            "sub32": |a, b| a.sub32(b),
            "mul32": |a, b| a.mul32(b),
            "shl32": |a, _| a.shl32::<7>(),
            "shr32": |a, _| a.shr32::<31>(),
            "rotl32": |a, _| a.rotl32::<5, 27>(),
            "rotl32_by": |a, b| a.rotl32_by(b),
            "rotr32_by": |a, b| a.rotr32_by(b),
            "rotl32_by 0": |a, b| a.rotl32_by(b.and_not(b)),
            "rotr32_by 0": |a, b| a.rotr32_by(b.and_not(b)),
            "add64": |a, b| a.add64(b),
            "shl64": |a, _| a.shl64::<63>(),
            "shr64": |a, _| a.shr64::<33>(),
            "unpack_lo32": |a, b| a.unpack_lo32(b),
            "unpack_hi32": |a, b| a.unpack_hi32(b),
            "unpack_lo64": |a, b| a.unpack_lo64(b),
            "unpack_hi64": |a, b| a.unpack_hi64(b),
            "add8": |a, b| a.add8(b),
            "sub8": |a, b| a.sub8(b),
            "select8": |a, b| a.select8(b, a ^ b),
            "unpack_lo8": |a, b| a.unpack_lo8(b),
            "unpack_hi8": |a, b| a.unpack_hi8(b),
            "shuffle8": |a, b| a.shuffle8(b),
        );
        same(
            s,
            "splat32",
            a,
            b,
            |_, _| s.splat32(0x8123_4567),
            |_, _| Portable::detect().unwrap().splat32(0x8123_4567),
        );
        same(s, "splat64", a, b, |_, _| s.splat64(!5), |_, _| Portable::detect().unwrap().splat64(!5));
        let (mut parts, mut there) = ([[0; 24]; 4], [[0; 24]; 4]);
        for (part, bytes) in parts.iter_mut().zip(a.chunks(16)) {
            part[..16].copy_from_slice(bytes);
        }
        s.enter(|| s.load_parts(parts.as_flattened(), 24).store_parts(there.as_flattened_mut(), 24));
        let part_count = S::V::BYTES / 16;
        assert_eq!(there[..part_count], parts[..part_count], "parts at level {}", S::LEVEL);
        same(s, "load_parts", a, b, |_, _| s.load_parts(parts.as_flattened(), 24), |a, _| a);
        let part = a.first_chunk().unwrap();
        same(
            s,
            "broadcast128",
            a,
            b,
            |_, _| s.broadcast128(part),
            |_, _| Portable::detect().unwrap().broadcast128(part),
        );
    }
}

#[test]
fn portable_obeys() {
    obeys_the_laws(Portable::detect());
}

#[cfg(target_arch = "x86_64")]
#[test]
fn x86_obeys() {
    obeys_the_laws(Sse2::detect());
    obeys_the_laws(Ssse3::detect());
    obeys_the_laws(Avx2::detect());
    obeys_the_aes_laws(Aes::detect());
    obeys_the_aes_laws(Vaes::detect());
    obeys_the_aes_laws(Vaes512::detect());
}

#[test]
fn names_of_levels_parse_back() {
    for level in Level::ALL {
        assert_eq!(level.name().parse(), Ok(level));
    }
    assert!("avx1024".parse::<Level>().is_err());
}

/// The carry-less product of two 64-bit numbers, bit by bit.
#[cfg(target_arch = "x86_64")]
fn carry_less(a: u64, b: u64) -> [u64; 2] {
    let product = (0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(a) << bit);
    [product as u64, (product >> 64) as u64]
}

/// Applies an operation of an AES token to both operands and compares each 128-bit part with what 64-bit halves give.
#[cfg(target_arch = "x86_64")]
fn same_parts<S: AesSimd>(
    s: S,
    name: &str,
    (a, b): (&[u8; 64], &[u8; 64]),
    wide: impl Fn(S::V, S::V) -> S::V,
    part: impl Fn([u64; 2], [u64; 2]) -> [u64; 2],
) {
    let halves = |bytes: &[u8]| -> [u64; 2] {
        [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()))
    };
    let mut got = [0; 64];
    s.enter(|| wide(s.load(a), s.load(b)).store(&mut got));
    for at in (0..S::V::BYTES).step_by(16) {
        assert_eq!(
            halves(&got[at..]),
            part(halves(&a[at..]), halves(&b[at..])),
            "{name} at level {}",
            S::LEVEL
        );
    }
}

#[cfg(target_arch = "x86_64")]
fn obeys_the_aes_laws<S: AesSimd>(token: Option<S>) {
    let Some(s) = token else {
        eprintln!("skipped: level {} is not available here", S::LEVEL);
        return;
    };
    obeys_the_laws(Some(s));
    let mut random = Random(2);
    for _ in 0..200 {
        let (a, b) = (&random.bytes(), &random.bytes());
        same_parts(s, "clmul_lo", (a, b), |a, b| s.clmul_lo(a, b), |a, b| carry_less(a[0], b[0]));
        same_parts(s, "clmul_hi", (a, b), |a, b| s.clmul_hi(a, b), |a, b| carry_less(a[1], b[1]));
        same_parts(s, "clmul_hi_lo", (a, b), |a, b| s.clmul_hi_lo(a, b), |a, b| carry_less(a[1], b[0]));

        let parts = |v: S::V| {
            let mut bytes = vec![0; S::V::BYTES];
            v.store(&mut bytes);
            bytes
        };
        let block = |block: Block| parts(s.repeat(block))[..16].to_vec();
        let first = s.narrow().load(b);
        let sum = |part: &[u8], so_far: Vec<u8>| part.iter().zip(so_far).map(|(a, b)| a ^ b).collect();
        let folded = a[..S::V::BYTES].chunks(16).fold(vec![0; 16], |so_far, part| sum(part, so_far));
        s.enter(|| {
            assert_eq!(parts(s.repeat(first)), b[..16].repeat(S::V::BYTES / 16), "repeat");
            let blocks = [0, 16, 32, 48].map(|at| s.narrow().load(&a[at..]));
            assert_eq!(parts(s.load_blocks(&blocks)), a[..S::V::BYTES], "load_blocks");
            assert_eq!(block(s.fold(s.load(a))), folded, "fold");
            let shifted = [&b[..16], &a[..S::V::BYTES - 16]].concat();
            assert_eq!(parts(s.shift_in(first, s.load(a))), shifted, "shift_in");
        });
    }
    // FIPS 197, appendix C.1, round 1: start, after ShiftRows, after MixColumns.
    let [start, shifted, mixed] = [
        0x00102030_40506070_8090A0B0_C0D0E0F0_u128,
        0x6353E08C_0960E104_CD70B751_BACAD0E7,
        0x5F726415_57F5BC92_F7BE3B29_1DB9F91A,
    ]
    .map(|block| block.to_be_bytes().repeat(4).try_into().unwrap());
    let is = |block: [u8; 64]| {
        move |_: [u64; 2], key: [u64; 2]| {
            let half = |at: usize| u64::from_le_bytes(block[at..at + 8].try_into().unwrap());
            [half(0) ^ key[0], half(8) ^ key[1]]
        }
    };
    let key = &random.bytes();
    same_parts(s, "enc", (&start, key), |x, k| s.enc(x, k), is(mixed));
    same_parts(s, "enc_last", (&start, key), |x, k| s.enc_last(x, k), is(shifted));
    same_parts(s, "dec_last", (&shifted, key), |x, k| s.dec_last(x, k), is(start));
    let unmixed = |x: &[u8; 64]| s.narrow().inv_mix_columns(s.narrow().load(x));
    let (mut got, mut inverse) = ([0; 64], [0; 64]);
    s.enter(|| {
        unmixed(&mixed).store(&mut got);
        for parts in inverse.chunks_exact_mut(S::V::BYTES) {
            s.repeat(unmixed(&start)).store(parts);
        }
    });
    assert_eq!(got[..16], shifted[..16], "inv_mix_columns");
    same_parts(s, "dec", (&shifted, key), |x, k| s.dec(x, k), is(inverse));
}

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

    fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
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
    a: &[u8; 32],
    b: &[u8; 32],
    wide: impl Fn(S::V, S::V) -> S::V,
    narrow: impl Fn(<Portable as Simd>::V, <Portable as Simd>::V) -> <Portable as Simd>::V,
) {
    let p = Portable::detect().expect("everywhere");
    let (mut got, mut want) = ([0; 32], [0; 32]);
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
            "rotl32_by 0": |a, b| a.rotl32_by(b ^ b),
            "rotr32_by 0": |a, b| a.rotr32_by(b ^ b),
            "add64": |a, b| a.add64(b),
            "shl64": |a, _| a.shl64::<63>(),
            "shr64": |a, _| a.shr64::<33>(),
            "unpack_lo32": |a, b| a.unpack_lo32(b),
            "unpack_hi32": |a, b| a.unpack_hi32(b),
            "unpack_lo64": |a, b| a.unpack_lo64(b),
            "unpack_hi64": |a, b| a.unpack_hi64(b),
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
}

#[test]
fn names_of_levels_parse_back() {
    for level in Level::ALL {
        assert_eq!(level.name().parse(), Ok(level));
    }
    assert!("avx1024".parse::<Level>().is_err());
}

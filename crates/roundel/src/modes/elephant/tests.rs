//! The reference against published words, every strategy against the reference.

use super::*;
use crate::modes::sector::SECTOR_BYTES;
use proptest::prelude::*;

const NO_PATTERN: [u8; PATTERN_BYTES] = [0; PATTERN_BYTES];

fn layers(a_cycles: u8, b_cycles: u8, counter: bool) -> Layers {
    Layers { a_cycles, b_cycles, counter }
}

/// A one in the first of eight words: what a single cycle makes of it, by hand from the paper's formulas.
#[test]
fn smallest_examples() {
    let start = [1, 0, 0, 0, 0, 0, 0, 0];
    let cases: [(Layers, [u32; 8], [u32; 8]); 2] = [
        (layers(1, 0, false), [1, 0, 2, 0, 0, !0, 0, 0], [1, 0, 1, 0, 1, 1, 1, 0]),
        (
            layers(0, 1, false),
            [2, 0xfe00_0001, !0, 0xfe00_0000, 1, 0, !0, 0],
            [1, 0, 0, 0x0200_0000, 0, 0, 0x0200_0001, 0],
        ),
    ];
    let bytes = |words: [u32; 8]| words.map(u32::to_le_bytes).as_flattened().to_vec();
    for (layers, encrypted, decrypted) in cases {
        let mut sector = bytes(start);
        (DIFFUSERS[0].encrypt)(layers, 32, &NO_PATTERN, &mut sector);
        assert_eq!(sector, bytes(encrypted));
        let mut sector = bytes(start);
        (DIFFUSERS[0].decrypt)(layers, 32, &NO_PATTERN, &mut sector);
        assert_eq!(sector, bytes(decrypted));
    }
}

/// One flipped bit reaches every block from two cycles of A and one of B on (without the counter).
#[test]
fn a_bit_spreads_over_the_sector() {
    let run = |at: usize| {
        let mut sector: Vec<u8> = (0..512).map(|i| (i * 7) as u8).collect();
        sector[at] ^= 1;
        (best().encrypt)(layers(2, 1, false), 512, &NO_PATTERN, &mut sector);
        sector
    };
    let plain = run(0);
    for at in [1, 255, 256, 511] {
        let same = plain.chunks(16).zip(run(at).chunks(16)).filter(|(a, b)| a == b).count();
        assert_eq!(same, 0, "flipped at {at}");
    }
}

fn available() -> impl Iterator<Item = &'static Diffuser> {
    DIFFUSERS.iter().filter(|diffuser| {
        let available = diffuser.needs.available();
        if !available {
            eprintln!("skipped: {} needs {}", diffuser.name, diffuser.needs);
        }
        available
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Counts around every batch, at an odd address, between guard bytes; and back again.
    #[test]
    fn every_strategy_is_the_reference(
        size in 0..SECTOR_BYTES.len(),
        count in 0usize..=19,
        a_cycles in 0u8..=6,
        b_cycles in 0u8..=4,
        counter: bool,
        seed: u64,
    ) {
        let sector_bytes = SECTOR_BYTES[size];
        let layers = layers(a_cycles, b_cycles, counter);
        let mut state = seed;
        let mut random = |bytes: usize| -> Vec<u8> {
            (0..bytes).map(|_| {
                state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
                (state >> 56) as u8
            }).collect()
        };
        let patterns = random(count * PATTERN_BYTES);
        let plain = random(count * sector_bytes);
        let mut expected = plain.clone();
        (DIFFUSERS[0].encrypt)(layers, sector_bytes, &patterns, &mut expected);
        for diffuser in available() {
            let mut guarded = vec![0x5A; plain.len() + 3];
            let end = 1 + plain.len();
            guarded[1..end].copy_from_slice(&plain);
            (diffuser.encrypt)(layers, sector_bytes, &patterns, &mut guarded[1..end]);
            prop_assert!(guarded[1..end] == expected, "{} encrypting", diffuser.name);
            (diffuser.decrypt)(layers, sector_bytes, &patterns, &mut guarded[1..end]);
            prop_assert!(guarded[1..end] == plain, "{} decrypting", diffuser.name);
            prop_assert!(guarded[0] == 0x5A && guarded[end..] == [0x5A; 2], "{} beyond its data", diffuser.name);
        }
    }
}

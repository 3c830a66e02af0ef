//! The worked example of the modes' specification, and what callers may rely on.

use super::*;
use crate::modes::elephant::DIFFUSERS;
use crate::{Policy, cipher};

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn aes() -> Choice {
    cipher("aes").unwrap().best(Policy::ConstantTime).unwrap()
}

/// 00, 01, ..., 1f: key and sector key.
fn key(mode: SectorMode) -> Vec<u8> {
    (0..16 * mode.keys() as u8).collect()
}

fn counting(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|j| j as u8).collect()
}

#[test]
fn worked_example() {
    let examples = [
        ("elephant-cbc", "484a339996e56a7e849a9dfa5a6fa7d4", "3a884c5c7e04229e5dd692e9a3b20b20"),
        ("elephant-cbc-ac2-bc1", "1fd724ae717ee0c4eafada0d1bd24813", "3f70fe1a4591c2607915f8e3799591be"),
        ("elephant-ecb", "0a78b7b45722f0654605f480b7e9bdeb", "9124a79f17cfc0fff081d7c2320c8b90"),
        ("elephant-ecb-ac2-bc2", "a375b71950ced73a9e409360b9befd14", "dacffb8573369f701945cbefd9a517cb"),
        ("cbc", "27d2b40c5ebf2012d755bbb4128c6dad", "4c9ce0aa593d9dbcde4c8c91eae32b7a"),
        ("xts", "9986f2dca81ff5a9f721cbf2c527cd25", "1435a453e58139c5cc865163aef4bbe1"),
    ];
    for (name, first, last) in examples {
        let mode: SectorMode = name.parse().unwrap();
        assert_eq!(mode.to_string(), name);
        for diffuser in DIFFUSERS.iter().filter(|diffuser| diffuser.needs.available()) {
            let volume = SectorCipher::with_diffuser(aes(), mode, &key(mode), 512, diffuser).unwrap();
            let mut sector = counting(512);
            volume.encrypt(3, &mut sector).unwrap();
            assert_eq!(sector[..16], hex(first), "{name} by {}", diffuser.name);
            assert_eq!(sector[496..], hex(last), "{name} by {}", diffuser.name);
            volume.decrypt(3, &mut sector).unwrap();
            assert_eq!(sector, counting(512), "{name} by {}", diffuser.name);
        }
    }
    let mode = SectorMode::BITLOCKER;
    let mut sector = counting(4096);
    SectorCipher::new(aes(), mode, &key(mode), 4096).unwrap().encrypt(3, &mut sector).unwrap();
    assert_eq!(sector[..16], hex("435fc923db049550431c7338465fe02c"));
    assert_eq!(sector[4080..], hex("ceba4c9245951c41e33bb1540af829c3"));
}

#[test]
fn a_run_is_its_sectors() {
    for mode in
        [SectorMode::Cbc, SectorMode::BITLOCKER, SectorMode::ElephantEcb { ac: 2, bc: 2 }, SectorMode::Xts]
    {
        for name in ["aes", "serpent"] {
            let choice = cipher(name).unwrap().best(Policy::ConstantTime).unwrap();
            for sector_bytes in [512, 2048] {
                let volume = SectorCipher::new(choice, mode, &key(mode), sector_bytes).unwrap();
                // Beyond 2^32 in bytes, and across it.
                let first_sector = (1 << 32) / sector_bytes as u64 - 5;
                let plain: Vec<u8> =
                    counting(67 * sector_bytes).iter().map(|byte| byte.wrapping_mul(37)).collect();
                let mut run = plain.clone();
                volume.encrypt(first_sector, &mut run).unwrap();
                let mut single = plain.clone();
                for (sector, number) in single.chunks_mut(sector_bytes).zip(first_sector..) {
                    volume.encrypt(number, sector).unwrap();
                }
                assert!(run == single, "{mode} encryption with {name}");
                volume.decrypt(first_sector, &mut run).unwrap();
                assert!(run == plain, "{mode} decryption with {name}");
            }
        }
    }
}

#[test]
fn an_offset_of_2_to_the_63_is_refused_at_any_sector() {
    for mode in [SectorMode::BITLOCKER, SectorMode::Xts] {
        let volume = SectorCipher::new(aes(), mode, &key(mode), 4096).unwrap();
        let mut data = vec![1; 2 * 4096];
        let last = (1 << 51) - 1;
        assert_eq!(volume.encrypt(last - 1, &mut data), Ok(()));
        assert_eq!(volume.decrypt(last - 1, &mut data), Ok(()));
        for first in [last, 1 << 51, u64::MAX] {
            assert!(matches!(volume.encrypt(first, &mut data), Err(Error::SectorOffset { .. })));
            assert!(matches!(volume.decrypt(first, &mut data), Err(Error::SectorOffset { .. })));
        }
        assert_eq!(data, vec![1; 2 * 4096]);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let new = |mode, key: &[u8], sector| SectorCipher::new(aes(), mode, key, sector).map(|_| ());
    for sector in [0, 16, 256, 511, 513, 16384] {
        assert_eq!(new(SectorMode::Cbc, &[0; 16], sector), Err(Error::SectorSize { got: sector }));
    }
    for (mode, bytes) in [(SectorMode::Cbc, 64), (SectorMode::Xts, 33), (SectorMode::BITLOCKER, 16)] {
        assert!(matches!(new(mode, &vec![0; bytes], 512), Err(Error::SectorKeyLength { .. })));
    }
    let volume = SectorCipher::new(aes(), SectorMode::Cbc, &[0; 16], 512).unwrap();
    assert!(matches!(volume.encrypt(0, &mut [0; 500]), Err(Error::DataLength { .. })));
    for name in ["", "elephant", "elephant-cbc-ac2", "elephant-cbc-ac256-bc1", "elephant-ecbx", "CBC"] {
        assert!(name.parse::<SectorMode>().is_err(), "{name}");
    }
}

//! Volumes made from scratch, every field of their metadata damaged: a good copy is found, or an error says what is wrong.

mod common;

use common::made::{assert_same, open, open_despite, whole};
use common::make::{Made, Wish, bek_file, make, repair};
use proptest::prelude::*;
use roundel_volume::Error;
use roundel_volume::bitlocker::{Despite, ExternalKey, Fault, Metadata};

#[test]
fn bek_files_that_are_none() {
    let good = bek_file();
    for length in 0..good.len() {
        assert!(ExternalKey::parse(&good[..length]).is_err(), "{length}");
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x41;
        // An error, or a key: never a panic.
        let _ = ExternalKey::parse(&bad);
    }
}

#[test]
fn bad_copies_are_passed_over_and_named() {
    for wish in [Wish::default(), Wish::vista()] {
        let made = make(wish);
        let mut image = made.image.clone();
        for bad in 1..=3 {
            image[made.copies[bad - 1] as usize + 90] ^= 1;
            match open(&image) {
                Ok(volume) if bad < 3 => {
                    assert_same(&whole(&volume).unwrap(), &made.plain, "later copy");
                    let metadata = volume.metadata();
                    assert_eq!(metadata.copy, made.copies[bad]);
                    assert_eq!(metadata.bad_copies.len(), if wish.vista { 1 } else { bad });
                    assert_eq!(metadata.bad_copies[0].fault, Fault::Checksum);
                }
                Err(error) if bad == 3 => {
                    assert_eq!(error.exit_code(), 20);
                    assert!(error.to_string().contains("CRC-32"), "{error}");
                }
                other => panic!("{bad}: {:?}", other.err()),
            }
        }
    }
}

/// A copy that stands at a place that is not its own, though its checksum is right.
#[test]
fn a_copy_knows_its_place() {
    let made = make(Wish::default());
    let mut image = made.image.clone();
    for (index, copy) in made.copies.into_iter().enumerate() {
        let at = copy as usize + 32 + 8 * index;
        image[at..at + 8].copy_from_slice(&(copy + 512).to_le_bytes());
        repair(&mut image, copy, false);
    }
    let error = open(&image).err().unwrap();
    assert!(error.to_string().contains("another place"), "{error}");
}

#[test]
fn truncated_images() {
    let made = make(Wish::default());
    let code = |bytes: usize| {
        open(&made.image[..bytes]).and_then(|volume| whole(&volume)).map_err(|e| e.exit_code())
    };
    assert_eq!(code(0), Err(21));
    assert_eq!(code(511), Err(21));
    assert_eq!(code(512), Err(21), "no copy of the metadata is there");
    assert_eq!(code(made.copies[0] as usize + 200), Err(21));
    assert_eq!(
        code(made.copies[0] as usize + made.covered + 88),
        Err(21),
        "the relocated sectors are not there"
    );
    for bytes in [made.relocated_at as usize + 8192, 250_001, 280 << 10] {
        let (whole, got) = (bytes / 512 * 512, code(bytes).unwrap());
        assert_same(&got[..whole], &made.plain[..whole], "whole sectors");
        assert_same(&got[whole..], &made.image[whole..bytes], "a part of a sector cannot be decrypted");
    }
}

#[test]
fn bitmaps_have_a_second_copy_and_must_be_there() {
    let made = make(Wish { chunks: Some(8192), ..Wish::default() });
    let mut image = made.image.clone();
    image[made.eow[0] as usize + 20] ^= 1;
    assert_same(&whole(&open(&image).unwrap()).unwrap(), &made.plain, "second EOW block");
    image[made.eow[1] as usize + 20] ^= 1;
    let error = open(&image).err().unwrap();
    assert!(matches!(error, Error::NoBitmaps) && error.exit_code() == 20);
    let forced = Despite { missing_bitmaps: true, ..Despite::default() };
    assert!(open_despite(&image, forced).is_ok());
    // A damaged record may be the newer one: the other, here its opposite, must not be believed.
    for record in [512, 1024] {
        let mut image = made.image.clone();
        image[made.eow[1] as usize + 4096 + record + 36] ^= 1;
        assert!(matches!(open(&image), Err(Error::NoBitmaps)));
        // One that was never written is another matter.
        image[made.eow[1] as usize + 4096 + record..][..512].fill(0);
        let newer_first = record == 1024;
        let same = whole(&open(&image).unwrap()).unwrap() == made.plain;
        assert_eq!(same, newer_first, "{record}");
    }
}

/// Opens and reads: the right plaintext (true) or an error (false), and nothing else.
fn judge(image: &[u8], made: &Made, what: &str) -> bool {
    match open(image).and_then(|volume| whole(&volume)) {
        Ok(plain) => {
            assert_same(&plain, &made.plain, what);
            true
        }
        Err(error) => {
            assert!(error.exit_code() != 0 && !error.to_string().is_empty());
            false
        }
    }
}

/// Each byte of the first copy: the next copy is taken, so the plaintext is always right.
#[test]
fn each_byte_of_one_copy_damaged() {
    for wish in [Wish::default(), Wish::vista()] {
        let made = make(wish);
        for at in 0..made.covered + 88 {
            for flip in [1, 0x80, 0xFF] {
                let mut image = made.image.clone();
                image[made.copies[0] as usize + at] ^= flip;
                let ok = judge(&image, &made, &format!("byte {at} ^ {flip}"));
                // The validation datum is outside of the checksum: the copy is good, and what it seals is not.
                assert!(ok || at >= made.covered + 8, "byte {at} ^ {flip}");
            }
        }
    }
}

/// Each byte of all copies, their checksums made right again: what is not harmless is refused.
#[test]
fn each_byte_of_all_copies_forged() {
    for wish in [Wish::default(), Wish::vista(), Wish { state: 1, ..Wish::default() }] {
        let made = make(wish);
        for at in 0..made.covered + 88 {
            for flip in [1, 0x80, 0xFF] {
                let mut image = made.image.clone();
                for copy in made.copies {
                    image[copy as usize + at] ^= flip;
                    repair(&mut image, copy, wish.vista);
                }
                let ok = judge(&image, &made, &format!("{wish:?} byte {at} ^ {flip}"));
                // Not covered are the validation part's own size, version, checksum and the head of its datum; of a decrypted volume's, more.
                let free = at >= made.covered && (at < made.covered + 16 || wish.state == 1);
                assert!(!ok || free, "{wish:?} byte {at} ^ {flip}");
            }
        }
    }
}

#[test]
fn each_byte_of_the_first_sector_damaged() {
    let on_write = Wish { chunks: Some(8192), ..Wish::default() };
    for wish in [Wish::default(), on_write, Wish { sector: 4096, ..Wish::default() }] {
        let made = make(wish);
        for at in 0..512 {
            for flip in [1, 2, 4, 0x10, 0x12, 0x80, 0xFF] {
                let mut image = made.image.clone();
                image[at] ^= flip;
                judge(&image, &made, &format!("{wish:?} byte {at} ^ {flip}"));
            }
        }
    }
    // The other sector length: the place of the relocated sectors is given in bytes too, and does not fit.
    let made = make(Wish::default());
    let mut image = made.image.clone();
    image[11..13].copy_from_slice(&4096u16.to_le_bytes());
    assert_eq!(open(&image).err().unwrap().exit_code(), 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Several changes at once, anywhere in the metadata and the bitmaps, checksums right: no panic, no wrong plaintext.
    #[test]
    fn forged_metadata(changes in prop::collection::vec((0usize..1100, any::<u8>()), 1..8), kind in 0usize..3) {
        let wish = [Wish::default(), Wish::vista(), Wish { state: 1, ..Wish::default() }][kind];
        let made = make(wish);
        let mut image = made.image.clone();
        for copy in made.copies {
            for (at, value) in &changes {
                image[copy as usize + at % made.covered] = *value;
            }
            repair(&mut image, copy, wish.vista);
        }
        judge(&image, &made, "forged");
        if let Ok(volume) = open_despite(&image, Despite { altered_metadata: true, missing_bitmaps: true }) {
            let _ = whole(&volume);
        }
    }

    /// Bytes of the bitmaps and of what they reserve.
    #[test]
    fn damaged_bitmaps(changes in prop::collection::vec((0usize..32768, any::<u8>()), 1..4)) {
        let made = make(Wish { chunks: Some(8192), ..Wish::default() });
        let mut image = made.image.clone();
        for (at, value) in changes {
            image[made.eow[0] as usize + at] = value;
        }
        judge(&image, &made, "bitmaps");
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = Metadata::read(&bytes);
        let _ = ExternalKey::parse(&bytes);
    }
}

//! Whatever stands where a BitLocker volume's metadata should be, opening it ends in an error or in the right plaintext.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

#[path = "../../crates/roundel-volume/tests/common/make.rs"]
mod make;
#[path = "../../crates/roundel-volume/tests/common/fuzz.rs"]
mod metadata;

static MADE: OnceLock<[(make::Made, bool); 2]> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let volumes = MADE.get_or_init(|| {
        [make::Wish::default(), make::Wish::vista()].map(|wish| (make::make(wish), wish.vista))
    });
    let Some((first, bytes)) = bytes.split_first() else { return };
    let (made, vista) = &volumes[usize::from(first & 1)];
    if first & 2 == 0 {
        metadata::feed(made, *vista, &edited(metadata::seed(made), bytes));
    } else {
        metadata::feed(made, *vista, bytes);
    }
});

/// The good metadata with changes: each an offset of two bytes, a length, and what stands there instead. So a short input goes deep.
fn edited(mut metadata: Vec<u8>, mut edits: &[u8]) -> Vec<u8> {
    while let [low, high, length, rest @ ..] = edits {
        let at = usize::from(u16::from_le_bytes([*low, *high])) % metadata.len();
        let length = usize::from(*length).min(rest.len()).min(metadata.len() - at);
        metadata[at..at + length].copy_from_slice(&rest[..length]);
        edits = &rest[length..];
    }
    metadata
}

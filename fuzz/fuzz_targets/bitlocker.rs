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
    let (made, vista) = &volumes[usize::from(*first) % 2];
    // An empty input's metadata is the good one, so that the engine has something to start from.
    let seed = metadata::seed(made);
    metadata::feed(made, *vista, if bytes.is_empty() { &seed } else { bytes });
});

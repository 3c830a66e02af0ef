//! A sealed message that is cut, extended or changed never opens; what is put out before the error is a prefix of the text.
//!
//! The first bytes choose the length of the text, the rest are changes: place, and what to do there. Only a message that came out unchanged may open.
#![no_main]

use libfuzzer_sys::fuzz_target;
use roundel_seal::{BareKey, CHUNK_BYTES, Input, Lock, Opener, Options, Output, Suite, Unlock};
use std::io::Read;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[low, high, third], changes)) = bytes.split_first_chunk() else { return };
    let len = u32::from_le_bytes([low, high, third, 0]) as usize % (3 * CHUNK_BYTES);
    let text: Vec<u8> = (0..len).map(|at| (at / 5) as u8).collect();
    let key = BareKey::from_file_contents(&[7; 32], Suite::default(), b"fuzz").expect("a key of the suite's length");
    let options = Options { threads: 1, ..Options::default() };
    let mut sealed = Vec::new();
    roundel_seal::seal(Input::reader(&text[..]), Output::writer(&mut sealed), &Lock::Bare(&key), &options)
        .expect("sealing in memory");

    let changed = change(&sealed, changes);
    let mut opened = Vec::new();
    let outcome = Opener::new(Input::reader(&changed[..]), &Unlock::Bare(&key), &options)
        .map_err(std::io::Error::from)
        .and_then(|mut opener| opener.read_to_end(&mut opened));
    assert!(text.starts_with(&opened), "put out what is not the text");
    assert_eq!(outcome.is_ok(), changed == sealed);
    assert!(outcome.is_err() || opened == text);
});

/// Six bytes are a change: four for the place, one for the kind, one for its value.
fn change(sealed: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut message = sealed.to_vec();
    for change in changes.chunks_exact(6) {
        let [a, b, c, d, kind, value] = change else { unreachable!("chunks of six") };
        let place = u32::from_le_bytes([*a, *b, *c, *d]) as usize % (message.len() + 1);
        match kind % 4 {
            0 => message.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= value),
            1 => message.truncate(place),
            2 => message.extend_from_slice(&vec![*value; place % 40_000]),
            _ => message.rotate_left(place.saturating_sub(1)),
        }
    }
    message
}

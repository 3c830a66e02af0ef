//! Damaged files by the thousand: the right error each time, nothing unauthenticated put out, the old target untouched.

mod common;

use common::*;
use roundel_seal::{CHUNK_BYTES, Error, Input, Options, Output, SEALED_CHUNK_BYTES, START_BYTES};

/// A sealed file of two full chunks and a short one, and where its parts are.
struct Sample {
    pair: Pair,
    text: Vec<u8>,
    sealed: Vec<u8>,
    header: usize,
    chunks: usize,
}

impl Sample {
    fn new(seal: fn(&[u8], &roundel_seal::Lock<'_>) -> Vec<u8>) -> Self {
        let pair = pair();
        let text = text(2 * CHUNK_BYTES + 333);
        let sealed = seal(&text, &pair.lock());
        let header = roundel_seal::inspect(Input::reader(&sealed[..])).unwrap().header_bytes as usize;
        Sample { pair, text, sealed, header, chunks: header + START_BYTES }
    }

    /// The chunk that holds this byte of the file; none before the chunks.
    fn chunk_of(&self, at: usize) -> Option<usize> {
        Some(at.checked_sub(self.chunks)? / SEALED_CHUNK_BYTES)
    }

    fn chunk(&self, number: usize) -> std::ops::Range<usize> {
        let from = self.chunks + number * SEALED_CHUNK_BYTES;
        from..(from + SEALED_CHUNK_BYTES).min(self.sealed.len())
    }

    /// Bytes worth damaging: header and start; of each chunk the first and last bytes and the tag; a stride over the rest.
    fn places(&self, all: bool) -> Vec<usize> {
        let interesting = |at: usize| match self.chunk_of(at) {
            None => true,
            Some(number) => {
                let chunk = self.chunk(number);
                at < chunk.start + 2 || at + 18 > chunk.end || at.is_multiple_of(499)
            }
        };
        (0..self.sealed.len()).filter(|&at| all || interesting(at)).collect()
    }
}

/// Opens by stream, `Opener` and `SealedReader`; asserts that each puts out a prefix of the text, of this length if given; gives the errors.
fn open_everywhere(sample: &Sample, sealed: &[u8], verified: Option<usize>) -> Vec<Error> {
    let unlock = sample.pair.unlock();
    let (out_stream, stream) = open_stream(sealed, &unlock, &fast());
    let (out_reader, reader) = open_reader(sealed, &unlock);
    let (out_seeking, seeking) = open_seeking(sealed, &unlock);
    for out in [out_stream, out_reader, out_seeking] {
        assert!(sample.text.starts_with(&out), "unauthenticated output");
        if let Some(verified) = verified {
            assert_eq!(out.len(), verified, "the verified prefix is given");
        }
    }
    vec![stream.map(|_| ()).unwrap_err(), reader.unwrap_err(), seeking.unwrap_err()]
}

fn flip_bits(all: bool) {
    let folder = tempfile::tempdir().unwrap();
    let ranges = tempfile::tempdir().unwrap();
    let sample = Sample::new(seal_file);
    let unlock = sample.pair.unlock();
    for at in sample.places(all) {
        for bit in 0..8 {
            let mut sealed = sample.sealed.clone();
            sealed[at] ^= 1 << bit;
            let chunk = sample.chunk_of(at);
            let verified = chunk.unwrap_or(0) * CHUNK_BYTES;
            let mut errors = open_everywhere(&sample, &sealed, Some(verified));
            errors.push(open_file(folder.path(), &sealed, &unlock).unwrap_err());
            errors.push(open_range(ranges.path(), &sealed, verified as u64, Some(1), &unlock).unwrap_err());
            for error in errors {
                assert_eq!(error.exit_code(), 20, "byte {at} bit {bit}: {error}");
                match (chunk, &error) {
                    (Some(chunk), Error::Chunk { chunk: named, offset }) => {
                        assert_eq!((*named, *offset), (chunk as u64, sample.chunk(chunk).start as u64));
                    }
                    (None, Error::Start { .. }) => assert!(at >= sample.header),
                    (None, Error::Header(_)) => assert!(at < sample.header),
                    (None, Error::NotSealed) => assert!(at <= roundel_seal::VERSION.len()),
                    _ => panic!("byte {at} bit {bit}: {error}"),
                }
            }
        }
    }
}

#[test]
fn flipped_bits() {
    flip_bits(false);
}

#[test]
#[ignore = "every bit of every byte: minutes"]
fn all_flipped_bits() {
    flip_bits(true);
}

#[test]
fn a_range_beside_the_damage_opens() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Sample::new(seal_file);
    let mut sealed = sample.sealed.clone();
    sealed[sample.chunk(1).start + 5] ^= 1;
    let unlock = sample.pair.unlock();
    let before = open_range(folder.path(), &sealed, 100, Some(500), &unlock).unwrap();
    assert_eq!(before, sample.text[100..600]);
    let after = open_range(folder.path(), &sealed, 2 * CHUNK_BYTES as u64 + 3, None, &unlock).unwrap();
    assert_eq!(after, sample.text[2 * CHUNK_BYTES + 3..]);
}

/// In a file that was sealed from pipe to pipe nobody recorded the length; then a bad last chunk may be a cut one.
#[test]
fn flipped_bits_of_a_stream() {
    let sample = Sample::new(seal_stream);
    for at in sample.places(false) {
        let mut sealed = sample.sealed.clone();
        sealed[at] ^= 0x10;
        let chunk = sample.chunk_of(at);
        for error in open_everywhere(&sample, &sealed, Some(chunk.unwrap_or(0) * CHUNK_BYTES)) {
            match (chunk, &error) {
                (Some(2), Error::Cut { chunk: 2, .. }) => {}
                (Some(chunk @ (0 | 1)), Error::Chunk { chunk: named, .. }) => {
                    assert_eq!(*named, chunk as u64)
                }
                (None, Error::Start { .. } | Error::Header(_) | Error::NotSealed) => {}
                _ => panic!("byte {at}: {error}"),
            }
        }
    }
}

fn truncate(sample: &Sample, all: bool) {
    let folder = tempfile::tempdir().unwrap();
    let ranges = tempfile::tempdir().unwrap();
    let unlock = sample.pair.unlock();
    for len in sample.places(all) {
        let sealed = &sample.sealed[..len];
        let verified = sample.chunk_of(len).unwrap_or(0) * CHUNK_BYTES;
        let mut errors = open_everywhere(sample, sealed, Some(verified));
        errors.push(open_file(folder.path(), sealed, &unlock).unwrap_err());
        errors.push(open_range(ranges.path(), sealed, verified as u64, None, &unlock).unwrap_err());
        for error in errors {
            assert_eq!(error.exit_code(), 21, "length {len}: {error}");
            let (Error::Truncated { after, .. } | Error::Cut { after, .. }) = error else {
                panic!("length {len}: {error}");
            };
            assert_eq!(after, len as u64);
        }
    }
}

#[test]
fn truncated_files() {
    truncate(&Sample::new(seal_file), false);
}

#[test]
fn truncated_streams() {
    truncate(&Sample::new(seal_stream), false);
}

#[test]
#[ignore = "every length: minutes"]
fn all_truncations() {
    truncate(&Sample::new(seal_file), true);
    truncate(&Sample::new(seal_stream), true);
}

/// Swaps, drops, duplicates: by stream the first wrong chunk is named; by file the length already tells.
#[test]
fn chunks_moved() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Sample::new(seal_file);
    let unlock = sample.pair.unlock();
    let parts: Vec<&[u8]> = (0..3).map(|number| &sample.sealed[sample.chunk(number)]).collect();
    // (order of the chunks, first wrong chunk by stream, exit code by file)
    for (order, first_wrong, by_stream, by_file) in [
        (&[1, 0, 2][..], 0, 20, 20),
        (&[0, 2, 1], 1, 20, 20),
        (&[2, 1, 0], 0, 20, 20),
        (&[0, 0, 2], 1, 20, 20),
        (&[1, 1, 2], 0, 20, 20),
        (&[1, 2], 0, 20, 21),
        (&[0, 2], 1, 21, 21),
        (&[0, 1], 2, 21, 21),
        (&[2], 0, 21, 21),
        (&[], 0, 21, 21),
        (&[0, 0, 1, 2], 1, 20, 20),
        (&[0, 1, 1, 2], 2, 20, 20),
        (&[0, 1, 2, 2], 3, 20, 20),
        (&[0, 1, 2, 0], 3, 20, 20),
    ] {
        let chunks: Vec<&[u8]> = order.iter().map(|&number| parts[number]).collect();
        let sealed = [&sample.sealed[..sample.chunks], &chunks.concat()].concat();
        let verified = (first_wrong * CHUNK_BYTES).min(sample.text.len());
        for error in open_everywhere(&sample, &sealed, None) {
            assert!([by_stream, by_file].contains(&error.exit_code()), "{order:?}: {error}");
        }
        let (out, result) = open_stream(&sealed, &unlock, &fast());
        let error = result.unwrap_err();
        assert_eq!(error.exit_code(), by_stream, "{order:?}: {error}");
        assert_eq!(out.len(), verified, "{order:?}");
        let error = open_file(folder.path(), &sealed, &unlock).unwrap_err();
        assert_eq!(error.exit_code(), by_file, "{order:?}: {error}");
    }
}

#[test]
fn trailing_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Sample::new(seal_file);
    let unlock = sample.pair.unlock();
    for more in [1, 15, 16, 17, 1000, SEALED_CHUNK_BYTES, 20 * SEALED_CHUNK_BYTES] {
        let sealed = [&sample.sealed[..], &vec![0; more]].concat();
        let mut errors = open_everywhere(&sample, &sealed, None);
        errors.push(open_file(folder.path(), &sealed, &unlock).unwrap_err());
        for error in errors {
            let Error::Trailing { offset } = error else { panic!("{more} more: {error}") };
            assert_eq!(offset, sample.sealed.len() as u64);
        }
    }
}

/// A header that another key authenticates, or a payload of another file under this header.
#[test]
fn parts_of_two_files() {
    let sample = Sample::new(seal_file);
    let other = seal_file(&sample.text, &sample.pair.lock());
    let mixed = [&sample.sealed[..sample.header], &other[sample.header..]].concat();
    for error in open_everywhere(&sample, &mixed, Some(0)) {
        assert!(matches!(error, Error::Start { .. }), "{error}");
    }
}

#[test]
fn a_rescue_saves_all_but_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let long = text(40 * CHUNK_BYTES + 99);
    let pair = pair();
    let sealed = seal_file(&long, &pair.lock());
    let header = roundel_seal::inspect(Input::reader(&sealed[..])).unwrap().header_bytes as usize;
    let at = |chunk: usize| header + START_BYTES + chunk * SEALED_CHUNK_BYTES;
    let chunk = CHUNK_BYTES as u64;
    let rescue = |sealed: &[u8]| {
        let (from, to) = (folder.path().join("sealed"), folder.path().join("rescued"));
        std::fs::write(&from, sealed).unwrap();
        let options = Options { replace: true, ..fast() };
        let input = || Input::Path(from.clone());
        let found =
            roundel_seal::rescue(input(), Output::Path(to.clone()), &pair.unlock(), &options).unwrap();
        let saved = std::fs::read(&to).unwrap();
        let mut streamed = Vec::new();
        let again =
            roundel_seal::rescue(input(), Output::writer(&mut streamed), &pair.unlock(), &options).unwrap();
        assert_eq!(found.missing, again.missing);
        assert_eq!(streamed[..], saved[..streamed.len()]);
        (found, saved)
    };
    let blanked = |ranges: &[std::ops::Range<u64>]| {
        let mut expected = long.clone();
        for range in ranges {
            expected[range.start as usize..range.end as usize].fill(0);
        }
        expected
    };

    let (found, saved) = rescue(&sealed);
    assert!(found.is_whole() && found.exit_code() == 0);
    assert_eq!(saved, long);

    let mut bad = sealed.clone();
    for number in [0, 3, 4, 17] {
        bad[at(number) + 7] ^= 1;
    }
    *bad.last_mut().unwrap() ^= 1;
    let (found, saved) = rescue(&bad);
    let expected = [0..chunk, 3 * chunk..5 * chunk, 17 * chunk..18 * chunk, 40 * chunk..40 * chunk + 99];
    assert_eq!(found.missing, expected);
    assert_eq!((found.exit_code(), found.len), (20, long.len() as u64));
    assert_eq!(found.report.text_bytes, long.len() as u64 - 4 * chunk - 99);
    assert_eq!(saved, blanked(&expected));

    let (found, saved) = rescue(&sealed[..at(20) + 100]);
    assert_eq!(found.missing, vec![20 * chunk..long.len() as u64; 1]);
    assert_eq!(found.exit_code(), 21);
    assert_eq!(saved, blanked(&found.missing));

    let (found, saved) = rescue(&[&sealed[..], b"more"].concat());
    assert!(found.trailing && found.missing.is_empty());
    assert_eq!(saved, long);

    // A changed digit of the size: checksum and authenticator fail, but the key and the payload are intact.
    let mut bad = sealed.clone();
    bad[roundel_seal::VERSION.len() + 1 + "suite Cobblestone-256\nsize 0".len()] ^= 1;
    assert!(matches!(
        roundel_seal::check(Input::reader(&bad[..]), &pair.unlock(), &fast()),
        Err(Error::Header(_))
    ));
    let (found, saved) = rescue(&bad);
    assert!(found.header_damaged && found.missing.is_empty());
    assert_eq!(saved, long);
}

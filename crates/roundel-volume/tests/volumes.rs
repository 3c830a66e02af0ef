//! Volumes made from scratch: every method, layout, state and secret.

mod common;

use common::made::{assert_same, open, whole};
use common::make::{Wish, bek_file, make};
use roundel_volume::bitlocker::{Despite, ExternalKey, Metadata, Secret};
use roundel_volume::{Error, Sink, Volume, copy};
use std::io::{Read, Write};

fn every_wish() -> Vec<Wish> {
    let mut wishes = Vec::new();
    for sector in [512, 4096] {
        for method in 0x8000..=0x8005 {
            wishes.push(Wish { method, sector, ..Wish::default() });
        }
        // Watermarks around the relocated place, which is stored at 216 KiB, inside it, and within the sectors that were relocated.
        for watermark in [0, 4096, 8192, 12 << 10, 216 << 10, 220 << 10, 224 << 10, 228 << 10, 1 << 40] {
            for state in [3, 4, 5] {
                wishes.push(Wish { method: 0x8001, sector, watermark, state, ..Wish::default() });
            }
        }
        for chunk in [4096, 8192, 20480, 8 << 20] {
            wishes.push(Wish { method: 0x8002, sector, chunks: Some(chunk), ..Wish::default() });
        }
        wishes.push(Wish { sector, to_go: true, ..Wish::default() });
        wishes.push(Wish { sector, state: 1, ..Wish::default() });
        wishes.push(Wish { sector, state: 1, chunks: Some(8192), ..Wish::default() });
        wishes.push(Wish { sector, ..Wish::vista() });
        wishes.push(Wish { sector, bytes: (280 << 10) + 77, ..Wish::default() });
        wishes.push(Wish { sector, bytes: (120 << 10) + 4095, ..Wish::vista() });
    }
    wishes
}

#[test]
fn every_layout_reads_as_it_was_written() {
    for wish in every_wish() {
        let made = make(wish);
        let volume = open(&made.image).unwrap_or_else(|error| panic!("{wish:?}: {error}"));
        assert_same(&whole(&volume).unwrap(), &made.plain, &format!("{wish:?}"));
        assert!(volume.has_file_system().unwrap());
        // Reads that begin and end anywhere, above all around borders of sectors, areas and chunks.
        for border in
            [0, 512, 4096, 8192, 16 << 10, 20480, 32768, 216 << 10, 224 << 10, 256 << 10, made.plain.len()]
        {
            for start in [border.saturating_sub(1), border, border + 1, border + 511] {
                for length in [0, 1, 511, 512, 5000, 70_000] {
                    let end = (start + length).min(made.plain.len());
                    let Some(expected) = made.plain.get(start..end) else { continue };
                    let mut got = vec![0; expected.len()];
                    volume.read_at(&mut got, start as u64).unwrap();
                    assert_same(&got, expected, &format!("{wish:?} {start}:{length}"));
                }
            }
        }
        let mut beyond = [0; 2];
        assert!(volume.read_at(&mut beyond, volume.bytes() - 1).is_err());
        assert!(volume.read_at(&mut beyond, u64::MAX).is_err());
    }
}

#[test]
fn copies_to_files_and_streams_are_the_plaintext() {
    let made = make(Wish { method: 0x8001, bytes: 2_000_001, ..Wish::default() });
    let volume = open(&made.image).unwrap();
    let ranges =
        [(0, None), (0, Some(0)), (1, Some(1)), (262_143, Some(2)), (300_001, None), (2_000_001, None)];
    for (start, length) in ranges {
        let range = volume.range(start, length).unwrap();
        let expected = &made.plain[range.start as usize..range.end as usize];
        for threads in [1, 2, 7] {
            let mut stream = Vec::new();
            copy(&volume, range.clone(), Sink::Stream(&mut stream), threads, &|_| {}).unwrap();
            assert_same(&stream, expected, "stream");
            let mut file = tempfile::tempfile().unwrap();
            let done = std::sync::atomic::AtomicU64::new(0);
            let count = |bytes| {
                done.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed);
            };
            copy(&volume, range.clone(), Sink::File(&file), threads, &count).unwrap();
            let mut written = Vec::new();
            std::io::Seek::rewind(&mut file).unwrap();
            file.read_to_end(&mut written).unwrap();
            assert_same(&written, expected, "file");
            assert_eq!(done.into_inner(), expected.len() as u64);
        }
    }
    assert!(matches!(volume.range(2_000_002, None), Err(Error::Range { .. })));
}

/// A stream that breaks: the error comes back, nobody waits for ever, and what was written is a prefix.
#[test]
fn a_broken_stream_ends_the_copy() {
    struct Breaks(Vec<u8>);
    impl Write for Breaks {
        fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
            if self.0.len() > 600_000 {
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            self.0.extend_from_slice(data);
            Ok(data.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let made = make(Wish { bytes: 2_000_000, ..Wish::default() });
    let volume = open(&made.image).unwrap();
    for threads in [1, 5] {
        let mut stream = Breaks(Vec::new());
        let range = volume.range(0, None).unwrap();
        let error = copy(&volume, range, Sink::Stream(&mut stream), threads, &|_| {}).unwrap_err();
        assert!(matches!(error, Error::Io { action: "write", .. }), "{error}");
        assert_same(&stream.0, &made.plain[..stream.0.len()], "prefix");
    }
}

#[test]
fn secrets() {
    let made = make(Wish::default());
    let open = |secret: Option<&Secret>| {
        let metadata = Metadata::read(&made.image).unwrap();
        Volume::unlock(Box::new(made.image.clone()), metadata, secret, Despite::default())
    };
    let external = |file: &[u8]| Secret::External(ExternalKey::parse(file).unwrap());
    let volume = open(Some(&external(&bek_file()))).unwrap();
    assert_same(&whole(&volume).unwrap(), &made.plain, "BEK");

    let mut other = bek_file();
    let guid = other.len() - 44 - 24 - 14 - 24;
    other[guid] ^= 1;
    assert!(matches!(open(Some(&external(&other))), Err(Error::WrongSecret("BEK file"))));
    let mut other = bek_file();
    *other.last_mut().unwrap() ^= 1;
    assert!(matches!(open(Some(&external(&other))), Err(Error::WrongSecret("BEK file"))));
    let password = Secret::Password("x".to_owned().into());
    let message = open(Some(&password)).err().unwrap().to_string();
    assert!(message.contains("clear key, external key (BEK file), TPM"), "{message}");
    let message = open(None).err().unwrap().to_string();
    assert!(message.contains("opens by clear key, external key"), "{message}");
}

#[test]
fn states_and_methods_that_are_refused() {
    let says = |wish: Wish| open(&make(wish).image).err().map(|error| (error.exit_code(), error.to_string()));
    let (code, message) = says(Wish { state: 2, ..Wish::default() }).unwrap();
    assert!(code == 1 && message.contains("interrupted"), "{message}");
    for state in [3, 5] {
        let (code, message) = says(Wish { state, ..Wish::vista() }).unwrap();
        assert!(code == 1 && message.contains("does not tell how far"), "{message}");
    }
    let (code, message) = says(Wish { state: 9, ..Wish::default() }).unwrap();
    assert!(code == 1 && message.contains("unknown state 9"), "{message}");
    let (code, message) = says(Wish { method: 0x8006, ..Wish::default() }).unwrap();
    assert!(code == 1 && message.contains("0x8006"), "{message}");
    assert!(matches!(open(&vec![0; 4096]), Err(Error::NotBitLocker)));
}

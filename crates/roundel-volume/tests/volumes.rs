//! Volumes made from scratch: every method, layout and state; and every field of the metadata damaged.

mod common;

use common::make::{Made, Wish, bek_file, make, noise, repair};
use common::{NbdClient, with_nbd};
use proptest::prelude::*;
use roundel_volume::bitlocker::{Despite, ExternalKey, Fault, Metadata, Secret};
use roundel_volume::{Error, Result, Sink, Volume, copy};
use std::io::{Read, Write};

fn open(image: &[u8]) -> Result<Volume> {
    open_despite(image, Despite::default())
}

fn open_despite(image: &[u8], despite: Despite) -> Result<Volume> {
    let source = image.to_vec();
    let metadata = Metadata::read(&source)?;
    Volume::unlock(Box::new(source), metadata, Some(&Secret::ClearKey), despite)
}

fn whole(volume: &Volume) -> Result<Vec<u8>> {
    let mut plain = vec![0xAA; volume.bytes() as usize];
    volume.read_at(&mut plain, 0)?;
    Ok(plain)
}

/// Compares at the first difference: whole volumes are no good to print.
fn assert_same(got: &[u8], expected: &[u8], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    if let Some(at) = (0..got.len()).find(|&at| got[at] != expected[at]) {
        panic!("{what}: they differ from byte {at} on");
    }
}

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

#[test]
fn nbd_options() {
    let made = make(Wish::default());
    let volume = open(&made.image).unwrap();
    with_nbd(&volume, |stream| {
        let mut client = NbdClient::greet(stream);
        client.send_option(3, b"");
        let (kind, entry) = client.reply(3);
        assert_eq!((kind, &entry[4..]), (2, &b"volume"[..]));
        assert_eq!(client.reply(3).0, 1);
        client.send_option(3, b"x");
        assert_eq!(client.reply(3).0, 1 << 31 | 3);
        for unknown in [5, 8, 10, 99] {
            client.send_option(unknown, b"abc");
            assert_eq!(client.reply(unknown).0, 1 << 31 | 1);
        }
        client.send_option(99, &[0; 9000]);
        assert_eq!(client.reply(99).0, 1 << 31 | 9);
        assert!(client.go("other").is_none());
        for malformed in [&b""[..], &[0, 0, 0, 9], &[0, 0, 0, 0, 0, 2, 0, 0], &[255; 30]] {
            client.send_option(7, malformed);
            assert_eq!(client.reply(7).0, 1 << 31 | 3);
        }
        // INFO tells, and the client may go on choosing.
        client.send_option(6, &[0; 6]);
        assert_eq!((client.reply(6).0, client.reply(6).0), (3, 1));
        client.go("volume").unwrap();
        assert_eq!((client.bytes, client.flags), (volume.bytes(), 1 | 2 | 256));
        assert_same(&client.read(1000, 100_000).unwrap(), &made.plain[1000..101_000], "read");
        client.disconnect();
    });
    with_nbd(&volume, |stream| {
        let mut client = NbdClient::greet(stream);
        client.send_option(2, b"");
        assert_eq!(client.reply(2).0, 1);
        assert_eq!(client.stream.read(&mut [0]).unwrap(), 0, "closed after ABORT");
    });
    with_nbd(&volume, |stream| {
        let mut client = NbdClient::greet(stream);
        client.send_option(1, b"volume");
        let mut export = [0; 10];
        client.stream.read_exact(&mut export).unwrap();
        assert_eq!(export[..8], volume.bytes().to_be_bytes());
        assert_same(&client.read(0, 512).unwrap(), &made.plain[..512], "after EXPORT_NAME");
    });
}

#[test]
fn nbd_requests() {
    let made = make(Wish::default());
    let volume = open(&made.image).unwrap();
    let bytes = volume.bytes();
    with_nbd(&volume, |stream| {
        let mut client = NbdClient::greet(stream);
        client.go("").unwrap();
        assert_eq!(client.read(bytes, 1), Err(22));
        assert_eq!(client.read(bytes - 1, 2), Err(22));
        assert_eq!(client.read(u64::MAX, 2), Err(22));
        assert_eq!(client.read(0, u32::MAX), Err(22));
        assert_eq!(client.read(bytes, 0), Ok(Vec::new()));
        client.request(1, 0, 5000);
        client.stream.write_all(&[9; 5000]).unwrap();
        assert_eq!(client.result(), 1, "writes are refused, and their data is skipped");
        for (kind, errno) in [(4, 1), (6, 1), (3, 22), (7, 22), (77, 22)] {
            client.request(kind, 0, 512);
            assert_eq!(client.result(), errno, "{kind}");
        }
        for seed in 1..60 {
            let numbers = noise(8, seed);
            let start = u64::from(u32::from_le_bytes(numbers[..4].try_into().unwrap())) % bytes;
            let length = u64::from(u16::from_le_bytes(numbers[4..6].try_into().unwrap())).min(bytes - start);
            let got = client.read(start, length as u32).unwrap();
            assert_same(&got, &made.plain[start as usize..(start + length) as usize], "read");
        }
        client.disconnect();
    });
}

/// Noise instead of a handshake, and in its midst: the server ends the connection with an error, others are served on.
#[test]
fn nbd_clients_that_break_the_protocol() {
    let made = make(Wish::default());
    let volume = open(&made.image).unwrap();
    for (seed, good_start) in (1..40).flat_map(|seed| [(seed, false), (seed, true)]) {
        let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let mut bytes = noise(400, seed);
        if good_start {
            bytes.splice(
                0..0,
                [&3u32.to_be_bytes()[..], b"IHAVEOPT", &7u32.to_be_bytes(), &6u32.to_be_bytes(), &[0; 6]]
                    .concat(),
            );
        }
        ours.write_all(&bytes).unwrap();
        ours.shutdown(std::net::Shutdown::Write).unwrap();
        let _ = roundel_volume::nbd::serve(&volume, theirs);
    }
}

#[test]
fn several_nbd_clients_at_once() {
    let made = make(Wish { bytes: 1 << 20, ..Wish::default() });
    let volume = open(&made.image).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(common::nbd_hash(&volume), common::stream_hash(&volume, 2).unwrap()));
        }
    });
}

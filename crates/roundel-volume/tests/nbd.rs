//! A volume served to other programs: what the protocol has, and clients that break it.

mod common;

use common::made::{assert_same, open};
use common::make::{Wish, make, noise};
use common::{NbdClient, with_nbd};
use std::io::{Read, Write};

#[test]
fn options() {
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
fn requests() {
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
fn clients_that_break_the_protocol() {
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
fn several_clients_at_once() {
    let made = make(Wish { bytes: 1 << 20, ..Wish::default() });
    let volume = open(&made.image).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(common::nbd_hash(&volume), common::stream_hash(&volume, 2).unwrap()));
        }
    });
}

//! What several tests need.
#![allow(dead_code)]

pub(crate) mod fuzz;
pub(crate) mod made;
pub(crate) mod make;

use roundel_volume::bitlocker::{Despite, ExternalKey, Metadata, Secret, Volume};
use roundel_volume::{Image, Result, Sink, copy};
use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes what is written to it.
pub(crate) struct Hasher(pub(crate) Sha256);

impl Write for Hasher {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.update(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// SHA-256 of the whole plaintext, by a copy to a stream.
pub(crate) fn stream_hash(volume: &Volume, threads: usize) -> Result<String> {
    let mut hasher = Hasher(Sha256::new());
    copy(volume, volume.range(0, None)?, Sink::Stream(&mut hasher), threads, &|_| {})?;
    Ok(hex(&hasher.0.finalize()))
}

pub(crate) fn password(text: &str) -> Secret {
    Secret::Password(text.to_owned().into())
}

pub(crate) fn recovery(text: &str) -> Secret {
    Secret::Recovery(text.parse().unwrap())
}

pub(crate) fn bek(path: &Path) -> Secret {
    Secret::External(ExternalKey::parse(&std::fs::read(path).unwrap()).unwrap())
}

pub(crate) fn unlock(image: &Path, secret: Option<&Secret>, despite: Despite) -> Result<Volume> {
    let image = Image::open(image)?;
    let metadata = Metadata::read(&image)?;
    Volume::unlock(Box::new(image), metadata, secret, despite)
}

/// A small NBD client, written from the protocol's document and not from our server.
pub(crate) struct NbdClient<C: Read + Write> {
    pub(crate) stream: C,
    pub(crate) bytes: u64,
    pub(crate) flags: u16,
    cookie: u64,
}

impl<C: Read + Write> NbdClient<C> {
    /// Reads the greeting and answers it.
    pub(crate) fn greet(mut stream: C) -> NbdClient<C> {
        let mut greeting = [0; 18];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(&greeting[..16], b"NBDMAGICIHAVEOPT");
        assert_eq!(greeting[16..], [0, 3], "fixed newstyle, no zeroes");
        stream.write_all(&3u32.to_be_bytes()).unwrap();
        NbdClient { stream, bytes: 0, flags: 0, cookie: 0 }
    }

    pub(crate) fn send_option(&mut self, option: u32, data: &[u8]) {
        let mut request = b"IHAVEOPT".to_vec();
        request.extend(option.to_be_bytes());
        request.extend((data.len() as u32).to_be_bytes());
        request.extend(data);
        self.stream.write_all(&request).unwrap();
    }

    /// The kind and the data of a reply to this option.
    pub(crate) fn reply(&mut self, option: u32) -> (u32, Vec<u8>) {
        let mut head = [0; 20];
        self.stream.read_exact(&mut head).unwrap();
        let word = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().unwrap());
        assert_eq!(head[..8], 0x3e889045565a9u64.to_be_bytes());
        assert_eq!(word(8), option);
        let mut data = vec![0; word(16) as usize];
        self.stream.read_exact(&mut data).unwrap();
        (word(12), data)
    }

    /// Chooses an export by GO, asking for block sizes.
    pub(crate) fn go(&mut self, name: &str) -> Option<()> {
        let mut data = (name.len() as u32).to_be_bytes().to_vec();
        data.extend(name.as_bytes());
        data.extend([0, 1, 0, 3]);
        self.send_option(7, &data);
        loop {
            match self.reply(7) {
                (1, _) => return Some(()),
                (3, info) if info[..2] == [0, 0] => {
                    self.bytes = u64::from_be_bytes(info[2..10].try_into().unwrap());
                    self.flags = u16::from_be_bytes(info[10..12].try_into().unwrap());
                }
                (3, info) => assert_eq!((info[1], info.len()), (3, 14)),
                (kind, _) => {
                    assert!(kind >= 1 << 31);
                    return None;
                }
            }
        }
    }

    pub(crate) fn request(&mut self, kind: u16, offset: u64, length: u32) {
        self.cookie += 1;
        let mut request = 0x25609513u32.to_be_bytes().to_vec();
        request.extend([0, 0]);
        request.extend(kind.to_be_bytes());
        request.extend(self.cookie.to_be_bytes());
        request.extend(offset.to_be_bytes());
        request.extend(length.to_be_bytes());
        self.stream.write_all(&request).unwrap();
    }

    /// The error number of the reply to the last request.
    pub(crate) fn result(&mut self) -> u32 {
        let mut head = [0; 16];
        self.stream.read_exact(&mut head).unwrap();
        assert_eq!(head[..4], 0x67446698u32.to_be_bytes());
        assert_eq!(head[8..], self.cookie.to_be_bytes());
        u32::from_be_bytes(head[4..8].try_into().unwrap())
    }

    pub(crate) fn read(&mut self, offset: u64, length: u32) -> std::result::Result<Vec<u8>, u32> {
        self.request(0, offset, length);
        match self.result() {
            0 => {
                let mut data = vec![0; length as usize];
                self.stream.read_exact(&mut data).unwrap();
                Ok(data)
            }
            errno => Err(errno),
        }
    }

    pub(crate) fn disconnect(mut self) {
        self.request(2, 0, 0);
    }
}

/// Runs `work` with a client of a server of this volume.
pub(crate) fn with_nbd<T>(volume: &Volume, work: impl FnOnce(UnixStream) -> T) -> T {
    let (ours, theirs) = UnixStream::pair().unwrap();
    std::thread::scope(|scope| {
        let server = scope.spawn(|| roundel_volume::nbd::serve(volume, theirs));
        let result = work(ours);
        server.join().unwrap().unwrap();
        result
    })
}

/// SHA-256 of the whole plaintext, by an NBD client.
pub(crate) fn nbd_hash(volume: &Volume) -> String {
    with_nbd(volume, |stream| {
        let mut client = NbdClient::greet(stream);
        client.go("").unwrap();
        assert_eq!((client.bytes, client.flags & 3), (volume.bytes(), 3));
        let mut hash = Sha256::new();
        let mut offset = 0;
        while offset < client.bytes {
            let length = (client.bytes - offset).min(1_000_000) as u32;
            hash.update(client.read(offset, length).unwrap());
            offset += u64::from(length);
        }
        client.disconnect();
        hex(&hash.finalize())
    })
}

//! A volume as a read-only export of the NBD protocol (fixed newstyle), for `qemu-img`, `nbdcopy`, `nbd-client` and their like.
//!
//! Source: the protocol's document, `doc/proto.md` of the nbd project. Numbers are big-endian. There is one export; the empty name, which
//! asks for the default, and [`EXPORT_NAME`] mean it. There is no TLS and no password: who can connect can read.

use crate::{Error, Result, Volume};
use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;
use zeroize::Zeroize;

/// The export's name, as clients list it.
pub const EXPORT_NAME: &str = "volume";

const MAGIC: u64 = 0x4e42_444d_4147_4943;
const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
const REQUEST_MAGIC: u32 = 0x2560_9513;
const REPLY_MAGIC: u32 = 0x6744_6698;

/// Handshake flags, ours and the client's: fixed newstyle, and no zeroes after the old form of choosing an export.
const FIXED_NEWSTYLE: u32 = 1;
const NO_ZEROES: u32 = 2;

/// What the export is: flags are valid, read-only, consistent over several connections.
const EXPORT_FLAGS: u16 = 1 | 2 | 1 << 8;

mod option {
    pub(super) const EXPORT_NAME: u32 = 1;
    pub(super) const ABORT: u32 = 2;
    pub(super) const LIST: u32 = 3;
    pub(super) const INFO: u32 = 6;
    pub(super) const GO: u32 = 7;
}

mod answer {
    pub(super) const ACK: u32 = 1;
    pub(super) const SERVER: u32 = 2;
    pub(super) const INFO: u32 = 3;
    pub(super) const UNSUPPORTED: u32 = 1 << 31 | 1;
    pub(super) const INVALID: u32 = 1 << 31 | 3;
    pub(super) const UNKNOWN: u32 = 1 << 31 | 6;
    pub(super) const TOO_BIG: u32 = 1 << 31 | 9;
}

mod info {
    pub(super) const EXPORT: u16 = 0;
    pub(super) const BLOCK_SIZE: u16 = 3;
}

mod command {
    pub(super) const READ: u16 = 0;
    pub(super) const WRITE: u16 = 1;
    pub(super) const DISCONNECT: u16 = 2;
    pub(super) const TRIM: u16 = 4;
    pub(super) const WRITE_ZEROES: u16 = 6;
}

mod errno {
    pub(super) const NOT_PERMITTED: u32 = 1;
    pub(super) const INPUT_OUTPUT: u32 = 5;
    pub(super) const INVALID: u32 = 22;
}

/// The longest read, and the longest write that is skipped: what the protocol lets a client expect.
const MAX_PAYLOAD: u32 = 32 << 20;

/// The longest option: a name has at most 4096 bytes.
const MAX_OPTION: u32 = 8 << 10;

/// How long a client may take to choose the export; afterwards it may be silent for ever.
pub const HANDSHAKE_TIME: Duration = Duration::from_secs(30);

/// A connection: a socket that can be told how long to wait.
pub trait Connection: Read + Write {
    /// Sets the time after which a read that gets nothing fails; none for never.
    fn set_patience(&self, time: Option<Duration>) -> io::Result<()>;
}

impl Connection for std::net::TcpStream {
    fn set_patience(&self, time: Option<Duration>) -> io::Result<()> {
        // Replies must not wait for each other.
        self.set_nodelay(true)?;
        self.set_read_timeout(time)
    }
}

impl Connection for std::os::unix::net::UnixStream {
    fn set_patience(&self, time: Option<Duration>) -> io::Result<()> {
        self.set_read_timeout(time)
    }
}

/// Serves one client until it disconnects. An error is the client's: it went away, or broke the protocol.
pub fn serve(volume: &Volume, connection: impl Connection) -> Result<()> {
    let mut client = Client { volume, connection, buffer: Vec::new() };
    let outcome = client.connection.set_patience(Some(HANDSHAKE_TIME)).and_then(|()| client.handshake());
    let outcome = match outcome {
        Ok(true) => client.connection.set_patience(None).and_then(|()| client.transmission()),
        other => other.map(|_| ()),
    };
    client.buffer.zeroize();
    match outcome {
        // A client that goes away without a word has taken nothing from anybody.
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(()),
        Err(error) => Err(Error::io("serve", "a client", error)),
        Ok(()) => Ok(()),
    }
}

struct Client<'v, C> {
    volume: &'v Volume,
    connection: C,
    /// Reply and plaintext of the request at hand.
    buffer: Vec<u8>,
}

fn broken(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

impl<C: Connection> Client<'_, C> {
    fn number<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.connection.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Haggles over options; true once the export is chosen, false if the client is done.
    fn handshake(&mut self) -> io::Result<bool> {
        let flags = (FIXED_NEWSTYLE | NO_ZEROES) as u16;
        let greeting = [&MAGIC.to_be_bytes()[..], &OPTION_MAGIC.to_be_bytes(), &flags.to_be_bytes()].concat();
        self.connection.write_all(&greeting)?;
        let client_flags = u32::from_be_bytes(self.number()?);
        if client_flags & !(FIXED_NEWSTYLE | NO_ZEROES) != 0 {
            return Err(broken("the client wants what was not offered"));
        }
        loop {
            if u64::from_be_bytes(self.number()?) != OPTION_MAGIC {
                return Err(broken("an option does not begin like one"));
            }
            let option = u32::from_be_bytes(self.number()?);
            let length = u32::from_be_bytes(self.number()?);
            if length > MAX_OPTION {
                self.skip(length)?;
                self.answer(option, answer::TOO_BIG, &[])?;
                continue;
            }
            let mut data = vec![0; length as usize];
            self.connection.read_exact(&mut data)?;
            match option {
                option::EXPORT_NAME => {
                    if !is_ours(&data) {
                        return Err(broken("the client asked for an unknown export"));
                    }
                    self.old_export_reply(client_flags & NO_ZEROES != 0)?;
                    return Ok(true);
                }
                option::ABORT => {
                    // The client need not wait for the reply.
                    let _ = self.answer(option, answer::ACK, &[]);
                    return Ok(false);
                }
                option::LIST if !data.is_empty() => self.answer(option, answer::INVALID, &[])?,
                option::LIST => {
                    let name = EXPORT_NAME.as_bytes();
                    let entry = [&(name.len() as u32).to_be_bytes(), name].concat();
                    self.answer(option, answer::SERVER, &entry)?;
                    self.answer(option, answer::ACK, &[])?;
                }
                option::INFO | option::GO => {
                    if self.inform(option, &data)? && option == option::GO {
                        return Ok(true);
                    }
                }
                _ => self.answer(option, answer::UNSUPPORTED, &[])?,
            }
        }
    }

    /// Answers INFO and GO; false if it could not.
    fn inform(&mut self, option: u32, data: &[u8]) -> io::Result<bool> {
        let Some((name, wanted)) = name_and_wants(data) else {
            self.answer(option, answer::INVALID, &[])?;
            return Ok(false);
        };
        if !is_ours(name) {
            self.answer(option, answer::UNKNOWN, &[])?;
            return Ok(false);
        }
        let size = self.volume.bytes().to_be_bytes();
        let export = [&info::EXPORT.to_be_bytes()[..], &size, &EXPORT_FLAGS.to_be_bytes()].concat();
        self.answer(option, answer::INFO, &export)?;
        if wanted.contains(&info::BLOCK_SIZE) {
            let sector = self.volume.metadata().sector_bytes;
            // Any bytes can be read; whole sectors cost less, longer reads least.
            let sizes = [1, sector.max(4096), MAX_PAYLOAD].map(u32::to_be_bytes).concat();
            self.answer(option, answer::INFO, &[&info::BLOCK_SIZE.to_be_bytes()[..], &sizes].concat())?;
        }
        self.answer(option, answer::ACK, &[])?;
        Ok(true)
    }

    fn answer(&mut self, option: u32, kind: u32, data: &[u8]) -> io::Result<()> {
        let mut reply = OPTION_REPLY_MAGIC.to_be_bytes().to_vec();
        for field in [option, kind, data.len() as u32] {
            reply.extend(field.to_be_bytes());
        }
        reply.extend(data);
        self.connection.write_all(&reply)
    }

    fn old_export_reply(&mut self, no_zeroes: bool) -> io::Result<()> {
        let mut reply = self.volume.bytes().to_be_bytes().to_vec();
        reply.extend(EXPORT_FLAGS.to_be_bytes());
        reply.resize(reply.len() + if no_zeroes { 0 } else { 124 }, 0);
        self.connection.write_all(&reply)
    }

    /// Reads and throws away.
    fn skip(&mut self, length: u32) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.connection).take(length.into()), &mut io::sink())?;
        if skipped < u64::from(length) { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Requests in turn, until the client disconnects.
    fn transmission(&mut self) -> io::Result<()> {
        loop {
            if u32::from_be_bytes(self.number()?) != REQUEST_MAGIC {
                return Err(broken("a request does not begin like one"));
            }
            let _flags: [u8; 2] = self.number()?;
            let kind = u16::from_be_bytes(self.number()?);
            let cookie: [u8; 8] = self.number()?;
            let offset = u64::from_be_bytes(self.number()?);
            let length = u32::from_be_bytes(self.number()?);
            match kind {
                command::DISCONNECT => return Ok(()),
                command::READ => self.read(cookie, offset, length)?,
                command::WRITE if length > MAX_PAYLOAD => return Err(broken("a write is too long")),
                command::WRITE => {
                    self.skip(length)?;
                    self.fail(cookie, errno::NOT_PERMITTED)?;
                }
                command::TRIM | command::WRITE_ZEROES => self.fail(cookie, errno::NOT_PERMITTED)?,
                _ => self.fail(cookie, errno::INVALID)?,
            }
        }
    }

    fn read(&mut self, cookie: [u8; 8], offset: u64, length: u32) -> io::Result<()> {
        let end = offset.checked_add(length.into());
        if length > MAX_PAYLOAD || end.is_none_or(|end| end > self.volume.bytes()) {
            return self.fail(cookie, errno::INVALID);
        }
        let head = reply_head(cookie, 0);
        self.buffer.resize(head.len() + length as usize, 0);
        if self.volume.read_at(&mut self.buffer[head.len()..], offset).is_err() {
            return self.fail(cookie, errno::INPUT_OUTPUT);
        }
        self.buffer[..head.len()].copy_from_slice(&head);
        self.connection.write_all(&self.buffer)
    }

    fn fail(&mut self, cookie: [u8; 8], errno: u32) -> io::Result<()> {
        self.connection.write_all(&reply_head(cookie, errno))
    }
}

fn reply_head(cookie: [u8; 8], errno: u32) -> [u8; 16] {
    let mut head = [0; 16];
    head[..4].copy_from_slice(&REPLY_MAGIC.to_be_bytes());
    head[4..8].copy_from_slice(&errno.to_be_bytes());
    head[8..].copy_from_slice(&cookie);
    head
}

fn is_ours(name: &[u8]) -> bool {
    name.is_empty() || name == EXPORT_NAME.as_bytes()
}

/// The export's name in an INFO or GO option, and the kinds of information that are asked for.
fn name_and_wants(data: &[u8]) -> Option<(&[u8], Vec<u16>)> {
    let (length, rest) = data.split_first_chunk()?;
    let (name, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    let (count, rest) = rest.split_first_chunk()?;
    let wants: Vec<_> = rest.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    let whole = rest.len() == 2 * usize::from(u16::from_be_bytes(*count));
    whole.then_some((name, wants))
}

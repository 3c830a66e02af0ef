//! Sealing and opening inside a program: a writer, a reader, and a reader that seeks. One thread, one chunk of memory.

use crate::ends::Source;
use crate::keys::{Lock, Unlock};
use crate::payload::{self, CHUNK_BYTES, MAX_TEXT_BYTES, SEALED_CHUNK_BYTES};
use crate::reader::Message;
use crate::writer::Head;
use crate::{Error, Input, Options, Result};
use roundel::modes::TAG_BYTES;
use std::io::{self, Read, Seek, SeekFrom, Write};
use zeroize::{Zeroize, Zeroizing};

/// Seals what is written to it. [`finish`](Sealer::finish) must be called: without it the result is truncated, and opening it says so.
pub struct Sealer<W: Write> {
    writer: W,
    head: Head,
    chunk: Zeroizing<Vec<u8>>,
    filled: usize,
    number: u64,
    /// After an error the output has a gap: nothing may follow.
    failed: bool,
}

impl<W: Write> Sealer<W> {
    /// Writes the header.
    pub fn new(mut writer: W, lock: &Lock<'_>, options: &Options<'_>) -> Result<Self> {
        let head = Head::new(lock, None, options)?;
        writer.write_all(&head.bytes).map_err(|error| Error::io("write", "the output", error))?;
        Ok(Sealer {
            writer,
            head,
            chunk: Zeroizing::new(vec![0; SEALED_CHUNK_BYTES]),
            filled: 0,
            number: 0,
            failed: false,
        })
    }

    /// Writes the last chunk and gives the writer back.
    pub fn finish(mut self) -> Result<W> {
        self.put_chunk().map_err(|error| Error::io("write", "the output", error))?;
        self.writer.flush().map_err(|error| Error::io("write", "the output", error))?;
        Ok(self.writer)
    }

    fn put_chunk(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.failed, true) {
            return Err(io::Error::other("an earlier write failed, so that the sealed data has a gap"));
        }
        if self.number > MAX_TEXT_BYTES / CHUNK_BYTES as u64 {
            return Err(Error::TooLong.into());
        }
        let sealed = &mut self.chunk[..self.filled + TAG_BYTES];
        self.head.payload.seal_chunk(self.number, sealed);
        self.number += 1;
        self.filled = 0;
        self.writer.write_all(sealed)?;
        self.failed = false;
        Ok(())
    }
}

impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(CHUNK_BYTES - self.filled);
        self.chunk[self.filled..self.filled + taken].copy_from_slice(&bytes[..taken]);
        self.filled += taken;
        if self.filled == CHUNK_BYTES {
            self.put_chunk()?;
        }
        Ok(taken)
    }

    /// Flushes the writer below; text that does not fill a chunk waits for more, or for [`finish`](Sealer::finish).
    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Opens what it reads: gives verified text only, and an error at the end if the sealed data is not whole.
pub struct Opener<'a> {
    reader: Box<dyn Read + Send + 'a>,
    message: Message,
    chunk: Zeroizing<Vec<u8>>,
    /// Text in `chunk` that was not given yet.
    ready: std::ops::Range<usize>,
    number: u64,
    state: State,
}

#[derive(PartialEq)]
enum State {
    Reading,
    Ended,
    /// With the message of the error that ended it.
    Failed(String),
}

impl<'a> Opener<'a> {
    /// Reads the header and finds the key.
    pub fn new(input: Input<'a>, unlock: &Unlock<'_>, options: &Options<'_>) -> Result<Self> {
        let (message, source) = Message::start(Source::open(input)?, unlock, options)?;
        Ok(Opener {
            reader: source.into_reader()?,
            message,
            chunk: Zeroizing::new(vec![0; SEALED_CHUNK_BYTES]),
            ready: 0..0,
            number: 0,
            state: State::Reading,
        })
    }

    fn next_chunk(&mut self) -> Result<()> {
        let chunk = &mut self.chunk[..];
        let begin = self.number * SEALED_CHUNK_BYTES as u64;
        let mut slices = [io::IoSliceMut::new(chunk)];
        let got = crate::io::read_full(&mut self.reader, &mut slices)
            .map_err(|error| Error::io("read", "the input", error))?;
        let end = begin + got as u64;
        let stop = self.message.expected.map_or(end, |expected| expected.clamp(begin, end));
        let chunk = &mut chunk[..(stop - begin) as usize];
        if chunk.len() == SEALED_CHUNK_BYTES {
            if !self.message.payload.open_chunk(self.number, chunk) {
                return Err(self.message.damaged(self.number));
            }
            self.ready = 0..CHUNK_BYTES;
        } else {
            let text = self.message.open_last(self.number, chunk, stop, end)?;
            let more = stop < end || got == SEALED_CHUNK_BYTES || self.reads_more()?;
            if more {
                return Err(self.message.trailing(stop));
            }
            self.ready = 0..text;
            self.state = State::Ended;
        }
        self.number += 1;
        Ok(())
    }

    /// A short read was the end; only where the length is known can there be more behind it.
    fn reads_more(&mut self) -> Result<bool> {
        let mut byte = [0];
        let mut slices = [io::IoSliceMut::new(&mut byte)];
        let got = crate::io::read_full(&mut self.reader, &mut slices)
            .map_err(|error| Error::io("read", "the input", error))?;
        Ok(got > 0)
    }
}

impl Read for Opener<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() && !out.is_empty() {
            match &self.state {
                State::Ended => return Ok(0),
                State::Failed(message) => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message.clone()));
                }
                State::Reading => {}
            }
            if let Err(error) = self.next_chunk() {
                self.chunk.zeroize();
                self.state = State::Failed(error.to_string());
                return Err(error.into());
            }
        }
        let taken = out.len().min(self.ready.len());
        out[..taken].copy_from_slice(&self.chunk[self.ready.start..][..taken]);
        self.ready.start += taken;
        Ok(taken)
    }
}

/// Opens parts of what it reads: reads and seeks in the plaintext, decrypting only the chunks that are touched.
///
/// The length is vouched for before anything depends on it: by the header where it knows the length, else by the last chunk when the end is
/// reached or sought.
pub struct SealedReader<R> {
    reader: R,
    message: Message,
    /// Where the sealed file begins in `reader`.
    base: u64,
    /// Bytes of chunks that are there.
    present: u64,
    /// Where the next read begins, in the text.
    position: u64,
    chunk: Zeroizing<Vec<u8>>,
    /// Number and text length of the chunk that is open.
    open: Option<(u64, usize)>,
    end_verified: bool,
}

impl<R: Read + Seek + Send> SealedReader<R> {
    /// Reads the header from where `reader` stands, and finds the key.
    pub fn new(mut reader: R, unlock: &Unlock<'_>, options: &Options<'_>) -> Result<Self> {
        let failed = |error| Error::io("seek in", "the input", error);
        let base = reader.stream_position().map_err(failed)?;
        let end = reader.seek(SeekFrom::End(0)).map_err(failed)?;
        reader.seek(SeekFrom::Start(base)).map_err(failed)?;
        let source = Source::open(Input::reader(&mut reader))?;
        let (message, source) = Message::start(source, unlock, options)?;
        drop(source);
        let present = end.saturating_sub(base + message.chunks_at);
        Ok(SealedReader {
            reader,
            message,
            base,
            present,
            position: 0,
            chunk: Zeroizing::new(vec![0; SEALED_CHUNK_BYTES]),
            open: None,
            end_verified: false,
        })
    }

    /// Length of the plaintext, verified.
    pub fn text_bytes(&mut self) -> Result<u64> {
        self.message.check_length(self.present)?;
        let text = payload::text_bytes(self.present).expect("check_length refuses other lengths");
        if !self.end_verified && self.message.expected.is_none() {
            self.open_chunk(text / CHUNK_BYTES as u64)?;
        }
        self.end_verified = true;
        Ok(text)
    }

    /// Opens this chunk, unless it is open; gives the length of its text.
    fn open_chunk(&mut self, number: u64) -> Result<usize> {
        if let Some((open, text)) = self.open
            && open == number
        {
            return Ok(text);
        }
        self.open = None;
        let begin = number * SEALED_CHUNK_BYTES as u64;
        let chunks = self.message.expected.unwrap_or(self.present);
        let end = chunks.min(begin + SEALED_CHUNK_BYTES as u64);
        if end > self.present {
            return Err(self.message.truncated(self.present));
        }
        let chunk = &mut self.chunk[..end.saturating_sub(begin) as usize];
        let failed = |error| Error::io("read", "the input", error);
        self.reader
            .seek(SeekFrom::Start(self.base + self.message.chunks_at + begin))
            .and_then(|_| self.reader.read_exact(chunk))
            .map_err(failed)?;
        let text = if chunk.len() == SEALED_CHUNK_BYTES {
            if !self.message.payload.open_chunk(number, chunk) {
                return Err(self.message.damaged(number));
            }
            CHUNK_BYTES
        } else {
            self.message.open_last(number, chunk, end, self.present)?
        };
        self.open = Some((number, text));
        Ok(text)
    }

    fn read_some(&mut self, out: &mut [u8]) -> Result<usize> {
        let number = self.position / CHUNK_BYTES as u64;
        let within = (self.position % CHUNK_BYTES as u64) as usize;
        let chunks = self.message.expected.unwrap_or(self.present);
        let beyond = payload::text_bytes(chunks).is_some_and(|text| self.position >= text);
        if out.is_empty() {
            return Ok(0);
        }
        if beyond {
            self.text_bytes()?;
            return Ok(0);
        }
        let text = self.open_chunk(number)?;
        let taken = out.len().min(text - within);
        out[..taken].copy_from_slice(&self.chunk[within..within + taken]);
        self.position += taken as u64;
        Ok(taken)
    }
}

impl<R: Read + Seek + Send> Read for SealedReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(self.read_some(out)?)
    }
}

impl<R: Read + Seek + Send> Seek for SealedReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.text_bytes()?.checked_add_signed(by),
        };
        self.position = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

//! Opening, checking, looking at the header.

use crate::ends::{Sink, Source};
use crate::header::{Fault, Header, MAX_HEADER_BYTES};
use crate::jobs::{self, JOB_CHUNKS, Job, Outcome, Shape};
use crate::keys::{self, Unlock};
use crate::payload::{self, CHUNK_BYTES, Payload, SEALED_CHUNK_BYTES, START_BYTES};
use crate::suite::Suite;
use crate::{Error, Input, Options, Output, Report, Result};
use roundel::modes::TAG_BYTES;
use std::ops::Range;
use std::time::{Duration, Instant};

pub(crate) const OPENING: Shape = Shape { read: SEALED_CHUNK_BYTES, write: CHUNK_BYTES, shift: 0 };

/// The header is read in steps from this size on.
const FIRST_READ: usize = 4096;

/// Opens a sealed file: the output is the plaintext.
///
/// A file appears only when all of it has verified; a stream gets the verified prefix, then the error.
pub fn open(
    input: Input<'_>,
    output: Output<'_>,
    unlock: &Unlock<'_>,
    options: &Options<'_>,
) -> Result<Report> {
    let began = Instant::now();
    let source = Source::open(input)?;
    let mode = source.mode();
    let (message, source) = Message::start(source, unlock, options)?;
    let sink = Sink::create(output, mode, options)?;
    message.run(source, sink, began, options)
}

/// Verifies every chunk and writes nothing.
pub fn check(input: Input<'_>, unlock: &Unlock<'_>, options: &Options<'_>) -> Result<Report> {
    let began = Instant::now();
    let (message, source) = Message::start(Source::open(input)?, unlock, options)?;
    message.run(source, Sink::Nowhere, began, options)
}

/// Opens `len` bytes of the plaintext (or all to its end) from byte `start` on. Only the chunks that hold them are read, so damage elsewhere
/// is not noticed; a range that reaches the end verifies the end.
///
/// A range that goes beyond the end gives what there is; one that begins beyond it is an error. The input must be a regular file.
pub fn open_range(
    input: Input<'_>,
    output: Output<'_>,
    start: u64,
    len: Option<u64>,
    unlock: &Unlock<'_>,
    options: &Options<'_>,
) -> Result<Report> {
    let began = Instant::now();
    let source = Source::open(input)?;
    let mode = source.mode();
    let (message, mut source) = Message::start(source, unlock, options)?;
    let Some(present) = source.total() else {
        return Err(Error::io("seek in", "the input", std::io::ErrorKind::NotSeekable.into()));
    };
    let part = message.part(start, len, present)?;
    let sink = Sink::create(output, mode, options)?;
    if let Source::File { base, end, .. } = &mut source {
        *end = *base + part.sealed.end;
        *base += part.sealed.start;
    }
    let shape = Shape { shift: part.skip as usize, ..OPENING };
    let totals = jobs::run(&source, &sink, shape, options, &|job| part.open_job(&message, job))?;
    let sync = sink.finish(options)?;
    Ok(message.report(totals.written, totals.read, totals.threads, began, sync))
}

/// A message whose key is known: what is needed to open its chunks.
pub(crate) struct Message {
    pub(crate) payload: Payload,
    pub(crate) suite: Suite,
    /// Where chunk 0 begins in the file.
    pub(crate) chunks_at: u64,
    /// Length of all chunks, if the header knows it.
    pub(crate) expected: Option<u64>,
}

impl Message {
    /// Reads the header and the payload's start, and finds the key. The source then stands before chunk 0.
    pub(crate) fn start<'a>(
        source: Source<'a>,
        unlock: &Unlock<'_>,
        options: &Options<'_>,
    ) -> Result<(Message, Source<'a>)> {
        let (message, source, authentic) = Message::start_damaged(source, unlock, options, Header::parse)?;
        if authentic { Ok((message, source)) } else { Err(Error::Header("its authenticator does not match")) }
    }

    /// The same for a rescue: gives the message, too, if its header is not authentic, and says whether it is. That the payload commits to the
    /// key is still required; what the header says of the length is not believed.
    pub(crate) fn start_damaged<'a>(
        mut source: Source<'a>,
        unlock: &Unlock<'_>,
        options: &Options<'_>,
        parse: ParseHeader,
    ) -> Result<(Message, Source<'a>, bool)> {
        let from_header;
        let (input, header_bytes, size, authentic) = match unlock {
            Unlock::Bare(key) => (&key.input, 0, None, true),
            Unlock::Identities(identities) => {
                let header = read_header(&mut source, parse)?;
                let file_key = keys::unwrap(&header, identities)?;
                let authentic = header.intact && header.authentic(&file_key);
                from_header = keys::payload_key(&file_key, Suite::from_name(&header.suite_name)?);
                (&from_header, header.bytes() as u64, header.size.filter(|_| authentic), authentic)
            }
        };
        let expected = size.map(payload::chunks_bytes);
        let chunks_at = header_bytes + START_BYTES as u64;
        let start = source.read_head(START_BYTES)?;
        let Ok(start) = <[u8; START_BYTES]>::try_from(&start[..]) else {
            let after = header_bytes + start.len() as u64;
            return Err(Error::Truncated { after, expected: expected.map(|chunks| chunks_at + chunks) });
        };
        let payload = Payload::open(input, &start, options.policy)?.ok_or(match unlock {
            Unlock::Bare(_) => Error::WrongBareKey,
            Unlock::Identities(_) => Error::Start { offset: header_bytes },
        })?;
        Ok((Message { payload, suite: input.suite, chunks_at, expected }, source, authentic))
    }

    /// Opens all chunks.
    fn run(
        self,
        source: Source<'_>,
        sink: Sink<'_>,
        began: Instant,
        options: &Options<'_>,
    ) -> Result<Report> {
        if let Some(present) = source.total() {
            // A stream still gets the verified prefix of a file that is cut.
            if !sink.is_stream() {
                self.check_length(present)?;
            }
            if let Some(text) = payload::text_bytes(present) {
                sink.allocate(text)?;
            }
        }
        let all = Part { first: 0, skip: 0, text: u64::MAX, sealed: 0..u64::MAX, to_end: true };
        let planned = options.planned(self.suite, source.total());
        let totals = jobs::run(&source, &sink, OPENING, &planned, &|job| all.open_job(&self, job))?;
        let sync = sink.finish(options)?;
        Ok(self.report(totals.written, totals.read, totals.threads, began, sync))
    }

    pub(crate) fn report(
        &self,
        text: u64,
        chunks: u64,
        threads: usize,
        began: Instant,
        sync: Duration,
    ) -> Report {
        Report {
            text_bytes: text,
            sealed_bytes: self.chunks_at + chunks,
            suite: self.suite.name(),
            strategy: self.payload.strategy(),
            threads,
            elapsed: began.elapsed(),
            sync,
        }
    }

    /// What the length of the chunks alone says.
    pub(crate) fn check_length(&self, present: u64) -> Result<()> {
        match self.expected {
            Some(expected) if present > expected => Err(self.trailing(expected)),
            Some(expected) if present < expected => Err(self.truncated(present)),
            None if payload::text_bytes(present).is_none() => Err(self.truncated(present)),
            _ => Ok(()),
        }
    }

    pub(crate) fn truncated(&self, present: u64) -> Error {
        let expected = self.expected.map(|chunks| self.chunks_at + chunks);
        Error::Truncated { after: self.chunks_at + present, expected }
    }

    pub(crate) fn trailing(&self, end: u64) -> Error {
        Error::Trailing { offset: self.chunks_at + end }
    }

    pub(crate) fn chunk_offset(&self, chunk: u64) -> u64 {
        self.chunks_at + chunk * SEALED_CHUNK_BYTES as u64
    }

    pub(crate) fn damaged(&self, chunk: u64) -> Error {
        Error::Chunk { chunk, offset: self.chunk_offset(chunk) }
    }

    /// Opens the message's last chunk, or says why it is none; gives its text's length. The chunks end at `stop`, the file at `end`.
    pub(crate) fn open_last(&self, number: u64, chunk: &mut [u8], stop: u64, end: u64) -> Result<usize> {
        if self.expected.is_some_and(|expected| stop < expected) || chunk.len() < TAG_BYTES {
            return Err(self.truncated(end));
        }
        if self.payload.open_chunk(number, chunk) {
            Ok(chunk.len() - TAG_BYTES)
        } else if self.expected.is_some() {
            Err(self.damaged(number))
        } else {
            let after = self.chunks_at + end;
            Err(Error::Cut { after, chunk: number, offset: self.chunk_offset(number) })
        }
    }

    /// The chunks of a range of the text, of a file whose chunks have `present` bytes.
    fn part(&self, start: u64, len: Option<u64>, present: u64) -> Result<Part> {
        let chunks = self.expected.unwrap_or(present);
        // Without a whole last chunk the length is unknown, but all full chunks can be read.
        let whole = payload::text_bytes(chunks);
        let known = whole.unwrap_or(chunks / SEALED_CHUNK_BYTES as u64 * CHUNK_BYTES as u64);
        if whole.is_some() && start > known {
            return Err(Error::Range { start, bytes: known });
        }
        let end = len.map_or(u64::MAX, |len| start.saturating_add(len));
        if whole.is_none() && end > known {
            return Err(self.truncated(present));
        }
        let end = end.min(known);
        let first = start / CHUNK_BYTES as u64;
        let last = known / CHUNK_BYTES as u64;
        // The end of the text is vouched for by the last chunk, even if no byte of it is wanted.
        let after = if end == known { last + 1 } else { end.div_ceil(CHUNK_BYTES as u64).max(first) };
        let to_end = whole.is_some() && after > last;
        let size = SEALED_CHUNK_BYTES as u64;
        let sealed = first * size..(after * size).min(chunks);
        if sealed.end > present {
            return Err(self.truncated(present));
        }
        let skip = start % CHUNK_BYTES as u64;
        Ok(Part { first, skip, text: skip + (end - start), sealed, to_end })
    }
}

/// Some consecutive chunks of a message.
pub(crate) struct Part {
    /// The first chunk.
    first: u64,
    /// Text bytes of it that are not wanted.
    skip: u64,
    /// Text bytes up to the last wanted one, counted from the first chunk's beginning.
    text: u64,
    /// Where the chunks are, counted from chunk 0.
    sealed: Range<u64>,
    /// Whether the message's last chunk is among them.
    to_end: bool,
}

impl Part {
    /// Opens a job's chunks in place.
    fn open_job(&self, message: &Message, job: Job<'_>) -> Outcome {
        let begin = self.sealed.start + job.index * (JOB_CHUNKS * SEALED_CHUNK_BYTES) as u64;
        let end = begin + job.filled as u64;
        let stop = message.expected.map_or(end, |expected| expected.clamp(begin, end));
        let usable = (stop - begin) as usize;
        let first = self.first + job.index * JOB_CHUNKS as u64;
        let full = usable / SEALED_CHUNK_BYTES;
        let mut slots = job.slots[..usable].chunks_mut(SEALED_CHUNK_BYTES);
        let mut opened = 0;
        let mut error = None;
        for (number, slot) in (first..).zip(slots.by_ref().take(full)) {
            if !message.payload.open_chunk(number, slot) {
                error = Some(message.damaged(number));
                break;
            }
            opened += CHUNK_BYTES;
        }
        if error.is_none() && (job.last && self.to_end || stop < end) {
            let last = slots.next().unwrap_or_default();
            match message.open_last(first + full as u64, last, stop, end) {
                Ok(text) => {
                    opened += text;
                    error = (stop < end).then(|| message.trailing(stop));
                }
                Err(damage) => error = Some(damage),
            }
        }
        self.clip(job.index, opened, error)
    }

    /// Leaves out what is not wanted of the first and last chunks.
    fn clip(&self, job: u64, opened: usize, error: Option<Error>) -> Outcome {
        let before = job * (JOB_CHUNKS * CHUNK_BYTES) as u64;
        let len = self.text.saturating_sub(before).min(opened as u64) as usize;
        let skip = if job == 0 { (self.skip as usize).min(len) } else { 0 };
        Outcome { skip, len, error, ..Outcome::default() }
    }
}

/// [`Header::parse`], or [`Header::parse_damaged`].
pub(crate) type ParseHeader = fn(&[u8]) -> std::result::Result<Header, Fault>;

/// Reads a header from the beginning of a source, which then stands behind it.
pub(crate) fn read_header(source: &mut Source<'_>, parse: ParseHeader) -> Result<Header> {
    let mut bytes = Vec::new();
    loop {
        let want = bytes.len().max(FIRST_READ);
        let more = source.read_head(want)?;
        let ended = more.len() < want;
        bytes.extend(more);
        match parse(&bytes) {
            Ok(header) => {
                source.unread(bytes.split_off(header.bytes()));
                return Ok(header);
            }
            Err(Fault::NotSealed) => return Err(Error::NotSealed),
            Err(Fault::Damaged(rule)) => return Err(Error::Header(rule)),
            Err(Fault::Incomplete) if ended => {
                return Err(Error::Truncated { after: bytes.len() as u64, expected: None });
            }
            Err(Fault::Incomplete) if bytes.len() > MAX_HEADER_BYTES => {
                return Err(Error::Header("it is longer than 1 MiB"));
            }
            Err(Fault::Incomplete) => {}
        }
    }
}

/// What a header says without any key. Nothing of it is authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The version line.
    pub version: &'static str,
    /// The suite's name.
    pub suite: String,
    /// The plaintext's length by the header; none in files that were sealed from a stream to a stream.
    pub size: Option<u64>,
    /// Who can open the file.
    pub stanzas: Vec<StanzaFacts>,
    /// Bytes of the header.
    pub header_bytes: u64,
    /// Bytes of the whole file; none for a stream.
    pub file_bytes: Option<u64>,
    /// Chunks by the length of the file or by the header.
    pub chunks: Option<u64>,
    /// Whether the file's length is that of a whole message; none for a stream.
    pub whole: Option<bool>,
}

/// A stanza without its secret-bearing body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StanzaFacts {
    /// `X25519`, `scrypt`, `ssh-ed25519`, ...
    pub kind: String,
    /// The arguments.
    pub args: Vec<String>,
    /// Length of the body.
    pub body_bytes: usize,
}

/// Reads a header. The header's checksum is verified; without a key, nothing else can be.
pub fn inspect(input: Input<'_>) -> Result<Inspection> {
    let mut source = Source::open(input)?;
    let header = read_header(&mut source, Header::parse)?;
    let header_bytes = header.bytes() as u64;
    let rest = source.total();
    let present = rest.map(|rest| rest.saturating_sub(START_BYTES as u64));
    let text = header.size.or(present.and_then(payload::text_bytes));
    let whole = rest.map(|rest| match header.size {
        Some(size) => rest == START_BYTES as u64 + payload::chunks_bytes(size),
        None => rest >= START_BYTES as u64 && text.is_some(),
    });
    let facts = |stanza: &age_core::format::Stanza| StanzaFacts {
        kind: stanza.tag.clone(),
        args: stanza.args.clone(),
        body_bytes: stanza.body.len(),
    };
    Ok(Inspection {
        version: crate::header::VERSION,
        suite: header.suite_name.clone(),
        size: header.size,
        stanzas: header.stanzas.iter().map(facts).collect(),
        header_bytes,
        file_bytes: rest.map(|rest| header_bytes + rest),
        chunks: text.map(|text| text / CHUNK_BYTES as u64 + 1),
        whole,
    })
}

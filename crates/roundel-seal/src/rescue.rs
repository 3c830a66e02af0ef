//! Saving what is left of a damaged file.

use crate::ends::{Sink, Source};
use crate::header::Header;
use crate::jobs::{self, JOB_CHUNKS, Job, Outcome};
use crate::keys::Unlock;
use crate::payload::{CHUNK_BYTES, SEALED_CHUNK_BYTES, text_bytes};
use crate::reader::{Message, OPENING};
use crate::{Input, Options, Output, Report, Result};
use roundel::modes::TAG_BYTES;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What a rescue found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescued {
    /// Counts: `text_bytes` are those that verified.
    pub report: Report,
    /// Length of the output. With `truncated` and no length in the header, what is missing behind it is unknown.
    pub len: u64,
    /// Ranges of the output that did not verify, ascending, none adjacent: holes in a file, zeros in a stream.
    pub missing: Vec<Range<u64>>,
    /// The input ends too early.
    pub truncated: bool,
    /// More bytes follow the end.
    pub trailing: bool,
    /// The header was changed, but a stanza still gave a key to which the payload commits.
    pub header_damaged: bool,
}

impl Rescued {
    /// Whether there was nothing to rescue: the input is as it was sealed.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && !self.truncated && !self.trailing && !self.header_damaged
    }

    /// 0 if the input is whole, 21 if truncated, else 20.
    pub fn exit_code(&self) -> u8 {
        match self {
            whole if whole.is_whole() => 0,
            Rescued { truncated: true, .. } => 21,
            _ => 20,
        }
    }
}

/// What the jobs find out together.
#[derive(Default)]
struct Findings {
    missing: Vec<Range<u64>>,
    len: u64,
    truncated: bool,
    trailing: bool,
}

/// Writes every chunk that verifies to its place, and lists the ranges that did not. Only verified bytes are put out; what is missing is a hole in
/// a file and zeros in a stream. Without the right key nothing can be rescued, and header and payload start must be readable.
pub fn rescue(
    input: Input<'_>,
    output: Output<'_>,
    unlock: &Unlock<'_>,
    options: &Options<'_>,
) -> Result<Rescued> {
    let began = Instant::now();
    let source = Source::open(input)?;
    let mode = source.mode();
    let (message, source, authentic) =
        Message::start_damaged(source, unlock, options, Header::parse_damaged)?;
    let sink = Sink::create(output, mode, options)?;
    let findings = Mutex::new(Findings::default());
    let totals = jobs::run(&source, &sink, OPENING, options, &|job| salvage(&message, &findings, job))?;
    let mut found = findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = message.expected.and_then(text_bytes)
        && found.len < text
    {
        found.missing.push(found.len..text);
        found.len = text;
    }
    sink.set_len(found.len)?;
    let sync = sink.finish(options)?;
    let missing = joined(found.missing);
    let verified = found.len - missing.iter().map(|range| range.end - range.start).sum::<u64>();
    Ok(Rescued {
        report: message.report(verified, totals.read, totals.threads, began, sync),
        len: found.len,
        missing,
        truncated: found.truncated,
        trailing: found.trailing,
        header_damaged: !authentic,
    })
}

/// Opens what can be opened of a job.
fn salvage(message: &Message, findings: &Mutex<Findings>, job: Job<'_>) -> Outcome {
    let begin = job.index * (JOB_CHUNKS * SEALED_CHUNK_BYTES) as u64;
    let end = begin + job.filled as u64;
    let stop = message.expected.map_or(end, |expected| expected.clamp(begin, end));
    let first = job.index * JOB_CHUNKS as u64;
    let usable = (stop - begin) as usize;
    let mut outcome = Outcome::default();
    let mut missing = Vec::new();
    let cut = job.last
        && message.expected.map_or(usable % SEALED_CHUNK_BYTES < TAG_BYTES, |expected| end < expected);
    for (index, slot) in job.slots[..usable].chunks_mut(SEALED_CHUNK_BYTES).enumerate() {
        let is_full = slot.len() == SEALED_CHUNK_BYTES;
        let text = slot.len().saturating_sub(TAG_BYTES);
        let opened = (is_full || !cut) && message.payload.open_chunk(first + index as u64, slot);
        if !opened {
            slot.fill(0);
            outcome.holes |= 1 << index;
            let at = (first + index as u64) * CHUNK_BYTES as u64;
            missing.push(at..at + text as u64);
        }
        outcome.len += text;
    }
    let mut found = findings.lock().unwrap_or_else(PoisonError::into_inner);
    found.missing.extend(missing);
    found.len = found.len.max(first * CHUNK_BYTES as u64 + outcome.len as u64);
    found.truncated |= cut;
    found.trailing |= stop < end;
    outcome
}

/// Ascending, without empty or adjacent ranges.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut result: Vec<Range<u64>> = Vec::new();
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match result.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => result.push(range),
        }
    }
    result
}

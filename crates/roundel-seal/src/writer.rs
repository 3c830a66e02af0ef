//! Sealing.

use crate::ends::{Sink, Source};
use crate::jobs::{self, JOB_CHUNKS, Job, Outcome, Shape};
use crate::keys::{self, Lock};
use crate::payload::{self, CHUNK_BYTES, MAX_TEXT_BYTES, Payload, SEALED_CHUNK_BYTES};
use crate::suite::Suite;
use crate::{Error, Input, Options, Output, Report, Result, header};
use age_core::format::{FileKey, Stanza};
use roundel::modes::TAG_BYTES;
use std::time::Instant;

const SEALING: Shape = Shape { read: CHUNK_BYTES, write: SEALED_CHUNK_BYTES, shift: 0 };

/// Seals the input for the lock's recipients.
///
/// A regular file as input must be at rest: if its length or modification time changes meanwhile, that is an error and no output file appears.
pub fn seal(input: Input<'_>, output: Output<'_>, lock: &Lock<'_>, options: &Options<'_>) -> Result<Report> {
    seal_with(input, output, options, |size| Head::new(lock, size, options))
}

fn seal_with(
    input: Input<'_>,
    output: Output<'_>,
    options: &Options<'_>,
    head: impl FnOnce(Option<u64>) -> Result<Head>,
) -> Result<Report> {
    let began = Instant::now();
    let source = Source::open(input)?;
    let mut sink = Sink::create(output, source.mode(), options)?;
    let size = source.total();
    if size.is_some_and(|size| size > MAX_TEXT_BYTES) {
        return Err(Error::TooLong);
    }
    let head = head(size)?;
    if let Some(size) = size {
        sink.allocate(head.bytes.len() as u64 + payload::chunks_bytes(size))?;
    }
    sink.write_head(&head.bytes)?;
    let planned = options.planned(head.suite, size);
    let totals = jobs::run(&source, &sink, SEALING, &planned, &|job| seal_job(&head.payload, job))?;
    source.must_be_at_rest()?;
    if size.is_none()
        && let Sink::File { .. } = sink
        && let Some(bytes) = head.with_size(totals.read)?
    {
        // A stream's length is known only now: it goes into the place that the header kept for it.
        sink.write_head(&bytes)?;
    }
    let sync = sink.finish(options)?;
    Ok(Report {
        text_bytes: totals.read,
        sealed_bytes: head.bytes.len() as u64 + totals.written,
        suite: head.suite.name(),
        strategy: head.payload.strategy(),
        threads: totals.threads,
        elapsed: began.elapsed(),
        sync,
    })
}

/// Seals a job's chunks in place.
fn seal_job(payload: &Payload, job: Job<'_>) -> Outcome {
    let first = job.index * JOB_CHUNKS as u64;
    // 2^38 chunks are 2^34 full jobs, less one chunk for the short one.
    if job.index >= MAX_TEXT_BYTES.div_ceil((JOB_CHUNKS * CHUNK_BYTES) as u64) {
        return Outcome { error: Some(Error::TooLong), ..Outcome::default() };
    }
    let (full, rest) = (job.filled / CHUNK_BYTES, job.filled % CHUNK_BYTES);
    let mut slots = job.slots.chunks_mut(SEALED_CHUNK_BYTES);
    for (number, slot) in (first..).zip(slots.by_ref().take(full)) {
        payload.seal_chunk(number, slot);
    }
    let mut len = full * SEALED_CHUNK_BYTES;
    if job.last {
        let slot = slots.next().expect("the last job is not full");
        payload.seal_chunk(first + full as u64, &mut slot[..rest + TAG_BYTES]);
        len += rest + TAG_BYTES;
    }
    Outcome { len, ..Outcome::default() }
}

/// What comes before the chunks, and the key for them.
pub(crate) struct Head {
    pub(crate) suite: Suite,
    pub(crate) payload: Payload,
    /// Header, salt and commitment.
    pub(crate) bytes: Vec<u8>,
    wrapped: Option<(FileKey, Vec<Stanza>)>,
}

impl Head {
    /// Draws keys and salt, wraps the file key. `size` is the text's length, if known.
    pub(crate) fn new(lock: &Lock<'_>, size: Option<u64>, options: &Options<'_>) -> Result<Head> {
        let salt = *keys::random()?;
        match lock {
            Lock::Bare(key) => {
                let suite = key.input.suite;
                allowed(suite, options)?;
                let (payload, start) = Payload::seal(&key.input, salt, options.policy)?;
                Ok(Head { suite, payload, bytes: start.to_vec(), wrapped: None })
            }
            Lock::Recipients { to, suite } => {
                allowed(*suite, options)?;
                let file_key = keys::new_file_key()?;
                let stanzas = keys::wrap(&file_key, to)?;
                Head::keyed(*suite, file_key, stanzas, salt, size, options)
            }
        }
    }

    fn keyed(
        suite: Suite,
        file_key: FileKey,
        stanzas: Vec<Stanza>,
        salt: [u8; payload::SALT_BYTES],
        size: Option<u64>,
        options: &Options<'_>,
    ) -> Result<Head> {
        let mut bytes = header::render(&suite, size, &stanzas, &file_key)?;
        let (payload, start) = Payload::seal(&keys::payload_key(&file_key, suite), salt, options.policy)?;
        bytes.extend_from_slice(&start);
        Ok(Head { suite, payload, bytes, wrapped: Some((file_key, stanzas)) })
    }

    /// The same bytes with the text's length in the header; none if there is no header.
    pub(crate) fn with_size(&self, size: u64) -> Result<Option<Vec<u8>>> {
        let Some((file_key, stanzas)) = &self.wrapped else { return Ok(None) };
        let mut bytes = header::render(&self.suite, Some(size), stanzas, file_key)?;
        bytes.extend_from_slice(&self.bytes[bytes.len()..]);
        Ok(Some(bytes))
    }
}

fn allowed(suite: Suite, options: &Options<'_>) -> Result<()> {
    if options.allow_unsound { Ok(()) } else { suite.must_be_sound() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::START_BYTES;

    fn fixed(size: Option<u64>) -> Result<Head> {
        let stanza = Stanza { tag: "test".to_owned(), args: Vec::new(), body: vec![1; 32] };
        let file_key = FileKey::new(Box::new([2; 16]));
        Head::keyed(Suite::default(), file_key, vec![stanza], [3; 24], size, &Options::default())
    }

    /// For a fixed key and salt the bytes do not depend on threads or ends; and they have exactly the length that the format says.
    #[test]
    fn the_same_bytes_by_every_way() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let job = JOB_CHUNKS * CHUNK_BYTES;
        for len in [
            0,
            1,
            CHUNK_BYTES - 1,
            CHUNK_BYTES,
            CHUNK_BYTES + 1,
            2 * CHUNK_BYTES,
            job - 1,
            job,
            job + 1,
            3 * job + 5,
        ] {
            let text: Vec<u8> = (0..len).map(|at| (at / 7) as u8).collect();
            std::fs::write(&from, &text).unwrap();
            let mut all = Vec::new();
            for threads in [1, 2, 3, 8] {
                let options = Options { threads, sync: false, replace: true, ..Options::default() };
                for input in [Input::Path(from.clone()), Input::reader(&text[..])] {
                    seal_with(input, Output::Path(to.clone()), &options, fixed).unwrap();
                    all.push(std::fs::read(&to).unwrap());
                }
                let mut sealed = Vec::new();
                seal_with(Input::Path(from.clone()), Output::writer(&mut sealed), &options, fixed).unwrap();
                all.push(sealed);
            }
            let head = fixed(Some(len as u64)).unwrap().bytes;
            assert!(all.iter().all(|sealed| *sealed == all[0]), "length {len}");
            assert!(all[0].starts_with(&head));
            assert_eq!(all[0].len() as u64, head.len() as u64 + payload::chunks_bytes(len as u64));
            assert!(head.len() > START_BYTES);
        }
    }
}

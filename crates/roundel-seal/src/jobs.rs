//! The byte's way: a few threads, each with one buffer, take the next piece of the input, work on it in place, and put it out.
//!
//! A job is 32 chunks: 512 KiB stay in a second-level cache, and to a long write the file system gives long runs of pages, which half as
//! much to a write does not get: `time roundel seal --no-sync` of a large file shows it. A buffer has 32 slots of a sealed
//! chunk each; where text is read or written, the 16 bytes of each tag are left out by scatter and gather, so that a byte lands
//! once and does not move. Files are read and written at offsets, by all threads at once; streams in order, by one thread at a
//! time. So memory is bounded by the number of threads, and nothing is queued.

use crate::ends::{Sink, Source};
use crate::payload::SEALED_CHUNK_BYTES;
use crate::{Error, Options, Progress, Result, io};
use std::io::{IoSlice, IoSliceMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroize;

/// Chunks in a job.
pub(crate) const JOB_CHUNKS: usize = 32;

/// More threads than this gain nothing and would exceed the promised memory.
const MAX_THREADS: usize = 64;

const PAGE_BYTES: usize = 4096;

/// How far the sealed side moves within a page from job to job.
const STEP_BYTES: usize = JOB_CHUNKS * SEALED_CHUNK_BYTES % PAGE_BYTES;

/// How many bytes of each slot are read and written: text, or text and tag.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) read: usize,
    pub(crate) write: usize,
    /// Bytes of the whole result that are skipped at its beginning: files move up by them.
    pub(crate) shift: usize,
}

impl Shape {
    /// Input bytes of a full job.
    fn job_bytes(self) -> u64 {
        (JOB_CHUNKS * self.read) as u64
    }
}

/// What the work on a job came to.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Bytes at the beginning of the result that are not put out.
    pub(crate) skip: usize,
    /// Bytes of the result, those skipped included.
    pub(crate) len: usize,
    /// Bit i: chunk i is missing; files get a hole in its place.
    pub(crate) holes: u32,
    /// What went wrong behind the result.
    pub(crate) error: Option<Error>,
}

/// A piece of the input.
pub(crate) struct Job<'b> {
    /// Its number, from 0.
    pub(crate) index: u64,
    /// Slots of [`SEALED_CHUNK_BYTES`], each filled from its beginning with up to `Shape::read` bytes.
    pub(crate) slots: &'b mut [u8],
    /// Bytes read.
    pub(crate) filled: usize,
    /// Whether the input ends with it. Only the last job is not full, and it may be empty.
    pub(crate) last: bool,
}

/// What was read for a job: its number, how many bytes, whether they are the last.
struct Taken {
    index: u64,
    filled: usize,
    last: bool,
}

/// The failure of the lowest job, and whose turn it is.
struct State {
    failure: Option<(u64, Error)>,
    turn: u64,
}

struct Run<'r, 's, 't, 'o> {
    source: &'r Source<'s>,
    sink: &'r Sink<'t>,
    shape: Shape,
    work: &'r (dyn Fn(Job<'_>) -> Outcome + Sync),
    options: &'r Options<'o>,
    next: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
    state: Mutex<State>,
    /// Job numbers from this on need not be done.
    stop: AtomicU64,
    turn_changed: Condvar,
}

/// How many bytes went in and came out.
pub(crate) struct Totals {
    pub(crate) read: u64,
    pub(crate) written: u64,
    pub(crate) threads: usize,
}

/// Runs all jobs. The error, if any, is that of the lowest job that failed, whatever the number of threads.
pub(crate) fn run(
    source: &Source<'_>,
    sink: &Sink<'_>,
    shape: Shape,
    options: &Options<'_>,
    work: &(dyn Fn(Job<'_>) -> Outcome + Sync),
) -> Result<Totals> {
    let threads = threads(source, shape, options);
    let run = Run {
        source,
        sink,
        shape,
        work,
        options,
        next: AtomicU64::new(0),
        read: AtomicU64::new(0),
        written: AtomicU64::new(0),
        state: Mutex::new(State { failure: None, turn: 0 }),
        stop: AtomicU64::new(u64::MAX),
        turn_changed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| run.worker());
        }
        run.worker();
    });
    match run.state.into_inner().unwrap_or_else(PoisonError::into_inner).failure {
        Some((_, error)) => Err(error),
        None => Ok(Totals { read: run.read.into_inner(), written: run.written.into_inner(), threads }),
    }
}

/// As many threads as asked for or useful, and one more where one of them waits for a stream's bytes. Not where only the output is a stream: threads
/// beyond the cores push each other's buffers out of the caches (`time roundel seal -o /dev/null --threads N`).
fn threads(source: &Source<'_>, shape: Shape, options: &Options<'_>) -> usize {
    let wanted = if options.threads == 0 { roundel::parallel::cores() } else { options.threads };
    let waiting = matches!(source, Source::Stream { .. }) && wanted > 1;
    let threads = wanted + usize::from(waiting);
    let jobs = source.total().map_or(u64::MAX, |total| total / shape.job_bytes() + 1);
    jobs.min(threads.min(MAX_THREADS) as u64) as usize
}

impl Run<'_, '_, '_, '_> {
    fn worker(&self) {
        let _guard = StopOnPanic(self);
        let small = self.source.total().filter(|&total| total < self.shape.job_bytes());
        let slots = small.map_or(JOB_CHUNKS, |total| total as usize / self.shape.read + 1);
        let bytes = slots * SEALED_CHUNK_BYTES;
        let mut buffer = vec![0; bytes + PAGE_BYTES];
        let begin = self.begin(buffer.as_ptr().addr());
        while self.step(&mut buffer[begin..begin + bytes]) {}
        // Plaintext: wiped in one pass at the end, since every job overwrites it anyway.
        buffer.zeroize();
    }

    /// Where in memory that begins at `address` the slots begin. The kernel copies between them and the file; where the two lie differently
    /// within lines of the caches, or memory written is a little ahead of memory read within a page (which the CPU takes for the same place), it
    /// copies at two thirds of the speed. The sealed side is one piece, whose places in the file move by 512 bytes a page from job to job:
    /// so slots begin in the middle between two of those.
    fn begin(&self, address: usize) -> usize {
        let sealed_at = match (self.source, self.sink) {
            (_, Sink::File { base, .. }) if self.shape.write == SEALED_CHUNK_BYTES => *base,
            (Source::File { base, .. }, _) if self.shape.read == SEALED_CHUNK_BYTES => *base,
            _ => 0,
        };
        let within_page = STEP_BYTES + (sealed_at as usize + STEP_BYTES / 2) % STEP_BYTES;
        (within_page + PAGE_BYTES - address % PAGE_BYTES) % PAGE_BYTES
    }

    /// One job; false when there is none left to do.
    fn step(&self, buffer: &mut [u8]) -> bool {
        if self.options.is_cancelled() {
            self.fail(0, Error::Interrupted);
            return false;
        }
        let Taken { index, filled, last } = match self.take(buffer) {
            Ok(Some(taken)) => taken,
            Ok(None) => return false,
            Err((index, error)) => {
                self.fail(index, error);
                return false;
            }
        };
        if index >= self.stop.load(Ordering::Acquire) {
            return false;
        }
        let outcome = (self.work)(Job { index, slots: buffer, filled, last });
        let put = self.put(index, buffer, &outcome);
        if let Some(error) = put.err().or(outcome.error) {
            self.fail(index, error);
            return false;
        }
        let done = self.read.fetch_add(filled as u64, Ordering::Relaxed) + filled as u64;
        if let Some(progress) = self.options.progress {
            progress(Progress { done, total: self.source.total() });
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, index: u64, error: Error) {
        let mut state = self.lock();
        if state.failure.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
            state.failure = Some((index, error));
            self.stop.fetch_min(index, Ordering::AcqRel);
        }
        drop(state);
        self.turn_changed.notify_all();
    }

    /// Reads the next job; none after the last. An error comes with its job's number.
    fn take(&self, buffer: &mut [u8]) -> std::result::Result<Option<Taken>, (u64, Error)> {
        let job_bytes = self.shape.job_bytes();
        match self.source {
            Source::File { file, name, base, end, .. } => {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                let from = base + index * job_bytes;
                if from > *end {
                    return Ok(None);
                }
                let want = job_bytes.min(end - from) as usize;
                let mut slices = slices_mut(buffer, self.shape.read, want);
                let got = io::read_full_at(file, &mut slices, from)
                    .map_err(|error| (index, Error::io("read", name, error)))?;
                if got < want {
                    return Err((index, Error::Changed(name.clone())));
                }
                Ok(Some(Taken { index, filled: want, last: (want as u64) < job_bytes }))
            }
            Source::Stream { name, state } => {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                let index = state.1;
                let Some(reader) = state.0.as_mut() else { return Ok(None) };
                let mut slices = slices_mut(buffer, self.shape.read, job_bytes as usize);
                let got = io::read_full(reader, &mut slices);
                state.1 += 1;
                let last = got.as_ref().map_or(true, |&got| (got as u64) < job_bytes);
                if last {
                    state.0 = None;
                }
                got.map(|filled| Some(Taken { index, filled, last }))
                    .map_err(|error| (index, Error::io("read", name, error)))
            }
        }
    }

    /// Writes a result: to its place, or when its turn comes.
    fn put(&self, index: u64, buffer: &[u8], outcome: &Outcome) -> Result<()> {
        match self.sink {
            Sink::Nowhere => {}
            Sink::File { temporary, name, base } => {
                let start = base + index * (JOB_CHUNKS * self.shape.write) as u64;
                for (from, to) in runs(outcome, self.shape.write) {
                    let mut slices = slices(buffer, self.shape.write, from, to);
                    io::write_all_at(
                        &temporary.file,
                        &mut slices,
                        start + from as u64 - self.shape.shift as u64,
                    )
                    .map_err(|error| Error::io("write", name, error))?;
                }
            }
            Sink::Stream { name, writer } => {
                let mut state = self.lock();
                while state.turn != index {
                    if self.stop.load(Ordering::Acquire) <= index {
                        return Ok(());
                    }
                    state = self.turn_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                drop(state);
                // Only the job whose turn it is gets here.
                let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                let mut slices = slices(buffer, self.shape.write, outcome.skip, outcome.len);
                io::write_all(&mut **writer, &mut slices).map_err(|error| Error::io("write", name, error))?;
                drop(writer);
                if outcome.error.is_none() {
                    self.lock().turn += 1;
                    self.turn_changed.notify_all();
                }
            }
        }
        self.written.fetch_add((outcome.len - outcome.skip) as u64, Ordering::Relaxed);
        Ok(())
    }
}

/// If a thread panics, the others must not wait for its turn for ever.
struct StopOnPanic<'r, 's, 't, 'o>(&'r Run<'r, 's, 't, 'o>);

impl Drop for StopOnPanic<'_, '_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(0, Error::Interrupted);
        }
    }
}

/// The spans of a result that are not holes.
fn runs(outcome: &Outcome, per_slot: usize) -> Vec<(usize, usize)> {
    if outcome.holes == 0 {
        return vec![(outcome.skip, outcome.len)];
    }
    (0..JOB_CHUNKS)
        .filter(|slot| outcome.holes & (1 << slot) == 0)
        .map(|slot| ((slot * per_slot).max(outcome.skip), ((slot + 1) * per_slot).min(outcome.len)))
        .filter(|(from, to)| from < to)
        .collect()
}

/// The places of `total` bytes in the slots of a buffer.
fn slices_mut(buffer: &mut [u8], per_slot: usize, total: usize) -> Vec<IoSliceMut<'_>> {
    if per_slot == SEALED_CHUNK_BYTES {
        return vec![IoSliceMut::new(&mut buffer[..total])];
    }
    let slots = buffer.chunks_mut(SEALED_CHUNK_BYTES).enumerate();
    slots
        .map(|(index, slot)| (slot, total.saturating_sub(index * per_slot).min(per_slot)))
        .take_while(|(_, bytes)| *bytes > 0)
        .map(|(slot, bytes)| IoSliceMut::new(&mut slot[..bytes]))
        .collect()
}

/// The places of bytes `from` to `to` in the slots of a buffer.
fn slices(buffer: &[u8], per_slot: usize, from: usize, to: usize) -> Vec<IoSlice<'_>> {
    if per_slot == SEALED_CHUNK_BYTES {
        return vec![IoSlice::new(&buffer[from..to])];
    }
    let slots = buffer.chunks(SEALED_CHUNK_BYTES).enumerate();
    slots
        .map(|(index, slot)| {
            let start = index * per_slot;
            let within = |at: usize| at.saturating_sub(start).min(per_slot);
            &slot[within(from)..within(to)]
        })
        .filter(|span| !span.is_empty())
        .map(IoSlice::new)
        .collect()
}

//! A volume's plaintext to a file or a stream, on all cores.
//!
//! Each thread has one buffer: it takes the next piece, reads and decrypts it there, and writes it, to a file at the piece's own
//! offset, to a stream when its turn comes. Nothing is queued, so memory is bounded by the number of threads.

use crate::{Error, Result, Volume};
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroize;

/// What file systems like and a second-level cache holds.
const PIECE_BYTES: u64 = 256 << 10;

/// More threads gain nothing.
const MAX_THREADS: u64 = 64;

/// Where plaintext goes.
pub enum Sink<'a> {
    /// A file that can be written at offsets; the range's first byte goes to offset 0.
    File(&'a File),
    /// A stream, in order.
    Stream(&'a mut (dyn Write + Send)),
}

/// Copies a range of the volume. `progress` is called with the length of each piece that is done, by any thread.
///
/// On an error a stream has got the pieces before it.
pub fn copy(
    volume: &Volume,
    range: Range<u64>,
    sink: Sink<'_>,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<()> {
    let (file, stream) = match sink {
        Sink::File(file) => (Some(file), None),
        Sink::Stream(stream) => (None, Some(stream)),
    };
    let pieces = (range.end - range.start).div_ceil(PIECE_BYTES) + 1;
    let run = Run {
        volume,
        next: AtomicU64::new(0),
        stop: AtomicU64::new(u64::MAX),
        state: Mutex::new(State { turn: 0, failure: None, stream }),
        turned: Condvar::new(),
        range,
        file,
        progress,
    };
    std::thread::scope(|scope| {
        for _ in 1..pieces.min(MAX_THREADS).min(threads as u64) {
            scope.spawn(|| run.worker());
        }
        run.worker();
    });
    let state = run.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, error)) = state.failure {
        return Err(error);
    }
    let flushed = state.stream.map_or(Ok(()), |stream| stream.flush());
    flushed.map_err(|error| Error::io("write", "the output", error))
}

struct State<'s> {
    /// The piece whose turn it is to be written to the stream.
    turn: u64,
    /// The failure of the lowest piece.
    failure: Option<(u64, Error)>,
    stream: Option<&'s mut (dyn Write + Send)>,
}

struct Run<'r, 's> {
    volume: &'r Volume,
    range: Range<u64>,
    file: Option<&'r File>,
    progress: &'r (dyn Fn(u64) + Sync),
    next: AtomicU64,
    /// Pieces from this on need not be done.
    stop: AtomicU64,
    state: Mutex<State<'s>>,
    turned: Condvar,
}

impl<'s> Run<'_, 's> {
    fn worker(&self) {
        let _guard = StopOnPanic(self);
        let mut buffer = vec![0; PIECE_BYTES.min(self.range.end - self.range.start) as usize];
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.stop.load(Ordering::Acquire) {
                break;
            }
            let Some(piece) = self.piece(index) else { break };
            let bytes = piece.end - piece.start;
            if let Err(error) = self.copy_piece(index, piece, &mut buffer) {
                self.fail(index, error);
                break;
            }
            (self.progress)(bytes);
        }
        buffer.zeroize();
    }

    /// The range of a piece. The first ends where a whole piece of the volume would, so that the others begin with a sector.
    fn piece(&self, index: u64) -> Option<Range<u64>> {
        let base = self.range.start / PIECE_BYTES;
        let start = (base + index).checked_mul(PIECE_BYTES)?;
        let end = start.checked_add(PIECE_BYTES)?.min(self.range.end);
        let start = start.max(self.range.start);
        (start < end).then_some(start..end)
    }

    fn copy_piece(&self, index: u64, piece: Range<u64>, buffer: &mut [u8]) -> Result<()> {
        let buffer = &mut buffer[..(piece.end - piece.start) as usize];
        self.volume.read_at(buffer, piece.start)?;
        let failed = |error| Error::io("write", "the output", error);
        if let Some(file) = self.file {
            return file.write_all_at(buffer, piece.start - self.range.start).map_err(failed);
        }
        let mut state = self.lock();
        while state.turn != index {
            if self.stop.load(Ordering::Acquire) <= index {
                return Ok(());
            }
            state = self.turned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(stream) = &mut state.stream {
            stream.write_all(buffer).map_err(failed)?;
        }
        state.turn += 1;
        drop(state);
        self.turned.notify_all();
        Ok(())
    }

    fn fail(&self, index: u64, error: Error) {
        let mut state = self.lock();
        if state.failure.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
            state.failure = Some((index, error));
            self.stop.fetch_min(index, Ordering::AcqRel);
        }
        drop(state);
        self.turned.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<'s>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// If a thread panics, the others must not wait for its turn for ever.
struct StopOnPanic<'a, 'r, 's>(&'a Run<'r, 's>);

impl Drop for StopOnPanic<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(0, Error::Worker);
        }
    }
}

//! A stream through many threads, in order and in bounded memory.
//!
//! Each thread takes the next piece of the input under a lock, works on it in its own buffer, waits for its turn and writes it. So at any time
//! one thread reads, one writes and the others work, with one buffer per thread and no queue.

use crate::error::Error;
use std::io::{self, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// One piece of the stream, for a thread to work on.
pub(crate) struct Piece<'a> {
    /// Where it begins in the stream.
    pub(crate) offset: u64,
    /// The input bytes just before it, as many as the pipeline keeps.
    pub(crate) preceding: &'a [u8],
    /// Its bytes, changed in place.
    pub(crate) data: &'a mut [u8],
}

/// How a stream is cut and who works on it.
pub(crate) struct Pipeline {
    /// Threads; with one, nothing is spawned.
    pub(crate) threads: usize,
    /// Length of every piece but the last.
    pub(crate) piece_bytes: usize,
    /// What "precedes" the first piece; its length says how much input each later piece gets to see before it.
    pub(crate) preceding: Vec<u8>,
}

struct Source<'a> {
    input: &'a mut (dyn Read + Send),
    index: u64,
    offset: u64,
    preceding: Vec<u8>,
    ended: bool,
}

struct Sink<'a> {
    output: &'a mut (dyn Write + Send),
    next: u64,
    outcome: Result<(), Error>,
}

impl Pipeline {
    /// Runs the whole input through `work` to the output. Stops at the first error, after all pieces before it were written.
    pub(crate) fn run(
        self,
        input: &mut (dyn Read + Send),
        output: &mut (dyn Write + Send),
        work: impl Fn(Piece<'_>) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let source =
            Mutex::new(Source { input, index: 0, offset: 0, preceding: self.preceding, ended: false });
        let sink = Mutex::new(Sink { output, next: 0, outcome: Ok(()) });
        let turn = Condvar::new();
        let drive = || {
            let _rescue = OnPanic(|| {
                // Whoever waits for this thread's piece must not wait for ever; the scope passes the panic on.
                lock(&source).ended = true;
                lock(&sink).next = u64::MAX;
                turn.notify_all();
            });
            let mut buffer = vec![0; self.piece_bytes];
            while let Some((index, result)) = next_piece(&source, &mut buffer, &work) {
                let mut sink = lock(&sink);
                while sink.next < index {
                    sink = turn.wait(sink).unwrap_or_else(PoisonError::into_inner);
                }
                if sink.outcome.is_ok() {
                    let written = result.and_then(|bytes| Ok(sink.output.write_all(&buffer[..bytes])?));
                    if written.is_err() {
                        sink.outcome = written;
                        lock(&source).ended = true;
                    }
                }
                sink.next = sink.next.saturating_add(1);
                turn.notify_all();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(drive);
            }
            drive();
        });
        let sink = sink.into_inner().unwrap_or_else(PoisonError::into_inner);
        sink.outcome?;
        Ok(sink.output.flush()?)
    }
}

/// Reads the next piece into `buffer` and works on it: its number and its length, or what went wrong; nothing at the end.
fn next_piece(
    source: &Mutex<Source<'_>>,
    buffer: &mut [u8],
    work: impl Fn(Piece<'_>) -> Result<(), Error>,
) -> Option<(u64, Result<usize, Error>)> {
    let mut source = lock(source);
    if source.ended {
        return None;
    }
    let read = fill(source.input, buffer);
    source.ended = !matches!(&read, Ok(bytes) if *bytes == buffer.len());
    let bytes = match read {
        Ok(0) => return None,
        Ok(bytes) => bytes,
        Err(error) => return Some((source.index, Err(error.into()))),
    };
    let data = &mut buffer[..bytes];
    let (index, offset, kept) = (source.index, source.offset, source.preceding.len());
    source.index += 1;
    source.offset += bytes as u64;
    // Only the last piece can be shorter than what is kept, and nothing follows it.
    let last = data[bytes.saturating_sub(kept)..].to_vec();
    let preceding = std::mem::replace(&mut source.preceding, last);
    drop(source);
    Some((index, work(Piece { offset, preceding: &preceding, data }).map(|()| bytes)))
}

/// Reads until the buffer is full or the input ends.
pub(crate) fn fill(input: &mut (impl Read + ?Sized), buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Runs its closure if the thread panics.
struct OnPanic<F: Fn()>(F);

impl<F: Fn()> Drop for OnPanic<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds to each byte the number of its piece and the byte before the piece.
    fn mark(piece: Piece<'_>) -> Result<(), Error> {
        let add = (piece.offset / 7) as u8 ^ piece.preceding[0];
        piece.data.iter_mut().for_each(|byte| *byte = byte.wrapping_add(add));
        Ok(())
    }

    fn run(threads: usize, input: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        let pipeline = Pipeline { threads, piece_bytes: 7, preceding: vec![99] };
        pipeline.run(&mut &*input, &mut output, mark).unwrap();
        output
    }

    #[test]
    fn pieces_stay_in_order_and_see_what_precedes_them() {
        for len in [0, 1, 6, 7, 8, 14, 1000] {
            let input: Vec<u8> = (0..len).map(|i| (i * 31 % 256) as u8).collect();
            let expected: Vec<u8> = (0..len)
                .map(|i| {
                    let before = if i < 7 { 99 } else { input[i / 7 * 7 - 1] };
                    input[i].wrapping_add((i / 7) as u8 ^ before)
                })
                .collect();
            for threads in [1, 2, 5] {
                assert_eq!(run(threads, &input), expected, "{len} bytes, {threads} threads");
            }
        }
    }

    #[test]
    fn an_error_stops_after_the_pieces_before_it() {
        for threads in [1, 4] {
            let mut output = Vec::new();
            let pipeline = Pipeline { threads, piece_bytes: 10, preceding: Vec::new() };
            let outcome = pipeline.run(&mut &[1u8; 1000][..], &mut output, |piece| match piece.offset {
                500.. => Err(Error::Other(format!("at {}", piece.offset))),
                _ => Ok(()),
            });
            assert_eq!(outcome.unwrap_err().to_string(), "at 500");
            assert_eq!(output, [1; 500]);
        }
    }

    #[test]
    #[should_panic]
    fn a_panic_is_passed_on_and_nobody_waits_for_ever() {
        let pipeline = Pipeline { threads: 4, piece_bytes: 10, preceding: Vec::new() };
        let _ = pipeline.run(&mut &[1u8; 1000][..], &mut Vec::new(), |piece| {
            assert!(piece.offset != 300);
            Ok(())
        });
    }
}

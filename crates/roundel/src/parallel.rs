//! One thread or many, written once.

use std::sync::Mutex;

/// Calls `work(offset, piece)` for consecutive pieces of `data`, each of `piece_bytes` but for the last, on
/// `threads` threads (the calling one included). Pieces are taken in order; a free thread takes the next.
///
/// With one thread, or one piece, nothing is spawned.
pub fn for_each_piece(
    threads: usize,
    data: &mut [u8],
    piece_bytes: usize,
    work: impl Fn(usize, &mut [u8]) + Sync,
) {
    let piece_bytes = piece_bytes.max(1);
    let threads = threads.min(data.len().div_ceil(piece_bytes));
    let pieces = Mutex::new(data.chunks_mut(piece_bytes).enumerate());
    let take_all = || {
        loop {
            let next = pieces.lock().expect("no holder panics: taking from the iterator cannot").next();
            let Some((index, piece)) = next else { break };
            work(index * piece_bytes, piece);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(take_all);
        }
        take_all();
    });
}

/// The number of cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_visited_once_at_its_offset() {
        for len in [0, 1, 15, 16, 17, 1000] {
            for threads in [1, 2, 5] {
                for piece in [1, 16, 64, 5000] {
                    let mut data = vec![0u8; len];
                    for_each_piece(threads, &mut data, piece, |offset, part| {
                        for (i, byte) in part.iter_mut().enumerate() {
                            *byte += ((offset + i) % 251) as u8 + 1;
                        }
                    });
                    assert!(data.iter().enumerate().all(|(i, &b)| b == (i % 251) as u8 + 1));
                }
            }
        }
    }
}

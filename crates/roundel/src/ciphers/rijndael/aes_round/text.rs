//! Where a mode reads and writes: at one place, or at two. The loops are written once, over all.

use crate::simd::{AesSimd, Unordered, Vector, prefetch};

/// From this length on, text that goes to another place is written past the caches: with its source it is twice as long, so that a third-level cache of
/// 32 MiB would not keep it for whoever reads the result. From 16 MiB on such a reader lost nothing; after 8 MiB the two together took a tenth longer.
pub(super) const STREAM_BYTES: usize = 16 << 20;

/// A cache line.
const LINE: usize = 64;

/// The smallest page: where pages are larger, its address is looked up more often than need be.
const PAGE: usize = 4096;

/// Text on its way through a mode.
pub(super) trait Text: Sized {
    /// The same for a shorter time.
    type Again<'b>: Text
    where
        Self: 'b;

    fn again(&mut self) -> Self::Again<'_>;

    /// The first `at` bytes, and the others.
    fn split_at(self, at: usize) -> (Self, Self);

    /// What is read.
    fn source(&self) -> &[u8];

    /// Where it is written: as long.
    fn target(&mut self) -> &mut [u8];

    /// Writes a register at byte `at` of the target.
    #[inline(always)]
    fn put<S: AesSimd>(&mut self, _: S, at: usize, x: S::V) {
        x.store(&mut self.target()[at..]);
    }
}

/// In place.
impl Text for &mut [u8] {
    type Again<'b>
        = &'b mut [u8]
    where
        Self: 'b;

    #[inline(always)]
    fn again(&mut self) -> &mut [u8] {
        self
    }

    #[inline(always)]
    fn split_at(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }

    #[inline(always)]
    fn source(&self) -> &[u8] {
        self
    }

    #[inline(always)]
    fn target(&mut self) -> &mut [u8] {
        self
    }
}

/// From one place to another.
pub(super) struct Apart<'a> {
    from: &'a [u8],
    to: &'a mut [u8],
}

impl<'a> Apart<'a> {
    /// Panics unless the two are of one length.
    pub(super) fn new(from: &'a [u8], to: &'a mut [u8]) -> Self {
        assert_eq!(from.len(), to.len(), "a text and the place for it");
        Apart { from, to }
    }

    /// The bytes before the target's first line, if text of at least `stream_from` bytes can be [`Streamed`] from there on.
    pub(super) fn head(&self, stream_from: usize) -> Option<usize> {
        let head = self.to.as_ptr().align_offset(LINE);
        (self.to.len() >= usize::max(stream_from, LINE) && head.is_multiple_of(16)).then_some(head)
    }
}

impl Text for Apart<'_> {
    type Again<'b>
        = Apart<'b>
    where
        Self: 'b;

    #[inline(always)]
    fn again(&mut self) -> Apart<'_> {
        Apart { from: self.from, to: self.to }
    }

    #[inline(always)]
    fn split_at(self, at: usize) -> (Self, Self) {
        let (from, from_rest) = self.from.split_at(at);
        let (to, to_rest) = self.to.split_at_mut(at);
        (Apart { from, to }, Apart { from: from_rest, to: to_rest })
    }

    #[inline(always)]
    fn source(&self) -> &[u8] {
        self.from
    }

    #[inline(always)]
    fn target(&mut self) -> &mut [u8] {
        self.to
    }
}

/// [`Apart`], for text that no cache holds: an ordinary store reads its line before it writes it, and waits for the translation of each new
/// page. Stores past the caches read nothing, and wait for the translation all the more, so each page's is fetched during the one before.
///
/// 64 MiB of AES-256-CTR take 0.7 of the time with both, GCM's decryption 0.75; CTR gains nothing by the translations alone, and by such stores alone
/// between a tenth and less than nothing (Zen 4, pages of 4 KiB, medians of runs with other jobs beside them). Made in 12 KiB that stay in the cache
/// and copied from there past the caches, CTR took twice as long (Zen 3).
pub(super) struct Streamed<'a> {
    pub(super) text: Apart<'a>,
    pub(super) leave: Unordered<'a>,
}

impl Text for Streamed<'_> {
    type Again<'b>
        = Streamed<'b>
    where
        Self: 'b;

    #[inline(always)]
    fn again(&mut self) -> Streamed<'_> {
        Streamed { text: self.text.again(), leave: self.leave }
    }

    #[inline(always)]
    fn split_at(self, at: usize) -> (Self, Self) {
        let (text, rest) = self.text.split_at(at);
        (Streamed { text, leave: self.leave }, Streamed { text: rest, leave: self.leave })
    }

    #[inline(always)]
    fn source(&self) -> &[u8] {
        self.text.source()
    }

    #[inline(always)]
    fn target(&mut self) -> &mut [u8] {
        self.text.target()
    }

    #[inline(always)]
    fn put<S: AesSimd>(&mut self, s: S, at: usize, x: S::V) {
        let target = self.text.target();
        if at == 0 && target.as_ptr().addr() % PAGE < target.len() {
            prefetch(target.as_ptr().wrapping_add(PAGE));
        }
        s.stream(x, &mut target[at..], self.leave);
    }
}

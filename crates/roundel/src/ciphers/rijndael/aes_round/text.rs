//! Where a mode reads and writes: at one place, or at two. The loops are written once, over both.
//!
//! All stores are ordinary ones. Made in 12 KiB that stay in the cache and copied from there past the caches, 64 MiB of AES-256-CTR took twice as long
//! (Zen 3: 4.2 instead of 8.2 GB/s).

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

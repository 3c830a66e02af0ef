//! Stores past the caches, and addresses that are looked up ahead of them.

use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Leave to store past the caches. Such stores are seen by others in any order, so that leave is given for the time of `unordered`.
#[derive(Clone, Copy, Debug)]
pub struct Unordered<'a>(PhantomData<&'a ()>);

/// Runs work that may store past the caches; afterwards its stores are ordered before all that follow.
pub(crate) fn unordered(work: impl FnOnce(Unordered<'_>)) {
    /// Panics pass it too.
    struct Fence;
    impl Drop for Fence {
        fn drop(&mut self) {
            // SAFETY: SSE is part of x86-64.
            unsafe { _mm_sfence() }
        }
    }
    let _fence = Fence;
    work(Unordered(PhantomData));
}

/// Fetches the line at an address, with the translation of its page; nothing happens where there is no memory.
#[inline(always)]
pub(crate) fn prefetch(at: *const u8) {
    // SAFETY: a hint, which never faults, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}

//! How much memory a strategy's shared tables may take: an allowance for the process, as the cap on the CPU level is.
//!
//! A strategy that declares more ([`Memory::shared`](crate::Memory)) is not available. Nothing picks, verifies or measures it unless somebody allows it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What is allowed unasked: 8 MiB.
pub const UNASKED: usize = 8 << 20;

static ALLOWED: AtomicUsize = AtomicUsize::new(UNASKED);

/// Allows each strategy so many bytes of tables from now on.
pub fn allow(bytes: usize) {
    ALLOWED.store(bytes, Ordering::Relaxed);
}

/// The allowance in force.
pub fn allowed() -> usize {
    ALLOWED.load(Ordering::Relaxed)
}

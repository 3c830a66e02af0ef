//! For tests: makes the n-th system call fail, or do less than it could.

use rustix::io::Errno;
use std::cell::Cell;

/// How the chosen call goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    Fails(Errno),
    /// Reads and writes move one byte; other calls work.
    Short,
}

thread_local! {
    static PLAN: Cell<Option<(u64, Fault)>> = const { Cell::new(None) };
    static NO_HIDDEN_FILES: Cell<bool> = const { Cell::new(false) };
}

/// From now on, on this thread, call number `nth` (from 0) goes wrong.
pub(crate) fn plan(nth: u64, fault: Fault) {
    PLAN.set(Some((nth, fault)));
}

/// Ends the plan; whether its call was reached.
pub(crate) fn was_struck() -> bool {
    PLAN.take().is_none()
}

/// Whether files without a name are to be taken as unavailable.
pub(crate) fn no_hidden_files() -> bool {
    NO_HIDDEN_FILES.get()
}

pub(crate) fn set_no_hidden_files(none: bool) {
    NO_HIDDEN_FILES.set(none);
}

pub(crate) fn strike_errno(_call: &str) -> Result<bool, Errno> {
    match PLAN.get() {
        Some((0, fault)) => {
            PLAN.set(None);
            match fault {
                Fault::Fails(errno) => Err(errno),
                Fault::Short => Ok(true),
            }
        }
        Some((left, fault)) => {
            PLAN.set(Some((left - 1, fault)));
            Ok(false)
        }
        None => Ok(false),
    }
}

/// Whether this call is to be short; or its failure.
pub(crate) fn strike(call: &str) -> std::io::Result<bool> {
    Ok(strike_errno(call)?)
}

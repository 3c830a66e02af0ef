//! One file per verb: its options and its `run`.

pub(crate) mod raw;
mod raw_gcm;

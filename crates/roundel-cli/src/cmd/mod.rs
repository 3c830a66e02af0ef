//! One file per verb: its options and its `run`.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod hash;
pub(crate) mod inspect;
pub(crate) mod keygen;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod open;
pub(crate) mod plan;
pub(crate) mod predict;
pub(crate) mod profile;
pub(crate) mod raw;
mod raw_gcm;
mod raw_key;
pub(crate) mod report;
pub(crate) mod rescue;
pub(crate) mod seal;
pub(crate) mod study;
pub(crate) mod tune;
pub(crate) mod verify;
pub(crate) mod volume;

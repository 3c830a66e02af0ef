//! The stored profile of this machine, for the verbs that plan.

use crate::args::Global;
use roundel::Cipher;
use roundel::plan::{Profile, current, install};
use roundel_lab::tune::store;
use std::sync::Arc;

/// The stored profile, if there is one that may be used; else the built-in estimates. Why a stored one is not used is said in a sentence.
pub(crate) fn load(global: &Global, only: Option<&Cipher>) -> Arc<Profile> {
    let stored = store::path().map(|path| store::load(&path, only));
    match stored {
        Some(Ok(Some(profile))) => install(profile),
        Some(Err(why)) => global.note(&why.to_string()),
        Some(Ok(None)) | None => {}
    }
    current()
}

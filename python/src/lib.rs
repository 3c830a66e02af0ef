//! The native half of the Python package `roundel`: translates types and errors, and decides nothing.
//!
//! | module | what is there |
//! |---|---|
//! | `raw` | buffers, fresh `bytes`: the only `unsafe` code |
//! | `cipher` | the object of `roundel.new` |
//! | `gcm` | `roundel.Gcm`, and GCM's object of `roundel.new` |
//! | `sectors` | `roundel.Sectors` |
//! | `seal` | sealed files |
//! | `volume` | BitLocker volumes, read only |
//! | `reader` | what file objects read: sealed files and volumes |
//! | `lab` | the registry, proofs and measurements, as JSON |
//! | `planning` | plans and predictions, as JSON |
//! | `errors` | which error is which exception |
//!
//! Everything mutable is behind a mutex or made for one call, so the module declares that it needs no GIL.

mod cipher;
mod errors;
mod gcm;
mod lab;
mod planning;
mod raw;
mod reader;
mod seal;
mod sectors;
mod volume;

use pyo3::prelude::*;
use roundel::{Choice, Policy};

/// Messages longer than this are worked on with the GIL released: about a microsecond of work, against 0.1 for releasing and taking it.
const DETACH_BYTES: usize = 4 << 10;

/// Runs `work`, with the GIL released if the message is long.
#[inline]
fn detached<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes > DETACH_BYTES { py.detach(work) } else { work() }
}

/// A strategy by names; without a name the best that the policy allows.
fn choice(cipher: &str, strategy: Option<&str>, allow_timing_leaks: bool) -> Result<Choice, errors::Fault> {
    let cipher = roundel::cipher(cipher)?;
    let policy = if allow_timing_leaks { Policy::AnyTiming } else { Policy::ConstantTime };
    Ok(match strategy {
        Some(name) => cipher.strategy(name)?,
        None => cipher.best(policy)?,
    })
}

#[pymodule(gil_used = false)]
mod _roundel {
    #[pymodule_export]
    use crate::cipher::Cipher;
    #[pymodule_export]
    use crate::gcm::{Gcm, GcmCipher};
    #[pymodule_export]
    use crate::lab::{bench, ciphers, verify};
    #[pymodule_export]
    use crate::planning::{plan, predict};
    #[pymodule_export]
    use crate::reader::Reader;
    #[pymodule_export]
    use crate::seal::{check, inspect, keygen, open, read_sealed, seal};
    #[pymodule_export]
    use crate::sectors::Sectors;
    #[pymodule_export]
    use crate::volume::{read_volume, volume_info};
}

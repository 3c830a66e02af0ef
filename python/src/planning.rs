//! `plan` and `predict`, as JSON text that `roundel/lab.py` turns into plain records.

use crate::errors::{self, Fault};
use pyo3::prelude::*;
use roundel::plan::{Constraints, Direction, Mode, Profile, Request, current};
use roundel::{Cipher, Policy, parallel};
use roundel_lab::tune::store;
use roundel_lab::{planning, predict as lab_predict};
use std::sync::Arc;

/// What is asked of a cipher, whatever the length of the message.
struct Question {
    request: Request,
    profile: Arc<Profile>,
}

impl Question {
    fn new(
        cipher: &str,
        mode: &str,
        key_bits: usize,
        decrypt: bool,
        allow_timing_leaks: bool,
    ) -> PyResult<Self> {
        let cipher = roundel::cipher(cipher).map_err(Fault::Engine)?;
        let mode = named(mode)?;
        let key_bytes = key_bits / 8;
        if !key_bits.is_multiple_of(8) {
            return Err(errors::parameter(format!("a key of {key_bits} bits is no whole bytes")));
        }
        planning::check(cipher, mode, key_bytes).map_err(Fault::Engine)?;
        let policy = if allow_timing_leaks { Policy::AnyTiming } else { Policy::ConstantTime };
        let constraints = Constraints { policy, ..Constraints::default() };
        let mut request = Request::fresh_key(cipher, key_bytes, mode, 0, constraints);
        request.direction = if decrypt { Direction::Decrypt } else { Direction::Encrypt };
        Ok(Question { request, profile: profile(cipher) })
    }
}

fn named(mode: &str) -> PyResult<Mode> {
    Mode::ALL.into_iter().find(|known| known.name() == mode).ok_or_else(|| {
        let names: Vec<_> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        errors::parameter(format!("the modes are {}, not '{mode}'", names.join(", ")))
    })
}

/// What `roundel tune` has stored, if it may be used here; else the built-in estimates. It is not put in force: what a program asks changes nothing
/// for its other calls.
fn profile(cipher: &Cipher) -> Arc<Profile> {
    let stored = store::path().and_then(|path| store::load(&path, Some(cipher)).ok().flatten());
    stored.map_or_else(current, Arc::new)
}

fn cores_or_all(cores: usize) -> usize {
    if cores == 0 { parallel::cores() } else { cores }
}

/// A plan and its runners-up, as `roundel plan --json` prints them.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's keywords; roundel.plan gives them")]
pub(crate) fn plan(
    cipher: &str,
    message_bytes: u64,
    mode: &str,
    key_bits: usize,
    decrypt: bool,
    messages_per_key: Option<u64>,
    cold: bool,
    cores: usize,
    allow_timing_leaks: bool,
) -> PyResult<String> {
    let Question { mut request, profile } =
        Question::new(cipher, mode, key_bits, decrypt, allow_timing_leaks)?;
    request.message_bytes = message_bytes;
    request.messages_per_key = messages_per_key.unwrap_or(Request::KEPT);
    request.cold = cold;
    request.constraints.cores = cores_or_all(cores).min(usize::from(u16::MAX)) as u16;
    let planned = planning::planned(&request, &profile).map_err(Fault::Engine)?;
    serde_json::to_string(&planned).map_err(unwritable)
}

/// Predictions for each length and number of cores, as `roundel predict --json` prints them.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's keywords; roundel.predict gives them")]
pub(crate) fn predict(
    sizes: Vec<u64>,
    cipher: &str,
    mode: &str,
    key_bits: usize,
    decrypt: bool,
    cores: Vec<usize>,
    price: Option<f64>,
    allow_timing_leaks: bool,
) -> PyResult<String> {
    let Question { request, profile } = Question::new(cipher, mode, key_bits, decrypt, allow_timing_leaks)?;
    let one = |(message_bytes, cores)| {
        let request = Request { message_bytes, ..request };
        lab_predict::predict(&request, &profile, cores_or_all(cores), price)
    };
    let points = sizes.iter().flat_map(|&size| cores.iter().map(move |&cores| (size, cores)));
    let predictions: Vec<_> = points.map(one).collect::<Result<_, _>>().map_err(Fault::Engine)?;
    serde_json::to_string(&predictions).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> PyErr {
    errors::other(error.to_string())
}

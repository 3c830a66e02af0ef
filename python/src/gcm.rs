//! GCM: a kept key for whole messages, and PyCryptodome's object for one message.

use crate::errors::{Fault, parameter};
use crate::raw::{Done, Job, Lent, OwnedMessage, PIECE_BYTES, Source, Text, fresh};
use crate::{choice, detached};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use roundel::modes::{GcmMessage, TAG_BYTES};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use subtle::ConstantTimeEq;

const BLOCK: usize = 16;

/// A message up to this length goes through the engine in one call; a longer one, if its target is a new object, in pieces that stay in the cache.
const ONE_CALL_BYTES: usize = 16 << 10;

/// AES-GCM or another cipher's, with a kept key: authenticated encryption of whole messages.
#[pyclass(frozen, module = "roundel")]
pub(crate) struct Gcm {
    gcm: Arc<roundel::modes::Gcm>,
    /// The cipher's name.
    #[pyo3(get)]
    name: &'static str,
    /// The strategy that runs it.
    #[pyo3(get)]
    strategy: &'static str,
    /// Bytes of the key.
    #[pyo3(get)]
    key_size: usize,
}

#[pymethods]
impl Gcm {
    #[new]
    #[pyo3(signature = (cipher, key, *, strategy=None, allow_timing_leaks=false))]
    fn new(
        cipher: &str,
        key: &Bound<'_, PyAny>,
        strategy: Option<&str>,
        allow_timing_leaks: bool,
    ) -> PyResult<Self> {
        let choice = choice(cipher, strategy, allow_timing_leaks)?;
        let mut place = pin!(Lent::new());
        let key = place.as_mut().read(key)?.bytes();
        let gcm = choice.kernel(key).and_then(roundel::modes::Gcm::new).map_err(Fault::Engine)?;
        let (name, strategy) = (choice.cipher.name, choice.strategy.name);
        Ok(Gcm { gcm: Arc::new(gcm), name, strategy, key_size: key.len() })
    }

    /// Ciphertext and tag of a message. A nonce must not be used twice under one key.
    #[pyo3(signature = (nonce, data, associated_data=None))]
    fn encrypt<'py>(
        &self,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let py = nonce.py();
        let mut places = (pin!(Lent::new()), pin!(Lent::new()), pin!(Lent::new()));
        let nonce = places.0.as_mut().read(nonce)?;
        let data = places.1.as_mut().read(data)?;
        let aad = places.2.as_mut().read_optional(associated_data)?;
        fresh(py, data, TAG_BYTES, |job, tag| self.seal(py, nonce, aad, job, tag))
    }

    /// The message, if the tag at the end of `data` is right; else AuthenticationError.
    #[pyo3(signature = (nonce, data, associated_data=None))]
    fn decrypt<'py>(
        &self,
        nonce: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let py = nonce.py();
        let mut places = (pin!(Lent::new()), pin!(Lent::new()), pin!(Lent::new()));
        let nonce = places.0.as_mut().read(nonce)?;
        let (data, tag) = split_tag(places.1.as_mut().read(data)?)?;
        let aad = places.2.as_mut().read_optional(associated_data)?;
        fresh(py, data, 0, |job, _| self.open(py, nonce, aad, job, &tag))
    }

    /// Writes ciphertext and tag into a buffer; returns the number of bytes written.
    #[pyo3(signature = (nonce, data, associated_data, buffer))]
    fn encrypt_into(
        &self,
        nonce: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        associated_data: Option<&Bound<'_, PyAny>>,
        buffer: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let py = nonce.py();
        let mut places = (pin!(Lent::new()), pin!(Lent::new()), pin!(Lent::new()), pin!(Lent::new()));
        let nonce = places.0.as_mut().read(nonce)?;
        let data = places.1.as_mut().read(data)?;
        let aad = places.2.as_mut().read_optional(associated_data)?;
        let (job, tag) = places.3.as_mut().write(buffer)?.job(data, [nonce, aad], TAG_BYTES)?;
        self.seal(py, nonce, aad, job, tag)?;
        Ok(data.len() + TAG_BYTES)
    }

    /// Writes the message into a buffer if the tag at the end of `data` is right; returns the number of bytes written. Otherwise these bytes of
    /// the buffer are zeros.
    #[pyo3(signature = (nonce, data, associated_data, buffer))]
    fn decrypt_into(
        &self,
        nonce: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        associated_data: Option<&Bound<'_, PyAny>>,
        buffer: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let py = nonce.py();
        let mut places = (pin!(Lent::new()), pin!(Lent::new()), pin!(Lent::new()), pin!(Lent::new()));
        let nonce = places.0.as_mut().read(nonce)?;
        let (data, tag) = split_tag(places.1.as_mut().read(data)?)?;
        let aad = places.2.as_mut().read_optional(associated_data)?;
        let (job, _) = places.3.as_mut().write(buffer)?.job(data, [nonce, aad], 0)?;
        self.open(py, nonce, aad, job, &tag)?;
        Ok(data.len())
    }

    /// The object of PEP 272 for one message under this key.
    #[pyo3(signature = (nonce))]
    fn message(&self, nonce: &Bound<'_, PyAny>) -> PyResult<GcmCipher> {
        let mut place = pin!(Lent::new());
        let nonce = place.as_mut().read(nonce)?.bytes().to_vec();
        if nonce.is_empty() {
            return Err(parameter(
                "GCM needs a nonce: 12 bytes, never used before under this key".to_owned(),
            ));
        }
        let state = Mutex::new(State::Start(Vec::new()));
        Ok(GcmCipher {
            gcm: self.gcm.clone(),
            nonce,
            state,
            name: self.name,
            strategy: self.strategy,
            key_size: self.key_size,
        })
    }

    fn __repr__(&self) -> String {
        format!("<roundel.Gcm {} {} bits, strategy {}>", self.name, 8 * self.key_size, self.strategy)
    }
}

impl Gcm {
    fn seal(
        &self,
        py: Python<'_>,
        nonce: Source<'_>,
        aad: Source<'_>,
        job: Job<'_>,
        tag: &mut [u8],
    ) -> Result<Done, Fault> {
        let (done, made) = detached(py, job.len() + aad.len(), || encrypt(&self.gcm, nonce, aad, job))?;
        tag.copy_from_slice(&made);
        Ok(done)
    }

    fn open(
        &self,
        py: Python<'_>,
        nonce: Source<'_>,
        aad: Source<'_>,
        job: Job<'_>,
        tag: &[u8; TAG_BYTES],
    ) -> Result<Done, Fault> {
        detached(py, job.len() + aad.len(), || decrypt(&self.gcm, nonce, aad, job, tag))
    }
}

fn split_tag(data: Source<'_>) -> Result<(Source<'_>, [u8; TAG_BYTES]), Fault> {
    // Shorter than a tag: nothing that was ever encrypted.
    data.split_tag().ok_or(Fault::Engine(roundel::Error::Authentication))
}

#[inline]
fn encrypt(
    gcm: &roundel::modes::Gcm,
    nonce: Source<'_>,
    aad: Source<'_>,
    job: Job<'_>,
) -> Result<(Done, [u8; TAG_BYTES]), Fault> {
    let (nonce, aad) = (nonce.bytes(), aad.bytes());
    if job.len() <= ONE_CALL_BYTES || !job.fresh() {
        let (text, done) = job.whole();
        let tag = match text {
            Text::InPlace(data) => gcm.encrypt(nonce, aad, data)?,
            Text::Apart(from, to) => gcm.encrypt_into(nonce, aad, from, to)?,
        };
        return Ok((done, tag));
    }
    let mut message = GcmMessage::new(gcm, nonce, aad)?;
    let done = job.pieces(PIECE_BYTES, BLOCK, |piece| message.encrypt(piece))?;
    Ok((done, message.tag()))
}

/// On a wrong tag the job's target is zeros: the engine's promise, and for pieces [`Job::pieces_if`]'s.
#[inline]
fn decrypt(
    gcm: &roundel::modes::Gcm,
    nonce: Source<'_>,
    aad: Source<'_>,
    job: Job<'_>,
    tag: &[u8; TAG_BYTES],
) -> Result<Done, Fault> {
    let (nonce, aad) = (nonce.bytes(), aad.bytes());
    if job.len() <= ONE_CALL_BYTES || !job.fresh() {
        let (text, done) = job.whole();
        match text {
            Text::InPlace(data) => gcm.decrypt(nonce, aad, data, tag)?,
            Text::Apart(from, to) => gcm.decrypt_into(nonce, aad, from, to, tag)?,
        }
        return Ok(done);
    }
    let mut message = Some(GcmMessage::new(gcm, nonce, aad)?);
    job.pieces_checked(BLOCK, |piece| match piece {
        Some(piece) => Ok(message.as_mut().map_or(Ok(()), |message| message.decrypt(piece))?),
        None => match message.take().is_some_and(|message| bool::from(message.tag().ct_eq(tag))) {
            true => Ok(()),
            false => Err(Fault::Engine(roundel::Error::Authentication)),
        },
    })
}

/// How far a message is.
enum State {
    /// Additional data so far.
    Start(Vec<u8>),
    Text(OwnedMessage),
    Encrypted([u8; TAG_BYTES]),
    /// Decrypted, or refused.
    Over,
}

/// GCM for one message: `update`, `encrypt`, `digest`, or `decrypt_and_verify`. Made by `roundel.new`.
#[pyclass(frozen, module = "roundel")]
pub(crate) struct GcmCipher {
    gcm: Arc<roundel::modes::Gcm>,
    nonce: Vec<u8>,
    state: Mutex<State>,
    /// The cipher's name.
    #[pyo3(get)]
    name: &'static str,
    /// The strategy that runs it.
    #[pyo3(get)]
    strategy: &'static str,
    /// Bytes of the key.
    #[pyo3(get)]
    key_size: usize,
}

#[pymethods]
impl GcmCipher {
    /// Bytes of a block.
    #[getter]
    fn block_size(&self) -> usize {
        BLOCK
    }

    /// The nonce.
    #[getter]
    fn nonce<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.nonce)
    }

    /// Adds data that is authenticated and not encrypted; before any text.
    fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = data.py();
        let mut place = pin!(Lent::new());
        let data = place.as_mut().read(data)?;
        self.with(py, data.len(), |state| match state {
            State::Start(aad) => {
                aad.extend_from_slice(data.bytes());
                Ok(())
            }
            _ => Err(Fault::Parameter("additional data comes before the text: call update first")),
        })?;
        Ok(())
    }

    /// Encrypts the next part of the message: whole blocks of 16 bytes, but for the last part.
    fn encrypt<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let mut place = pin!(Lent::new());
        let data = place.as_mut().read(data)?;
        fresh(py, data, 0, |job, _| self.with(py, data.len(), |state| self.encrypt_part(state, job)))
    }

    /// The tag; nothing can be encrypted afterwards.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let tag = self.with(py, 0, |state| self.finish(state))?;
        Ok(PyBytes::new(py, &tag))
    }

    /// The last part of the message encrypted, and the tag.
    fn encrypt_and_digest<'py>(
        &self,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        Ok((self.encrypt(data)?, self.digest(data.py())?))
    }

    /// The whole message, if the tag is right; else AuthenticationError.
    fn decrypt_and_verify<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        tag: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let (mut data_place, mut tag_place) = (pin!(Lent::new()), pin!(Lent::new()));
        let data = data_place.as_mut().read(data)?;
        let tag = tag_place.as_mut().read(tag)?.bytes();
        let tag: &[u8; TAG_BYTES] =
            tag.try_into().map_err(|_| parameter(format!("a tag has 16 bytes, not {}", tag.len())))?;
        fresh(py, data, 0, |job, _| {
            self.with(py, data.len(), |state| match std::mem::replace(state, State::Over) {
                State::Start(aad) => {
                    let aad = Source::of(&aad);
                    decrypt(&self.gcm, Source::of(&self.nonce), aad, job, tag)
                }
                other => {
                    *state = other;
                    Err(Fault::Parameter("this object was used: make another one for each message"))
                }
            })
        })
    }

    fn __repr__(&self) -> String {
        format!("<roundel.GcmCipher {} {} bits, strategy {}>", self.name, 8 * self.key_size, self.strategy)
    }
}

impl GcmCipher {
    fn encrypt_part(&self, state: &mut State, job: Job<'_>) -> Result<Done, Fault> {
        if let State::Start(aad) = state {
            *state = State::Text(OwnedMessage::new(self.gcm.clone(), &self.nonce, aad)?);
        }
        match state {
            State::Text(message) => Ok(job.pieces(PIECE_BYTES, BLOCK, |piece| message.encrypt(piece))?),
            _ => Err(Fault::Parameter("this message is complete: make another object for the next one")),
        }
    }

    fn finish(&self, state: &mut State) -> Result<[u8; TAG_BYTES], Fault> {
        if let State::Start(aad) = state {
            *state = State::Text(OwnedMessage::new(self.gcm.clone(), &self.nonce, aad)?);
        }
        let tag = match std::mem::replace(state, State::Over) {
            State::Text(message) => message.tag(),
            State::Encrypted(tag) => tag,
            State::Start(_) | State::Over => {
                return Err(Fault::Parameter("this object decrypted: it has no tag to give"));
            }
        };
        *state = State::Encrypted(tag);
        Ok(tag)
    }

    /// Runs `work` on the state. Whoever has to wait for it releases the GIL first.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        bytes: usize,
        work: impl FnOnce(&mut State) -> Result<T, Fault> + Send,
    ) -> Result<T, Fault> {
        if bytes <= crate::DETACH_BYTES {
            match self.state.try_lock() {
                Ok(mut state) => return work(&mut state),
                Err(TryLockError::Poisoned(state)) => return work(&mut state.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        py.detach(|| work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

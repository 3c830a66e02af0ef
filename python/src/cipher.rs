//! The object of PEP 272: ECB, CBC, CTR and XTS.

use crate::errors::{Fault, parameter};
use crate::raw::{Done, Job, Lent, PIECE_BYTES, Text, fresh};
use crate::{choice, detached};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use roundel::Kernel;
use roundel::modes::{Ctr, Ecb, Xts};
use std::pin::pin;
use std::sync::{Mutex, PoisonError, TryLockError};
use zeroize::Zeroize;

/// The largest block of any cipher.
const MAX_BLOCK: usize = 32;

/// CTR of messages that the second-level cache does not hold goes in shorter pieces, so that the processor fetches the next one while it works:
/// 5.7 GB/s for 64 MiB under AES-256, against about 4.5 with pieces of 4 KiB (Zen 3).
const LONG_BYTES: usize = 4 << 20;
const SHORT_PIECE_BYTES: usize = 512;

/// XTS is defined for blocks of 16 bytes.
const XTS_BLOCK: usize = 16;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}
use Direction::{Decrypt, Encrypt};

/// What a mode carries from call to call.
enum Mode {
    Ecb,
    /// The last ciphertext block, and what the object is used for.
    Cbc(Mutex<([u8; MAX_BLOCK], Option<Direction>)>),
    /// The first counter block, and how many bytes of the key stream are used.
    Ctr([u8; MAX_BLOCK], Mutex<(u64, Option<Direction>)>),
    /// The tweak's kernel, bytes of a data unit, the next unit's number.
    Xts(Box<dyn Kernel>, usize, Mutex<u128>),
}

/// A cipher under a key in a mode (PEP 272). Made by `roundel.new`.
#[pyclass(frozen, module = "roundel")]
pub(crate) struct Cipher {
    kernel: Box<dyn Kernel>,
    mode: Mode,
    /// The cipher's name.
    #[pyo3(get)]
    name: &'static str,
    /// The strategy that runs it.
    #[pyo3(get)]
    strategy: &'static str,
    /// Bytes of a block.
    #[pyo3(get)]
    block_size: usize,
    /// Bytes of the key.
    #[pyo3(get)]
    key_size: usize,
}

#[pymethods]
impl Cipher {
    #[new]
    #[pyo3(signature = (cipher, key, mode, iv=None, unit_bytes=512, unit=0, strategy=None, allow_timing_leaks=false))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords; roundel.new gives them")]
    fn new(
        cipher: &str,
        key: &Bound<'_, PyAny>,
        mode: &str,
        iv: Option<&Bound<'_, PyAny>>,
        unit_bytes: usize,
        unit: u128,
        strategy: Option<&str>,
        allow_timing_leaks: bool,
    ) -> PyResult<Self> {
        let choice = choice(cipher, strategy, allow_timing_leaks)?;
        let mut key_place = pin!(Lent::new());
        let key = key_place.as_mut().read(key)?.bytes();
        let mut iv_place = pin!(Lent::new());
        let iv = iv_place.as_mut().read_optional(iv)?.bytes();
        let block_size = choice.cipher.block_bytes;
        let mut first = [0; MAX_BLOCK];
        let takes = if matches!(mode, "cbc" | "ctr") { block_size } else { 0 };
        if iv.len() != takes {
            return Err(parameter(format!("{mode} takes an IV of {takes} bytes here, not {}", iv.len())));
        }
        first[..takes].copy_from_slice(iv);
        let (data_key, tweak_key) = key.split_at(if mode == "xts" { key.len() / 2 } else { key.len() });
        let kernel = |key| choice.kernel(key).map_err(Fault::Engine);
        let kernel_for_data = kernel(data_key)?;
        let mode = match mode {
            "ecb" => Mode::Ecb,
            "cbc" => Mode::Cbc(Mutex::new((first, None))),
            "ctr" => Mode::Ctr(first, Mutex::new((0, None))),
            "xts" => {
                if data_key == tweak_key {
                    return Err(parameter(
                        "the two halves of an XTS key must differ (SP 800-38E): draw both at random"
                            .to_owned(),
                    ));
                }
                let tweak = kernel(tweak_key)?;
                Xts::new(&*kernel_for_data, &*tweak).map_err(Fault::Engine)?;
                Mode::Xts(tweak, unit_bytes, Mutex::new(unit))
            }
            _ => {
                return Err(parameter(format!(
                    "there is no mode '{mode}': the modes are ecb, cbc, ctr, xts and gcm"
                )));
            }
        };
        Ok(Cipher {
            kernel: kernel_for_data,
            mode,
            name: choice.cipher.name,
            strategy: choice.strategy.name,
            block_size,
            key_size: key.len(),
        })
    }

    /// Encrypts the next part of the message. `unit` (XTS only) is the number of its first data unit.
    #[pyo3(signature = (data, unit=None))]
    fn encrypt<'py>(&self, data: &Bound<'py, PyAny>, unit: Option<u128>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_bytes(data, Encrypt, unit)
    }

    /// Decrypts the next part of the message.
    #[pyo3(signature = (data, unit=None))]
    fn decrypt<'py>(&self, data: &Bound<'py, PyAny>, unit: Option<u128>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_bytes(data, Decrypt, unit)
    }

    /// Encrypts into a buffer; returns the number of bytes written.
    #[pyo3(signature = (data, buffer, unit=None))]
    fn encrypt_into(
        &self,
        data: &Bound<'_, PyAny>,
        buffer: &Bound<'_, PyAny>,
        unit: Option<u128>,
    ) -> PyResult<usize> {
        self.to_buffer(data, buffer, Encrypt, unit)
    }

    /// Decrypts into a buffer; returns the number of bytes written.
    #[pyo3(signature = (data, buffer, unit=None))]
    fn decrypt_into(
        &self,
        data: &Bound<'_, PyAny>,
        buffer: &Bound<'_, PyAny>,
        unit: Option<u128>,
    ) -> PyResult<usize> {
        self.to_buffer(data, buffer, Decrypt, unit)
    }

    fn __repr__(&self) -> String {
        let mode = match self.mode {
            Mode::Ecb => "ecb",
            Mode::Cbc(..) => "cbc",
            Mode::Ctr(..) => "ctr",
            Mode::Xts(..) => "xts",
        };
        format!(
            "<roundel.Cipher {} {mode} {} bits, strategy {}>",
            self.name,
            8 * self.key_size,
            self.strategy
        )
    }
}

impl Cipher {
    fn to_bytes<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        direction: Direction,
        unit: Option<u128>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let mut place = pin!(Lent::new());
        let source = place.as_mut().read(data)?;
        fresh(py, source, 0, |job, _| self.run(py, job, direction, unit))
    }

    fn to_buffer(
        &self,
        data: &Bound<'_, PyAny>,
        buffer: &Bound<'_, PyAny>,
        direction: Direction,
        unit: Option<u128>,
    ) -> PyResult<usize> {
        let py = data.py();
        let (mut data_place, mut buffer_place) = (pin!(Lent::new()), pin!(Lent::new()));
        let source = data_place.as_mut().read(data)?;
        let target = buffer_place.as_mut().write(buffer)?;
        let (job, _) = target.job(source, [], 0)?;
        let len = job.len();
        self.run(py, job, direction, unit)?;
        Ok(len)
    }

    fn run(
        &self,
        py: Python<'_>,
        job: Job<'_>,
        direction: Direction,
        unit: Option<u128>,
    ) -> Result<Done, Fault> {
        let len = job.len();
        let kernel = &*self.kernel;
        match &self.mode {
            Mode::Ecb => {
                whole_blocks("ECB", self.block_size, len)?;
                let ecb = Ecb::new(kernel);
                detached(py, len, || {
                    job.pieces(PIECE_BYTES, self.block_size, |piece| match direction {
                        Encrypt => Ok(ecb.encrypt(piece)?),
                        Decrypt => Ok(ecb.decrypt(piece)?),
                    })
                })
            }
            Mode::Cbc(state) => {
                whole_blocks("CBC", self.block_size, len)?;
                self.cbc(py, state, job, direction)
            }
            Mode::Ctr(first, state) => {
                // The call takes its part of the key stream, and works without the lock.
                let position = {
                    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                    one_way(&mut state.1, direction)?;
                    let position = state.0;
                    state.0 = position.checked_add(len as u64).ok_or(TOO_LONG)?;
                    position
                };
                let block = self.block_size as u64;
                let mut ctr = Ctr::at_block(kernel, &first[..self.block_size], position / block)?;
                let mut used = [0; MAX_BLOCK];
                ctr.apply(&mut used[..(position % block) as usize]);
                used.zeroize();
                detached(py, len, || {
                    if job.fresh() {
                        let piece = if len < LONG_BYTES { PIECE_BYTES } else { SHORT_PIECE_BYTES };
                        return job.pieces(piece, self.block_size, |piece| {
                            ctr.apply(piece);
                            Ok(())
                        });
                    }
                    let (text, done) = job.whole();
                    match text {
                        Text::InPlace(data) => ctr.apply(data),
                        Text::Apart(from, to) => ctr.apply_into(from, to),
                    }
                    Ok(done)
                })
            }
            Mode::Xts(tweak, unit_bytes, next) => {
                let unit_bytes = *unit_bytes;
                let xts = Xts::new(kernel, &**tweak)?;
                let units = whole_units(unit_bytes, len)?;
                let first = unit.unwrap_or_else(|| {
                    let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                    let first = *next;
                    *next = first.wrapping_add(units);
                    first
                });
                let mut number = first;
                detached(py, len, || {
                    job.pieces(PIECE_BYTES, unit_bytes, |piece| {
                        match direction {
                            Encrypt => xts.encrypt(number, unit_bytes, piece)?,
                            Decrypt => xts.decrypt(number, unit_bytes, piece)?,
                        }
                        number = number.wrapping_add((piece.len() / unit_bytes) as u128);
                        Ok(())
                    })
                })
            }
        }
    }

    /// The lock is held while working, because the next call needs this one's last block. Whoever waits for it has released the GIL.
    fn cbc(
        &self,
        py: Python<'_>,
        state: &Mutex<([u8; MAX_BLOCK], Option<Direction>)>,
        job: Job<'_>,
        direction: Direction,
    ) -> Result<Done, Fault> {
        let work = |state: &mut ([u8; MAX_BLOCK], Option<Direction>), job: Job<'_>| {
            one_way(&mut state.1, direction)?;
            let chain = &mut state.0[..self.block_size];
            job.pieces(PIECE_BYTES, self.block_size, |piece| {
                match direction {
                    Encrypt => self.kernel.cbc_encrypt(chain, piece),
                    Decrypt => self.kernel.cbc_decrypt(chain, piece),
                }
                Ok(())
            })
        };
        if job.len() <= crate::DETACH_BYTES {
            match state.try_lock() {
                Ok(mut state) => return work(&mut state, job),
                Err(TryLockError::Poisoned(state)) => return work(&mut state.into_inner(), job),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        py.detach(|| work(&mut state.lock().unwrap_or_else(PoisonError::into_inner), job))
    }
}

const TOO_LONG: Fault = Fault::Parameter("CTR goes on for 2^64 bytes here: take another key and nonce");

/// PEP 272: an object encrypts or decrypts, not both.
fn one_way(used: &mut Option<Direction>, direction: Direction) -> Result<(), Fault> {
    match *used.get_or_insert(direction) == direction {
        true => Ok(()),
        false => Err(Fault::Parameter(
            "an object of CBC or CTR goes one way: make another one to go the other way",
        )),
    }
}

fn whole_blocks(mode: &'static str, block: usize, got: usize) -> Result<(), Fault> {
    if got.is_multiple_of(block) {
        Ok(())
    } else {
        Err(Fault::Engine(roundel::Error::DataLength { mode, requires: "whole blocks", got }))
    }
}

/// How many data units a message has. As the engine requires; asked beforehand, so that an error uses up no number.
fn whole_units(unit_bytes: usize, len: usize) -> Result<u128, Fault> {
    let last = if unit_bytes < XTS_BLOCK { unit_bytes } else { len % unit_bytes };
    if unit_bytes < XTS_BLOCK || (1..XTS_BLOCK).contains(&last) {
        let requires = "data units of at least 16 bytes";
        return Err(Fault::Engine(roundel::Error::DataLength { mode: "XTS", requires, got: last }));
    }
    Ok(len.div_ceil(unit_bytes) as u128)
}

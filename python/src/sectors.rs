//! Disk sectors: CBC, Elephant and XTS over runs of sectors.

use crate::errors::{Fault, parameter};
use crate::raw::{Done, Job, Lent, PIECE_BYTES, fresh};
use crate::{choice, detached};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use roundel::modes::{SectorCipher, SectorMode};
use std::pin::pin;

/// Encryption of disk sectors, each by its number; nothing is authenticated.
#[pyclass(frozen, module = "roundel")]
pub(crate) struct Sectors {
    cipher: SectorCipher,
    /// Bytes of a sector.
    #[pyo3(get)]
    sector_bytes: usize,
}

type Step = fn(&SectorCipher, u64, &mut [u8]) -> Result<(), roundel::Error>;

#[pymethods]
impl Sectors {
    #[new]
    #[pyo3(signature = (cipher, key, *, mode="xts", sector_bytes=512, strategy=None, allow_timing_leaks=false))]
    fn new(
        cipher: &str,
        key: &Bound<'_, PyAny>,
        mode: &str,
        sector_bytes: usize,
        strategy: Option<&str>,
        allow_timing_leaks: bool,
    ) -> PyResult<Self> {
        let choice = choice(cipher, strategy, allow_timing_leaks)?;
        let mode: SectorMode = mode.parse().map_err(parameter)?;
        let mut place = pin!(Lent::new());
        let key = place.as_mut().read(key)?.bytes();
        let cipher = SectorCipher::new(choice, mode, key, sector_bytes).map_err(Fault::Engine)?;
        Ok(Sectors { cipher, sector_bytes })
    }

    /// Encrypts whole sectors, numbered from `first_sector`.
    fn encrypt<'py>(&self, first_sector: u64, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_bytes(first_sector, data, SectorCipher::encrypt)
    }

    /// The inverse of `encrypt`.
    fn decrypt<'py>(&self, first_sector: u64, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_bytes(first_sector, data, SectorCipher::decrypt)
    }

    /// Encrypts into a buffer; returns the number of bytes written.
    fn encrypt_into(
        &self,
        first_sector: u64,
        data: &Bound<'_, PyAny>,
        buffer: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        self.to_buffer(first_sector, data, buffer, SectorCipher::encrypt)
    }

    /// Decrypts into a buffer; returns the number of bytes written.
    fn decrypt_into(
        &self,
        first_sector: u64,
        data: &Bound<'_, PyAny>,
        buffer: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        self.to_buffer(first_sector, data, buffer, SectorCipher::decrypt)
    }
}

impl Sectors {
    fn to_bytes<'py>(
        &self,
        first_sector: u64,
        data: &Bound<'py, PyAny>,
        step: Step,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let mut place = pin!(Lent::new());
        let source = place.as_mut().read(data)?;
        fresh(py, source, 0, |job, _| self.run(py, first_sector, job, step))
    }

    fn to_buffer(
        &self,
        first_sector: u64,
        data: &Bound<'_, PyAny>,
        buffer: &Bound<'_, PyAny>,
        step: Step,
    ) -> PyResult<usize> {
        let py = data.py();
        let (mut data_place, mut buffer_place) = (pin!(Lent::new()), pin!(Lent::new()));
        let source = data_place.as_mut().read(data)?;
        let (job, _) = buffer_place.as_mut().write(buffer)?.job(source, [], 0)?;
        self.run(py, first_sector, job, step)?;
        Ok(source.len())
    }

    fn run(&self, py: Python<'_>, first_sector: u64, job: Job<'_>, step: Step) -> Result<Done, Fault> {
        let mut sector = first_sector;
        detached(py, job.len(), || {
            Ok(job.pieces(PIECE_BYTES, self.sector_bytes, |piece| {
                step(&self.cipher, sector, piece)?;
                sector = sector.wrapping_add((piece.len() / self.sector_bytes) as u64);
                Ok::<(), roundel::Error>(())
            })?)
        })
    }
}

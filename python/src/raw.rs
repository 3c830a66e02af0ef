//! Python's buffers as memory to work on: the only `unsafe` code of the package.
//!
//! An object lends its memory through the buffer protocol ([`Lent`]). While it is lent it is neither freed nor moved: the exporter keeps a
//! count, and a `bytearray` refuses to be resized. What the protocol does not forbid is that another Python thread writes to the same memory
//! meanwhile. As in every module of its kind (`hashlib`, `zlib`, `cryptography`) this is the caller's to avoid; the package's README says so. The
//! engine neither branches nor addresses by what it reads, or (strategies with tables) masks its indices, so the worst outcome is a wrong
//! result, never a wild access.
#![allow(unsafe_code)]

use crate::errors::parameter;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use roundel::modes::{Gcm, GcmMessage};
use std::marker::{PhantomData, PhantomPinned};
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::ptr::{NonNull, copy_nonoverlapping, write_bytes};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::Arc;

/// Messages for which the engine has no way to another place are copied and worked on in pieces of this size, which the first-level cache holds. GCM hashes
/// 1 KiB at a time, so that shorter pieces cost it half of its speed.
pub(crate) const PIECE_BYTES: usize = 4 << 10;

/// The place for a buffer while it is lent. On the stack, so that a short message costs no allocation; pinned, because exporters may keep
/// pointers into it.
pub(crate) struct Lent {
    view: ffi::Py_buffer,
    _pinned: PhantomPinned,
}

impl Lent {
    pub(crate) const fn new() -> Self {
        // `Py_buffer::new` is all zeros: no object, nothing to release.
        Lent { view: ffi::Py_buffer::new(), _pinned: PhantomPinned }
    }

    /// Borrows an object's bytes to read them. Any contiguous buffer will do, whatever its elements are.
    pub(crate) fn read<'a>(self: Pin<&'a mut Self>, object: &'a Bound<'_, PyAny>) -> PyResult<Source<'a>> {
        let (start, len) = self.fill(object, ffi::PyBUF_SIMPLE)?;
        Ok(Source { start: start.as_ptr(), len, _lent: PhantomData })
    }

    /// The same for an object that may be missing, which has no bytes.
    pub(crate) fn read_optional<'a>(
        self: Pin<&'a mut Self>,
        object: Option<&'a Bound<'_, PyAny>>,
    ) -> PyResult<Source<'a>> {
        match object {
            Some(object) => self.read(object),
            None => Ok(Source { start: NonNull::dangling().as_ptr(), len: 0, _lent: PhantomData }),
        }
    }

    /// Borrows an object's bytes to write them.
    pub(crate) fn write<'a>(self: Pin<&'a mut Self>, object: &'a Bound<'_, PyAny>) -> PyResult<Target<'a>> {
        let (start, len) = self.fill(object, ffi::PyBUF_WRITABLE)?;
        Ok(Target { start: start.as_ptr(), len, written: true, _lent: PhantomData })
    }

    fn fill(self: Pin<&mut Self>, object: &Bound<'_, PyAny>, flags: i32) -> PyResult<(NonNull<u8>, usize)> {
        // SAFETY: the view is changed where it is, not moved.
        let view = unsafe { &mut self.get_unchecked_mut().view };
        assert!(view.obj.is_null(), "a place is lent to once");
        // SAFETY: `object` is a live object and this thread is attached, which `Bound` stands for; `view` is a valid place for the answer.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), view, flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        let len =
            usize::try_from(view.len).map_err(|_| PyBufferError::new_err("a buffer of negative length"))?;
        // An empty buffer may have no address.
        Ok((NonNull::new(view.buf.cast()).unwrap_or(NonNull::dangling()), len))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.view.obj.is_null() {
            // SAFETY: filled by `PyObject_GetBuffer`, released once. This thread is attached: `fill` was called on it with a `Bound`, the type
            // is not `Send`, and what is run detached gets `Source` and `Target`, never the `Lent` itself.
            unsafe { ffi::PyBuffer_Release(&mut self.view) }
        }
    }
}

/// Bytes that are lent for reading.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    start: *const u8,
    len: usize,
    _lent: PhantomData<&'a [u8]>,
}

// SAFETY: a pointer to memory that stays where it is for 'a; which thread reads it, and how many do, does not matter.
unsafe impl Send for Source<'_> {}
// SAFETY: the same.
unsafe impl Sync for Source<'_> {}

impl<'a> Source<'a> {
    pub(crate) fn len(self) -> usize {
        self.len
    }

    /// Bytes that Rust holds.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Source { start: bytes.as_ptr(), len: bytes.len(), _lent: PhantomData }
    }

    /// As a slice. Not while a [`Target`] that may overlap it is worked on: [`Target::job`] has compared them.
    pub(crate) fn bytes(self) -> &'a [u8] {
        // SAFETY: `len` bytes at `start` are lent for 'a; see the module's head for writes by others.
        unsafe { from_raw_parts(self.start, self.len) }
    }

    /// Without the last 16 bytes, and these copied; none if there are fewer.
    pub(crate) fn split_tag(self) -> Option<(Source<'a>, [u8; 16])> {
        let len = self.len.checked_sub(16)?;
        let mut tag = [0; 16];
        tag.copy_from_slice(&self.bytes()[len..]);
        Some((Source { len, ..self }, tag))
    }

    fn overlaps(self, start: *const u8, len: usize) -> bool {
        self.len > 0
            && len > 0
            && self.start.addr() < start.addr() + len
            && start.addr() < self.start.addr() + self.len
    }
}

/// Bytes that are lent for writing.
pub(crate) struct Target<'a> {
    start: *mut u8,
    len: usize,
    /// Whether there are bytes already: not in a new object, whose memory is no slice before it was copied to.
    written: bool,
    _lent: PhantomData<&'a mut [u8]>,
}

// SAFETY: as for `Source`; not `Clone`, so that one thread writes.
unsafe impl Send for Target<'_> {}

impl<'a> Target<'a> {
    /// Work that turns `data` into as many bytes at the beginning of this target, and `tail` bytes behind them, which are zeroed here. `others`
    /// are read meanwhile. `data` may begin where the target begins (in place) or lie apart from it; everything else is refused.
    pub(crate) fn job<const N: usize>(
        self,
        data: Source<'a>,
        others: [Source<'_>; N],
        tail: usize,
    ) -> PyResult<(Job<'a>, &'a mut [u8])> {
        let needed = data.len + tail;
        if self.len < needed {
            return Err(parameter(format!("the buffer has {} bytes, the result needs {needed}", self.len)));
        }
        let shifted = data.start != self.start.cast_const() && data.overlaps(self.start, needed);
        if shifted || others.iter().any(|other| other.overlaps(self.start, needed)) {
            return Err(parameter(
                "the buffer overlaps the input: give the same memory from the same byte on, or other memory"
                    .to_owned(),
            ));
        }
        // SAFETY: `needed` bytes at `start` are lent for 'a, of which the job gets those before the tail.
        let tail = unsafe {
            write_bytes(self.start.add(data.len), 0, tail);
            from_raw_parts_mut(self.start.add(data.len), tail)
        };
        let (from, to, len, written) = (data.start, self.start, data.len, self.written);
        Ok((Job { from, to, len, written, _lent: PhantomData }, tail))
    }

    /// As a slice, to be overwritten.
    pub(crate) fn bytes(self) -> &'a mut [u8] {
        // SAFETY: `len` initialised bytes at `start` are lent for 'a: targets are made of buffers only.
        unsafe { from_raw_parts_mut(self.start, self.len) }
    }
}

/// A message to be worked on.
pub(crate) struct Job<'a> {
    from: *const u8,
    to: *mut u8,
    len: usize,
    /// As in [`Target`].
    written: bool,
    _lent: PhantomData<&'a mut [u8]>,
}

// SAFETY: as for `Target`.
unsafe impl Send for Job<'_> {}

/// Where a message is read and written.
pub(crate) enum Text<'a> {
    InPlace(&'a mut [u8]),
    /// From one place to another.
    Apart(&'a [u8], &'a mut [u8]),
}

/// Says that a job's target is written from beginning to end.
pub(crate) struct Done(());

impl<'a> Job<'a> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether the target is new memory, to which the message has to be copied first.
    pub(crate) fn fresh(&self) -> bool {
        !self.written
    }

    fn in_place(&self) -> bool {
        self.from == self.to.cast_const()
    }

    /// All of the message at its target.
    fn copied(self) -> (&'a mut [u8], Done) {
        self.copy(0, self.len);
        // SAFETY: the job owns `len` bytes at `to` for 'a, which `copy` has written (or the caller of Python had, in place).
        (unsafe { from_raw_parts_mut(self.to, self.len) }, Done(()))
    }

    /// All of the message, for work that writes all of it.
    pub(crate) fn whole(self) -> (Text<'a>, Done) {
        if self.fresh() || self.in_place() {
            let (all, done) = self.copied();
            return (Text::InPlace(all), done);
        }
        // SAFETY: both are lent for 'a and do not overlap: `Target::job` refuses that. The target's bytes are initialised: it was made of a buffer.
        let (from, to) =
            unsafe { (from_raw_parts(self.from, self.len), from_raw_parts_mut(self.to, self.len)) };
        (Text::Apart(from, to), Done(()))
    }

    /// Calls `work` for one piece of the message after the other at its target: with all at once where nothing need be copied, else with pieces
    /// of at most `piece` bytes that are still in the cache from being copied, all of them a multiple of `step` but for the last.
    pub(crate) fn pieces<E>(
        self,
        piece: usize,
        step: usize,
        mut work: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Done, E> {
        if self.in_place() {
            let (all, done) = self.copied();
            return work(all).map(|()| done);
        }
        let piece = (piece / step).max(1) * step;
        let mut at = 0;
        loop {
            let len = piece.min(self.len - at);
            self.copy(at, len);
            // SAFETY: within the job's `len` bytes, and written by `copy`.
            work(unsafe { from_raw_parts_mut(self.to.add(at), len) })?;
            at += len;
            if at == self.len {
                return Ok(Done(()));
            }
        }
    }

    /// Calls `work` as [`pieces`](Job::pieces) does, and then once with no piece for its verdict. Unless that accepts, the whole target is overwritten
    /// with zeros.
    pub(crate) fn pieces_checked<E>(
        self,
        step: usize,
        mut work: impl FnMut(Option<&mut [u8]>) -> Result<(), E>,
    ) -> Result<Done, E> {
        let (to, len) = (self.to, self.len);
        let result = self
            .pieces(PIECE_BYTES, step, |piece| work(Some(piece)))
            .and_then(|done| work(None).map(|()| done));
        if result.is_err() {
            // SAFETY: the job's target, of which no slice is left.
            unsafe { write_bytes(to, 0, len) }
        }
        result
    }

    fn copy(&self, at: usize, len: usize) {
        if !self.in_place() {
            // SAFETY: both ranges are lent for 'a; they do not overlap: `Target::job` refuses that, and fresh memory is nobody's.
            unsafe { copy_nonoverlapping(self.from.add(at), self.to.add(at), len) }
        }
    }
}

/// A new `bytes` object from `data`, by `work`, with `tail` more bytes behind. Its memory is not zeroed first: `work` shows with [`Done`] that it
/// wrote everything.
pub(crate) fn fresh<'py, E: Into<PyErr>>(
    py: Python<'py>,
    data: Source<'_>,
    tail: usize,
    work: impl FnOnce(Job<'_>, &mut [u8]) -> Result<Done, E>,
) -> PyResult<Bound<'py, PyBytes>> {
    let len = data.len + tail;
    let size = isize::try_from(len).map_err(|_| parameter("the message is too long".to_owned()))?;
    // SAFETY: this thread is attached; without contents a new object is made, which nobody else sees before this function returns it.
    let object =
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyBytes_FromStringAndSize(std::ptr::null(), size))? };
    // SAFETY: the object is a `bytes` of `len` bytes. An empty one is shared by all, and nothing is written to it.
    let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) }.cast::<u8>();
    let target = Target { start, len, written: false, _lent: PhantomData };
    let (job, tail) = target.job(data, [], tail)?;
    work(job, tail).map_err(Into::into)?;
    // SAFETY: made as a `bytes` object above.
    Ok(unsafe { object.cast_into_unchecked() })
}

/// A GCM message that keeps its key alive.
pub(crate) struct OwnedMessage {
    message: ManuallyDrop<GcmMessage<'static>>,
    gcm: ManuallyDrop<Arc<Gcm>>,
}

impl OwnedMessage {
    pub(crate) fn new(gcm: Arc<Gcm>, nonce: &[u8], aad: &[u8]) -> Result<Self, roundel::Error> {
        // SAFETY: the `Arc` beside the message keeps the key where it is until the message is gone: see `drop` and `tag`.
        let key: &'static Gcm = unsafe { &*Arc::as_ptr(&gcm) };
        let message = GcmMessage::new(key, nonce, aad)?;
        Ok(OwnedMessage { message: ManuallyDrop::new(message), gcm: ManuallyDrop::new(gcm) })
    }

    pub(crate) fn encrypt(&mut self, piece: &mut [u8]) -> Result<(), roundel::Error> {
        self.message.encrypt(piece)
    }

    pub(crate) fn tag(self) -> [u8; 16] {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: both are taken once, and `this` is not dropped.
        let (message, gcm) =
            unsafe { (ManuallyDrop::take(&mut this.message), ManuallyDrop::take(&mut this.gcm)) };
        let tag = message.tag();
        drop(gcm);
        tag
    }
}

impl Drop for OwnedMessage {
    fn drop(&mut self) {
        // SAFETY: dropped once, the message before the key that it refers to.
        unsafe {
            ManuallyDrop::drop(&mut self.message);
            ManuallyDrop::drop(&mut self.gcm);
        }
    }
}

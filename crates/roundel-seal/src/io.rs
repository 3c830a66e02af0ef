//! The leaves: each system call that can fail, once. Tests make the n-th of them fail.

use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::path::Path;

/// Fills the slices from this offset on. Less than their length only at the end of the file.
pub(crate) fn read_full_at(
    file: &File,
    mut slices: &mut [IoSliceMut<'_>],
    mut offset: u64,
) -> io::Result<usize> {
    let mut total = 0;
    while slices.iter().any(|slice| !slice.is_empty()) {
        match read_at(file, slices, offset) {
            Ok(0) => break,
            Ok(bytes) => {
                IoSliceMut::advance_slices(&mut slices, bytes);
                total += bytes;
                offset += bytes as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(total)
}

/// Writes all of the slices from this offset on.
pub(crate) fn write_all_at(file: &File, mut slices: &mut [IoSlice<'_>], mut offset: u64) -> io::Result<()> {
    while slices.iter().any(|slice| !slice.is_empty()) {
        match write_at(file, slices, offset) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(bytes) => {
                IoSlice::advance_slices(&mut slices, bytes);
                offset += bytes as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Fills the slices from a stream. Less than their length only at its end.
pub(crate) fn read_full(reader: &mut dyn Read, mut slices: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
    let mut total = 0;
    while slices.iter().any(|slice| !slice.is_empty()) {
        match reader.read_vectored(slices) {
            Ok(0) => break,
            Ok(bytes) => {
                IoSliceMut::advance_slices(&mut slices, bytes);
                total += bytes;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(total)
}

/// Writes all of the slices to a stream.
pub(crate) fn write_all(writer: &mut dyn Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    while slices.iter().any(|slice| !slice.is_empty()) {
        match writer.write_vectored(slices) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(bytes) => IoSlice::advance_slices(&mut slices, bytes),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn read_at(file: &File, slices: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
    #[cfg(test)]
    if crate::faults::strike("read")? {
        let first = slices.iter_mut().find(|slice| !slice.is_empty()).expect("callers ask for bytes");
        return Ok(rustix::io::pread(file, &mut first[..1], offset)?);
    }
    Ok(rustix::io::preadv(file, slices, offset)?)
}

fn write_at(file: &File, slices: &[IoSlice<'_>], offset: u64) -> io::Result<usize> {
    #[cfg(test)]
    if crate::faults::strike("write")? {
        let first = slices.iter().find(|slice| !slice.is_empty()).expect("callers give bytes");
        return Ok(rustix::io::pwrite(file, &first[..1], offset)?);
    }
    Ok(rustix::io::pwritev(file, slices, offset)?)
}

/// Allocates the file's blocks, so that writers do not wait for each other, and a full disk is known before any work. File systems that
/// cannot do it are left alone.
pub(crate) fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(test)]
    crate::faults::strike("allocate")?;
    use rustix::io::Errno;
    if bytes == 0 {
        return Ok(());
    }
    loop {
        match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
            Err(Errno::INTR) => {}
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

pub(crate) fn set_len(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(test)]
    crate::faults::strike("set_len")?;
    file.set_len(bytes)
}

pub(crate) fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    crate::faults::strike("sync")?;
    file.sync_all()
}

/// Gives a file its name; an error if the name exists.
pub(crate) fn link(from: &Path, to: &Path, flags: rustix::fs::AtFlags) -> rustix::io::Result<()> {
    #[cfg(test)]
    crate::faults::strike_errno("link")?;
    rustix::fs::linkat(rustix::fs::CWD, from, rustix::fs::CWD, to, flags)
}

/// Moves a file over whatever has the new name.
pub(crate) fn rename(from: &Path, to: &Path) -> rustix::io::Result<()> {
    #[cfg(test)]
    crate::faults::strike_errno("rename")?;
    rustix::fs::rename(from, to)
}

/// Moves a file to a new name; an error if that exists.
pub(crate) fn rename_new(from: &Path, to: &Path) -> rustix::io::Result<()> {
    #[cfg(test)]
    crate::faults::strike_errno("rename")?;
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    rustix::fs::renameat_with(rustix::fs::CWD, from, rustix::fs::CWD, to, flags)
}

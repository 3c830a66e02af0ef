//! Writing to standard output: `println!` would panic when the reader goes away.

use crate::error::Error;
use std::io::Write;

/// Writes text to standard output and flushes it.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

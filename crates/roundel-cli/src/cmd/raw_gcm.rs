//! GCM for `roundel encrypt` and `roundel decrypt`: the raw mode that authenticates.
//!
//! Decryption releases nothing before the tag is right. Into a file: the plaintext goes to a temporary file that gets the output's name
//! only then. Into a pipe: the *ciphertext* is kept (in memory, or from [`SPOOL_BYTES`] on in an unlinked temporary file), and decrypted a second time after
//! the tag was right; so no unauthenticated plaintext ever touches a disk that others see.

use super::raw::{Direction, Options};
use crate::error::Error;
use crate::input::Input;
use crate::output::{Output, Target};
use crate::pipeline::fill;
use roundel::Kernel;
use roundel::modes::{Gcm, GcmMessage, TAG_BYTES};
use std::io::{Read, Seek, Write};

/// Spooled ciphertext beyond this goes to a temporary file.
const SPOOL_BYTES: usize = 8 << 20;

/// GCM is serial here: pieces that stay in the second-level cache.
const PIECE_BYTES: usize = 256 << 10;

/// Refuses what cannot work, before anything is read.
pub(super) fn check(options: &Options, direction: Direction) -> Result<(), Error> {
    match (direction, &options.tag) {
        (Direction::Encrypt, Some(_)) => Err(Error::Usage(
            "--tag is for decryption: encryption prints the tag on standard error".to_owned(),
        )),
        (Direction::Decrypt, None) => {
            Err(Error::Usage("GCM decryption needs --tag HEX: `encrypt` printed it".to_owned()))
        }
        (Direction::Decrypt, Some(tag)) if tag.0.len() != TAG_BYTES => {
            Err(Error::Usage(format!("the tag has {TAG_BYTES} bytes, not {}", tag.0.len())))
        }
        _ => Ok(()),
    }
}

/// Encrypts and prints the tag on standard error, or decrypts if the tag is right.
pub(super) fn run(
    options: &Options,
    nonce: &[u8],
    direction: Direction,
    kernel: Box<dyn Kernel>,
    input: &mut Input,
    target: Target<'_>,
) -> Result<(), Error> {
    let gcm = Gcm::new(kernel)?;
    let aad = options.aad.as_ref().map_or(&[][..], |aad| &aad.0);
    let message = || GcmMessage::new(&gcm, nonce, aad);
    if direction == Direction::Encrypt {
        let mut message = message()?;
        let mut output = Output::create(target)?;
        pieces(input, |data| {
            message.encrypt(data)?;
            Ok(output.write_all(data)?)
        })?;
        output.finish(false)?;
        let digits: String = message.tag().iter().map(|byte| format!("{byte:02x}")).collect();
        eprintln!("tag: {digits}");
        return Ok(());
    }
    let expected = &options.tag.as_ref().expect("checked: decryption has a tag").0;
    let mut first = message()?;
    if target.is_file() {
        let mut output = Output::create(target)?;
        pieces(input, |data| {
            first.decrypt(data)?;
            Ok(output.write_all(data)?)
        })?;
        verify(first, expected)?;
        return output.finish(false);
    }
    let mut spool = tempfile::spooled_tempfile(SPOOL_BYTES);
    pieces(input, |data| {
        spool.write_all(data)?;
        Ok(first.decrypt(data)?)
    })?;
    verify(first, expected)?;
    spool.rewind()?;
    let mut second = message()?;
    let mut output = Output::create(target)?;
    pieces(&mut spool, |data| {
        second.decrypt(data)?;
        Ok(output.write_all(data)?)
    })?;
    output.finish(false)
}

fn pieces(input: &mut impl Read, mut work: impl FnMut(&mut [u8]) -> Result<(), Error>) -> Result<(), Error> {
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        let bytes = fill(input, &mut buffer)?;
        if bytes > 0 {
            work(&mut buffer[..bytes])?;
        }
        if bytes < PIECE_BYTES {
            return Ok(());
        }
    }
}

fn verify(message: GcmMessage<'_>, expected: &[u8]) -> Result<(), Error> {
    use subtle::ConstantTimeEq;
    if bool::from(message.tag().ct_eq(expected)) {
        Ok(())
    } else {
        Err(roundel::Error::Authentication.into())
    }
}

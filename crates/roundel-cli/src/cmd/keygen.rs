//! `roundel keygen`: makes a key pair that age and rage accept, too.

use crate::error::Error;
use crate::output;
use roundel_seal::keys;
use roundel_seal::keys::age::secrecy::ExposeSecret;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Options of `keygen`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// File for the secret key, readable by its owner alone [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The secret key goes to the output, the public key to standard error.
pub(crate) fn run(options: Options) -> Result<(), Error> {
    let pair = keys::generate();
    let text = Zeroizing::new(format!("# public key: {}\n{}\n", pair.public, pair.secret.expose_secret()));
    match options.output {
        None => output::print(&text)?,
        Some(path) => {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
            let written = file.and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            });
            written.map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Error::KeyExists(path),
                _ => Error::file("create", &path, error),
            })?;
        }
    }
    eprintln!("public key: {}", pair.public);
    Ok(())
}

//! Where the secret of a volume comes from.

use crate::error::Error;
use crate::input::is_dash;
use crate::passphrase::{self, Place};
use roundel_seal::keys::age::secrecy::ExposeSecret;
use roundel_volume::bitlocker::{ExternalKey, Secret};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const NO_TERMINAL: &str =
    "there is no terminal to ask for the password: use --password-file, -fd or -env, or another secret";

/// The options that give it: one at most.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub(crate) struct SecretOptions {
    /// Recovery password, eight groups of six digits; `-` to be asked for it
    // Taken as text: a parser's error would print it.
    #[arg(long, value_name = "R")]
    recovery_password: Option<String>,
    /// Password, asked for at the terminal
    #[arg(long)]
    password: bool,
    /// File whose first line is the password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Open file descriptor to read the password from
    #[arg(long, value_name = "N")]
    password_fd: Option<u32>,
    /// Environment variable that holds the password
    #[arg(long, value_name = "NAME")]
    password_env: Option<String>,
    /// BEK file (external key)
    #[arg(long, value_name = "FILE")]
    bek: Option<PathBuf>,
    /// The key that a suspended volume carries
    #[arg(long)]
    clear_key: bool,
}

impl SecretOptions {
    /// The secret, if one was given.
    pub(crate) fn read(&self) -> Result<Option<Secret>, Error> {
        if self.clear_key {
            return Ok(Some(Secret::ClearKey));
        }
        if let Some(path) = &self.bek {
            return Ok(Some(Secret::External(external_key(path)?)));
        }
        if let Some(text) = &self.recovery_password {
            let password = if is_dash(Path::new(text)) {
                passphrase::prompt("Recovery password: ", NO_TERMINAL)?.expose_secret().parse()?
            } else {
                text.parse()?
            };
            return Ok(Some(Secret::Recovery(password)));
        }
        let (file, env) = (self.password_file.as_deref(), self.password_env.as_deref());
        let password = match (Place { file, fd: self.password_fd, env }).read("password")? {
            Some(password) => password,
            None if self.password => {
                passphrase::not_empty(passphrase::prompt("Password: ", NO_TERMINAL)?, "password")?
            }
            None => return Ok(None),
        };
        Ok(Some(Secret::Password(password.expose_secret().to_owned().into())))
    }
}

fn external_key(path: &Path) -> Result<ExternalKey, Error> {
    let failed = |error| Error::file("open", path, error);
    // The capacity is enough: no copy of the key stays behind in a buffer that was too small.
    let mut contents = Zeroizing::new(Vec::with_capacity(ExternalKey::MAX_BYTES));
    let file = File::open(path).map_err(failed)?;
    file.take(ExternalKey::MAX_BYTES as u64).read_to_end(&mut contents).map_err(failed)?;
    Ok(ExternalKey::parse(&contents)?)
}

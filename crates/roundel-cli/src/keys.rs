//! What a file is sealed for and opened with: options, and the keys made from them.
//!
//! The `age` library's keys cannot be shared between threads, so each file gets its own, made from what was read once.

use crate::error::Error;
use crate::input::is_dash;
use crate::passphrase::{self, PassphraseOptions};
use roundel_seal::keys::age::secrecy::SecretString;
use roundel_seal::keys::{self, Ask, BoxIdentity, BoxRecipient, PASSPHRASE_LOG_N};
use roundel_seal::{BareKey, Suite};
use std::io::Read;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Which cipher carries the payload.
#[derive(Debug, clap::Args)]
pub(crate) struct SuiteOptions {
    /// Cipher of the payload
    #[arg(long, value_name = "NAME", default_value = "aes")]
    cipher: String,
    /// Key length
    #[arg(long, value_name = "BITS", default_value_t = 256)]
    key_bits: usize,
}

impl SuiteOptions {
    pub(crate) fn suite(&self) -> Result<Suite, Error> {
        Ok(Suite::of(roundel::cipher(&self.cipher)?, self.key_bits)?)
    }
}

/// A pure C2SP chunked-encryption message instead of a file with a header.
#[derive(Debug, clap::Args)]
pub(crate) struct BareOptions {
    /// No header: a bare Cobblestone message under --key-file
    #[arg(long, requires = "key_file")]
    bare: bool,
    /// Key of a bare message: raw bytes or hexadecimal digits
    #[arg(long, value_name = "FILE", requires = "bare")]
    key_file: Option<PathBuf>,
}

impl BareOptions {
    fn key(&self, suite: Suite) -> Result<Option<BareKey>, Error> {
        let Some(path) = self.key_file.as_ref() else { return Ok(None) };
        let contents = Zeroizing::new(read_file(path)?);
        Ok(Some(BareKey::from_file_contents(&contents, suite, b"")?))
    }
}

/// For whom a file is sealed.
#[derive(Debug, clap::Args)]
pub(crate) struct LockOptions {
    /// Public key to seal for: age1... or a line of an ssh public key file
    #[arg(long, short, value_name = "KEY")]
    recipient: Vec<String>,
    /// File of public keys, one a line
    #[arg(long, short = 'R', value_name = "FILE")]
    recipients_file: Vec<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseOptions,
    #[command(flatten)]
    bare: BareOptions,
    #[command(flatten)]
    suite: SuiteOptions,
}

/// Everything that [`LockOptions`] named, read.
pub(crate) struct Locks {
    suite: Suite,
    recipients: Vec<String>,
    files: Vec<(String, String)>,
    passphrase: Option<SecretString>,
    bare: Option<BareKey>,
}

impl LockOptions {
    /// Reads the files and asks for the passphrase.
    pub(crate) fn read(&self) -> Result<Locks, Error> {
        let suite = self.suite.suite()?;
        let bare = self.bare.key(suite)?;
        let keys = !self.recipient.is_empty() || !self.recipients_file.is_empty();
        match (keys, self.passphrase.given(), bare.is_some()) {
            (false, false, false) => {
                return Err(Error::Usage(
                    "for whom? Name a public key with -r or -R, or ask for a passphrase with -p \
                     (`roundel keygen` makes a key pair)"
                        .to_owned(),
                ));
            }
            (true, true, _) => {
                return Err(Error::Usage(
                    "a passphrase stands alone: seal with -p, or for public keys".to_owned(),
                ));
            }
            (true, _, true) | (_, true, true) => {
                return Err(Error::Usage("--bare has no header for recipients or passphrases".to_owned()));
            }
            _ => {}
        }
        let mut files = Vec::new();
        for path in &self.recipients_file {
            let contents = String::from_utf8_lossy(&read_file(path)?).into_owned();
            files.push((contents, path.display().to_string()));
        }
        let mut locks = Locks { suite, recipients: self.recipient.clone(), files, passphrase: None, bare };
        locks.recipients()?;
        if self.passphrase.given() {
            locks.passphrase = Some(self.passphrase.to_seal()?);
        }
        Ok(locks)
    }
}

impl Locks {
    /// Calls `work` with a lock for one file.
    pub(crate) fn with<R>(
        &self,
        work: impl FnOnce(&roundel_seal::Lock<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match &self.bare {
            Some(key) => work(&roundel_seal::Lock::Bare(key)),
            None => work(&roundel_seal::Lock::Recipients { to: &self.recipients()?, suite: self.suite }),
        }
    }

    fn recipients(&self) -> Result<Vec<BoxRecipient>, Error> {
        let mut all = Vec::new();
        for text in &self.recipients {
            all.push(keys::recipient(text)?);
        }
        for (contents, name) in &self.files {
            all.extend(keys::recipients_file(contents, name)?);
        }
        if let Some(passphrase) = &self.passphrase {
            all.push(keys::passphrase_recipient(passphrase.clone(), PASSPHRASE_LOG_N));
        }
        Ok(all)
    }
}

/// What a file is opened with.
#[derive(Debug, clap::Args)]
pub(crate) struct UnlockOptions {
    /// File of secret keys: of age or ssh; `-` for standard input
    #[arg(long, short, value_name = "FILE")]
    identity: Vec<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseOptions,
    #[command(flatten)]
    bare: BareOptions,
    /// Cipher of a bare message
    #[arg(long, value_name = "NAME", default_value = "aes", requires = "bare")]
    cipher: String,
    /// Key length of a bare message
    #[arg(long, value_name = "BITS", default_value_t = 256, requires = "bare")]
    key_bits: usize,
}

/// Everything that [`UnlockOptions`] named, read.
pub(crate) struct Unlocks {
    files: Vec<(Zeroizing<Vec<u8>>, String)>,
    passphrase: Option<Ask>,
    ask: Ask,
    bare: Option<BareKey>,
}

impl UnlockOptions {
    /// Reads the files. A passphrase from the terminal is asked for when a file wants it.
    pub(crate) fn read(&self, inputs: &[PathBuf]) -> Result<Unlocks, Error> {
        let suite = SuiteOptions { cipher: self.cipher.clone(), key_bits: self.key_bits }.suite()?;
        let bare = self.bare.key(suite)?;
        if bare.is_some() && (!self.identity.is_empty() || self.passphrase.given()) {
            return Err(Error::Usage("--bare has no header for identities or passphrases".to_owned()));
        }
        let from_stdin = self.identity.iter().filter(|path| is_dash(path)).count();
        if from_stdin > 1 || from_stdin == 1 && (inputs.is_empty() || inputs.iter().any(|path| is_dash(path)))
        {
            return Err(Error::Usage("standard input can be read once: as identity or as data".to_owned()));
        }
        let mut files = Vec::new();
        for path in &self.identity {
            files.push((Zeroizing::new(read_file(path)?), path.display().to_string()));
        }
        let wants_passphrase = self.passphrase.given() || self.identity.is_empty();
        let passphrase = if wants_passphrase { Some(self.passphrase.to_open()?) } else { None };
        let unlocks = Unlocks { files, passphrase, ask: passphrase::at_terminal(), bare };
        unlocks.identities()?;
        Ok(unlocks)
    }
}

impl Unlocks {
    /// Calls `work` with the keys for one file.
    pub(crate) fn with<R>(
        &self,
        work: impl FnOnce(&roundel_seal::Unlock<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let outcome = match &self.bare {
            Some(key) => work(&roundel_seal::Unlock::Bare(key)),
            None => work(&roundel_seal::Unlock::Identities(&self.identities()?)),
        };
        outcome.map_err(|error| passphrase::missing_terminal().unwrap_or(error))
    }

    fn identities(&self) -> Result<Vec<BoxIdentity>, Error> {
        let mut all = Vec::new();
        for (contents, name) in &self.files {
            all.extend(keys::identities_file(contents, name, self.ask.clone())?);
        }
        all.extend(self.passphrase.clone().map(keys::passphrase_identity));
        Ok(all)
    }
}

/// The contents of a small file, or of standard input.
fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    if is_dash(path) {
        let mut contents = Vec::new();
        std::io::stdin().read_to_end(&mut contents)?;
        return Ok(contents);
    }
    std::fs::read(path).map_err(|error| Error::file("open", path, error))
}

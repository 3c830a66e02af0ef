//! Where passphrases come from: the terminal, a file, a file descriptor, the environment, a command. Never an argument.

use crate::error::Error;
use crate::signals;
use roundel_seal::keys::Ask;
use roundel_seal::keys::age::secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

/// Longer "passphrases" are files given by mistake.
const MAX_BYTES: u64 = 4096;

/// How a passphrase is given.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub(crate) struct PassphraseOptions {
    /// Passphrase, asked for at the terminal
    #[arg(long, short)]
    passphrase: bool,
    /// File whose first line is the passphrase
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
    /// Open file descriptor to read the passphrase from
    #[arg(long, value_name = "N")]
    passphrase_fd: Option<u32>,
    /// Environment variable that holds the passphrase
    #[arg(long, value_name = "NAME")]
    passphrase_env: Option<String>,
    /// Shell command that prints the passphrase
    #[arg(long, value_name = "COMMAND")]
    passphrase_command: Option<String>,
}

impl PassphraseOptions {
    /// Whether a passphrase is wanted at all.
    pub(crate) fn given(&self) -> bool {
        self.passphrase || self.has_source()
    }

    fn has_source(&self) -> bool {
        self.passphrase_file.is_some()
            || self.passphrase_fd.is_some()
            || self.passphrase_env.is_some()
            || self.passphrase_command.is_some()
    }

    /// The passphrase to seal with; at the terminal it is asked for twice.
    pub(crate) fn to_seal(&self) -> Result<SecretString, Error> {
        if let Some(passphrase) = self.source()? {
            return Ok(passphrase);
        }
        let first = prompt("Passphrase: ", NO_TERMINAL_SENTENCE)?;
        if prompt("Passphrase again: ", NO_TERMINAL_SENTENCE)?.expose_secret() != first.expose_secret() {
            return Err(Error::Usage("the two passphrases differ: nothing was sealed".to_owned()));
        }
        not_empty(first, "passphrase")
    }

    /// What answers when a file wants a passphrase: the source, or the terminal, asked once for all files.
    pub(crate) fn to_open(&self) -> Result<Ask, Error> {
        match self.source()? {
            Some(passphrase) => Ok(Arc::new(move |_: &str| Some(passphrase.clone()))),
            None => Ok(at_terminal()),
        }
    }

    fn source(&self) -> Result<Option<SecretString>, Error> {
        if let Some(command) = &self.passphrase_command {
            return first_line(&output_of(command)?, "passphrase").map(Some);
        }
        let place = Place {
            file: self.passphrase_file.as_deref(),
            fd: self.passphrase_fd,
            env: self.passphrase_env.as_deref(),
        };
        place.read("passphrase")
    }
}

/// Where a secret may lie ready.
pub(crate) struct Place<'a> {
    /// `--...-file`.
    pub(crate) file: Option<&'a Path>,
    /// `--...-fd`.
    pub(crate) fd: Option<u32>,
    /// `--...-env`.
    pub(crate) env: Option<&'a str>,
}

impl Place<'_> {
    /// The first line of what is there, if a place was named. `what` is the secret's kind for messages.
    pub(crate) fn read(&self, what: &str) -> Result<Option<SecretString>, Error> {
        let text = if let Some(path) = self.file {
            read(path, what)?
        } else if let Some(number) = self.fd {
            read(Path::new(&format!("/dev/fd/{number}")), what)?
        } else if let Some(name) = self.env {
            let value = std::env::var(name)
                .map_err(|_| Error::Usage(format!("the environment variable {name} is not set")))?;
            Zeroizing::new(value)
        } else {
            return Ok(None);
        };
        first_line(&text, what).map(Some)
    }
}

fn first_line(text: &str, what: &str) -> Result<SecretString, Error> {
    not_empty(SecretString::from(text.lines().next().unwrap_or_default().to_owned()), what)
}

/// Asks at the terminal, once for each description. Without a terminal nobody answers, which [`missing_terminal`] tells.
pub(crate) fn at_terminal() -> Ask {
    let answers: Mutex<HashMap<String, SecretString>> = Mutex::default();
    Arc::new(move |what: &str| {
        let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = answers.get(what) {
            return Some(known.clone());
        }
        let answer = match prompt(&format!("Passphrase for {what}: "), NO_TERMINAL_SENTENCE) {
            Ok(answer) => answer,
            Err(_) => {
                NO_TERMINAL.store(true, Ordering::Relaxed);
                return None;
            }
        };
        answers.insert(what.to_owned(), answer.clone());
        Some(answer)
    })
}

static NO_TERMINAL: AtomicBool = AtomicBool::new(false);

/// What to say instead of "wrong key" if a passphrase was wanted and there was no terminal to ask at.
pub(crate) fn missing_terminal() -> Option<Error> {
    NO_TERMINAL.load(Ordering::Relaxed).then(no_terminal)
}

const NO_TERMINAL_SENTENCE: &str =
    "there is no terminal to ask for the passphrase: use --passphrase-file, -fd, -env or -command";

fn no_terminal() -> Error {
    Error::Usage(NO_TERMINAL_SENTENCE.to_owned())
}

/// Asks at the terminal, without an echo; `missing` is the sentence for when there is none.
pub(crate) fn prompt(text: &str, missing: &str) -> Result<SecretString, Error> {
    signals::remember_terminal();
    let answer = rpassword::prompt_password(text).map_err(|_| Error::Usage(missing.to_owned()))?;
    Ok(SecretString::from(answer))
}

/// The secret, unless it is empty.
pub(crate) fn not_empty(secret: SecretString, what: &str) -> Result<SecretString, Error> {
    if secret.expose_secret().is_empty() {
        return Err(Error::Usage(format!("the {what} is empty")));
    }
    Ok(secret)
}

fn read(path: &Path, what: &str) -> Result<Zeroizing<String>, Error> {
    let file = std::fs::File::open(path).map_err(|error| Error::file("open", path, error))?;
    text_of(file, &path.display().to_string(), what)
}

fn output_of(command: &str) -> Result<Zeroizing<String>, Error> {
    let failed = |why: String| Error::Other(format!("the passphrase command failed: {why}"));
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let text =
        text_of(child.stdout.take().expect("it was piped"), "the passphrase command's output", "passphrase");
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    if status.success() { text } else { Err(failed(status.to_string())) }
}

fn text_of(from: impl Read, name: &str, what: &str) -> Result<Zeroizing<String>, Error> {
    let mut text = Zeroizing::new(String::with_capacity(MAX_BYTES as usize + 1));
    from.take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| Error::Other(format!("cannot read the {what} from {name}: {error}")))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::Usage(format!("{name} is too long for a {what}")));
    }
    Ok(text)
}

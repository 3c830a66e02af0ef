//! Keys: recipients and identities by the `age` library, passphrases, and the keys of bare messages.
//!
//! Whatever implements age's traits works: X25519 keys (`age1...`), ssh keys, passphrases, and others that a caller brings.

use crate::header::Header;
use crate::payload::InputKey;
use crate::suite::Suite;
use crate::{Error, Result};
use age::secrecy::{ExposeSecret, SecretString};
use age_core::format::{FileKey, Stanza};
use std::collections::HashSet;
use std::sync::Arc;
use zeroize::Zeroizing;

pub use age;

/// Somebody for whom a file is sealed.
pub type BoxRecipient = Box<dyn age::Recipient + Send>;
/// A secret key that may open a file.
pub type BoxIdentity = Box<dyn age::Identity + Send>;

/// Asks a person for a passphrase. The argument says for what; none means that nobody answered.
pub type Ask = Arc<dyn Fn(&str) -> Option<SecretString> + Send + Sync>;

/// scrypt's N = 2^18: about a second and 256 MiB, the value that age's reference implementation uses.
pub const PASSPHRASE_LOG_N: u8 = 18;
/// Headers that ask for more work than N = 2^22 (4 GiB of memory) are refused, as age does.
const MAX_PASSPHRASE_LOG_N: u8 = 22;

/// What a file is sealed with.
pub enum Lock<'a> {
    /// A random file key, wrapped in a header for each recipient.
    Recipients {
        /// All who can open the file; a passphrase stands alone.
        to: &'a [BoxRecipient],
        /// What carries the payload.
        suite: Suite,
    },
    /// No header: a pure C2SP chunked-encryption message under this key.
    Bare(&'a BareKey),
}

/// What a file is opened with.
pub enum Unlock<'a> {
    /// Secret keys, tried in order.
    Identities(&'a [BoxIdentity]),
    /// A bare message's key.
    Bare(&'a BareKey),
}

/// The key of a bare message, and the context that it was bound to.
pub struct BareKey {
    pub(crate) input: InputKey,
}

impl BareKey {
    /// From a key file's contents: as many raw bytes as the suite's key has, or twice as many hexadecimal digits (and perhaps a line end).
    /// `context` is bound into the message and may be empty.
    pub fn from_file_contents(contents: &[u8], suite: Suite, context: &[u8]) -> Result<BareKey> {
        let bytes = suite.key_bytes();
        let key = if contents.len() == bytes {
            Some(Zeroizing::new(contents.to_vec()))
        } else {
            parse_hex(contents.trim_ascii_end()).filter(|key| key.len() == bytes)
        };
        let key = key.ok_or_else(|| {
            Error::Key(format!(
                "a key file for {} holds {bytes} raw bytes or {} hexadecimal digits",
                suite.name(),
                2 * bytes
            ))
        })?;
        Ok(BareKey { input: InputKey { suite, key, context: context.to_vec() } })
    }
}

fn parse_hex(digits: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let nibble = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
        _ => None,
    });
    let mut key = Zeroizing::new(Vec::with_capacity(digits.len() / 2));
    for byte in pairs {
        key.push(byte?);
    }
    Some(key)
}

/// A new X25519 key pair of age's kind.
pub struct Keypair {
    /// `AGE-SECRET-KEY-1...`
    pub secret: SecretString,
    /// `age1...`
    pub public: String,
}

/// Makes a key pair that age and rage accept, too.
pub fn generate() -> Keypair {
    let identity = age::x25519::Identity::generate();
    Keypair { secret: identity.to_string(), public: identity.to_public().to_string() }
}

/// A recipient from its text: `age1...` or a line of ssh's public key file.
pub fn recipient(text: &str) -> Result<BoxRecipient> {
    if let Ok(recipient) = text.parse::<age::x25519::Recipient>() {
        return Ok(Box::new(recipient));
    }
    match text.parse::<age::ssh::Recipient>() {
        Ok(recipient) => Ok(Box::new(recipient)),
        Err(age::ssh::ParseRecipientKeyError::Unsupported(kind)) => Err(Error::Key(format!(
            "ssh keys of the kind {kind} cannot be recipients: use ssh-ed25519, ssh-rsa or age1..."
        ))),
        Err(_) => Err(Error::Key(format!(
            "'{text}' is not a recipient: expected age1..., ssh-ed25519 ... or ssh-rsa ..."
        ))),
    }
}

/// The recipients of a file's contents, one a line; empty lines and lines that begin with `#` are skipped. `name` is for messages.
pub fn recipients_file(contents: &str, name: &str) -> Result<Vec<BoxRecipient>> {
    let mut all = Vec::new();
    for (number, line) in contents.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        all.push(
            recipient(line)
                .map_err(|_| Error::Key(format!("line {} of {name} is not a recipient", number + 1)))?,
        );
    }
    if all.is_empty() {
        return Err(Error::Key(format!("{name} holds no recipient")));
    }
    Ok(all)
}

/// The identities of a file's contents: age's secret keys one a line, or one ssh private key. `ask` is called for a protected ssh key's
/// passphrase when a header has a stanza for it.
pub fn identities_file(contents: &[u8], name: &str, ask: Ask) -> Result<Vec<BoxIdentity>> {
    let unusable = |why: String| Error::Key(format!("{name} cannot be used as identity: {why}"));
    if contents.starts_with(b"-----BEGIN ") {
        let key = age::ssh::Identity::from_buffer(contents, Some(name.to_owned()))
            .map_err(|error| unusable(error.to_string()))?;
        if let age::ssh::Identity::Unsupported(_) = key {
            return Err(unusable("this kind of ssh key is not supported: use ed25519 or rsa".to_owned()));
        }
        return Ok(vec![Box::new(key.with_callbacks(Asking(ask)))]);
    }
    let file = age::IdentityFile::from_buffer(contents).map_err(|error| unusable(error.to_string()))?;
    let keys = file.into_identities().map_err(|error| unusable(error.to_string()))?;
    if keys.is_empty() {
        return Err(unusable("it holds no key".to_owned()));
    }
    Ok(keys.into_iter().map(|key| key as BoxIdentity).collect())
}

/// A passphrase to seal with; it must be the only recipient. `log_n` is the base-2 logarithm of scrypt's cost, [`PASSPHRASE_LOG_N`] if in
/// doubt (at least 1, at most 22).
pub fn passphrase_recipient(passphrase: SecretString, log_n: u8) -> BoxRecipient {
    let mut recipient = age::scrypt::Recipient::new(passphrase);
    recipient.set_work_factor(log_n.clamp(1, MAX_PASSPHRASE_LOG_N));
    Box::new(recipient)
}

/// A passphrase to open with. `ask` is called only if a header wants a passphrase, at most once for each file.
pub fn passphrase_identity(ask: Ask) -> BoxIdentity {
    Box::new(Passphrase(ask))
}

struct Passphrase(Ask);

impl age::Identity for Passphrase {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<std::result::Result<FileKey, age::DecryptError>> {
        if stanza.tag != "scrypt" {
            return None;
        }
        let passphrase = (self.0)("the file")?;
        let mut identity = age::scrypt::Identity::new(passphrase);
        identity.set_max_work_factor(MAX_PASSPHRASE_LOG_N);
        identity.unwrap_stanza(stanza)
    }
}

#[derive(Clone)]
struct Asking(Ask);

impl age::Callbacks for Asking {
    fn display_message(&self, _: &str) {}

    fn confirm(&self, _: &str, _: &str, _: Option<&str>) -> Option<bool> {
        None
    }

    fn request_public_string(&self, _: &str) -> Option<String> {
        None
    }

    fn request_passphrase(&self, description: &str) -> Option<SecretString> {
        (self.0)(description)
    }
}

/// Draws bytes from the system.
pub(crate) fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut bytes[..]).map_err(|error| {
        Error::io("read", "the system's random numbers", std::io::Error::other(error.to_string()))
    })?;
    Ok(bytes)
}

/// Draws a file key.
pub(crate) fn new_file_key() -> Result<FileKey> {
    let bytes = random::<16>()?;
    Ok(FileKey::new(Box::new(*bytes)))
}

/// Wraps the file key for everybody. Recipients whose labels differ must not be mixed (age's rule; a passphrase has a random label).
pub(crate) fn wrap(file_key: &FileKey, to: &[BoxRecipient]) -> Result<Vec<Stanza>> {
    let mut stanzas = Vec::new();
    let mut labels: Option<HashSet<String>> = None;
    for recipient in to {
        let (wrapped, its_labels) = recipient
            .wrap_file_key(file_key)
            .map_err(|error| Error::Key(format!("a recipient cannot be used: {error}")))?;
        if labels.as_ref().is_some_and(|labels| *labels != its_labels) {
            return Err(Error::Key(
                "these recipients cannot be mixed: a passphrase stands alone, and post-quantum keys among themselves"
                    .to_owned(),
            ));
        }
        labels = Some(its_labels);
        stanzas.extend(wrapped);
    }
    if stanzas.is_empty() {
        return Err(Error::Key("nobody could open the file: name a recipient".to_owned()));
    }
    Ok(stanzas)
}

/// The file key from a header. The caller checks that the header is [authentic](Header::authentic) under it.
pub(crate) fn unwrap(header: &Header, identities: &[BoxIdentity]) -> Result<FileKey> {
    let mut refused = None;
    for identity in identities {
        match identity.unwrap_stanzas(&header.stanzas) {
            Some(Ok(file_key)) => return Ok(file_key),
            Some(Err(error)) => refused = Some(error),
            None => {}
        }
    }
    match refused {
        Some(age::DecryptError::ExcessiveWork { required, .. }) => Err(Error::KeyKind(format!(
            "the header asks for scrypt with N = 2^{required}, more than is allowed"
        ))),
        Some(age::DecryptError::InvalidHeader) => Err(Error::Header("a stanza is malformed")),
        Some(_) if header.takes_passphrase() => Err(Error::WrongPassphrase),
        Some(error @ age::DecryptError::KeyDecryptionFailed) => Err(Error::KeyKind(error.to_string())),
        _ if header.takes_passphrase() => Err(Error::KeyKind(
            "this file was sealed with a passphrase: open it with the passphrase".to_owned(),
        )),
        _ => Err(Error::NoMatchingKey),
    }
}

/// The payload's input key from a file key: HKDF-SHA-512, bound to version and suite.
pub(crate) fn payload_key(file_key: &FileKey, suite: Suite) -> InputKey {
    let mut key = Zeroizing::new(vec![0; suite.key_bytes()]);
    let version = crate::header::VERSION.as_bytes();
    crate::kdf::hkdf_sha512(
        file_key.expose_secret(),
        &[version, b" payload ", suite.name().as_bytes()],
        &mut key,
    );
    InputKey { suite, key, context: version.to_vec() }
}

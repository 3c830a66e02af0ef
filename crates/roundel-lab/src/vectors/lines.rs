//! JSON lines of modes: `{"alg":"AES-128-CTR","key":...}` and of hash constructions: `{"hash":"davies-meyer","cipher":"aes-128",...}`.

use super::{Case, Hashed, Message, Mode, Test, VectorError, unhex};
use roundel::modes::hash::Construction;
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Mode { alg: String, key: String, iv: String, aad: String, pt: String, ct: String, tag: String },
    Hash { hash: String, cipher: String, msg: String, digest: String },
}

/// Whether a line is a whole object of this format.
pub(super) fn is_line(line: &str) -> bool {
    serde_json::from_str::<Line>(line).is_ok()
}

pub(super) fn parse(file: &str, text: &str) -> Result<Vec<Case>, VectorError> {
    each_line(file, text, Line::test)
}

/// A case for each line that is not blank; `test` gives the cipher's name and the test, or what is wrong.
pub(super) fn each_line<L: DeserializeOwned>(
    file: &str,
    text: &str,
    test: impl Fn(L) -> Result<(String, Test), String>,
) -> Result<Vec<Case>, VectorError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let place = format!("line {}", index + 1);
            let damaged = |what: String| VectorError::damaged(file, place.clone(), what);
            let line = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
            let (cipher, test) = test(line).map_err(damaged)?;
            Ok(Case { label: place, cipher, test })
        })
        .collect()
}

impl Line {
    fn test(self) -> Result<(String, Test), String> {
        let (alg, key, iv, aad, pt, ct, tag) = match self {
            Line::Hash { hash, cipher, msg, digest } => {
                let (name, bits) = cipher
                    .rsplit_once('-')
                    .ok_or_else(|| format!("'{cipher}' is not of the form CIPHER-BITS"))?;
                let construction = Construction::ALL.into_iter().find(|known| known.name() == hash);
                let test = match construction {
                    Some(construction) if bits == "128" => Test::Hash(Box::new(Hashed {
                        construction,
                        message: unhex(&msg)?,
                        digest: unhex(&digest)?,
                    })),
                    _ => Test::NotImplemented(format!("hash {hash} with {bits}-bit keys")),
                };
                return Ok((name.to_lowercase(), test));
            }
            Line::Mode { alg, key, iv, aad, pt, ct, tag } => (alg, key, iv, aad, pt, ct, tag),
        };
        let mut parts = alg.rsplitn(3, '-');
        let (Some(mode), Some(bits), Some(cipher)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(format!("'{alg}' is not of the form CIPHER-BITS-MODE"));
        };
        let cipher = cipher.to_lowercase();
        let (mode, keys) = match mode.to_uppercase().as_str() {
            "CTR" => (Mode::Ctr, 1),
            "CBC" => (Mode::Cbc, 1),
            "XTS" => (Mode::Xts, 2),
            "GCM" => (Mode::Gcm, 1),
            "CCM" => (Mode::Ccm, 1),
            other => return Ok((cipher, Test::NotImplemented(format!("mode {other}")))),
        };
        let key = unhex(&key)?;
        if Ok(key.len() * 8 / keys) != bits.parse::<usize>() {
            return Err(format!("a key of {} bytes for {alg}", key.len()));
        }
        let message = Message {
            mode,
            key,
            iv: unhex(&iv)?,
            aad: unhex(&aad)?,
            plain: unhex(&pt)?,
            cipher: unhex(&ct)?,
            tag: unhex(&tag)?,
            valid: true,
        };
        Ok((cipher, Test::Message(Box::new(message))))
    }
}

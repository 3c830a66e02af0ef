//! Project Wycheproof's JSON: `testGroups[].tests[]` with hexadecimal fields and a `result`.

use super::{Case, Chunked, Message, Mode, Test, VectorError, unhex};
use flate2::read::ZlibDecoder;
use serde::Deserialize;
use std::io::Read;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    algorithm: String,
    number_of_tests: usize,
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    tests: Vec<Vector>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Vector {
    tc_id: u64,
    key: String,
    iv: String,
    aad: String,
    ctx: String,
    msg: String,
    ct: String,
    tag: String,
    result: String,
    msg_length: Option<u64>,
    msg_sha512: Option<String>,
}

pub(super) fn parse(file: &str, text: &str) -> Result<Vec<Case>, VectorError> {
    let parsed: File = serde_json::from_str(text)
        .map_err(|error| VectorError::damaged(file, format!("line {}", error.line()), error.to_string()))?;
    let cases = parsed
        .test_groups
        .into_iter()
        .flat_map(|group| group.tests)
        .map(|vector| {
            let label = format!("tcId {}", vector.tc_id);
            let (cipher, test) = test(&parsed.algorithm, vector)
                .map_err(|what| VectorError::damaged(file, label.clone(), what))?;
            Ok(Case { label, cipher: cipher.to_owned(), test })
        })
        .collect::<Result<Vec<_>, _>>()?;
    if cases.len() != parsed.number_of_tests {
        let what = format!("{} tests where numberOfTests says {}", cases.len(), parsed.number_of_tests);
        return Err(VectorError::damaged(file, "testGroups", what));
    }
    Ok(cases)
}

/// The cipher's name and the test. Wycheproof's block cipher is always AES.
fn test(algorithm: &str, vector: Vector) -> Result<(&'static str, Test), String> {
    let valid = match vector.result.as_str() {
        "valid" => true,
        "invalid" => false,
        "acceptable" => {
            return Ok(("aes", Test::NotImplemented(format!("{algorithm}, result 'acceptable'"))));
        }
        other => return Err(format!("'{other}' is not a result")),
    };
    let test = match algorithm {
        "AES-GCM" => message(Mode::Gcm, vector, valid)?,
        "AES-CCM" => message(Mode::Ccm, vector, valid)?,
        "AES-GMAC" => {
            let vector = Vector { aad: vector.msg, msg: String::new(), ..vector };
            message(Mode::Gcm, vector, valid)?
        }
        "AES-CBC-PKCS5" => message(Mode::CbcPadded, vector, valid)?,
        "AES-XTS" => message(Mode::Xts, vector, valid)?,
        "Cobblestone-128" => return Ok(("cobblestone", chunked(128, vector, valid)?)),
        "Cobblestone-256" => return Ok(("cobblestone", chunked(256, vector, valid)?)),
        other => Test::NotImplemented(format!("mode {other}")),
    };
    Ok(("aes", test))
}

fn message(mode: Mode, vector: Vector, valid: bool) -> Result<Test, String> {
    let mut iv = unhex(&vector.iv)?;
    if mode == Mode::Xts {
        // A short data-unit number is the start of a little-endian one.
        iv.resize(16.max(iv.len()), 0);
    }
    let message = Message {
        mode,
        key: unhex(&vector.key)?,
        iv,
        aad: unhex(&vector.aad)?,
        plain: unhex(&vector.msg)?,
        cipher: unhex(&vector.ct)?,
        tag: unhex(&vector.tag)?,
        valid,
    };
    if mode == Mode::Gcm && message.tag.len() != 16 {
        return Ok(Test::NotImplemented(format!("GCM with a tag of {} bits", 8 * message.tag.len())));
    }
    Ok(Test::Message(Box::new(message)))
}

/// Far above any test; bounds the memory that a hostile file can take.
const MAX_SEALED_BYTES: u64 = 256 << 20;

fn chunked(key_bits: usize, vector: Vector, valid: bool) -> Result<Test, String> {
    let packed = unhex(&vector.ct)?;
    let mut sealed = Vec::new();
    ZlibDecoder::new(packed.as_slice())
        .take(MAX_SEALED_BYTES)
        .read_to_end(&mut sealed)
        .map_err(|error| format!("the compressed ciphertext: {error}"))?;
    let message = match (vector.msg_length, vector.msg_sha512) {
        (Some(length), Some(digest)) => Some((length, unhex(&digest)?)),
        (None, None) if !valid => None,
        _ => return Err("a message's length without its digest, or a valid test without both".to_owned()),
    };
    Ok(Test::Chunked(Box::new(Chunked {
        key_bits,
        key: unhex(&vector.key)?,
        context: unhex(&vector.ctx)?,
        sealed,
        message,
        valid,
    })))
}

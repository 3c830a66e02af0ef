//! JSON lines of disk sectors: `{"mode":"elephant-cbc","ac":5,"bc":3,"key":...,"sector":7,"pt":...}`, and of diffusers alone:
//! `{"diffuser":"A","direction":"encrypt","cycles":5,"in":...,"out":...}`. The cipher of all of them is AES.

use super::lines::each_line;
use super::{Case, Diffusion, Sector, Test, VectorError, unhex};
use roundel::modes::SectorMode;
use roundel::modes::elephant::Layers;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Sector {
        mode: String,
        key_bits: usize,
        ac: Option<u8>,
        bc: Option<u8>,
        key: String,
        sector_key: Option<String>,
        sector: u64,
        sector_size: usize,
        pt: String,
        ct: String,
    },
    Diffusion {
        diffuser: String,
        direction: String,
        cycles: u8,
        size: usize,
        #[serde(rename = "in")]
        input: String,
        out: String,
    },
}

/// Whether a line is a whole object of this format.
pub(super) fn is_line(line: &str) -> bool {
    serde_json::from_str::<Line>(line).is_ok()
}

pub(super) fn parse(file: &str, text: &str) -> Result<Vec<Case>, VectorError> {
    each_line(file, text, |line: Line| Ok(("aes".to_owned(), line.test()?)))
}

impl Line {
    fn test(self) -> Result<Test, String> {
        match self {
            Line::Sector { mode, key_bits, ac, bc, key, sector_key, sector, sector_size, pt, ct } => {
                let mode = sector_mode(&mode, ac, bc)?;
                let mut key = unhex(&key)?;
                key.extend(unhex(&sector_key.unwrap_or_default())?);
                if 8 * key.len() != key_bits * mode.keys() {
                    return Err(format!("{} bytes of keys for {mode} with {key_bits} bits", key.len()));
                }
                let (plain, cipher) = (text(&pt, sector_size)?, text(&ct, sector_size)?);
                Ok(Test::Sector(Box::new(Sector { mode, key, number: sector, plain, cipher })))
            }
            Line::Diffusion { diffuser, direction, cycles, size, input, out } => {
                let (a_cycles, b_cycles) = match diffuser.as_str() {
                    "A" => (cycles, 0),
                    "B" => (0, cycles),
                    other => return Err(format!("'{other}' is no diffuser")),
                };
                if !size.is_multiple_of(32) {
                    return Err(format!("a sector of {size} bytes"));
                }
                let (input, out) = (text(&input, size)?, text(&out, size)?);
                let (plain, diffused) = match direction.as_str() {
                    "encrypt" => (input, out),
                    "decrypt" => (out, input),
                    other => return Err(format!("'{other}' is no direction")),
                };
                let layers = Layers { a_cycles, b_cycles, counter: false };
                Ok(Test::Diffusion(Box::new(Diffusion { layers, plain, diffused })))
            }
        }
    }
}

fn sector_mode(name: &str, ac: Option<u8>, bc: Option<u8>) -> Result<SectorMode, String> {
    match (name, ac, bc) {
        ("elephant-cbc", Some(ac), Some(bc)) => Ok(SectorMode::ElephantCbc { ac, bc }),
        ("elephant-ecb", Some(ac), Some(bc)) => Ok(SectorMode::ElephantEcb { ac, bc }),
        ("elephant-cbc" | "elephant-ecb", ..) => Err(format!("{name} without ac and bc")),
        _ => name.parse(),
    }
}

fn text(hex: &str, bytes: usize) -> Result<Vec<u8>, String> {
    let text = unhex(hex)?;
    if text.len() == bytes {
        Ok(text)
    } else {
        Err(format!("a text of {} bytes in a sector of {bytes}", text.len()))
    }
}

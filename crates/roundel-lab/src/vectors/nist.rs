//! NIST's text layout of the AES candidates: `KEYSIZE=`, `I=`, `KEY=`, `IV=`, `PT=`, `CT=`, one to a line.
//!
//! An entry is `I=` and the fields on the lines directly below it. A field outside an entry holds for the rest of its section: the
//! plaintext of a variable-key test, the key of a variable-text test. Lines of `=` separate; `#` starts a comment; the heading
//! of NIST's own files is what stands between the first two lines of `=`, if the file begins with one.
//!
//! A section whose entries count from 0 is a Monte Carlo chain: CBC if there is an IV, and decryption if the plaintext is its last
//! line (known-answer tests count from 1).
//!
//! Two more fields serve HPC: `SPICE=`, a 64-byte tweak, and `SCHEDULE=` for a section, the year of the key schedule: 1998 is the submitted
//! one, another is that of the cipher `NAME-YEAR`.

use super::{Block, Case, Message, Mode, Test, VectorError, unhex};
use crate::monte_carlo::{Chain, Outer, State};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Key,
    Iv,
    Plain,
    Cipher,
    Spice,
}

impl Name {
    fn of(text: &str) -> Option<Name> {
        match text {
            "KEY" => Some(Name::Key),
            "IV" => Some(Name::Iv),
            "PT" => Some(Name::Plain),
            "CT" => Some(Name::Cipher),
            "SPICE" => Some(Name::Spice),
            _ => None,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Name::Key => "KEY",
            Name::Iv => "IV",
            Name::Plain => "PT",
            Name::Cipher => "CT",
            Name::Spice => "SPICE",
        }
    }
}

/// Fields in the order of their lines.
#[derive(Clone, Debug, Default)]
struct Fields {
    known: Vec<(Name, Vec<u8>)>,
    /// Names that this parser does not understand.
    unknown: Vec<String>,
}

impl Fields {
    fn get(&self, name: Name) -> Option<&[u8]> {
        self.known.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_slice())
    }
}

#[derive(Debug)]
struct Entry {
    line: usize,
    number: u64,
    fields: Fields,
}

#[derive(Debug, Default)]
struct Section {
    key_bits: Option<usize>,
    /// The year of the key schedule.
    schedule: Option<String>,
    fields: Fields,
    entries: Vec<Entry>,
}

/// Whether there is a line of the form `NAME=value` in upper case: the mark of this format.
pub(super) fn has_fields(text: &str) -> bool {
    text.lines().any(|line| {
        line.split_once('=').is_some_and(|(name, value)| {
            let name = name.trim();
            (Name::of(name).is_some() || ["I", "KEYSIZE"].contains(&name)) && !value.trim().is_empty()
        })
    })
}

pub(super) fn parse(file: &str, text: &str, cipher: &str) -> Result<Vec<Case>, VectorError> {
    let damaged = |line: usize, what: String| VectorError::damaged(file, format!("line {line}"), what);
    let mut cases = Vec::new();
    for section in sections(text).map_err(|(line, what)| damaged(line, what))? {
        cases.extend(section_cases(section, cipher).map_err(|(line, what)| damaged(line, what))?);
    }
    if cases.is_empty() {
        return Err(VectorError::damaged(file, "end of file", "there is no entry (I=) in it"));
    }
    Ok(cases)
}

type Located<T> = Result<T, (usize, String)>;

fn sections(text: &str) -> Located<Vec<Section>> {
    let mut sections = vec![Section::default()];
    let mut in_entry = false;
    let mut heading = text.lines().find(|line| !is_blank(line)).is_some_and(is_separator);
    let mut separators = 0;
    for (index, line) in text.lines().enumerate() {
        let here = |what: String| (index + 1, what);
        let line = line.trim();
        if is_separator(line) {
            separators += 1;
            heading &= separators < 2;
        }
        if is_blank(line) || is_separator(line) || heading {
            in_entry = false;
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(here(format!("'{}' is not of the form NAME=value", clip(line))));
        };
        let (name, value) = (name.trim(), value.trim());
        let last = sections.last_mut().expect("there is one from the start");
        if name == "I" {
            let number = value.parse().map_err(|_| here(format!("I='{}' is no number", clip(value))))?;
            last.entries.push(Entry { line: index + 1, number, fields: Fields::default() });
            in_entry = true;
            continue;
        }
        if !in_entry && !last.entries.is_empty() {
            let key_bits = last.key_bits;
            sections.push(Section { key_bits, ..Section::default() });
        }
        let section = sections.last_mut().expect("there is one from the start");
        if name == "KEYSIZE" {
            let bits = value.parse().ok().filter(|bits: &usize| bits.is_multiple_of(8));
            section.key_bits =
                Some(bits.ok_or_else(|| here(format!("KEYSIZE='{}' is no length", clip(value))))?);
            continue;
        }
        if name == "SCHEDULE" {
            section.schedule = Some(clip(value));
            continue;
        }
        let fields = match section.entries.last_mut() {
            Some(entry) if in_entry => &mut entry.fields,
            _ => &mut section.fields,
        };
        match Name::of(name) {
            Some(name) if fields.get(name).is_some() => {
                return Err(here(format!("a second {} in one entry or section", name.text())));
            }
            Some(name) => fields.known.push((name, unhex(value).map_err(here)?)),
            None => fields.unknown.push(clip(name)),
        }
    }
    Ok(sections)
}

fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

fn is_separator(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|byte| byte == b'=')
}

/// The start of a text that may be anything, for a message.
fn clip(text: &str) -> String {
    text.chars().take(32).collect()
}

fn section_cases(section: Section, cipher: &str) -> Located<Vec<Case>> {
    let mut cases = Vec::new();
    let mut chains: Vec<(Chain, Vec<Outer>)> = Vec::new();
    let is_chain = section.entries.first().is_some_and(|entry| entry.number == 0);
    let scheduled = scheduled(&section, cipher);
    let cipher = scheduled.clone().unwrap_or_else(|_| cipher.to_owned());
    for entry in &section.entries {
        let key = field(&section, entry, Name::Key)?;
        let label = format!("KEYSIZE={} I={}", 8 * key.len(), entry.number);
        let mut unknown: Vec<_> =
            section.fields.unknown.iter().chain(&entry.fields.unknown).cloned().collect();
        unknown.dedup();
        let test = if let Err(what) = &scheduled {
            Test::NotImplemented(what.clone())
        } else if !unknown.is_empty() {
            Test::NotImplemented(format!("NIST text with {}", unknown.join(", ")))
        } else if is_chain {
            check_lengths(&section, entry)?;
            let (chain, outer) = outer(&section, entry)?;
            match chains.last_mut() {
                Some((last, outers)) if *last == chain => push_ascending(outers, outer, entry.line)?,
                _ => chains.push((chain, vec![outer])),
            }
            continue;
        } else {
            check_lengths(&section, entry)?;
            single(&section, entry)?
        };
        cases.push(Case { label, cipher: cipher.clone(), test });
    }
    for (chain, outers) in chains {
        let key_bytes = outers[0].start.key.len();
        let label = format!("{} KEYSIZE={}", chain.name(), 8 * key_bytes);
        cases.push(Case { label, cipher: cipher.clone(), test: Test::Chain { chain, key_bytes, outers } });
    }
    Ok(cases)
}

/// The cipher with the section's key schedule, or what is not implemented.
fn scheduled(section: &Section, cipher: &str) -> Result<String, String> {
    let Some(schedule) = &section.schedule else { return Ok(cipher.to_owned()) };
    let variant = format!("{cipher}-{schedule}");
    if roundel::cipher(&variant).is_ok() {
        Ok(variant)
    } else if schedule == "1998" {
        Ok(cipher.to_owned())
    } else {
        Err(format!("{cipher} with the key schedule of {schedule}"))
    }
}

/// A known answer of one text.
fn single(section: &Section, entry: &Entry) -> Located<Test> {
    let block = Block {
        key: field(section, entry, Name::Key)?.into(),
        plain: field(section, entry, Name::Plain)?.into(),
        cipher: field(section, entry, Name::Cipher)?.into(),
    };
    let spice = field(section, entry, Name::Spice).ok();
    Ok(match (field(section, entry, Name::Iv).ok(), spice) {
        (None, None) => Test::Block(block),
        (None, Some(spice)) if spice.iter().all(|&byte| byte == 0) => Test::Block(block),
        (None, Some(spice)) => Test::Spiced { block, spice: spice.into() },
        (Some(_), Some(_)) => Test::NotImplemented("NIST text with IV and SPICE".to_owned()),
        (Some(iv), None) => Test::Message(Box::new(Message {
            mode: Mode::Cbc,
            key: block.key,
            iv: iv.into(),
            aad: Vec::new(),
            plain: block.plain,
            cipher: block.cipher,
            tag: Vec::new(),
            valid: true,
        })),
    })
}

/// A field of an entry, or the one that its section holds for all.
fn field<'a>(section: &'a Section, entry: &'a Entry, name: Name) -> Located<&'a [u8]> {
    entry.fields.get(name).or_else(|| section.fields.get(name)).ok_or_else(|| {
        let name = name.text();
        (entry.line, format!("entry I={} has no {name}: is the file truncated?", entry.number))
    })
}

fn check_lengths(section: &Section, entry: &Entry) -> Located<()> {
    let wrong = |what: &str, got: usize, expected: usize| {
        Err((
            entry.line,
            format!("entry I={}: {what} of {got} bytes where {expected} are expected", entry.number),
        ))
    };
    let key = field(section, entry, Name::Key)?.len();
    let plain = field(section, entry, Name::Plain)?.len();
    let cipher = field(section, entry, Name::Cipher)?.len();
    match section.key_bits {
        Some(bits) if 8 * key != bits => return wrong("a key", key, bits / 8),
        _ => {}
    }
    if plain == 0 || plain != cipher {
        return wrong("a ciphertext", cipher, plain);
    }
    match field(section, entry, Name::Iv) {
        Ok(iv) if iv.len() != plain => wrong("an IV", iv.len(), plain),
        _ => Ok(()),
    }
}

/// One outer iteration of a Monte Carlo chain: the last of the two texts is the result, the other one the start.
fn outer(section: &Section, entry: &Entry) -> Located<(Chain, Outer)> {
    let here = |what: &str| (entry.line, format!("entry I={}: {what}", entry.number));
    let iv = field(section, entry, Name::Iv).ok();
    let texts = entry.fields.known.iter().map(|(name, _)| *name);
    let result = texts.rev().find(|name| matches!(name, Name::Plain | Name::Cipher));
    let chain = match (iv.is_some(), result) {
        (false, Some(Name::Cipher)) => Chain::EcbEncrypt,
        (false, Some(Name::Plain)) => Chain::EcbDecrypt,
        (true, Some(Name::Cipher)) => Chain::CbcEncrypt,
        (true, Some(Name::Plain)) => Chain::CbcDecrypt,
        _ => return Err(here("a Monte Carlo entry without a result")),
    };
    let (start, result) =
        if chain.encrypts() { (Name::Plain, Name::Cipher) } else { (Name::Cipher, Name::Plain) };
    let block = |bytes: &[u8]| {
        <[u8; 16]>::try_from(bytes).map_err(|_| here("Monte Carlo chains are defined for blocks of 16 bytes"))
    };
    let key = field(section, entry, Name::Key)?;
    if key.len() > 32 {
        return Err(here("Monte Carlo chains are defined for keys of at most 256 bits"));
    }
    let state = State {
        key: key.into(),
        iv: block(iv.unwrap_or(&[0; 16]))?,
        text: block(field(section, entry, start)?)?,
    };
    let outer = Outer {
        index: usize::try_from(entry.number).map_err(|_| here("too large a number"))?,
        start: state,
        result: block(field(section, entry, result)?)?,
    };
    Ok((chain, outer))
}

fn push_ascending(outers: &mut Vec<Outer>, outer: Outer, line: usize) -> Located<()> {
    let last = outers.last().expect("a chain is made with its first entry");
    if last.index >= outer.index {
        return Err((line, format!("I={} after I={}: entries must ascend", outer.index, last.index)));
    }
    if last.start.key.len() != outer.start.key.len() {
        return Err((line, "the key's length changes within a chain".to_owned()));
    }
    outers.push(outer);
    Ok(())
}

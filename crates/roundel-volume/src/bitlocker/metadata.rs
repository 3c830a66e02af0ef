//! The metadata block: three copies, of which the first good one counts.

use super::boot::{BOOT_BYTES, Boot, Layout};
use super::datum::{self, Datum, Guid, Key, Wrapped, kind, role};
use super::eow::Bitmaps;
use super::protector::Protector;
use crate::fields::{array, u16_at, u32_at, u64_at};
use crate::{Error, Result, Source};
use sha2::{Digest, Sha256};
use std::fmt;

const SIGNATURE: &[u8; 8] = b"-FVE-FS-";

/// Length of the two headers before the datums.
const HEADERS_BYTES: usize = 112;
/// Where the data-set header begins; its size counts from here.
const DATA_SET: usize = 64;
/// Length of the validation part that is looked at: size, version, CRC-32 and a datum.
const VALIDATION_BYTES: usize = 88;

/// What a volume says about itself without a secret.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// Which layout.
    pub layout: Layout,
    /// Length of a sector in bytes: 512 or 4096.
    pub sector_bytes: u32,
    /// Whether it is a To Go volume, which shows other systems a small FAT32.
    pub to_go: bool,
    /// State now, and the state that Windows was asked for.
    pub states: [State; 2],
    /// Offset from which on sectors are stored in the clear. Means nothing in Vista's layout.
    pub watermark: u64,
    /// The encryption method.
    pub method: Method,
    /// The volume's identifier.
    pub guid: Guid,
    /// When the metadata was made: 100 ns since 1601.
    pub created: u64,
    /// The volume's description: name of the computer, of the volume, a date.
    pub description: Option<String>,
    /// What opens the volume.
    pub protectors: Vec<Protector>,
    /// Offset of the copy that was taken.
    pub copy: u64,
    /// Copies that came before it and are bad.
    pub bad_copies: Vec<BadCopy>,
    /// Whether the volume was encrypted on writing ("used space only"), so that bitmaps tell what is encrypted.
    pub encrypt_on_write: bool,
    /// Length of what lies in this image, and of a cluster (a sector where that is not known).
    pub(super) image_bytes: u64,
    pub(super) cluster_bytes: u64,
    /// Offsets of all copies, by the copy that was taken.
    pub(super) copies: [u64; 3],
    /// Where the volume's first sectors are, and how many bytes of them.
    pub(super) relocated_at: u64,
    pub(super) relocated_bytes: u64,
    /// Vista: what belongs into the first sector at 56.
    pub(super) mft_mirror: u64,
    pub(super) log_bytes: u32,
    pub(super) fvek: Option<Wrapped>,
    pub(super) validation: Validation,
    /// SHA-256 of this copy.
    pub(super) digest: [u8; 32],
    pub(super) bitmaps: Option<Bitmaps>,
}

/// The SHA-256 of the metadata as it was written.
#[derive(Clone, Debug)]
pub(super) enum Validation {
    Wrapped(Wrapped),
    /// On a decrypted volume.
    Plain([u8; 32]),
    Missing,
}

/// How far a volume's encryption is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not encrypted.
    Decrypted,
    /// A conversion was cut off while it moved data.
    Dirty,
    /// A conversion is paused.
    Paused,
    /// Encrypted (in Windows 7's layout: up to the watermark).
    Encrypted,
    /// A conversion is under way.
    Switching,
    /// A number that is not known.
    Unknown(u16),
}

impl State {
    fn from_number(number: u16) -> State {
        match number {
            1 => State::Decrypted,
            2 => State::Dirty,
            3 => State::Paused,
            4 => State::Encrypted,
            5 => State::Switching,
            other => State::Unknown(other),
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Decrypted => f.write_str("decrypted"),
            State::Dirty => f.write_str("interrupted"),
            State::Paused => f.write_str("paused"),
            State::Encrypted => f.write_str("encrypted"),
            State::Switching => f.write_str("switching"),
            State::Unknown(number) => write!(f, "unknown ({number})"),
        }
    }
}

/// How sectors are encrypted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Method(pub u16);

impl Method {
    /// Not encrypted.
    pub const NONE: Method = Method(0);
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            0 => "none",
            0x8000 => "AES-128-CBC with Elephant diffuser",
            0x8001 => "AES-256-CBC with Elephant diffuser",
            0x8002 => "AES-128-CBC",
            0x8003 => "AES-256-CBC",
            0x8004 => "AES-128-XTS",
            0x8005 => "AES-256-XTS",
            _ => "unknown",
        })
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x}", self.0)
    }
}

/// A copy of the metadata that was passed over.
#[derive(Clone, Debug)]
pub struct BadCopy {
    /// Where it is.
    pub offset: u64,
    /// Why.
    pub fault: Fault,
}

/// What is wrong with a copy of the metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It lies behind the end of the image.
    PastEnd,
    /// It could not be read.
    Unreadable,
    /// Its offset is not a multiple of the sector's length.
    Misaligned,
    /// It does not begin with its signature.
    Signature,
    /// Its version is not that of the first sector.
    Version,
    /// Its sizes contradict each other.
    Sizes,
    /// Its CRC-32 is wrong.
    Checksum,
    /// It says that it should be elsewhere.
    Place,
    /// Its entries are malformed.
    Entries,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::PastEnd => "it lies behind the end of the image",
            Fault::Unreadable => "it cannot be read",
            Fault::Misaligned => "its offset is not that of a sector",
            Fault::Signature => "its signature is missing",
            Fault::Version => "its version is not that of the first sector",
            Fault::Sizes => "its sizes contradict each other",
            Fault::Checksum => "its CRC-32 is wrong",
            Fault::Place => "it names another place as its own",
            Fault::Entries => "its entries are malformed",
        })
    }
}

impl Metadata {
    /// Reads the first sector and the first good copy of the metadata.
    pub fn read(source: &dyn Source) -> Result<Metadata> {
        let bytes = source.bytes();
        let mut sector = [0; BOOT_BYTES];
        if bytes < BOOT_BYTES as u64 {
            return Err(Error::Truncated { bytes, before: "the end of the first sector".to_owned() });
        }
        source.read_at(&mut sector, 0).map_err(|error| Error::io("read", "the image", error))?;
        let boot = Boot::parse(&sector)?;
        let mut bad_copies = Vec::new();
        for (index, &offset) in boot.blocks.iter().enumerate() {
            match read_copy(source, &boot, offset, Some(index)) {
                Ok(metadata) => return Ok(Metadata { bad_copies, ..metadata }),
                Err(fault) => bad_copies.push(BadCopy { offset, fault }),
            }
        }
        if boot.layout == Layout::Vista
            && let Some(metadata) = search(source, &boot)
        {
            return Ok(Metadata { bad_copies, ..metadata });
        }
        if bad_copies.iter().all(|copy| copy.fault == Fault::PastEnd) {
            return Err(Error::Truncated { bytes, before: "all copies of the metadata".to_owned() });
        }
        let faults: Vec<_> =
            bad_copies.iter().map(|copy| format!("at {}, {}", copy.offset, copy.fault)).collect();
        Err(Error::Damaged(format!("no copy is good ({})", faults.join("; "))))
    }

    /// Whether nothing is encrypted.
    pub fn is_decrypted(&self) -> bool {
        self.states[0] == State::Decrypted || self.method == Method::NONE
    }

    /// Up to where sectors are encrypted, where one offset tells it.
    pub fn encrypted_bytes(&self) -> Option<u64> {
        match self.layout {
            _ if self.is_decrypted() => Some(0),
            _ if self.encrypt_on_write => None,
            Layout::Vista => None,
            Layout::Seven => Some(self.watermark),
        }
    }

    /// Length of the image.
    pub fn image_bytes(&self) -> u64 {
        self.image_bytes
    }

    /// Whether the bitmaps that tell what is encrypted are needed and not there.
    pub fn lacks_bitmaps(&self) -> bool {
        self.encrypt_on_write && self.bitmaps.is_none()
    }

    /// Refuses what cannot be read: states in the middle of something, unknown methods.
    pub(super) fn check_readable(&self) -> Result<()> {
        let [now, wanted] = self.states;
        let refuse = |sentence: String| Err(Error::Unsupported(sentence));
        match now {
            State::Unknown(number) => return refuse(format!("the volume is in the unknown state {number}")),
            State::Dirty => {
                return refuse(
                    "the volume's conversion was interrupted and part of it lies in a log: let Windows finish it"
                        .to_owned(),
                );
            }
            State::Paused | State::Switching if self.layout == Layout::Vista => {
                return refuse(format!(
                    "the volume is being converted from {now} to {wanted}, and Vista's layout does not tell how far that got"
                ));
            }
            _ => {}
        }
        if self.log_bytes != 0 {
            return refuse("the volume has a conversion log: let Windows finish the conversion".to_owned());
        }
        match self.method.0 {
            0 | 0x8000..=0x8005 => Ok(()),
            other => refuse(format!("encryption method {other:#06x} is not supported")),
        }
    }
}

/// Vista's first sector knows one copy only. The others are searched for at the borders of clusters, in the order of the image.
fn search(source: &dyn Source, boot: &Boot) -> Option<Metadata> {
    let mut window = vec![0; (1 << 20).max(boot.cluster_bytes as usize)];
    let mut offset = 0;
    while offset < source.bytes() {
        let length = (source.bytes() - offset).min(window.len() as u64) as usize;
        // What cannot be read is passed over like what does not fit.
        if source.read_at(&mut window[..length], offset).is_ok() {
            for start in (0..length).step_by(boot.cluster_bytes as usize) {
                let here = offset + start as u64;
                if here != 0
                    && window[start..length].starts_with(SIGNATURE)
                    && let Ok(found) = read_copy(source, boot, here, None)
                {
                    return Some(found);
                }
            }
        }
        offset += length as u64;
    }
    None
}

/// Reads and checks the copy at `offset`, the `index`-th of the first sector's list.
fn read_copy(
    source: &dyn Source,
    boot: &Boot,
    offset: u64,
    index: Option<usize>,
) -> std::result::Result<Metadata, Fault> {
    if !offset.is_multiple_of(u64::from(boot.sector_bytes)) {
        return Err(Fault::Misaligned);
    }
    let there = source.bytes().saturating_sub(offset).min(boot.layout.area_bytes());
    if there < HEADERS_BYTES as u64 {
        return Err(Fault::PastEnd);
    }
    let mut area = vec![0; there as usize];
    source.read_at(&mut area, offset).map_err(|_| Fault::Unreadable)?;
    if !area.starts_with(SIGNATURE) {
        return Err(Fault::Signature);
    }
    if u16_at(&area, 10) != Some(boot.layout.version()) {
        return Err(Fault::Version);
    }
    let size = checked_size(&area, boot)?;
    let (covered, validation) = area.split_at(size);
    if u32_at(validation, 4) != Some(crc32fast::hash(covered)) {
        return Err(Fault::Checksum);
    }
    let copies: [u64; 3] = std::array::from_fn(|i| u64_at(covered, 32 + 8 * i).unwrap_or(u64::MAX));
    let in_place = match index {
        Some(index) if boot.layout == Layout::Seven => copies[index] == offset,
        _ => copies.contains(&offset),
    };
    if !in_place {
        return Err(Fault::Place);
    }
    let block = Block { covered, validation, offset, copies };
    let mut metadata = block.parse(boot, source.bytes()).ok_or(Fault::Entries)?;
    metadata.bitmaps = boot.eow.and_then(|offsets| Bitmaps::read(source, offsets, boot.sector_bytes));
    Ok(metadata)
}

/// Length of what the checksum covers, if the sizes agree and there is room for them.
fn checked_size(area: &[u8], boot: &Boot) -> std::result::Result<usize, Fault> {
    let field = |at| u32_at(area, at).map(|value| value as usize).ok_or(Fault::Sizes);
    let unit = if boot.layout == Layout::Seven { 16 } else { 1 };
    let size = usize::from(u16_at(area, 8).ok_or(Fault::Sizes)?) * unit;
    let data_set = field(64)?;
    let sizes_agree = (HEADERS_BYTES - DATA_SET..).contains(&data_set)
        && data_set.checked_add(DATA_SET).is_some_and(|end| end <= size)
        && field(72)? == HEADERS_BYTES - DATA_SET
        && field(76)? == data_set
        && size + VALIDATION_BYTES <= boot.layout.area_bytes() as usize;
    match sizes_agree {
        true if size + VALIDATION_BYTES > area.len() => Err(Fault::PastEnd),
        true => Ok(size),
        false => Err(Fault::Sizes),
    }
}

/// A copy whose checksum and place are right.
struct Block<'a> {
    covered: &'a [u8],
    validation: &'a [u8],
    offset: u64,
    copies: [u64; 3],
}

impl Block<'_> {
    fn parse(&self, boot: &Boot, image_bytes: u64) -> Option<Metadata> {
        let bytes = self.covered;
        let seven = boot.layout == Layout::Seven;
        let data_set = u32_at(bytes, 64)? as usize;
        let datums = datum::datums(bytes.get(HEADERS_BYTES..DATA_SET + data_set)?)?;
        let of = |role, kind| datums.iter().find(move |datum| datum.role == role && datum.kind == kind);
        let fvek = match of(role::FVEK, kind::WRAPPED) {
            Some(datum) => Some(Wrapped::parse(datum)?),
            None => None,
        };
        let protectors = datums.iter().filter(|datum| datum.role == role::VMK && datum.kind == kind::VMK);
        let sector_bytes = u64::from(boot.sector_bytes);
        let metadata = Metadata {
            layout: boot.layout,
            sector_bytes: boot.sector_bytes,
            to_go: boot.to_go,
            states: [State::from_number(u16_at(bytes, 12)?), State::from_number(u16_at(bytes, 14)?)],
            watermark: if seven { u64_at(bytes, 16)? } else { 0 },
            method: Method(u16_at(bytes, 100)?),
            guid: Guid(array(bytes, 80)?),
            created: u64_at(bytes, 104)?,
            description: of(role::DESCRIPTION, kind::TEXT).map(Datum::text),
            protectors: protectors.map(Protector::parse).collect::<Option<_>>()?,
            copy: self.offset,
            bad_copies: Vec::new(),
            encrypt_on_write: boot.eow.is_some(),
            image_bytes,
            cluster_bytes: boot.cluster_bytes,
            copies: self.copies,
            relocated_at: if seven { u64_at(bytes, 56)? } else { 0 },
            relocated_bytes: if seven { u64::from(u32_at(bytes, 28)?) * sector_bytes } else { 0 },
            mft_mirror: u64_at(bytes, 56)?,
            log_bytes: u32_at(bytes, 24)?,
            fvek,
            validation: self.validation()?,
            digest: Sha256::digest(bytes).into(),
            bitmaps: None,
        };
        let relocation = of(role::RELOCATION, kind::RELOCATION);
        (metadata.is_aligned() && relocation.is_none_or(|datum| metadata.agrees_with(datum)))
            .then_some(metadata)
    }

    fn validation(&self) -> Option<Validation> {
        let Some(datum) = datum::first(self.validation.get(8..)?) else { return Some(Validation::Missing) };
        Some(match datum.kind {
            kind::WRAPPED => Validation::Wrapped(Wrapped::parse(&datum)?),
            kind::KEY => Validation::Plain(*Key::parse(&datum)?.of_32()?),
            _ => Validation::Missing,
        })
    }
}

impl Metadata {
    /// Whole sectors are decrypted, so everything must begin and end with one. No checksum tells: it is no protection against those who
    /// can compute it.
    fn is_aligned(&self) -> bool {
        let sector = u64::from(self.sector_bytes);
        let area = self.relocated_at.checked_add(self.relocated_bytes);
        self.copies.iter().chain([&self.watermark, &self.relocated_at]).all(|at| at.is_multiple_of(sector))
            && area.is_some()
    }

    /// The place of the first sectors stands in the header and in a datum of its own. The header counts sectors and the datum bytes, so
    /// this also finds a wrong sector length.
    fn agrees_with(&self, relocation: &Datum<'_>) -> bool {
        let fields = (u64_at(relocation.body, 0), u64_at(relocation.body, 8));
        self.layout == Layout::Vista || fields == (Some(self.relocated_at), Some(self.relocated_bytes))
    }
}

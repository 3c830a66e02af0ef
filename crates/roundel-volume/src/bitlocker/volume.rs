//! An opened volume: any bytes of its plaintext.

use super::map::{Content, Extent, extents};
use super::metadata::Metadata;
use super::secret::Secret;
use super::unwrap;
use crate::{Error, Result, Source};
use roundel::modes::sector::SectorCipher;
use std::ops::Range;
use zeroize::Zeroize;

/// The longest sector of any volume.
const MAX_SECTOR_BYTES: usize = 4096;

/// What the caller accepts that is refused otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Despite {
    /// Metadata whose hash is not the one that is sealed with the volume's key: somebody changed it, which can make the plaintext wrong.
    pub altered_metadata: bool,
    /// An encrypt-on-write volume without bitmaps: everything is taken as encrypted, and what is not becomes noise.
    pub missing_bitmaps: bool,
}

/// A volume, opened. Reads go to the image; nothing is ever written to it.
pub struct Volume {
    source: Box<dyn Source>,
    metadata: Metadata,
    extents: Vec<Extent>,
    /// None if nothing is encrypted.
    cipher: Option<SectorCipher>,
    /// Vista's first sector as NTFS wrote it.
    first_sector: Vec<u8>,
}

impl Volume {
    /// Opens the volume whose [`Metadata`] was read from this source. A decrypted volume needs no secret; others say by which kinds they open.
    ///
    /// A password takes a few tenths of a second for each protector of its kind, by design.
    pub fn unlock(
        source: Box<dyn Source>,
        metadata: Metadata,
        secret: Option<&Secret>,
        despite: Despite,
    ) -> Result<Volume> {
        metadata.check_readable()?;
        let extents = extents(&metadata, despite.missing_bitmaps)?;
        let vmk = match secret {
            _ if metadata.is_decrypted() => None,
            None => return Err(Error::SecretNeeded(unwrap::kinds(&metadata))),
            Some(secret) => Some(unwrap::master_key(&metadata, secret)?),
        };
        if !unwrap::is_authentic(&metadata, vmk.as_ref())? && !despite.altered_metadata {
            return Err(Error::Altered);
        }
        let cipher = vmk.map(|vmk| unwrap::sector_cipher(&metadata, &vmk)).transpose()?;
        if let Some(cipher) = &cipher {
            cipher.prepare_decrypt();
        }
        let mut volume = Volume { source, metadata, extents, cipher, first_sector: Vec::new() };
        volume.restore_first_sector()?;
        Ok(volume)
    }

    /// Length of the plaintext: that of the image.
    pub fn bytes(&self) -> u64 {
        self.metadata.image_bytes()
    }

    /// What the volume says about itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The bytes from `start` on, `length` of them or all: cut at the volume's end, an error if they begin behind it.
    pub fn range(&self, start: u64, length: Option<u64>) -> Result<Range<u64>> {
        let bytes = self.bytes();
        if start > bytes {
            return Err(Error::Range { start, bytes });
        }
        Ok(start..length.map_or(bytes, |length| start.saturating_add(length).min(bytes)))
    }

    /// Fills `buffer` with the plaintext from `offset` on. On an error the buffer's content means nothing.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > self.bytes()) {
            return Err(Error::Range { start: offset, bytes: self.bytes() });
        }
        let first = self.extents.partition_point(|extent| extent.range.end <= offset);
        let (mut rest, mut offset) = (buffer, offset);
        for extent in &self.extents[first..] {
            if rest.is_empty() {
                break;
            }
            let here = (extent.range.end - offset).min(rest.len() as u64) as usize;
            let (part, after) = rest.split_at_mut(here);
            self.read_extent(extent.content, offset - extent.range.start, part)?;
            rest = after;
            offset += here as u64;
        }
        Ok(())
    }

    /// Whether the first sector looks like one of a file system that Windows puts into such volumes. If not, something may be wrong that nothing else
    /// shows.
    pub fn has_file_system(&self) -> Result<bool> {
        let mut sector = [0; 512];
        self.read_at(&mut sector, 0)?;
        let name = &sector[3..11];
        Ok(name == b"NTFS    " || name == b"EXFAT   " || sector[510..] == [0x55, 0xAA])
    }

    /// Reads a part of an extent, `within` bytes from its beginning.
    fn read_extent(&self, content: Content, within: u64, part: &mut [u8]) -> Result<()> {
        match content {
            Content::Zero => {
                part.fill(0);
                Ok(())
            }
            Content::FirstSector => {
                let within = within as usize;
                part.copy_from_slice(&self.first_sector[within..within + part.len()]);
                Ok(())
            }
            Content::Clear(at) => self.read_stored(part, at + within),
            Content::Encrypted(at) => self.read_encrypted(part, at + within),
        }
    }

    /// Whole sectors are decrypted where they will stay; a sector of which a part is wanted goes through a buffer.
    fn read_encrypted(&self, mut part: &mut [u8], mut stored: u64) -> Result<()> {
        let sector_bytes = self.metadata.sector_bytes as usize;
        let mut sector = [0; MAX_SECTOR_BYTES];
        let sector = &mut sector[..sector_bytes];
        while !part.is_empty() {
            let lead = (stored % sector_bytes as u64) as usize;
            let whole = part.len() / sector_bytes * sector_bytes;
            let taken = if lead == 0 && whole > 0 {
                self.read_sectors(&mut part[..whole], stored)?;
                whole
            } else {
                self.read_sectors(sector, stored - lead as u64)?;
                let wanted = (sector_bytes - lead).min(part.len());
                part[..wanted].copy_from_slice(&sector[lead..lead + wanted]);
                wanted
            };
            part = &mut part[taken..];
            stored += taken as u64;
        }
        sector.zeroize();
        Ok(())
    }

    fn read_sectors(&self, sectors: &mut [u8], stored: u64) -> Result<()> {
        let cipher =
            self.cipher.as_ref().expect("the map has encrypted extents only if the volume has a key");
        self.read_stored(sectors, stored)?;
        Ok(cipher.decrypt(stored / u64::from(self.metadata.sector_bytes), sectors)?)
    }

    fn read_stored(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        self.source.read_at(buffer, offset).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Error::Truncated {
                bytes: self.bytes(),
                before: format!("byte {offset}: it changed meanwhile"),
            },
            _ => Error::io("read", "the image", error),
        })
    }

    /// Vista writes its own name over that of NTFS, and the place of its metadata over that of the MFT mirror.
    fn restore_first_sector(&mut self) -> Result<()> {
        if self.extents.iter().any(|extent| extent.content == Content::FirstSector) {
            let mut sector = vec![0; self.metadata.sector_bytes as usize];
            self.read_stored(&mut sector, 0)?;
            sector[3..11].copy_from_slice(b"NTFS    ");
            sector[56..64].copy_from_slice(&self.metadata.mft_mirror.to_le_bytes());
            self.first_sector = sector;
        }
        Ok(())
    }
}

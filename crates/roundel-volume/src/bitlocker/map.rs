//! The map from the plaintext volume to what is stored: a list of extents, worked out once.
//!
//! Rules, the first that fits an offset wins: reserved stretches read as zeroes; Vista's first 8192 bytes are in the clear; the first
//! sectors of later layouts are elsewhere; what is not encrypted is copied; the rest is decrypted.

use super::boot::Layout;
use super::metadata::Metadata;
use crate::{Error, Result};
use std::ops::Range;

/// In Vista's layout this much at the beginning is not encrypted.
const VISTA_CLEAR_BYTES: u64 = 8192;

/// A stretch of the plaintext volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) range: Range<u64>,
    pub(super) content: Content,
}

/// Where a stretch comes from; offsets are of its first byte in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Reads as zeroes.
    Zero,
    /// Vista's first sector, two fields of which are put back.
    FirstSector,
    /// Stored in the clear.
    Clear(u64),
    /// Stored encrypted, with the sector numbers of where it is stored.
    Encrypted(u64),
}

impl Content {
    /// What continues after `bytes` of it.
    fn after(self, bytes: u64) -> Content {
        match self {
            Content::Clear(at) => Content::Clear(at + bytes),
            Content::Encrypted(at) => Content::Encrypted(at + bytes),
            other => other,
        }
    }
}

/// The whole map, ascending and without gaps. `all_encrypted` overrides missing bitmaps.
pub(super) fn extents(metadata: &Metadata, all_encrypted: bool) -> Result<Vec<Extent>> {
    if metadata.lacks_bitmaps() && !metadata.is_decrypted() && !all_encrypted {
        return Err(Error::NoBitmaps);
    }
    let rules = Rules::new(metadata);
    let mut extents: Vec<Extent> = Vec::new();
    for pair in rules.cuts().windows(2) {
        let range = pair[0]..pair[1];
        let content = rules.content(range.start)?;
        if let Content::Clear(at) | Content::Encrypted(at) = content
            && at + (range.end - range.start) > metadata.image_bytes
        {
            let before = format!("the volume's first sectors, which are stored at {}", metadata.relocated_at);
            return Err(Error::Truncated { bytes: metadata.image_bytes, before });
        }
        match extents.last_mut() {
            Some(last) if last.content.after(last.range.end - last.range.start) == content => {
                last.range.end = range.end;
            }
            _ => extents.push(Extent { range, content }),
        }
    }
    Ok(extents)
}

struct Rules<'m> {
    metadata: &'m Metadata,
    /// Length of the image without a partial sector at its end.
    whole_bytes: u64,
    /// Beginning and end of the relocated place.
    relocated: Range<u64>,
    reserved: Vec<Range<u64>>,
}

impl<'m> Rules<'m> {
    fn new(metadata: &'m Metadata) -> Rules<'m> {
        let sector = u64::from(metadata.sector_bytes);
        let area = match metadata.layout {
            Layout::Vista => metadata.layout.area_bytes().next_multiple_of(metadata.cluster_bytes),
            Layout::Seven => metadata.layout.area_bytes(),
        };
        let mut reserved: Vec<_> = metadata.copies.iter().map(|&at| at..at.saturating_add(area)).collect();
        let relocated = metadata.relocated_at..metadata.relocated_at + metadata.relocated_bytes;
        reserved.push(relocated.clone());
        reserved.extend(metadata.bitmaps.iter().flat_map(|bitmaps| bitmaps.reserved.iter().cloned()));
        Rules { metadata, whole_bytes: metadata.image_bytes / sector * sector, relocated, reserved }
    }

    /// Offsets at which another rule can begin to hold, from 0 to the volume's end, each once.
    fn cuts(&self) -> Vec<u64> {
        let Rules { metadata, .. } = self;
        let mut stored: Vec<u64> = self.reserved.iter().flat_map(|range| [range.start, range.end]).collect();
        stored.extend([metadata.watermark, self.whole_bytes]);
        if let Some(bitmaps) = &metadata.bitmaps {
            stored.extend(bitmaps.borders(metadata.image_bytes));
        }
        let inside = stored.iter().filter(|at| self.relocated.contains(at));
        let mut cuts: Vec<u64> = inside.map(|at| at - self.relocated.start).collect();
        cuts.extend(stored);
        cuts.extend([0, metadata.relocated_bytes, metadata.image_bytes]);
        if metadata.layout == Layout::Vista {
            cuts.extend([u64::from(metadata.sector_bytes), VISTA_CLEAR_BYTES]);
        }
        cuts.retain(|cut| *cut <= metadata.image_bytes);
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    fn content(&self, offset: u64) -> Result<Content> {
        let Rules { metadata, .. } = self;
        if self.reserved.iter().any(|range| range.contains(&offset)) {
            return Ok(Content::Zero);
        }
        if metadata.layout == Layout::Vista && offset < VISTA_CLEAR_BYTES {
            let first = offset < u64::from(metadata.sector_bytes);
            return Ok(if first { Content::FirstSector } else { Content::Clear(offset) });
        }
        let relocated = offset < metadata.relocated_bytes;
        let stored = if relocated { self.relocated.start + offset } else { offset };
        Ok(if self.is_encrypted(stored)? { Content::Encrypted(stored) } else { Content::Clear(stored) })
    }

    fn is_encrypted(&self, stored: u64) -> Result<bool> {
        let Rules { metadata, .. } = self;
        if metadata.is_decrypted() || stored >= self.whole_bytes {
            return Ok(false);
        }
        match &metadata.bitmaps {
            Some(bitmaps) => bitmaps.is_encrypted(stored).ok_or_else(|| {
                Error::Damaged(format!("no bitmap tells whether offset {stored} is encrypted"))
            }),
            // Lost ones were asked about before.
            None if metadata.encrypt_on_write => Ok(true),
            None => Ok(metadata.layout == Layout::Vista || stored < metadata.watermark),
        }
    }
}

//! The bitmaps of encrypt-on-write volumes ("used space only"), which tell for each chunk of the volume whether it is encrypted.
//!
//! An EOW block lists region blocks; each describes a stretch of the volume and holds two records, of which the one with the higher sequence number
//! counts. Bit k of a record is chunk k counted from the region's own start. The regions lie end to end from byte 8192 on.

use crate::Source;
use crate::fields::{u16_at, u32_at, u64_at};
use std::ops::Range;

const BLOCK_NAME: &[u8; 8] = b"FVE-EOW\0";
const REGION_NAME: &[u8; 10] = b"FVE-EOWBM\0";
const RECORD_NAME: &[u8; 10] = b"FVE-EOWBR\0";

const BLOCK_HEADER: usize = 56;
const REGION_HEADER: usize = 60;
const RECORD_HEADER: usize = 36;

/// Far above any region block seen (1536 bytes): what a hostile size can make us read at once.
const MAX_REGION_BLOCK: usize = 1 << 20;

/// Reserved stretches end at multiples of this; the slack is zero on disk.
const RESERVED_UNIT: u64 = 4096;

/// What is encrypted, by chunks.
#[derive(Clone, Debug)]
pub(super) struct Bitmaps {
    chunk_bytes: u64,
    /// Ascending and disjoint.
    regions: Vec<Region>,
    /// Stretches that belong to the bitmaps themselves.
    pub(super) reserved: Vec<Range<u64>>,
}

#[derive(Clone, Debug)]
struct Region {
    range: Range<u64>,
    bits: Vec<u8>,
}

impl Bitmaps {
    /// Reads the first good one of the two EOW blocks with all its regions. None if something of it is damaged.
    pub(super) fn read(source: &dyn Source, offsets: [u64; 2], sector_bytes: u32) -> Option<Bitmaps> {
        offsets.iter().find_map(|&offset| {
            let block = Block::read(source, offset, sector_bytes)?;
            (block.copies.contains(&offset)).then(|| block.bitmaps(source)).flatten()
        })
    }

    /// Whether the chunk that holds this offset is encrypted; none where no region is.
    pub(super) fn is_encrypted(&self, offset: u64) -> Option<bool> {
        let after = self.regions.partition_point(|region| region.range.end <= offset);
        let region = self.regions.get(after).filter(|region| region.range.contains(&offset))?;
        let chunk = (offset - region.range.start) / self.chunk_bytes;
        let byte = region.bits.get(usize::try_from(chunk / 8).ok()?)?;
        Some(byte >> (chunk % 8) & 1 == 1)
    }

    /// Offsets below `end` at which the answer can change.
    pub(super) fn borders(&self, end: u64) -> Vec<u64> {
        let within = self.regions.iter().filter(|region| region.range.start < end);
        let mut borders = Vec::new();
        for region in within {
            let stop = region.range.end.min(end);
            borders.extend((region.range.start..stop).step_by(self.chunk_bytes as usize));
            borders.push(stop);
        }
        borders
    }
}

/// A checked EOW block.
struct Block {
    copies: [u64; 2],
    bytes: u64,
    sector_bytes: u64,
    chunk_bytes: u64,
    log_bytes: u64,
    regions: Vec<u64>,
}

impl Block {
    fn read(source: &dyn Source, offset: u64, sector_bytes: u32) -> Option<Block> {
        let head = read(source, offset, BLOCK_HEADER)?;
        let bytes = usize::from(u16_at(&head, 10)?);
        let block = read(source, offset, bytes)?;
        let count = u32_at(&block, 32)? as usize;
        let header = usize::from(u16_at(&block, 8)?);
        let good = block.starts_with(BLOCK_NAME)
            && header >= BLOCK_HEADER
            && u32_at(&block, 12)? == sector_bytes
            && u32_at(&block, 36)? == crc_with_gap(&block, 36)
            && header.checked_add(count.checked_mul(8)?)? <= bytes;
        let chunk_bytes = u64::from(u32_at(&block, 20)?);
        let sector_bytes = u64::from(sector_bytes);
        if !good || chunk_bytes == 0 || !chunk_bytes.is_multiple_of(sector_bytes) {
            return None;
        }
        Some(Block {
            copies: [u64_at(&block, 40)?, u64_at(&block, 48)?],
            bytes: bytes as u64,
            sector_bytes,
            chunk_bytes,
            log_bytes: u32_at(&block, 24)?.into(),
            regions: (0..count).map(|i| u64_at(&block, header + 8 * i)).collect::<Option<_>>()?,
        })
    }

    fn bitmaps(&self, source: &dyn Source) -> Option<Bitmaps> {
        let mut bitmaps =
            Bitmaps { chunk_bytes: self.chunk_bytes, regions: Vec::new(), reserved: Vec::new() };
        for copy in self.copies {
            bitmaps.reserved.push(reserved(copy, self.bytes)?);
        }
        for (number, &offset) in self.regions.iter().enumerate() {
            // A region block behind the end of a shortened image: its region is behind it too, or found missing when it is needed.
            if offset >= source.bytes() {
                continue;
            }
            let (region, parts) = self.region(source, offset, number)?;
            if bitmaps.regions.last().is_some_and(|last| last.range.end > region.range.start) {
                return None;
            }
            bitmaps.regions.push(region);
            bitmaps.reserved.extend(parts);
        }
        Some(bitmaps)
    }

    /// A region, and what it reserves.
    fn region(&self, source: &dyn Source, offset: u64, number: usize) -> Option<(Region, [Range<u64>; 2])> {
        let head = read(source, offset, REGION_HEADER)?;
        let bytes = u32_at(&head, 12)? as usize;
        let block = read(source, offset, bytes)?;
        let records = [u32_at(&block, 44)? as usize, u32_at(&block, 48)? as usize];
        let header = block.get(..records[0])?;
        let (start, length) = (u64_at(&block, 20)?, u64_at(&block, 28)?);
        let good = block.starts_with(REGION_NAME)
            && u32_at(&block, 16)? as usize == number
            && u32_at(header, 56)? == crc_with_gap(header, 56)
            && start.is_multiple_of(self.sector_bytes)
            && length.is_multiple_of(self.sector_bytes);
        let end = start.checked_add(length).filter(|_| good)?;
        let record_bytes = u32_at(&block, 52)? as usize;
        let chunks = length.div_ceil(self.chunk_bytes);
        let mut newest = None;
        for at in records {
            let bytes = block.get(at..at.checked_add(record_bytes)?)?;
            // One that was never written is no loss. A damaged one may be the newer of the two, and the older would then lie.
            if bytes.iter().any(|byte| *byte != 0) {
                newest = newest.max(Some(record(bytes, chunks)?));
            }
        }
        let (_, bits) = newest?;
        let parts = [reserved(offset, bytes as u64)?, reserved(u64_at(&block, 36)?, self.log_bytes)?];
        Some((Region { range: start..end, bits: bits.to_vec() }, parts))
    }
}

/// The sequence number and the bits of a record, if it is good and has a bit for each chunk.
fn record(bytes: &[u8], chunks: u64) -> Option<(u64, &[u8])> {
    let record = bytes.get(..u32_at(bytes, 12)? as usize)?;
    let header = usize::from(u16_at(record, 10)?);
    let good = record.starts_with(RECORD_NAME)
        && header >= RECORD_HEADER
        && u32_at(record, 32)? == crc_with_gap(record, 32)
        && u64::from(u32_at(record, 16)?) >= chunks;
    let bits = record.get(header..)?;
    let enough = bits.len() as u64 >= chunks.div_ceil(8);
    (good && enough).then_some((u64_at(record, 20)?, bits))
}

/// CRC-32 with the four bytes at `gap`, its own place, counted as zero.
fn crc_with_gap(bytes: &[u8], gap: usize) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..gap.min(bytes.len())]);
    hasher.update(&[0; 4]);
    hasher.update(bytes.get(gap + 4..).unwrap_or_default());
    hasher.finalize()
}

fn reserved(offset: u64, bytes: u64) -> Option<Range<u64>> {
    Some(offset..offset.checked_add(bytes)?.checked_next_multiple_of(RESERVED_UNIT)?)
}

fn read(source: &dyn Source, offset: u64, bytes: usize) -> Option<Vec<u8>> {
    if bytes > MAX_REGION_BLOCK || offset.checked_add(bytes as u64)? > source.bytes() {
        return None;
    }
    let mut block = vec![0; bytes];
    source.read_at(&mut block, offset).ok()?;
    Some(block)
}

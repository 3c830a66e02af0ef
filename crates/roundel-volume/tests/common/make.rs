//! Volumes made from scratch, small ones, with a clear key so that opening is quick.
#![allow(dead_code)]

use roundel::modes::Ccm;
use roundel::modes::sector::{SectorCipher, SectorMode};
use roundel::{Choice, Policy};
use sha2::{Digest, Sha256};
use std::ops::Range;

pub(crate) const VMK: [u8; 32] = [0x3C; 32];
pub(crate) const CLEAR_KEY: [u8; 32] = [0xC1; 32];
pub(crate) const EXTERNAL_KEY: [u8; 32] = [0xE7; 32];
pub(crate) const EXTERNAL_GUID: [u8; 16] = [0xB1; 16];

/// What the volume is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    pub(crate) vista: bool,
    pub(crate) to_go: bool,
    pub(crate) method: u16,
    pub(crate) sector: u64,
    pub(crate) bytes: u64,
    pub(crate) watermark: u64,
    pub(crate) state: u16,
    /// Length of a chunk, if bitmaps are to tell what is encrypted: every third chunk is not.
    pub(crate) chunks: Option<u64>,
    /// Whether other programs are to read it: they stop at datums that they do not know, and look into NTFS's first sector.
    pub(crate) for_others: bool,
}

impl Default for Wish {
    fn default() -> Wish {
        let bytes = 280 << 10;
        Wish {
            vista: false,
            to_go: false,
            method: 0x8004,
            sector: 512,
            bytes,
            watermark: bytes,
            state: 4,
            chunks: None,
            for_others: false,
        }
    }
}

impl Wish {
    pub(crate) fn vista() -> Wish {
        Wish { vista: true, method: 0x8000, bytes: 120 << 10, watermark: 0, ..Wish::default() }
    }
}

/// A volume with the plaintext that reading it must give.
#[derive(Clone)]
pub(crate) struct Made {
    pub(crate) image: Vec<u8>,
    pub(crate) plain: Vec<u8>,
    pub(crate) copies: [u64; 3],
    pub(crate) relocated_at: u64,
    /// Bytes of a copy that its checksum covers.
    pub(crate) covered: usize,
    /// Where the two EOW blocks are.
    pub(crate) eow: Vec<u64>,
}

const RELOCATED: u64 = 8192;
const MIRROR: u64 = 0x1234;
const CLUSTER: u64 = 4096;

pub(crate) fn noise(len: usize, mut seed: u64) -> Vec<u8> {
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as u8
    };
    (0..len).map(|_| next()).collect()
}

pub(crate) fn aes() -> Choice {
    roundel::cipher("aes").unwrap().best(Policy::ConstantTime).unwrap()
}

pub(crate) fn datum(role: u16, kind: u16, body: &[&[u8]]) -> Vec<u8> {
    let body = body.concat();
    let mut datum = Vec::new();
    for field in [8 + body.len() as u16, role, kind, 1] {
        datum.extend(field.to_le_bytes());
    }
    datum.extend(body);
    datum
}

pub(crate) fn key(method: u16, bytes: &[u8]) -> Vec<u8> {
    datum(0, 1, &[&method.to_le_bytes(), &[0, 0], bytes])
}

/// A datum sealed under `under`.
fn wrapped(role: u16, under: &[u8; 32], nonce: u8, plain: &[u8]) -> Vec<u8> {
    let ccm = Ccm::new(aes().kernel(under).unwrap(), 16).unwrap();
    let mut sealed = plain.to_vec();
    let tag = ccm.encrypt(&[nonce; 12], &[], &mut sealed).unwrap();
    datum(role, 5, &[&[nonce; 12], &tag, &sealed])
}

fn vmk(guid: u8, protector: u16, key_beside: &[u8], under: &[u8; 32], nonce: u8) -> Vec<u8> {
    let name = datum(0, 2, &[b"n\0a\0m\0e\0\0\0"]);
    let fields = [&[guid; 16][..], &[9; 8], &[0, 0], &protector.to_le_bytes()].concat();
    datum(2, 8, &[&fields, &name, key_beside, &wrapped(0, under, nonce, &key(0x2003, &VMK))])
}

fn fvek(method: u16) -> Vec<u8> {
    let bytes = match method {
        0x8002 => 16,
        0x8003 | 0x8004 => 32,
        _ => 64,
    };
    noise(bytes, 77)
}

fn cipher(wish: &Wish) -> SectorCipher {
    let fvek = fvek(wish.method);
    let (mode, key) = match wish.method {
        0x8000 => (SectorMode::BITLOCKER, [&fvek[..16], &fvek[32..48]].concat()),
        0x8001 => (SectorMode::BITLOCKER, fvek),
        0x8002 | 0x8003 => (SectorMode::Cbc, fvek),
        _ => (SectorMode::Xts, fvek),
    };
    SectorCipher::new(aes(), mode, &key, wish.sector as usize).unwrap()
}

/// Repairs the CRC-32 of the copy at `at`, if its size field leaves room.
pub(crate) fn repair(image: &mut [u8], at: u64, vista: bool) {
    let at = at as usize;
    let Some(copy) = image.get_mut(at..) else { return };
    if copy.len() < 10 {
        return;
    }
    let size = usize::from(u16::from_le_bytes([copy[8], copy[9]])) * if vista { 1 } else { 16 };
    if size + 8 <= copy.len() {
        let crc = crc32fast::hash(&copy[..size]);
        copy[size + 4..size + 8].copy_from_slice(&crc.to_le_bytes());
    }
}

/// The metadata, without the area's rest.
fn metadata(wish: &Wish, copies: [u64; 3], relocated_at: u64) -> (Vec<u8>, usize) {
    let mut datums = Vec::new();
    if !wish.vista {
        datums.extend(datum(15, 15, &[&relocated_at.to_le_bytes(), &RELOCATED.to_le_bytes()]));
    }
    datums.extend(datum(7, 2, &[b"t\0e\0s\0t\0\0\0"]));
    if !wish.for_others {
        datums.extend(datum(0x17, 0x17, &[&[5; 20]]));
    }
    datums.extend(vmk(0xA1, 0, &key(0x2000, &CLEAR_KEY), &CLEAR_KEY, 1));
    datums.extend(vmk(0xB1, 0x0200, &[], &EXTERNAL_KEY, 2));
    datums.extend(vmk(0xD1, 0x0100, &datum(0, 6, &[b"blob"]), &[8; 32], 3));
    datums.extend(wrapped(3, &VMK, 4, &key(wish.method, &fvek(wish.method))));

    let data_set = 48 + datums.len();
    let size = (64 + data_set).next_multiple_of(16);
    let mut bytes = b"-FVE-FS-".to_vec();
    bytes.extend(((if wish.vista { size } else { size / 16 }) as u16).to_le_bytes());
    bytes.extend((if wish.vista { 1u16 } else { 2 }).to_le_bytes());
    bytes.extend(wish.state.to_le_bytes());
    bytes.extend(4u16.to_le_bytes());
    bytes.extend(wish.watermark.to_le_bytes());
    bytes.extend(0u32.to_le_bytes());
    bytes.extend((if wish.vista { 0 } else { (RELOCATED / wish.sector) as u32 }).to_le_bytes());
    bytes.extend(copies.iter().flat_map(|at| at.to_le_bytes()));
    bytes.extend((if wish.vista { MIRROR } else { relocated_at }).to_le_bytes());
    for field in [data_set as u32, 1, 48, data_set as u32] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend([0x56; 16]);
    bytes.extend(10u32.to_le_bytes());
    bytes.extend(wish.method.to_le_bytes());
    bytes.extend([0; 2]);
    bytes.extend(133_000_000_000_000_000u64.to_le_bytes());
    bytes.extend(datums);
    bytes.resize(size, 0);

    let digest = Sha256::digest(&bytes);
    let validation = match wish.state {
        1 => key(0x2005, &digest),
        _ => wrapped(0, &VMK, 5, &key(0x2005, &digest)),
    };
    let crc = crc32fast::hash(&bytes);
    bytes.extend(88u16.to_le_bytes());
    bytes.extend(2u16.to_le_bytes());
    bytes.extend(crc.to_le_bytes());
    bytes.extend(validation);
    (bytes, size)
}

fn boot(wish: &Wish, copies: [u64; 3], eow: &[u64]) -> Vec<u8> {
    let mut boot = vec![0; 512];
    boot[..3].copy_from_slice(if wish.vista { b"\xEB\x52\x90" } else { b"\xEB\x58\x90" });
    boot[3..11].copy_from_slice(if wish.to_go { b"MSWIN4.1" } else { b"-FVE-FS-" });
    boot[11..13].copy_from_slice(&(wish.sector as u16).to_le_bytes());
    boot[13] = (CLUSTER / wish.sector) as u8;
    boot[510..].copy_from_slice(&[0x55, 0xAA]);
    if wish.vista {
        boot[56..64].copy_from_slice(&(copies[0] / CLUSTER).to_le_bytes());
        return boot;
    }
    let ordinary = 0x3bd66749292ed84a8399f6a339e3d001u128;
    let on_write = 0x3b4da89280dd0e4d9e4eb1e3284eaed8u128;
    let guid = if eow.is_empty() { ordinary } else { on_write };
    let fields =
        guid.to_be_bytes().into_iter().chain(copies.iter().chain(eow).flat_map(|at| at.to_le_bytes()));
    let at = if wish.to_go { 424 } else { 160 };
    for (place, byte) in boot[at..].iter_mut().zip(fields) {
        *place = byte;
    }
    boot
}

/// Whether a chunk is encrypted, counted from its region's start.
fn chunk_is_encrypted(chunk: u64) -> bool {
    !chunk.is_multiple_of(3)
}

fn with_crc(mut bytes: Vec<u8>, at: usize, covered: usize) -> Vec<u8> {
    bytes[at..at + 4].fill(0);
    let crc = crc32fast::hash(&bytes[..covered]);
    bytes[at..at + 4].copy_from_slice(&crc.to_le_bytes());
    bytes
}

fn record(sequence: u64, chunks: u64, invert: bool) -> Vec<u8> {
    let mut bits = vec![0xFF; chunks.div_ceil(8) as usize];
    for chunk in 0..chunks {
        if chunk_is_encrypted(chunk) == invert {
            bits[chunk as usize / 8] &= !(1 << (chunk % 8));
        }
    }
    let mut bytes = b"FVE-EOWBR\0".to_vec();
    bytes.extend(36u16.to_le_bytes());
    bytes.extend((36 + bits.len() as u32).to_le_bytes());
    bytes.extend((chunks as u32).to_le_bytes());
    bytes.extend(sequence.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(bits);
    let covered = bytes.len();
    with_crc(bytes, 32, covered)
}

/// One region's block: the older record says the opposite of the newer.
fn region_block(number: u32, region: &Range<u64>, chunk: u64, log_at: u64) -> Vec<u8> {
    let chunks = (region.end - region.start).div_ceil(chunk);
    let mut bytes = b"FVE-EOWBM\0".to_vec();
    bytes.extend(60u16.to_le_bytes());
    bytes.extend(1536u32.to_le_bytes());
    bytes.extend(number.to_le_bytes());
    for field in [region.start, region.end - region.start, log_at] {
        bytes.extend(field.to_le_bytes());
    }
    for field in [512u32, 1024, 512, 0] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.resize(1536, 0);
    let newer_first = number.is_multiple_of(2);
    for (at, sequence, invert) in
        [(512, 7 + u64::from(newer_first), !newer_first), (1024, 8 - u64::from(newer_first), newer_first)]
    {
        let record = record(sequence, chunks, invert);
        bytes[at..at + record.len()].copy_from_slice(&record);
    }
    with_crc(bytes, 56, 512)
}

/// Makes the volume.
pub(crate) fn make(wish: Wish) -> Made {
    let bytes = wish.bytes as usize;
    let area = if wish.vista { 16384 } else { 65536 };
    let copies = [16 << 10, (16 << 10) + area, (20 << 10) + 2 * area].map(|at: u64| at);
    let relocated_at = (24 << 10) + 3 * area;
    let mut plain = noise(bytes, 1);
    plain[..12].copy_from_slice(b"\xEB\x52\x90NTFS    \0");
    if wish.vista || wish.for_others {
        plain[11..13].copy_from_slice(&(wish.sector as u16).to_le_bytes());
        plain[13] = (CLUSTER / wish.sector) as u8;
    }
    if wish.for_others {
        plain[40..48].copy_from_slice(&(wish.bytes / wish.sector - 1).to_le_bytes());
        // Records of 1024 bytes in the MFT, of one cluster in indices.
        plain[64..72].copy_from_slice(&[0xF6, 0, 0, 0, 1, 0, 0, 0]);
    }

    let mut eow = Vec::new();
    let mut regions = Vec::new();
    let mut reserved: Vec<Range<u64>> = copies.iter().map(|at| *at..at + area).collect();
    if !wish.vista {
        reserved.push(relocated_at..relocated_at + RELOCATED);
    }
    let bitmaps_at = relocated_at + RELOCATED;
    if wish.chunks.is_some() {
        eow = vec![bitmaps_at, bitmaps_at + 4096];
        regions = vec![8192..relocated_at, relocated_at..bitmaps_at, bitmaps_at..wish.bytes];
        // Two EOW blocks, then for each region its block and a log of 4096 bytes.
        reserved.push(bitmaps_at..bitmaps_at + 8192 + 3 * 8192);
    }
    let is_encrypted = |at: u64| match (wish.chunks, wish.state) {
        (_, 1) => false,
        _ if wish.vista => at >= 8192,
        (Some(chunk), _) => {
            let region = regions.iter().find(|region| region.contains(&at)).unwrap();
            chunk_is_encrypted((at - region.start) / chunk)
        }
        (None, _) => at < wish.watermark,
    };
    let cipher = cipher(&wish);
    let mut image = plain.clone();
    let store = |image: &mut [u8], from: u64, at: u64| {
        let mut sector = plain[from as usize..(from + wish.sector) as usize].to_vec();
        if is_encrypted(at) {
            cipher.encrypt(at / wish.sector, &mut sector).unwrap();
        }
        image[at as usize..(at + wish.sector) as usize].copy_from_slice(&sector);
    };
    let first = if wish.vista { 0 } else { RELOCATED };
    for at in (first..wish.bytes / wish.sector * wish.sector).step_by(wish.sector as usize) {
        if !reserved.iter().any(|range| range.contains(&at)) {
            store(&mut image, at, at);
        }
    }
    if !wish.vista {
        for from in (0..RELOCATED).step_by(wish.sector as usize) {
            store(&mut image, from, relocated_at + from);
        }
        image[..RELOCATED as usize].fill(0xEE);
    }
    for range in &reserved {
        plain[range.start as usize..range.end as usize].fill(0);
    }
    if wish.vista {
        plain[56..64].copy_from_slice(&MIRROR.to_le_bytes());
        image[..512].copy_from_slice(&plain[..512]);
        image[3..11].copy_from_slice(b"-FVE-FS-");
        image[56..64].copy_from_slice(&(copies[0] / CLUSTER).to_le_bytes());
    } else {
        image[..512].copy_from_slice(&boot(&wish, copies, &eow));
    }
    let (metadata, covered) = metadata(&wish, copies, relocated_at);
    for at in copies {
        image[at as usize..][..metadata.len()].copy_from_slice(&metadata);
    }
    if let Some(chunk) = wish.chunks {
        let mut block = b"FVE-EOW\0".to_vec();
        block.extend(56u16.to_le_bytes());
        block.extend((56 + 24u16).to_le_bytes());
        for field in [wish.sector as u32, 512, chunk as u32, 4096, 4096, 3, 0] {
            block.extend(field.to_le_bytes());
        }
        block.extend(eow.iter().flat_map(|at| at.to_le_bytes()));
        let places: Vec<u64> = (0..3).map(|number| bitmaps_at + 8192 + 8192 * number).collect();
        block.extend(places.iter().flat_map(|at| at.to_le_bytes()));
        let covered = block.len();
        let block = with_crc(block, 36, covered);
        for at in &eow {
            image[*at as usize..][..block.len()].copy_from_slice(&block);
        }
        for (number, (region, at)) in regions.iter().zip(places).enumerate() {
            let bytes = region_block(number as u32, region, chunk, at + 4096);
            image[at as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
    }
    Made { image, plain, copies, relocated_at, covered, eow }
}

/// A BEK file for these volumes, in the form of Windows 11: with a datum that is to be skipped.
pub(crate) fn bek_file() -> Vec<u8> {
    let key = key(0x2002, &EXTERNAL_KEY);
    let text = datum(0, 2, &[b"E\0x\0\0\0"]);
    let volume = datum(0, 0x17, &[&[0x56; 16]]);
    let external = datum(6, 9, &[&EXTERNAL_GUID, &[9; 8], &text, &volume, &key]);
    let size = 48 + external.len() as u32;
    let mut file: Vec<u8> = [size, 1, 48, size].into_iter().flat_map(u32::to_le_bytes).collect();
    file.extend(EXTERNAL_GUID);
    file.resize(48, 0);
    file.extend(external);
    file
}

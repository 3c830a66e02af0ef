//! Disk sectors and diffusers against their vectors.

use super::check::{Mismatch, equal};
use crate::vectors::{Diffusion, Sector};
use roundel::modes::SectorCipher;
use roundel::modes::elephant::{Diffuser, PATTERN_BYTES};
use roundel::{Choice, Error};

/// A sector by itself, and within a run that is more than the widest strategy takes at once (but not before the volume's first sector, or
/// after its last).
pub(crate) fn sector(choice: Choice, label: &str, sector: &Sector) -> Result<(), Mismatch> {
    let failed = |error: Error| Mismatch::new(label, "sector", "success", &format!("error: {error}"));
    let sector_bytes = sector.plain.len();
    let volume = SectorCipher::new(choice, sector.mode, &sector.key, sector_bytes).map_err(failed)?;
    for (before, after) in [(0, 0), (sector.number.min(7), 0), (sector.number.min(2), 15)] {
        let last_offset = (sector.number + after).checked_mul(sector_bytes as u64);
        if last_offset.is_none_or(|offset| offset >= 1 << 63) {
            continue;
        }
        let first = sector.number - before;
        let place = before as usize * sector_bytes..(before as usize + 1) * sector_bytes;
        let mut run: Vec<u8> =
            (0..(before + 1 + after) as usize * sector_bytes).map(|i| (i / 3) as u8).collect();
        run[place.clone()].copy_from_slice(&sector.plain);
        let around = run.clone();
        let operation = |verb| format!("{} {verb}, {before} before it and {after} after", sector.mode);
        volume.encrypt(first, &mut run).map_err(failed)?;
        equal(label, &operation("encrypt"), &sector.cipher, &run[place])?;
        volume.decrypt(first, &mut run).map_err(failed)?;
        equal(label, &operation("decrypt"), &around, &run)?;
    }
    Ok(())
}

/// A run of copies, so that every lane gets one, in both directions.
pub(super) fn diffusion(diffuser: &Diffuser, label: &str, vector: &Diffusion) -> Result<(), Mismatch> {
    let sector_bytes = vector.plain.len();
    let copies = 2 * diffuser.batch_sectors + 1;
    let patterns = vec![0; copies * PATTERN_BYTES];
    for (verb, run, from, to) in [
        ("diffuse", diffuser.encrypt, &vector.plain, &vector.diffused),
        ("undo", diffuser.decrypt, &vector.diffused, &vector.plain),
    ] {
        let mut sectors = from.repeat(copies);
        run(vector.layers, sector_bytes, &patterns, &mut sectors);
        equal(label, &format!("{verb} {copies} copies"), &to.repeat(copies), &sectors)?;
    }
    Ok(())
}

//! The article's table: clock cycles for a sector of 512 bytes, AES-256, on a Pentium 4 at 3 GHz (Abo El-Fotouh and Diepold, 2007/2008). The figures for two processors
//! are the article's estimates.

use roundel::modes::SectorMode;
use serde::Serialize;

/// Cycles of a system.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// All cycles of both diffusers.
    pub diffusers: u32,
    /// The XOR of the sector key's pattern.
    pub pattern: u32,
    /// CBC's XOR, or the counter.
    pub chaining: u32,
    /// The 32 blocks.
    pub aes: u32,
    /// The sum.
    pub total: u32,
    /// With two processors.
    pub two_processors: u32,
}

const AES: u32 = 13888;
const PATTERN: u32 = 128;
const CBC_XOR: u32 = 128;
const COUNTER: u32 = 32;

/// One cycle of a diffuser.
const DIFFUSER_CYCLE: u32 = 570;

const fn published(diffuser_cycles: u32, chaining: u32, two_processors: u32) -> Option<Published> {
    let diffusers = diffuser_cycles * DIFFUSER_CYCLE;
    let total = diffusers + PATTERN + chaining + AES;
    Some(Published { diffusers, pattern: PATTERN, chaining, aes: AES, total, two_processors })
}

/// The systems, in the article's order; XTS is not in it.
pub const SYSTEMS: [(SectorMode, Option<Published>); 5] = [
    (SectorMode::ElephantCbc { ac: 5, bc: 3 }, published(8, CBC_XOR, 15696)),
    (SectorMode::ElephantCbc { ac: 2, bc: 1 }, published(3, CBC_XOR, 12846)),
    (SectorMode::ElephantEcb { ac: 5, bc: 3 }, published(8, COUNTER, 11584)),
    (SectorMode::ElephantEcb { ac: 2, bc: 2 }, published(4, COUNTER, 9304)),
    (SectorMode::Xts, None),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The totals as printed.
    #[test]
    fn layers_add_up_to_the_printed_totals() {
        let totals = SYSTEMS.map(|(_, published)| published.map(|published| published.total));
        assert_eq!(totals, [Some(18704), Some(15854), Some(18608), Some(16328), None]);
    }

    /// The estimates for two processors: ECB's halve everything but the diffusers, CBC's do not follow from the layers.
    #[test]
    fn two_processors_share_what_is_not_diffusion() {
        for (mode, published) in SYSTEMS {
            let (SectorMode::ElephantEcb { .. }, Some(p)) = (mode, published) else { continue };
            assert_eq!(p.diffusers + (p.total - p.diffusers) / 2, p.two_processors);
        }
    }
}

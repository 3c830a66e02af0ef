//! HPC, the Hasty Pudding Cipher (Richard Schroeppel, AES submission of June 1998), for the 128-bit block: HPC-Medium.
//!
//! Eight rounds of additions, shifts and exclusive ors on two 64-bit words, with three look-ups a round in a key-dependent table of
//! 256 words and a public 512-bit tweak, the *spice*. The spice is zero unless [`with_spice`] gives one.
//!
//! There are two key schedules: the submitted one, behind all of NIST's test values (`hpc`), and the designer's repair of May
//! 1999 (`hpc-1999`), which differs in one addition.
//!
//! **Known against it**: with the submitted schedule one 128-bit key in 256 shares its expanded table with about 2^30
//! others (D'Halluin, Bijnens, Preneel, Rijmen, "Equivalent keys of HPC", ASIACRYPT 1999); the repair removes this but
//! was hardly reviewed. Nothing is published against the encryption function itself.
//!
//! **Constants**: digits of pi, e and the square root of 2. There are no tables; the key schedule makes everything.
//!
//! **Strategies**: `reference` follows the description with any spice; `word` leaves out the spice where it is zero and interleaves
//! four blocks, since a single one is a chain of some 350 dependent operations.

use crate::{Cipher, Error, Kernel, KeySizes, Standing};

mod reference;
mod schedule;
#[cfg(test)]
mod tests;
mod word;

pub use schedule::{SPICE_BYTES, Schedule};

/// The submitted key schedule of 1998.
pub static CIPHER: Cipher = Cipher {
    name: "hpc",
    aliases: &[],
    title: "HPC, submitted key schedule (Schroeppel 1998)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Broken(
        "one 128-bit key in 256 is equivalent to about 2^30 others (D'Halluin et al. 1999)",
    ),
    strategies: &[reference::SUBMITTED, word::SUBMITTED],
};

/// The repaired key schedule of 1999.
pub static REPAIRED: Cipher = Cipher {
    name: "hpc-1999",
    aliases: &[],
    title: "HPC, repaired key schedule (Schroeppel 1999)",
    block_bytes: 16,
    keys: KeySizes::AES,
    standing: Standing::Unreviewed(
        "left the AES contest in round 1; the repaired schedule was hardly studied",
    ),
    strategies: &[reference::REPAIRED, word::REPAIRED],
};

/// A kernel with a spice: 64 bytes, eight big-endian words, spice\[0\] first. The key is 16, 24 or 32 bytes.
pub fn with_spice(
    schedule: Schedule,
    key: &[u8],
    spice: &[u8; SPICE_BYTES],
) -> Result<Box<dyn Kernel>, Error> {
    let cipher = match schedule {
        Schedule::Submitted => &CIPHER,
        Schedule::Repaired => &REPAIRED,
    };
    if !cipher.keys.accepts(key.len()) {
        return Err(Error::KeyLength {
            cipher: cipher.name,
            bytes: key.len(),
            takes: cipher.keys.describe(),
        });
    }
    Ok(word::with_spice(schedule, key, spice))
}

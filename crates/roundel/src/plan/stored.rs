//! A profile as text: readable, a line for each curve, with a checksum and the fingerprint of what it was measured on.
//!
//! ```text
//! roundel-profile 1
//! checksum 6f1e...            of all that follows
//! cpu AMD EPYC 7763           the fingerprint: five lines
//! level vaes
//! cores 2
//! version 0.1.0
//! registry 93c0...
//! errors 0.012 0.04           of predictions for lengths not fitted: median, nine in ten
//! machine 21000 262144 67108864
//! speed-up 1 1.86
//! memory 0.11 0.08
//! seal 510000 0.21 1.7
//! costs rijndael aes-round-256 16 ctr 21 0 310 11 16 17.6 14.2 14.9 ...
//! ```
//!
//! A line `costs` names cipher, strategy, bytes of key and operation, then set-up, warm, cold, call, batch blocks, batch, and the short
//! messages, all in nanoseconds.

use super::cost::{Costs, Curve, KNOTS, MAX_CORES, Machine, Profile, SealCosts};
use super::data::OPERATIONS;
use crate::{CIPHERS, Cipher};
use std::fmt::{self, Write as _};
use std::str::FromStr;

const HEADING: &str = "roundel-profile 1\n";

/// What a profile was measured on, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The CPU's own name.
    pub cpu: String,
    /// The highest CPU level in use.
    pub level: String,
    /// Cores that the process may use.
    pub cores: usize,
    /// Version of roundel.
    pub version: String,
    /// [`registry_hash`].
    pub registry: u64,
}

/// Why a stored profile is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredError {
    /// Not a profile, or bytes of it changed.
    Damaged(&'static str),
    /// Sound, but measured on or by something else.
    Other {
        /// What differs: "CPU", "version".
        what: &'static str,
        /// What the profile says.
        stored: String,
        /// What is so here.
        here: String,
    },
}

impl fmt::Display for StoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoredError::Damaged(what) => {
                write!(
                    f,
                    "the stored profile is damaged ({what}) and is ignored: `roundel tune` makes a new one"
                )
            }
            StoredError::Other { what, stored, here } => write!(
                f,
                "the stored profile is of another {what} ({stored}, here {here}) and is not used: `roundel tune` makes a new one"
            ),
        }
    }
}

impl std::error::Error for StoredError {}

/// A number that changes with the names, order and batches of ciphers and strategies.
pub fn registry_hash() -> u64 {
    CIPHERS.iter().fold(0, |hash, cipher| {
        cipher.strategies.iter().fold(mix_text(hash, cipher.name), |hash, strategy| {
            mix(mix_text(hash, strategy.name), strategy.batch_blocks as u64)
        })
    })
}

/// One step of a hash that is a bijection of each word: a change of one word always shows.
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

fn mix_text(hash: u64, text: &str) -> u64 {
    let words = text.as_bytes().chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    mix(words.fold(hash, mix), text.len() as u64)
}

/// The profile with its fingerprint as text.
pub fn to_text(fingerprint: &Fingerprint, profile: &Profile) -> String {
    with_checksum(&(fingerprint_lines(fingerprint) + &profile_lines(profile)))
}

pub(super) fn with_checksum(body: &str) -> String {
    format!("{HEADING}checksum {:016x}\n{body}", mix_text(0, body))
}

fn fingerprint_lines(print: &Fingerprint) -> String {
    let Fingerprint { cpu, level, cores, version, registry } = print;
    let cpu = cpu.replace('\n', " ");
    format!("cpu {cpu}\nlevel {level}\ncores {cores}\nversion {version}\nregistry {registry:016x}\n")
}

/// All lines but the heading, the checksum and the fingerprint: the form of the built-in estimates.
pub(super) fn profile_lines(profile: &Profile) -> String {
    let Machine { thread_start_ns, near_bytes, far_bytes, speed_up, memory_byte_ns } = &profile.machine;
    let mut text = format!("errors {} {}\n", profile.median_error, profile.most_error);
    let list = |numbers: &[f32]| numbers.iter().map(|number| format!(" {number}")).collect::<String>();
    let _ = writeln!(text, "machine {thread_start_ns} {near_bytes} {far_bytes}");
    let _ = writeln!(text, "speed-up{}", list(speed_up));
    let _ = writeln!(text, "memory{}", list(memory_byte_ns));
    if let Some(SealCosts { file_ns, byte_ns, speed_up }) = profile.seal {
        let _ = writeln!(text, "seal {file_ns} {byte_ns} {speed_up}");
    }
    for (index, cipher) in CIPHERS.iter().enumerate() {
        for key_bytes in [16, 24, 32] {
            for (strategy, costs) in cipher.strategies.iter().zip(profile.exactly(index, key_bytes)) {
                for operation in OPERATIONS {
                    if let Some(curve) = costs.as_ref().and_then(|costs| costs.curve(operation)) {
                        let _ = writeln!(
                            text,
                            "costs {} {} {key_bytes} {} {}",
                            cipher.name,
                            strategy.name,
                            operation.name(),
                            numbers(curve)
                        );
                    }
                }
            }
        }
    }
    text
}

fn numbers(curve: &Curve) -> String {
    let Curve { setup_ns, warm_ns, cold_ns, call_ns, batch_blocks, batch_ns, short_ns } = curve;
    let mut text = format!("{setup_ns} {warm_ns} {cold_ns} {call_ns} {batch_blocks} {batch_ns}");
    for number in &short_ns[..knots_of(*batch_blocks)] {
        let _ = write!(text, " {number}");
    }
    text
}

/// How many of [`KNOTS`] a curve with this batch has.
fn knots_of(batch_blocks: u32) -> usize {
    KNOTS.iter().take_while(|&&knot| knot < batch_blocks).count().max(1)
}

/// Reads a profile that was stored here. With `only`, costs of other ciphers are left out, which is faster. Whatever the text,
/// this does not panic.
pub fn from_text(text: &str, here: &Fingerprint, only: Option<&Cipher>) -> Result<Profile, StoredError> {
    let damaged = StoredError::Damaged;
    let rest = text.strip_prefix(HEADING).ok_or(damaged("it does not begin as a profile"))?;
    let (checksum, body) = rest.split_once('\n').ok_or(damaged("it is cut off"))?;
    let checksum = checksum.strip_prefix("checksum ").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    if checksum != Some(mix_text(0, body)) {
        return Err(damaged("its checksum is wrong"));
    }
    let mut lines = body.lines();
    let mut next = |name: &'static str| {
        let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.ok_or(damaged("its fingerprint is incomplete"))
    };
    for (name, what, here) in [
        ("cpu", "CPU", here.cpu.replace('\n', " ")),
        ("level", "CPU level", here.level.clone()),
        ("cores", "number of cores", here.cores.to_string()),
        ("version", "version", here.version.clone()),
        ("registry", "set of strategies", format!("{:016x}", here.registry)),
    ] {
        let stored = next(name)?;
        if stored != here {
            return Err(StoredError::Other { what, stored: stored.to_owned(), here });
        }
    }
    let mut profile = profile_from_lines(lines, only).ok_or(damaged("a line makes no sense"))?;
    profile.measured = true;
    Ok(profile)
}

/// The lines behind the fingerprint; `None` if any makes no sense. A strategy that the registry does not have is left out.
pub(super) fn profile_from_lines<'t>(
    mut lines: impl Iterator<Item = &'t str>,
    only: Option<&Cipher>,
) -> Option<Profile> {
    let mut profile = Profile::new(Machine {
        thread_start_ns: 0.0,
        speed_up: Vec::new(),
        memory_byte_ns: Vec::new(),
        near_bytes: u64::MAX,
        far_bytes: u64::MAX,
    });
    // Lines of one strategy and key stand together: the costs that are being collected.
    let mut open: Option<(&'static Cipher, usize, usize, Costs)> = None;
    let close = |profile: &mut Profile, open: &mut Option<(&'static Cipher, usize, usize, Costs)>| {
        if let Some((cipher, strategy, key_bytes, costs)) = open.take() {
            profile.set(cipher, strategy, key_bytes, costs);
        }
    };
    lines.try_for_each(|line| {
        let (name, rest) = line.split_once(' ')?;
        let mut words = rest.split(' ');
        match name {
            "errors" => [profile.median_error, profile.most_error] = read(&mut words)?,
            "machine" => {
                profile.machine.thread_start_ns = number(words.next()?)?;
                profile.machine.near_bytes = words.next()?.parse().ok()?;
                profile.machine.far_bytes = words.next()?.parse().ok()?;
            }
            "speed-up" => profile.machine.speed_up = rates(words)?,
            "memory" => profile.machine.memory_byte_ns = rates(words)?,
            "seal" => {
                let [file_ns, byte_ns, speed_up] = read(&mut words)?;
                profile.seal = Some(SealCosts { file_ns, byte_ns, speed_up });
            }
            "costs" => {
                let cipher_name = words.next()?;
                if only.is_some_and(|only| only.name != cipher_name) {
                    return Some(());
                }
                let strategy_name = words.next()?;
                let key_bytes = words.next()?.parse().ok()?;
                let operation_name = words.next()?;
                let operation = OPERATIONS.into_iter().find(|known| known.name() == operation_name)?;
                let curve = curve(&mut words)?;
                let same = |(cipher, strategy, key, _): &(&Cipher, usize, usize, Costs)| {
                    cipher.name == cipher_name
                        && cipher.strategies[*strategy].name == strategy_name
                        && *key == key_bytes
                };
                if !open.as_ref().is_some_and(same) {
                    close(&mut profile, &mut open);
                    open = place(cipher_name, strategy_name)
                        .map(|(cipher, strategy)| (cipher, strategy, key_bytes, Costs::default()));
                }
                if let Some((.., costs)) = &mut open {
                    costs.set(operation, curve);
                }
            }
            _ => return None,
        }
        Some(())
    })?;
    close(&mut profile, &mut open);
    profile.fill_in();
    Some(profile)
}

/// Cipher and place of the strategy in its list.
fn place(cipher: &str, strategy: &str) -> Option<(&'static Cipher, usize)> {
    let cipher = CIPHERS.iter().find(|known| known.name == cipher)?;
    Some((cipher, cipher.strategies.iter().position(|known| known.name == strategy)?))
}

fn curve<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<Curve> {
    let [setup_ns, warm_ns, cold_ns, call_ns] = read(words)?;
    let batch_blocks = words.next()?.parse().ok().filter(|blocks| (1..=1 << 20).contains(blocks))?;
    let batch_ns = number(words.next()?)?;
    let mut short_ns = [0.0; KNOTS.len()];
    for slot in &mut short_ns[..knots_of(batch_blocks)] {
        *slot = number(words.next()?)?;
    }
    Some(Curve { setup_ns, warm_ns, cold_ns, call_ns, batch_blocks, batch_ns, short_ns })
}

fn read<'t, const N: usize>(words: &mut impl Iterator<Item = &'t str>) -> Option<[f32; N]> {
    let mut numbers = [0.0; N];
    for slot in &mut numbers {
        *slot = number(words.next()?)?;
    }
    Some(numbers)
}

fn rates<'t>(words: impl Iterator<Item = &'t str>) -> Option<Vec<f32>> {
    let rates: Vec<f32> = words.map(number).collect::<Option<_>>()?;
    (1..=MAX_CORES).contains(&rates.len()).then_some(rates)
}

/// A finite number: anything else would make comparisons of costs meaningless.
fn number(text: &str) -> Option<f32> {
    f32::from_str(text).ok().filter(|number| number.is_finite())
}

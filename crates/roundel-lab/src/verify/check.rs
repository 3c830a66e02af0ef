//! One strategy against vectors of one kind.

use crate::monte_carlo::{INNER_ITERATIONS, Outer, Run, Times};
use crate::vectors::{Block, Chunked, Hashed, Message, Mode, hex};
use roundel::modes::hash::BlockHash;
use roundel::modes::{Cbc, Ccm, Ctr, Gcm, Xts};
use roundel::{Choice, Error, Kernel};
use sha2::{Digest, Sha512};

/// What came of a job.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Cases (entries of a chain) that agree.
    pub(crate) passed: usize,
    /// Cases that do not, with those that were not reached for it.
    pub(crate) failed: usize,
    /// What the disagreements were.
    pub(crate) mismatches: Vec<Mismatch>,
    /// Where a chain's time went.
    pub(crate) times: Option<Times>,
}

impl Outcome {
    pub(super) fn count(&mut self, result: Result<(), Mismatch>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(mismatch) => {
                self.failed += 1;
                self.mismatches.push(mismatch);
            }
        }
    }
}

/// A disagreement between a vector and a strategy.
#[derive(Debug)]
pub(crate) struct Mismatch {
    pub(crate) vector: String,
    pub(crate) operation: String,
    pub(crate) expected: String,
    pub(crate) got: String,
}

impl Mismatch {
    pub(super) fn new(vector: &str, operation: &str, expected: &str, got: &str) -> Mismatch {
        Mismatch {
            vector: vector.to_owned(),
            operation: operation.to_owned(),
            expected: expected.to_owned(),
            got: got.to_owned(),
        }
    }
}

pub(super) fn equal(vector: &str, operation: &str, expected: &[u8], got: &[u8]) -> Result<(), Mismatch> {
    if expected == got { Ok(()) } else { Err(Mismatch::new(vector, operation, &hex(expected), &hex(got))) }
}

/// Single blocks, in both directions: each by itself, and all that have the same key together in one run of more than two of the
/// strategy's batches.
pub(crate) fn blocks(choice: Choice, cases: &[(&str, &Block)]) -> Outcome {
    let mut outcome = Outcome::default();
    for group in cases.chunk_by(|(_, a), (_, b)| a.key == b.key) {
        match choice.kernel(&group[0].1.key) {
            Ok(kernel) => block_group(&*kernel, choice.strategy.batch_blocks, group, &mut outcome),
            Err(error) => {
                for (label, _) in group {
                    outcome.count(Err(Mismatch::new(label, "key setup", "a kernel", &error.to_string())));
                }
            }
        }
    }
    outcome
}

fn block_group(kernel: &dyn Kernel, batch: usize, group: &[(&str, &Block)], outcome: &mut Outcome) {
    let run_blocks = group.len().max(2 * batch + 1);
    let in_turn = |text: fn(&Block) -> &[u8]| -> Vec<u8> {
        group.iter().cycle().take(run_blocks).flat_map(|(_, block)| text(block)).copied().collect()
    };
    let mut encrypted = in_turn(|block| &block.plain);
    let mut decrypted = in_turn(|block| &block.cipher);
    if group.iter().any(|(_, block)| block.plain.len() != kernel.block_bytes()) {
        for (label, block) in group {
            let (expected, got) = (kernel.block_bytes(), block.plain.len());
            let mismatch =
                Mismatch::new(label, "block", &format!("{expected} bytes"), &format!("{got} bytes"));
            outcome.count(Err(mismatch));
        }
        return;
    }
    kernel.encrypt(&mut encrypted);
    kernel.decrypt(&mut decrypted);
    for (index, (label, block)) in group.iter().enumerate() {
        outcome.count(single_block(kernel, label, block).and_then(|()| {
            let at = |run: &[u8], i: usize| run[i * block.plain.len()..][..block.plain.len()].to_vec();
            for i in (index..run_blocks).step_by(group.len()) {
                let place = |verb: &str| format!("{verb} block {i} of a run of {run_blocks}");
                equal(label, &place("encrypt"), &block.cipher, &at(&encrypted, i))?;
                equal(label, &place("decrypt"), &block.plain, &at(&decrypted, i))?;
            }
            Ok(())
        }));
    }
}

/// One block by itself, both ways.
pub(super) fn single_block(kernel: &dyn Kernel, label: &str, block: &Block) -> Result<(), Mismatch> {
    let mut text = block.plain.clone();
    kernel.encrypt(&mut text);
    equal(label, "encrypt", &block.cipher, &text)?;
    text.copy_from_slice(&block.cipher);
    kernel.decrypt(&mut text);
    equal(label, "decrypt", &block.plain, &text)
}

/// A Monte Carlo chain. Up to `limit` outer iterations run on from the first entry; entries beyond are each computed from the start
/// that the file gives for them. After a disagreement the rest is not run and counts as failed.
pub(crate) fn chain(mut run: Run, label: &str, outers: &[Outer], limit: usize) -> Outcome {
    let mut outcome = Outcome::default();
    let end = outers.first().map_or(0, |first| first.index.saturating_add(limit));
    for outer in outers {
        let result = if outer.index < end {
            run_to(&mut run, outer.index)
        } else {
            run.restart(outer.index, outer.start.clone());
            run.step()
        };
        let label = format!("{label} I={}", outer.index);
        let compared = match &result {
            Ok(got) => entry_equal(&label, outer, got),
            Err(error) => Err(Mismatch::new(&label, "key setup", "a kernel", &error.to_string())),
        };
        let stop = compared.is_err();
        outcome.count(compared);
        if stop {
            outcome.failed = outers.len() - outcome.passed;
            break;
        }
    }
    outcome.times = Some(run.times());
    outcome
}

fn run_to(run: &mut Run, index: usize) -> Result<Outer, Error> {
    loop {
        let outer = run.step()?;
        if outer.index >= index {
            return Ok(outer);
        }
    }
}

fn entry_equal(label: &str, expected: &Outer, got: &Outer) -> Result<(), Mismatch> {
    equal(label, "key that the chain arrives with", &expected.start.key, &got.start.key)?;
    equal(label, "IV that the chain arrives with", &expected.start.iv, &got.start.iv)?;
    equal(label, "text that the chain arrives with", &expected.start.text, &got.start.text)?;
    let operation = format!("the last of {INNER_ITERATIONS} blocks");
    equal(label, &operation, &expected.result, &got.result)
}

/// A message in a mode: encrypted and decrypted, or, where it is invalid, refused.
pub(super) fn message(choice: Choice, label: &str, message: &Message) -> Result<(), Mismatch> {
    let name = message.mode.name();
    let (encrypt, decrypt) = (format!("{name} encrypt"), format!("{name} decrypt"));
    let failed = |operation: &str, reason: String| {
        Mismatch::new(label, operation, "success", &format!("error: {reason}"))
    };
    if !message.valid {
        return match decrypted(choice, message) {
            Err(_) => Ok(()),
            Ok(text) => Err(Mismatch::new(label, &decrypt, "refusal", &hex(&text))),
        };
    }
    let (text, tag) = encrypted(choice, message).map_err(|reason| failed(&encrypt, reason))?;
    equal(label, &encrypt, &message.cipher, &text)?;
    equal(label, &format!("{name} tag"), &message.tag, &tag)?;
    let text = decrypted(choice, message).map_err(|reason| failed(&decrypt, reason))?;
    equal(label, &decrypt, &message.plain, &text)
}

/// Ciphertext and tag.
fn encrypted(choice: Choice, message: &Message) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut text = message.plain.clone();
    let mut tag = Vec::new();
    let done = match message.mode {
        Mode::Ctr => {
            with_kernel(choice, message, |k| Ctr::new(k, &message.iv).map(|mut m| m.apply(&mut text)))
        }
        Mode::Cbc => with_kernel(choice, message, |k| Cbc::new(k, &message.iv)?.encrypt(&mut text)),
        Mode::CbcPadded => {
            let padding = 16 - text.len() % 16;
            text.resize(text.len() + padding, padding as u8);
            with_kernel(choice, message, |k| Cbc::new(k, &message.iv)?.encrypt(&mut text))
        }
        Mode::Xts => {
            return xts(choice, message, text, |mode, unit, text| mode.encrypt(unit, text.len(), text))
                .map(|text| (text, tag));
        }
        Mode::Gcm => {
            let gcm = choice.kernel(&message.key).and_then(Gcm::new);
            gcm.and_then(|gcm| gcm.encrypt(&message.iv, &message.aad, &mut text)).map(|t| tag = t.to_vec())
        }
        Mode::Ccm => ccm(choice, message)
            .and_then(|ccm| ccm.encrypt(&message.iv, &message.aad, &mut text))
            .map(|t| tag = t),
    };
    done.map(|()| (text, tag)).map_err(|error| error.to_string())
}

/// Plaintext, or why it is refused.
fn decrypted(choice: Choice, message: &Message) -> Result<Vec<u8>, String> {
    let mut text = message.cipher.clone();
    let done = match message.mode {
        Mode::Ctr => {
            with_kernel(choice, message, |k| Ctr::new(k, &message.iv).map(|mut m| m.apply(&mut text)))
        }
        Mode::Cbc | Mode::CbcPadded => {
            with_kernel(choice, message, |k| Cbc::new(k, &message.iv)?.decrypt(&mut text))
        }
        Mode::Xts => {
            return xts(choice, message, text, |mode, unit, text| mode.decrypt(unit, text.len(), text));
        }
        Mode::Gcm => {
            let tag = message.tag.as_slice().try_into().map_err(|_| "the tag is not of 16 bytes")?;
            let gcm = choice.kernel(&message.key).and_then(Gcm::new);
            gcm.and_then(|gcm| gcm.decrypt(&message.iv, &message.aad, &mut text, tag))
        }
        Mode::Ccm => ccm(choice, message)
            .and_then(|ccm| ccm.decrypt(&message.iv, &message.aad, &mut text, &message.tag)),
    };
    done.map_err(|error| error.to_string())?;
    if message.mode == Mode::CbcPadded {
        let kept = unpadded(&text).ok_or("bad padding")?;
        text.truncate(kept);
    }
    Ok(text)
}

fn ccm(choice: Choice, message: &Message) -> Result<Ccm, Error> {
    choice.kernel(&message.key).and_then(|kernel| Ccm::new(kernel, message.tag.len()))
}

fn with_kernel(
    choice: Choice,
    message: &Message,
    apply: impl FnOnce(&dyn Kernel) -> Result<(), Error>,
) -> Result<(), Error> {
    apply(&*choice.kernel(&message.key)?)
}

/// XTS of one data unit, in the direction of `apply`.
fn xts(
    choice: Choice,
    message: &Message,
    mut text: Vec<u8>,
    apply: impl FnOnce(&Xts<'_>, u128, &mut [u8]) -> Result<(), Error>,
) -> Result<Vec<u8>, String> {
    let unit = message.iv.as_slice().try_into().map_err(|_| "a data-unit number of more than 16 bytes")?;
    let (data, tweak) = message.key.split_at(message.key.len() / 2);
    let kernels = choice.kernel(data).and_then(|data| Ok((data, choice.kernel(tweak)?)));
    kernels
        .and_then(|(data, tweak)| apply(&Xts::new(&*data, &*tweak)?, u128::from_le_bytes(unit), &mut text))
        .map_err(|error| error.to_string())?;
    Ok(text)
}

/// Length without the padding of PKCS #7 to 16 bytes (RFC 5652, 6.3), if it is right.
fn unpadded(text: &[u8]) -> Option<usize> {
    let count = usize::from(*text.last()?);
    let kept = text.len().checked_sub(count)?;
    ((1..=16).contains(&count) && text[kept..].iter().all(|&byte| usize::from(byte) == count)).then_some(kept)
}

/// A message's digest, at once and in two pieces.
pub(super) fn hash(choice: Choice, label: &str, vector: &Hashed) -> Result<(), Mismatch> {
    let name = vector.construction.name();
    let mut hash = BlockHash::new(vector.construction, choice)
        .map_err(|error| Mismatch::new(label, name, "a digest", &error.to_string()))?;
    hash.update(&vector.message);
    equal(label, name, &vector.digest, &hash.finish_reset())?;
    let (first, second) = vector.message.split_at(vector.message.len() / 3);
    hash.update(first);
    hash.update(second);
    equal(label, &format!("{name} in pieces"), &vector.digest, &hash.finish())
}

/// What came of opening a chunked message in one way: all that was released, and the error that ended it, if one did.
#[derive(Debug)]
pub struct Opened {
    /// The way: "stream", "random access".
    pub way: &'static str,
    /// Plaintext handed out, before an error too.
    pub released: Vec<u8>,
    /// Why opening failed.
    pub error: Option<String>,
}

/// A chunked message against the vector: a valid one is released whole; an invalid one ends in an error, and nothing beyond
/// its longest valid prefix is released.
pub(super) fn chunked(label: &str, vector: &Chunked, opened: &Opened) -> Result<(), Mismatch> {
    let label = &format!("{label} ({})", opened.way);
    let released = opened.released.len() as u64;
    let digest_equal = |digest: &[u8]| {
        equal(label, "SHA-512 of what was released", digest, &Sha512::digest(&opened.released))
    };
    match (&vector.message, vector.valid, &opened.error) {
        (_, true, Some(error)) => Err(Mismatch::new(label, "open", "success", &format!("error: {error}"))),
        (_, false, None) => Err(Mismatch::new(label, "open", "refusal", &format!("{released} bytes"))),
        (Some((length, digest)), valid, _) if released == *length || valid => {
            equal(label, "length", &length.to_be_bytes(), &released.to_be_bytes())?;
            digest_equal(digest)
        }
        (message, _, _) => {
            let most = message.as_ref().map_or(0, |(length, _)| *length);
            if released <= most {
                Ok(())
            } else {
                let (most, released) = (format!("at most {most} bytes"), format!("{released} bytes"));
                Err(Mismatch::new(label, "released before the error", &most, &released))
            }
        }
    }
}

//! Encryption and decryption of an image in place, with a journal from which a run that was killed at any point goes on.
//!
//! The range is worked through in steps. Of each step the *ciphertext* goes into the journal first, which is synced; only then is the step's place in the
//! image written, and synced, before the next step's record is. So
//!
//! * a step's record is whole (its hash is right) before the first byte of the image changes, and while it is torn the image has not been touched;
//! * once a record is whole, its step can be done again from it alone, however much of it was done;
//! * a whole record says that all steps before it are on the disk. The two latest records are kept, in two slots by turns, since the newest may be torn.
//!
//! The ciphertext serves both ways: encrypting it is what the image gets, decrypting it is what the image had. No plaintext gets into the journal.
//!
//! The journal stays when the run is done, marked as done and cut to its head: a run that is killed after its last step, before its user has seen it end, must not be done
//! twice. A done journal of another run (the way back, say) is replaced.
//!
//! ## Layout
//!
//! | bytes | what |
//! |---|---|
//! | 4096 | head: text that names everything on which the result depends, with a SHA-256 of it; filled with line feeds |
//! | 4096 | done mark: zero, or SHA-256 of "done" and the head |
//! | 4096 + step | slot 0: SHA-256 of the rest of the record and the head; number, offset and length of the step (64-bit little-endian); SHA-256 of the sector before it as the step before left it; from byte 4096 on the ciphertext |
//! | 4096 + step | slot 1 |
//!
//! A run that goes on compares the head with its own; the sector before the step with its hash; and what the image has in the step's place with what it had and what it gets, block by
//! block. So neither other options nor another image of the same name (a restored copy, say) get mixed with the journal.

use crate::{Error, Result};
use roundel::modes::SectorCipher;
use roundel::{Choice, parallel};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io;
use std::ops::Range;
use zeroize::Zeroize;

/// What a step has unless it is asked for otherwise: long enough that waiting for the disk twice a step does not matter.
pub const STEP_BYTES: u64 = 8 << 20;

const BLOCK: usize = 4096;
const HEAD: u64 = 0;
const DONE: u64 = BLOCK as u64;
const SLOTS: u64 = 2 * BLOCK as u64;

/// Disks write at least this much in one go.
const ATOM: usize = 512;

/// Blocks of 512 bytes that may be neither old nor new where a run was cut: a page.
const TORN_ATOMS: usize = 8;

/// What a thread takes at once.
const PIECE_BYTES: usize = 64 << 10;

type Hash = [u8; 32];

/// A file that can be read, written and synced at will: the image, and the journal.
pub trait Disk {
    /// Its length.
    fn bytes(&self) -> io::Result<u64>;
    /// Fills `buffer` from `offset` on; an error if there are not so many bytes.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
    /// Writes all of `data`; the file grows where it must.
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()>;
    /// Returns when all that was written is on the disk.
    fn sync(&self) -> io::Result<()>;
    /// Cuts the file.
    fn set_bytes(&self, bytes: u64) -> io::Result<()>;
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// The way back.
    Decrypt,
}

/// What is to be done.
pub struct Job<'a> {
    /// Mode, keys and length of a sector.
    pub cipher: &'a SectorCipher,
    /// From [`key_check`].
    pub key_check: String,
    /// Which way.
    pub direction: Direction,
    /// Bytes of the image: whole sectors.
    pub range: Range<u64>,
    /// The number of the sector at the image's first byte.
    pub first_sector: u64,
    /// Length of a step: whole sectors.
    pub step_bytes: u64,
    /// Threads.
    pub threads: usize,
    /// Told how many bytes are done, of those of the range.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// From the beginning to the end.
    Done,
    /// From this byte of the image on, where an earlier run ended.
    Resumed(u64),
    /// An earlier run had done it all: nothing was written.
    AlreadyDone,
}

/// A value that tells whether a journal was begun with this key and cipher, and nothing else about the key.
pub fn key_check(choice: Choice, key: &[u8]) -> String {
    let hash = Sha256::new()
        .chain_update(b"roundel in-place journal\0")
        .chain_update(choice.cipher.name)
        .chain_update([0])
        .chain_update(key)
        .finalize();
    format!("{} {}", choice.cipher.name, hex(&hash[..16]))
}

/// Does the job, or what an earlier run left to do of it. Both files must be locked against others by the caller, and the journal's name be on the disk.
pub fn run(image: &dyn Disk, journal: &dyn Disk, job: &Job<'_>) -> Result<Outcome> {
    let image_bytes = image.bytes().map_err(on("read", "the image"))?;
    job.check(image_bytes)?;
    let mut run = Run { image, journal, job, head: job.head(image_bytes), buffer: Vec::new() };
    let found = run.examine()?;
    let outcome = match found {
        Found::Done => return Ok(Outcome::AlreadyDone),
        Found::Nothing => {
            run.begin()?;
            run.steps(Place { step: 0, offset: job.range.start, before: [0; 32] })?;
            Outcome::Done
        }
        Found::Record(None) => {
            run.steps(Place { step: 0, offset: job.range.start, before: [0; 32] })?;
            Outcome::Done
        }
        Found::Record(Some(record)) => {
            let offset = record.offset;
            let next = run.redo(record)?;
            run.steps(next)?;
            Outcome::Resumed(offset)
        }
    };
    run.end()?;
    Ok(outcome)
}

impl Job<'_> {
    /// Refuses what cannot be done, before anything is written.
    fn check(&self, image_bytes: u64) -> Result<()> {
        let sector_bytes = self.cipher.sector_bytes() as u64;
        let Range { start, end } = self.range;
        if start > end || end > image_bytes {
            return Err(Error::Range { start: end, bytes: image_bytes });
        }
        if [start, end, self.step_bytes].iter().any(|at| !at.is_multiple_of(sector_bytes))
            || self.step_bytes == 0
        {
            let what = format!("bytes {start} to {end} are not whole sectors of {sector_bytes} bytes");
            return Err(Error::InPlace(what));
        }
        // The engine's limit on numbers, asked at the last sector.
        let last = self.first_sector.saturating_add((end / sector_bytes).saturating_sub(1));
        Ok(self.cipher.encrypt(last, &mut [])?)
    }

    fn head(&self, image_bytes: u64) -> [u8; BLOCK] {
        let mut text = String::from(
            "roundel in-place journal 1\nWith it the same command goes on where it was interrupted.\n",
        );
        let direction = if self.direction == Direction::Encrypt { "encrypt" } else { "decrypt" };
        let Range { start, end } = self.range;
        let _ = write!(
            text,
            "direction: {direction}\nmode: {}\nkey check: {}\nsector bytes: {}\nfirst sector: {}\nfrom byte: {start}\nto byte: {end}\nimage bytes: {image_bytes}\nstep bytes: {}\n",
            self.cipher.mode(),
            self.key_check,
            self.cipher.sector_bytes(),
            self.first_sector,
            self.step_bytes,
        );
        let hash = Sha256::digest(&text);
        let _ = writeln!(text, "{HASH_LINE}{}", hex(&hash));
        let mut head = [b'\n'; BLOCK];
        head[..text.len()].copy_from_slice(text.as_bytes());
        head
    }

    fn crypt(&self, direction: Direction, offset: u64, data: &mut [u8]) {
        let sector_bytes = self.cipher.sector_bytes();
        let first = self.first_sector + offset / sector_bytes as u64;
        parallel::for_each_piece(
            self.threads,
            data,
            PIECE_BYTES.next_multiple_of(sector_bytes),
            |at, piece| {
                let number = first + (at / sector_bytes) as u64;
                let done = match direction {
                    Direction::Encrypt => self.cipher.encrypt(number, piece),
                    Direction::Decrypt => self.cipher.decrypt(number, piece),
                };
                done.expect("`check` has found whole sectors and numbers within the limit");
            },
        );
    }
}

const HASH_LINE: &str = "sha256: ";

/// Where a run stands.
struct Place {
    step: u64,
    offset: u64,
    /// Hash of the sector before.
    before: Hash,
}

/// A whole record, but for its data, which is in the buffer of whoever read it.
struct Record {
    step: u64,
    offset: u64,
    before: Hash,
    ciphertext: Vec<u8>,
}

enum Found {
    /// No journal yet, or one that was done with.
    Nothing,
    /// This job's journal, and its latest whole record.
    Record(Option<Record>),
    /// This job is done.
    Done,
}

struct Run<'a> {
    image: &'a dyn Disk,
    journal: &'a dyn Disk,
    job: &'a Job<'a>,
    head: [u8; BLOCK],
    buffer: Vec<u8>,
}

impl Run<'_> {
    /// What the journal says.
    fn examine(&self) -> Result<Found> {
        let mut there = vec![0; 2 * BLOCK];
        let bytes = self.journal.bytes().map_err(on("read", "the journal"))?;
        let present = bytes.min(there.len() as u64) as usize;
        self.journal.read_at(&mut there[..present], 0).map_err(on("read", "the journal"))?;
        let (head, mark) = there.split_at(BLOCK);
        if head == self.head {
            return Ok(if mark[..32] == done_mark(head) {
                Found::Done
            } else {
                Found::Record(self.latest()?)
            });
        }
        // A head of this job that was cut while it was written: every part is there or still zero. Nothing was begun.
        let cut = head.chunks(ATOM).zip(self.head.chunks(ATOM)).all(|(is, ours)| {
            let zeros = is.iter().rev().take_while(|byte| **byte == 0).count();
            ours.starts_with(&is[..is.len() - zeros])
        });
        if cut || is_head(head) && mark[..32] == done_mark(head) {
            return Ok(Found::Nothing);
        }
        Err(Error::InPlace(if is_head(head) {
            format!(
                "the journal belongs to another run, which was not finished: it says '{}'",
                difference(head, &self.head)
            )
        } else {
            "what is in the journal's place is no journal, or a damaged one".to_owned()
        }))
    }

    fn slot(&self, step: u64) -> u64 {
        SLOTS + step % 2 * (BLOCK as u64 + self.job.step_bytes)
    }

    /// The whole record of the highest number.
    fn latest(&self) -> Result<Option<Record>> {
        let records = [self.record(0)?, self.record(1)?];
        Ok(records.into_iter().flatten().max_by_key(|record| record.step))
    }

    /// A slot's record, if it is whole.
    fn record(&self, slot: u64) -> Result<Option<Record>> {
        let failed = on("read", "the journal");
        let at = self.slot(slot);
        let bytes = self.journal.bytes().map_err(&failed)?;
        if bytes < at + BLOCK as u64 {
            return Ok(None);
        }
        let mut fields = [0; BLOCK];
        self.journal.read_at(&mut fields, at).map_err(&failed)?;
        let number =
            |i: usize| u64::from_le_bytes(*fields[32..].as_chunks().0.get(i).expect("a block holds them"));
        let (step, offset, length) = (number(0), number(1), number(2));
        if length > self.job.step_bytes || bytes < at + BLOCK as u64 + length {
            return Ok(None);
        }
        let mut ciphertext = vec![0; length as usize];
        self.journal.read_at(&mut ciphertext, at + BLOCK as u64).map_err(&failed)?;
        let before = *fields[56..].first_chunk().expect("a block holds it");
        let whole = fields == self.fields(&Place { step, offset, before }, &ciphertext);
        Ok(whole.then_some(Record { step, offset, before, ciphertext }))
    }

    /// A record's first block.
    fn fields(&self, place: &Place, ciphertext: &[u8]) -> [u8; BLOCK] {
        let mut fields = [0; BLOCK];
        let numbers = [place.step, place.offset, ciphertext.len() as u64].map(u64::to_le_bytes);
        fields[32..56].copy_from_slice(numbers.as_flattened());
        fields[56..88].copy_from_slice(&place.before);
        let hash = Sha256::new().chain_update(self.head).chain_update(&fields[32..]).chain_update(ciphertext);
        fields[..32].copy_from_slice(&hash.finalize());
        fields
    }

    /// Makes the journal.
    fn begin(&self) -> Result<()> {
        let journal = self.journal;
        let made = journal.set_bytes(0).and_then(|()| journal.sync());
        let made = made.and_then(|()| journal.write_at(&self.head, HEAD)).and_then(|()| journal.sync());
        made.map_err(on("write", "the journal"))
    }

    /// Does all steps from a place on.
    fn steps(&mut self, mut place: Place) -> Result<()> {
        let Range { start, end } = self.job.range;
        (self.job.progress)(place.offset - start);
        while place.offset < end {
            let mut data = std::mem::take(&mut self.buffer);
            data.resize(self.job.step_bytes.min(end - place.offset) as usize, 0);
            self.image.read_at(&mut data, place.offset).map_err(on("read", "the image"))?;
            let encrypts = self.job.direction == Direction::Encrypt;
            if encrypts {
                self.job.crypt(Direction::Encrypt, place.offset, &mut data);
            }
            self.write_record(&place, &data)?;
            if !encrypts {
                self.job.crypt(Direction::Decrypt, place.offset, &mut data);
            }
            place = self.write_step(&place, &data)?;
            self.buffer = data;
        }
        Ok(())
    }

    fn write_record(&self, place: &Place, ciphertext: &[u8]) -> Result<()> {
        let at = self.slot(place.step);
        let fields = self.fields(place, ciphertext);
        let written = self.journal.write_at(&fields, at);
        let written = written.and_then(|()| self.journal.write_at(ciphertext, at + BLOCK as u64));
        written.and_then(|()| self.journal.sync()).map_err(on("write", "the journal"))
    }

    /// Writes a step's result to the image; gives back where the next one begins.
    fn write_step(&self, place: &Place, result: &[u8]) -> Result<Place> {
        let written = self.image.write_at(result, place.offset).and_then(|()| self.image.sync());
        written.map_err(on("write", "the image"))?;
        let offset = place.offset + result.len() as u64;
        (self.job.progress)(offset - self.job.range.start);
        let before = Sha256::digest(&result[result.len() - self.job.cipher.sector_bytes()..]).into();
        Ok(Place { step: place.step + 1, offset, before })
    }

    /// Does the step of a record again, if the image is the one that the record was made of.
    fn redo(&self, record: Record) -> Result<Place> {
        let Record { step, offset, before, ciphertext } = record;
        let failed = on("read", "the image");
        if step > 0 {
            let sector_bytes = self.job.cipher.sector_bytes();
            let mut sector = vec![0; sector_bytes];
            self.image.read_at(&mut sector, offset - sector_bytes as u64).map_err(&failed)?;
            if Hash::from(Sha256::digest(&sector)) != before {
                return Err(another_image(offset));
            }
        }
        let mut there = vec![0; ciphertext.len()];
        self.image.read_at(&mut there, offset).map_err(&failed)?;
        let mut plain = ciphertext.clone();
        self.job.crypt(Direction::Decrypt, offset, &mut plain);
        let sides = ciphertext.chunks(ATOM).zip(plain.chunks(ATOM));
        let torn =
            there.chunks(ATOM).zip(sides).filter(|(is, (cipher, plain))| is != cipher && is != plain).count();
        if torn > TORN_ATOMS {
            return Err(another_image(offset));
        }
        let result = if self.job.direction == Direction::Encrypt { &ciphertext } else { &plain };
        let next = self.write_step(&Place { step, offset, before }, result);
        plain.zeroize();
        there.zeroize();
        next
    }

    /// Marks the journal as done and cuts off the records, which nothing needs any more.
    fn end(&self) -> Result<()> {
        let journal = self.journal;
        let mut mark = [0; BLOCK];
        mark[..32].copy_from_slice(&done_mark(&self.head));
        let marked = journal.write_at(&mark, DONE).and_then(|()| journal.sync());
        marked.and_then(|()| journal.set_bytes(SLOTS)).map_err(on("write", "the journal"))
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.buffer.zeroize();
    }
}

fn done_mark(head: &[u8]) -> Hash {
    Sha256::new().chain_update(b"done").chain_update(head).finalize().into()
}

/// Whether a block is a whole head, of whatever run.
fn is_head(block: &[u8]) -> bool {
    let text = String::from_utf8_lossy(block);
    let hash = text.split_once(HASH_LINE).map(|(hashed, rest)| (Sha256::digest(hashed), rest));
    hash.is_some_and(|(hash, rest)| rest.trim_end() == hex(&hash))
}

/// The first line of a head that is not in ours.
fn difference(head: &[u8], ours: &[u8]) -> String {
    let (theirs, ours) = (String::from_utf8_lossy(head), String::from_utf8_lossy(ours));
    let line = theirs.lines().zip(ours.lines()).find(|(theirs, ours)| theirs != ours);
    line.map_or_else(String::new, |(theirs, _)| theirs.to_owned())
}

fn another_image(offset: u64) -> Error {
    Error::InPlace(format!(
        "the image is not as the journal left it at byte {offset}: it is another image, or was changed since"
    ))
}

fn on(action: &'static str, place: &'static str) -> impl Fn(io::Error) -> Error {
    move |error| Error::io(action, place, error)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "in_place_tests.rs"]
mod tests;

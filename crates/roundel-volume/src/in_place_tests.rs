//! Runs that are cut after every write and every sync, by a kill (what was written stays) and by a power failure (what was not synced may stay or
//! not, block by block); the next run must end with the right image.

use super::*;
use roundel::Policy;
use roundel::modes::SectorMode;
use std::cell::RefCell;
use std::rc::Rc;

/// How many operations may still be done before all fail; a write that is the last is done in part.
#[derive(Clone)]
struct Fuse(Rc<RefCell<(u64, u64)>>);

enum Strike {
    No,
    /// This operation is cut, at a place that the number chooses.
    Now(u64),
}

impl Fuse {
    fn new(operations: u64, seed: u64) -> Fuse {
        Fuse(Rc::new(RefCell::new((operations, seed))))
    }

    fn random(&self) -> u64 {
        let mut state = self.0.borrow_mut();
        state.1 = state.1.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        state.1 >> 33
    }

    fn spend(&self) -> io::Result<Strike> {
        let random = self.random();
        let mut state = self.0.borrow_mut();
        match state.0 {
            0 => Err(io::Error::other("dead")),
            1 => {
                state.0 = 0;
                Ok(Strike::Now(random))
            }
            _ => {
                state.0 -= 1;
                Ok(Strike::No)
            }
        }
    }
}

/// A file in memory: what a reader sees, and what a power failure leaves.
struct Model {
    seen: RefCell<Vec<u8>>,
    synced: RefCell<Vec<u8>>,
    fuse: Fuse,
}

impl Model {
    fn new(bytes: Vec<u8>, fuse: &Fuse) -> Model {
        Model { seen: RefCell::new(bytes.clone()), synced: RefCell::new(bytes), fuse: fuse.clone() }
    }

    /// What is there after a kill, or after a power failure.
    fn after(&self, power_failure: bool) -> Vec<u8> {
        let seen = self.seen.borrow().clone();
        if !power_failure {
            return seen;
        }
        let mut left = self.synced.borrow().clone();
        // The new length may be known before the new bytes are there.
        if seen.len() > left.len() || self.fuse.random().is_multiple_of(2) {
            left.resize(seen.len(), 0);
        }
        for (left, seen) in left.chunks_mut(ATOM).zip(seen.chunks(ATOM)) {
            if self.fuse.random().is_multiple_of(2) && left.len() == seen.len() {
                left.copy_from_slice(seen);
            }
        }
        left
    }
}

impl Disk for Model {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.seen.borrow().len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let seen = self.seen.borrow();
        let there = seen.get(offset as usize..offset as usize + buffer.len());
        buffer.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let part = match self.fuse.spend()? {
            Strike::No => data.len(),
            Strike::Now(random) => random as usize % data.len(),
        };
        let (mut seen, offset) = (self.seen.borrow_mut(), offset as usize);
        if part > 0 {
            let bytes = seen.len().max(offset + part);
            seen.resize(bytes, 0);
            seen[offset..offset + part].copy_from_slice(&data[..part]);
        }
        if part == data.len() { Ok(()) } else { Err(io::Error::other("cut")) }
    }

    fn sync(&self) -> io::Result<()> {
        if let Strike::Now(_) = self.fuse.spend()? {
            return Err(io::Error::other("cut"));
        }
        self.synced.replace(self.seen.borrow().clone());
        Ok(())
    }

    fn set_bytes(&self, bytes: u64) -> io::Result<()> {
        if let Strike::Now(_) = self.fuse.spend()? {
            return Err(io::Error::other("cut"));
        }
        self.seen.borrow_mut().resize(bytes as usize, 0);
        Ok(())
    }
}

const SECTOR: usize = 512;
const SECTORS: usize = 45;
const KEY: [u8; 64] = [0x3C; 64];

fn aes() -> Choice {
    roundel::cipher("aes").unwrap().best(Policy::ConstantTime).unwrap()
}

fn cipher(mode: SectorMode) -> SectorCipher {
    SectorCipher::new(aes(), mode, &KEY[..32 * mode.keys()], SECTOR).unwrap()
}

fn job(cipher: &SectorCipher, direction: Direction) -> Job<'_> {
    Job {
        cipher,
        key_check: key_check(aes(), &KEY),
        direction,
        range: SECTOR as u64 * 3..SECTOR as u64 * (SECTORS as u64 - 1),
        first_sector: 1000,
        step_bytes: 9 * SECTOR as u64,
        threads: 1,
        progress: &|_| (),
    }
}

fn plain() -> Vec<u8> {
    (0..SECTORS * SECTOR).map(|i| (i * i / 7) as u8).collect()
}

/// The image before and after.
fn sides(cipher: &SectorCipher, direction: Direction) -> (Vec<u8>, Vec<u8>) {
    let mut encrypted = plain();
    cipher.encrypt(1003, &mut encrypted[3 * SECTOR..(SECTORS - 1) * SECTOR]).unwrap();
    match direction {
        Direction::Encrypt => (plain(), encrypted),
        Direction::Decrypt => (encrypted, plain()),
    }
}

const NEVER: u64 = u64::MAX;

#[test]
fn a_run_that_nothing_interrupts() {
    for mode in [SectorMode::Xts, SectorMode::BITLOCKER] {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let cipher = cipher(mode);
            let (before, after) = sides(&cipher, direction);
            let fuse = Fuse::new(NEVER, 1);
            let (image, journal) = (Model::new(before, &fuse), Model::new(Vec::new(), &fuse));
            let job = job(&cipher, direction);
            assert_eq!(run(&image, &journal, &job).unwrap(), Outcome::Done);
            assert!(image.after(false) == after);
            assert_eq!(journal.bytes().unwrap(), SLOTS);
            // Once more does nothing; the way back replaces the journal, and can be done again in turn.
            assert_eq!(run(&image, &journal, &job).unwrap(), Outcome::AlreadyDone);
            assert!(image.after(false) == after);
        }
    }
}

#[test]
fn there_and_back_and_there_again() {
    let cipher = cipher(SectorMode::Xts);
    let fuse = Fuse::new(NEVER, 1);
    let (image, journal) = (Model::new(plain(), &fuse), Model::new(Vec::new(), &fuse));
    for direction in [Direction::Encrypt, Direction::Decrypt, Direction::Encrypt] {
        assert_eq!(run(&image, &journal, &job(&cipher, direction)).unwrap(), Outcome::Done);
        assert!(image.after(false) == sides(&cipher, direction).1);
    }
}

/// Cut at every operation, twice in a row at different places, then left alone.
#[test]
fn cut_anywhere_and_resumed() {
    let cipher = cipher(SectorMode::BITLOCKER);
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        for power_failure in [false, true] {
            let (before, after) = sides(&cipher, direction);
            let mut cut = 1;
            let operations = loop {
                let (mut image, mut journal) = (before.clone(), Vec::new());
                let mut ended = false;
                for (round, left) in [cut, 1 + cut * 7 % 11, NEVER].into_iter().enumerate() {
                    let fuse = Fuse::new(left, cut * 31 + round as u64);
                    let disks = (Model::new(image, &fuse), Model::new(journal, &fuse));
                    let outcome = run(&disks.0, &disks.1, &job(&cipher, direction));
                    assert_eq!(outcome.is_ok(), fuse.0.borrow().0 > 0, "{outcome:?} after {cut}");
                    ended |= round == 0 && outcome.is_ok();
                    let lost = power_failure && outcome.is_err();
                    (image, journal) = (disks.0.after(lost), disks.1.after(lost));
                }
                assert!(image == after, "{direction:?} cut at {cut}, power failure: {power_failure}");
                if ended {
                    break cut;
                }
                cut += 1;
            };
            // Five steps of two writes and a sync for the record, a write and a sync for the image; the journal's beginning and end.
            assert!(operations >= 5 * 5 + 4, "{operations}");
        }
    }
}

/// What a run leaves when it is cut at an operation.
fn left_by(cut: u64, job: &Job<'_>, before: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let fuse = Fuse::new(cut, 5);
    let (image, journal) = (Model::new(before, &fuse), Model::new(Vec::new(), &fuse));
    run(&image, &journal, job).unwrap_err();
    (image.after(false), journal.after(false))
}

fn refused(image: Vec<u8>, journal: Vec<u8>, job: &Job<'_>) -> String {
    let fuse = Fuse::new(NEVER, 1);
    let (image, journal) = (Model::new(image, &fuse), Model::new(journal, &fuse));
    let (was, had) = (image.after(false), journal.after(false));
    let error = run(&image, &journal, job).unwrap_err();
    assert!(image.after(false) == was && journal.after(false) == had, "a refusal writes nothing");
    error.to_string()
}

#[test]
fn other_options_are_refused() {
    let cipher = cipher(SectorMode::Xts);
    let job_ = job(&cipher, Direction::Encrypt);
    let (image, journal) = left_by(17, &job_, plain());
    let back = job(&cipher, Direction::Decrypt);
    assert!(refused(image.clone(), journal.clone(), &back).contains("'direction: encrypt'"));
    let other_key = Job { key_check: key_check(aes(), &[0; 64]), ..job(&cipher, Direction::Encrypt) };
    assert!(refused(image.clone(), journal.clone(), &other_key).contains("key check"));
    let moved = Job { first_sector: 0, ..job(&cipher, Direction::Encrypt) };
    assert!(refused(image.clone(), journal, &moved).contains("'first sector: 1000'"));
    assert!(refused(image, vec![7; 20000], &job_).contains("no journal"));
}

#[test]
fn another_image_is_refused() {
    let cipher = cipher(SectorMode::Xts);
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        let job = job(&cipher, direction);
        let (before, after) = sides(&cipher, direction);
        let (_, journal) = left_by(17, &job, before.clone());
        // A restored copy, in which the first step is not done; and one that was never of this run.
        assert!(refused(before, journal.clone(), &job).contains("another image"));
        let mut changed = after;
        changed[12 * SECTOR..30 * SECTOR].fill(9);
        assert!(refused(changed, journal, &job).contains("another image"));
    }
}

#[test]
fn what_is_not_whole_sectors_is_refused() {
    let cipher = cipher(SectorMode::Xts);
    let job = |range| Job { range, ..job(&cipher, Direction::Encrypt) };
    for range in [1..512, 0..513, 0..SECTOR as u64 * 46] {
        refused(plain(), Vec::new(), &job(range));
    }
}

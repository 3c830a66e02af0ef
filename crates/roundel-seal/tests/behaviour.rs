//! Round trips, keys, and what happens to files.

mod common;

use common::*;
use roundel_seal::keys::{self, age::secrecy::SecretString};
use roundel_seal::{BareKey, CHUNK_BYTES, Error, Input, Lock, Options, Output, Suite, Unlock};
use std::fs;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn seal_to(path: &Path, text: &[u8], pair: &Pair, options: &Options<'_>) -> Result<(), Error> {
    roundel_seal::seal(Input::reader(text), Output::Path(path.into()), &pair.lock(), options).map(|_| ())
}

#[test]
fn any_number_of_threads_gives_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    let pair = pair();
    let (from, sealed, to) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
    let job = 16 * CHUNK_BYTES;
    let around = |at: usize| [at - 1, at, at + 1];
    let lengths = [
        vec![0, 1],
        around(CHUNK_BYTES).into(),
        around(2 * CHUNK_BYTES).into(),
        around(job).into(),
        vec![5 * job + 77],
    ];
    for len in lengths.concat() {
        let text = text(len);
        fs::write(&from, &text).unwrap();
        for threads in 1..=8 {
            let options = Options { threads, replace: true, ..fast() };
            let report = roundel_seal::seal(
                Input::Path(from.clone()),
                Output::Path(sealed.clone()),
                &pair.lock(),
                &options,
            )
            .unwrap();
            let bytes = fs::read(&sealed).unwrap();
            assert_eq!((report.text_bytes, report.sealed_bytes), (len as u64, bytes.len() as u64));
            let report = roundel_seal::open(
                Input::Path(sealed.clone()),
                Output::Path(to.clone()),
                &pair.unlock(),
                &options,
            )
            .unwrap();
            assert_eq!((report.text_bytes, report.sealed_bytes), (len as u64, bytes.len() as u64));
            assert!(fs::read(&to).unwrap() == text);
            assert!(open_stream(&bytes, &pair.unlock(), &options).0 == text);
            let checked = roundel_seal::check(Input::reader(&bytes[..]), &pair.unlock(), &options).unwrap();
            assert_eq!(checked.text_bytes, len as u64);
        }
        let inspection = roundel_seal::inspect(Input::Path(sealed.clone())).unwrap();
        assert_eq!(inspection.size, Some(len as u64));
        assert_eq!(inspection.chunks, Some(len as u64 / CHUNK_BYTES as u64 + 1));
        assert_eq!((inspection.whole, inspection.stanzas.len()), (Some(true), 1));
        assert_eq!(inspection.stanzas[0].kind, "X25519");
    }
}

#[test]
fn writers_and_readers_inside_a_program() {
    let pair = pair();
    for len in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES + 5] {
        let text = text(len);
        let mut sealer = roundel_seal::Sealer::new(Vec::new(), &pair.lock(), &fast()).unwrap();
        for piece in text.chunks(777) {
            sealer.write_all(piece).unwrap();
        }
        let sealed = sealer.finish().unwrap();
        for (out, result) in [open_reader(&sealed, &pair.unlock()), open_seeking(&sealed, &pair.unlock())] {
            result.unwrap();
            assert!(out == text);
        }
        let unfinished = &sealed[..sealed.len() - 16 - len % CHUNK_BYTES];
        assert_eq!(open_reader(unfinished, &pair.unlock()).1.unwrap_err().exit_code(), 21);
    }
}

#[test]
fn ranges_and_seeks_give_the_right_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let pair = pair();
    let text = text(40 * CHUNK_BYTES);
    let all = text.len() as u64;
    let chunk = CHUNK_BYTES as u64;
    for sealed in [seal_file(&text, &pair.lock()), seal_stream(&text, &pair.lock())] {
        let mut reader =
            roundel_seal::SealedReader::new(Cursor::new(&sealed), &pair.unlock(), &fast()).unwrap();
        for (start, len) in [
            (0, 0),
            (0, 1),
            (0, chunk),
            (chunk, chunk),
            (chunk - 1, 2),
            (5, 20 * chunk),
            (17 * chunk + 3, chunk),
            (all - 1, 1),
            (all - 1, 100),
            (all, 5),
            (3, all),
            (16 * chunk, 16 * chunk),
            (100, u64::MAX),
        ] {
            let expected = &text[start as usize..start.saturating_add(len).min(all) as usize];
            let out = open_range(folder.path(), &sealed, start, Some(len), &pair.unlock()).unwrap();
            assert!(out == expected, "{start} {len}");
            let (from, to) = (folder.path().join("from"), folder.path().join("to"));
            fs::write(&from, &sealed).unwrap();
            let options = Options { replace: true, threads: 3, ..fast() };
            roundel_seal::open_range(
                Input::Path(from),
                Output::Path(to.clone()),
                start,
                Some(len),
                &pair.unlock(),
                &options,
            )
            .unwrap();
            assert!(fs::read(&to).unwrap() == expected, "{start} {len}");
            reader.seek(SeekFrom::Start(start)).unwrap();
            let mut out = Vec::new();
            reader.by_ref().take(len).read_to_end(&mut out).unwrap();
            assert!(out == expected, "{start} {len}");
        }
        assert_eq!(reader.seek(SeekFrom::End(-3)).unwrap(), all - 3);
        let error = open_range(folder.path(), &sealed, all + 1, None, &pair.unlock()).unwrap_err();
        assert!(matches!(error, Error::Range { bytes, .. } if bytes == all));
    }
}

#[test]
fn wrong_keys_are_told_apart_from_damage() {
    let (mine, other) = (pair(), pair());
    let sealed = seal_stream(b"text", &mine.lock());
    let (out, result) = open_stream(&sealed, &other.unlock(), &fast());
    assert!(matches!(result, Err(Error::NoMatchingKey)) && out.is_empty());
    let both: Vec<_> = other.mine.into_iter().chain(mine.mine).collect();
    assert_eq!(open_stream(&sealed, &Unlock::Identities(&both), &fast()).0, b"text");
    assert!(matches!(
        roundel_seal::open(
            Input::reader(&b"something else"[..]),
            Output::writer(Vec::new()),
            &Unlock::Identities(&both),
            &fast()
        ),
        Err(Error::NotSealed)
    ));
}

#[test]
fn passphrases() {
    let asked = Arc::new(AtomicU64::new(0));
    let identity = |passphrase: &'static str| {
        let asked = asked.clone();
        [keys::passphrase_identity(Arc::new(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            Some(SecretString::from(passphrase.to_owned()))
        }))]
    };
    let to = [keys::passphrase_recipient(SecretString::from("correct horse".to_owned()), 2)];
    let sealed = seal_stream(b"text", &Lock::Recipients { to: &to, suite: Suite::default() });
    assert_eq!(open_stream(&sealed, &Unlock::Identities(&identity("correct horse")), &fast()).0, b"text");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let wrong = open_stream(&sealed, &Unlock::Identities(&identity("wrong")), &fast()).1;
    assert!(matches!(wrong, Err(Error::WrongPassphrase)));
    let by_key = open_stream(&sealed, &pair().unlock(), &fast()).1.unwrap_err();
    assert!(matches!(by_key, Error::KeyKind(_)) && by_key.exit_code() == 12);

    // For a file without passphrase nobody is asked; and a passphrase is not mixed with keys.
    let pair = pair();
    let sealed = seal_stream(b"text", &pair.lock());
    asked.store(0, Ordering::Relaxed);
    assert!(matches!(
        open_stream(&sealed, &Unlock::Identities(&identity("x")), &fast()).1,
        Err(Error::NoMatchingKey)
    ));
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    let mixed: Vec<_> = to.into_iter().chain(pair.to).collect();
    let lock = Lock::Recipients { to: &mixed, suite: Suite::default() };
    assert!(matches!(
        roundel_seal::seal(Input::reader(&b""[..]), Output::writer(Vec::new()), &lock, &fast()),
        Err(Error::Key(_))
    ));
}

#[test]
fn suites_of_other_keys_and_ciphers() {
    let pair = pair();
    let text = text(CHUNK_BYTES + 9);
    for cipher in roundel::CIPHERS.iter().filter(|cipher| cipher.block_bytes == 16) {
        for bits in cipher.keys.standard.iter().map(|bytes| 8 * bytes).filter(|&bits| bits >= 128) {
            let suite = Suite::of(cipher, bits).unwrap();
            let lock = Lock::Recipients { to: &pair.to, suite };
            let policy = roundel::Policy::AnyTiming;
            let options = Options { policy, allow_unsound: true, ..fast() };
            let mut sealed = Vec::new();
            roundel_seal::seal(Input::reader(&text[..]), Output::writer(&mut sealed), &lock, &options)
                .unwrap();
            let (out, result) = open_stream(&sealed, &pair.unlock(), &options);
            assert_eq!(result.unwrap().suite, suite.name());
            assert!(out == text);
            if cipher.standing != roundel::Standing::Sound {
                let options = Options { policy, ..fast() };
                let refused =
                    roundel_seal::seal(Input::reader(&text[..]), Output::writer(Vec::new()), &lock, &options);
                assert!(matches!(refused, Err(Error::Unsound { .. })), "{}", cipher.name);
            }
        }
    }
}

#[test]
fn bare_keys() {
    let raw = BareKey::from_file_contents(&[0xAB; 32], Suite::default(), b"context").unwrap();
    let hex = format!("{}\n", "aB".repeat(32));
    let hex = BareKey::from_file_contents(hex.as_bytes(), Suite::default(), b"context").unwrap();
    let sealed = seal_stream(b"text", &Lock::Bare(&raw));
    assert_eq!(sealed.len(), 56 + 4 + 16);
    assert_eq!(open_stream(&sealed, &Unlock::Bare(&hex), &fast()).0, b"text");
    let other = BareKey::from_file_contents(&[0xAB; 32], Suite::default(), b"").unwrap();
    assert!(matches!(open_stream(&sealed, &Unlock::Bare(&other), &fast()).1, Err(Error::WrongBareKey)));
    for bad in [&b""[..], &[0; 31], &[0; 33], &[b'g'; 64], &[b'a'; 63]] {
        assert!(BareKey::from_file_contents(bad, Suite::default(), b"").is_err());
    }
}

#[test]
fn existing_files_stay_unless_replacing_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let pair = pair();
    let path = folder.path().join("target");
    fs::write(&path, b"old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(seal_to(&path, b"text", &pair, &fast()), Err(Error::Exists(_))));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    // Through a link, the file behind it is replaced, and keeps its permissions.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("target", &link).unwrap();
    seal_to(&link, b"text", &pair, &Options { replace: true, ..fast() }).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(open_stream(&fs::read(&path).unwrap(), &pair.unlock(), &fast()).0, b"text");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(matches!(
        seal_to(&folder.path().join("no/such/folder"), b"", &pair, &fast()),
        Err(Error::Io { .. })
    ));
    assert!(matches!(seal_to(folder.path(), b"", &pair, &fast()), Err(Error::Io { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    let missing = roundel_seal::check(Input::Path(folder.path().join("missing")), &pair.unlock(), &fast());
    assert_eq!(missing.unwrap_err().exit_code(), 10);
}

#[test]
fn what_was_private_stays_private() {
    let folder = tempfile::tempdir().unwrap();
    let pair = pair();
    let (plain, sealed, opened) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
    fs::write(&plain, b"secret").unwrap();
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o700)).unwrap();
    roundel_seal::seal(Input::Path(plain), Output::Path(sealed.clone()), &pair.lock(), &fast()).unwrap();
    roundel_seal::open(Input::Path(sealed), Output::Path(opened.clone()), &pair.unlock(), &fast()).unwrap();
    assert_eq!(fs::metadata(opened).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_cancelled_operation_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let pair = pair();
    let path = folder.path().join("target");
    let (cancel, seen) = (AtomicBool::new(false), AtomicU64::new(0));
    let progress = |progress: roundel_seal::Progress| {
        seen.store(progress.done, Ordering::Relaxed);
        cancel.store(true, Ordering::Relaxed);
    };
    for threads in [1, 4] {
        cancel.store(false, Ordering::Relaxed);
        let options = Options { threads, cancel: Some(&cancel), progress: Some(&progress), ..fast() };
        let result = seal_to(&path, &text(100 * CHUNK_BYTES), &pair, &options);
        assert!(matches!(result, Err(Error::Interrupted)));
        assert!(seen.load(Ordering::Relaxed) >= 16 * CHUNK_BYTES as u64);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

/// A file that grows or shrinks while it is sealed.
#[test]
fn a_changing_input_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let pair = pair();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    for new_len in [0, 90 * CHUNK_BYTES as u64, 200 * CHUNK_BYTES as u64] {
        fs::write(&from, text(100 * CHUNK_BYTES)).unwrap();
        let change = |_: roundel_seal::Progress| {
            fs::OpenOptions::new().write(true).open(&from).unwrap().set_len(new_len).unwrap();
        };
        let options = Options { progress: Some(&change), ..fast() };
        let result =
            roundel_seal::seal(Input::Path(from.clone()), Output::Path(to.clone()), &pair.lock(), &options);
        assert!(matches!(result, Err(Error::Changed(_))), "{new_len}");
        assert!(!to.exists());
    }
}

/// A panic in a caller's progress function reaches the caller; no thread waits for ever.
#[test]
fn a_panicking_callback_does_not_hang() {
    let pair = pair();
    let panics = |_: roundel_seal::Progress| panic!("on purpose");
    let long = text(200 * CHUNK_BYTES);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let options = Options { threads: 4, progress: Some(&panics), ..fast() };
        let _ =
            roundel_seal::seal(Input::reader(&long[..]), Output::writer(Vec::new()), &pair.lock(), &options);
    }));
    assert!(outcome.is_err());
}

#[test]
fn leftovers_of_dead_processes_are_swept() {
    let folder = tempfile::tempdir().unwrap();
    let pair = pair();
    let stale = folder.path().join(".roundel-2147483647-0123456789abcdef.tmp");
    let alive = folder.path().join(format!(".roundel-{}-0123456789abcdef.tmp", std::process::id()));
    let foreign = folder.path().join(".roundel-2147483647-notes.tmp");
    for path in [&stale, &alive, &foreign] {
        fs::write(path, b"x").unwrap();
    }
    seal_to(&folder.path().join("target"), b"text", &pair, &fast()).unwrap();
    assert!(!stale.exists() && alive.exists() && foreign.exists());
}

#[test]
fn recipients_and_identities_are_read_from_files() {
    let pair = keys::generate();
    let file = format!("# team\n\n{}\n  {}  \n", pair.public, keys::generate().public);
    assert_eq!(keys::recipients_file(&file, "team.txt").unwrap().len(), 2);
    let bad = keys::recipients_file("age1nonsense\n", "team.txt").err().unwrap();
    assert_eq!(bad.to_string(), "line 1 of team.txt is not a recipient");
    assert!(keys::recipients_file("# nobody\n", "team.txt").is_err());
    let silent: keys::Ask = Arc::new(|_: &str| None);
    assert!(keys::identities_file(b"# empty\n", "key.txt", silent.clone()).is_err());
    assert!(keys::identities_file(b"rubbish\n", "key.txt", silent).is_err());
}

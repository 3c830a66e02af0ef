//! Files of earlier versions: `vectors/seal/`. With `ROUNDEL_MAKE_VECTORS=1`, missing ones are made.

mod common;

use common::*;
use roundel_seal::keys::{self, age::secrecy::ExposeSecret, age::secrecy::SecretString};
use roundel_seal::{
    BareKey, CHUNK_BYTES, Error, Input, Lock, SEALED_CHUNK_BYTES, START_BYTES, Suite, Unlock,
};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/seal")
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i + i / 256) as u8).collect()
}

const SIZES: [usize; 5] = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 2 * CHUNK_BYTES + 333];

fn mine() -> Vec<keys::BoxIdentity> {
    let passphrase: keys::Ask = Arc::new(|_: &str| Some(SecretString::from("roundel".to_owned())));
    let key = fs::read(folder().join("key.txt")).unwrap();
    let mut all = keys::identities_file(&key, "key.txt", passphrase.clone()).unwrap();
    all.push(keys::passphrase_identity(passphrase));
    all
}

fn bare() -> BareKey {
    let key = fs::read(folder().join("bare.key")).unwrap();
    BareKey::from_file_contents(&key, Suite::default(), b"").unwrap()
}

/// Opens by every way; all must agree on the text or on the exit code.
fn open_all(name: &str, sealed: &[u8]) -> Result<Vec<u8>, u8> {
    let (identities, key) = (mine(), bare());
    let unlock = if name.starts_with("bare") { Unlock::Bare(&key) } else { Unlock::Identities(&identities) };
    let work = tempfile::tempdir().unwrap();
    let merge = |(out, result): (Vec<u8>, Result<(), Error>)| result.map(|()| out);
    let (out, result) = open_stream(sealed, &unlock, &fast());
    let results = [
        merge((out, result.map(|_| ()))),
        merge(open_reader(sealed, &unlock)),
        merge(open_seeking(sealed, &unlock)),
        open_file(work.path(), sealed, &unlock),
    ]
    .map(|result| result.map_err(|error| error.exit_code()));
    let [first, rest @ ..] = results;
    assert!(rest.iter().all(|other| *other == first), "{name}: the ways disagree");
    first
}

fn sealed_files(kind: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder().join(kind)).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn kept_files_open_and_bad_files_fail() {
    if std::env::var_os("ROUNDEL_MAKE_VECTORS").is_some() {
        make();
    }
    let good = sealed_files("ok");
    assert!(good.len() >= 20);
    for (name, sealed) in good {
        let len = name.rsplit_once('-').unwrap().1.parse().unwrap();
        assert!(open_all(&name, &sealed) == Ok(pattern(len)), "{name}");
    }
    let bad = sealed_files("must_fail");
    assert!(bad.len() >= 20);
    for (name, sealed) in bad {
        let code = name.split_once('-').unwrap().0.parse().unwrap();
        assert_eq!(open_all(&name, &sealed).map(|_| ()), Err(code), "{name}");
    }
}

fn write_new(path: PathBuf, contents: &[u8]) {
    if !path.exists() {
        fs::write(path, contents).unwrap();
    }
}

fn make() {
    let pair = keys::generate();
    let key = format!("# public key: {}\n{}\n", pair.public, pair.secret.expose_secret());
    write_new(folder().join("key.txt"), key.as_bytes());
    write_new(folder().join("bare.key"), format!("{}\n", "0123456789abcdef".repeat(4)).as_bytes());
    let key = fs::read_to_string(folder().join("key.txt")).unwrap();
    let public = key.lines().find_map(|line| line.strip_prefix("# public key: ")).unwrap();
    let to = [keys::recipient(public).unwrap()];
    let passphrase = [keys::passphrase_recipient(SecretString::from("roundel".to_owned()), 10)];
    let key = bare();
    let ok = |name: &str, len: usize, sealed: Vec<u8>| {
        write_new(folder().join(format!("ok/{name}-{len}.sealed")), &sealed);
    };
    let for_suite = |suite| Lock::Recipients { to: &to, suite };
    for len in SIZES {
        ok("x25519", len, seal_file(&pattern(len), &for_suite(Suite::default())));
        ok("stream", len, seal_stream(&pattern(len), &for_suite(Suite::default())));
        ok("bare", len, seal_stream(&pattern(len), &Lock::Bare(&key)));
    }
    let lock = Lock::Recipients { to: &passphrase, suite: Suite::default() };
    ok("passphrase", 100, seal_file(&pattern(100), &lock));
    let many: Vec<_> = (0..5).map(|_| keys::recipient(&keys::generate().public).unwrap()).collect();
    let many: Vec<_> = many.into_iter().chain([keys::recipient(public).unwrap()]).collect();
    ok(
        "six-recipients",
        100,
        seal_file(&pattern(100), &Lock::Recipients { to: &many, suite: Suite::default() }),
    );
    ok("cobblestone-128", 100, seal_file(&pattern(100), &for_suite(Suite::COBBLESTONE_128)));
    for name in ["roundel-RIJNDAEL-192-GCM", "roundel-SERPENT-256-GCM", "roundel-TWOFISH-256-GCM"] {
        if let Ok(suite) = Suite::from_name(name) {
            ok(name, 100, seal_file(&pattern(100), &for_suite(suite)));
        }
    }
    make_bad("", &fs::read(folder().join("ok/x25519-33101.sealed")).unwrap());
    make_bad("stream-", &fs::read(folder().join("ok/stream-33101.sealed")).unwrap());
    let others = [keys::recipient(&keys::generate().public).unwrap()];
    let lock = Lock::Recipients { to: &others, suite: Suite::default() };
    write_new(folder().join("must_fail/12-other-recipient.sealed"), &seal_file(b"text", &lock));
}

fn make_bad(kind: &str, good: &[u8]) {
    let bad = |code: u8, name: &str, sealed: Vec<u8>| {
        write_new(folder().join(format!("must_fail/{code}-{kind}{name}.sealed")), &sealed);
    };
    let flip = |at: usize| {
        let mut sealed = good.to_vec();
        sealed[at] ^= 1;
        sealed
    };
    let header = roundel_seal::inspect(Input::reader(good)).unwrap().header_bytes as usize;
    let chunk = |number: usize| header + START_BYTES + number * SEALED_CHUNK_BYTES;
    let (zero, one, two) = (&good[chunk(0)..chunk(1)], &good[chunk(1)..chunk(2)], &good[chunk(2)..]);
    let chunks = |parts: &[&[u8]]| [&good[..chunk(0)], &parts.concat()].concat();
    bad(21, "cut-in-chunk-1", good[..chunk(1) + 1000].to_vec());
    bad(21, "cut-at-chunk-1", good[..chunk(1)].to_vec());
    bad(21, "cut-by-one", good[..good.len() - 1].to_vec());
    if !kind.is_empty() {
        bad(21, "last-chunk", flip(good.len() - 20));
        return;
    }
    bad(20, "version", flip(3));
    bad(20, "suite", flip(24));
    bad(20, "size", flip(50));
    bad(20, "stanza-type", flip(header - 160));
    bad(20, "stanza-body", flip(header - 90));
    bad(20, "mac", flip(header - 40));
    bad(20, "checksum", flip(header - 5));
    bad(20, "salt", flip(header + 5));
    bad(20, "commitment", flip(header + 40));
    bad(20, "chunk-0", flip(chunk(0) + 100));
    bad(20, "chunk-1-tag", flip(chunk(2) - 1));
    bad(20, "swapped", chunks(&[one, zero, two]));
    bad(20, "duplicated", chunks(&[zero, zero, two]));
    bad(20, "not-sealed", b"something else".to_vec());
    bad(21, "empty", Vec::new());
    bad(21, "cut-in-header", good[..header - 20].to_vec());
    bad(21, "cut-after-header", good[..header].to_vec());
    bad(21, "cut-in-commitment", good[..chunk(0) - 1].to_vec());
    bad(21, "cut-before-chunks", good[..chunk(0)].to_vec());
    bad(20, "last-chunk", flip(good.len() - 20));
    bad(20, "trailing-byte", [good, b"x"].concat());
}

//! `volume` with BitLocker volumes: what is printed, what is written, exit codes, and an NBD server with other people's clients.

mod common;

use common::{fail, names, roundel, succeed};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const TO_GO: &str = "own-elephant-128-togo.img.gz";
const TO_GO_PASSWORD: &str = "rm3xgrw8suMLsq";
const TO_GO_RECOVERY: &str = "241065-028050-370568-020504-143000-534369-119416-014190";
const TO_GO_SHA256: &str = "a1bb1bc4512e883335c1f04727245be80cd734315fe78291ee1c61b4a9a7e599";
const FAT: &str = "own-elephant-256-fat-bek.img.gz";
const FAT_SHA256: &str = "257ba473808ae44a18bfd55933f21e0e8048a097150d0b78025051f6e36b6868";

fn images() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../roundel-volume/tests/images")
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Unpacks an image, with holes where it is zero.
fn unpack(name: &str, folder: &Path) -> String {
    let path = folder.join("volume.img");
    let mut output = File::create(&path).unwrap();
    let mut packed = flate2::read::GzDecoder::new(File::open(images().join(name)).unwrap());
    let mut piece = Vec::new();
    let mut length = 0;
    while Read::by_ref(&mut packed).take(1 << 16).read_to_end(&mut piece).unwrap() > 0 {
        length += piece.len() as u64;
        if piece.iter().all(|byte| *byte == 0) {
            output.seek(SeekFrom::Current(piece.len() as i64)).unwrap();
        } else {
            output.write_all(&piece).unwrap();
        }
        piece.clear();
    }
    output.set_len(length).unwrap();
    path.to_str().unwrap().to_owned()
}

fn hash_of_file(path: &Path) -> String {
    sha256(&std::fs::read(path).unwrap())
}

#[test]
fn info_needs_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let image = unpack(TO_GO, folder.path());
    let text = String::from_utf8(succeed(&["volume", "info", &image], b"")).unwrap();
    for part in [
        "BitLocker, version 2 (Windows 7 and later, To Go)",
        "AES-128-CBC with Elephant diffuser (0x8000)",
        "state       encrypted",
        "encrypted   all of it",
        "41943040 bytes, sectors of 512",
        "opens by    password",
        "opens by    recovery password",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json: Value = serde_json::from_slice(&succeed(&["volume", "info", "--json", &image], b"")).unwrap();
    assert_eq!((&json["method"], &json["version"]), (&"0x8000".into(), &2.into()));
    assert_eq!(json["protectors"].as_array().unwrap().len(), 2);
    assert_eq!(json["state"], "encrypted");
}

#[test]
fn each_secret_unlocks() {
    let folder = tempfile::tempdir().unwrap();
    let image = unpack(TO_GO, folder.path());
    let output = folder.path().join("plain");
    let secret_file = folder.path().join("secret");
    std::fs::write(&secret_file, format!("{TO_GO_PASSWORD}\nsecond line\n")).unwrap();
    let out = output.to_str().unwrap();
    for secret in [
        vec!["--recovery-password", TO_GO_RECOVERY],
        vec!["--password-file", secret_file.to_str().unwrap()],
        vec!["--password-env", "THE_PASSWORD"],
        vec!["--password-fd", "0"],
    ] {
        let arguments = [&["volume", "unlock", &image, "--no-sync", "-o", out][..], &secret].concat();
        let mut command = roundel(&arguments);
        let done = command.env("THE_PASSWORD", TO_GO_PASSWORD).write_stdin(TO_GO_PASSWORD).output().unwrap();
        assert!(done.status.success(), "{secret:?}: {}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(hash_of_file(&output), TO_GO_SHA256, "{secret:?}");
        std::fs::remove_file(&output).unwrap();
    }
    std::fs::remove_file(secret_file).unwrap();

    let image = unpack(FAT, folder.path());
    let bek = images().join("own-elephant-256-fat-bek.bek");
    let plain = succeed(&["volume", "unlock", &image, "--bek", bek.to_str().unwrap(), "-o", "-"], b"");
    assert_eq!(sha256(&plain), FAT_SHA256, "through a pipe");
    for (range, expected) in
        [("0:512", 0..512), ("1000:70000", 1000..71_000), ("41943000:", 41_943_000..41_943_040)]
    {
        let arguments =
            ["volume", "unlock", &image, "--bek", bek.to_str().unwrap(), "--range", range, "--threads", "2"];
        assert!(succeed(&arguments, b"") == plain[expected], "{range}");
    }
    assert_eq!(names(folder.path()), [Path::new("volume.img")], "nothing is left behind");
}

#[test]
fn failures_are_told_apart_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let image = unpack(TO_GO, folder.path());
    let before = hash_of_file(Path::new(&image));
    let out = folder.path().join("plain");
    let out = out.to_str().unwrap();
    let noise = folder.path().join("noise");
    std::fs::write(&noise, common::noise(4096)).unwrap();
    let noise = noise.to_str().unwrap();
    let bek = images().join("own-elephant-256-fat-bek.bek");
    let wrong = "000000-000000-000000-000000-000000-000000-000000-000011";
    for (image, secret, code, says) in [
        ("/nonexistent", vec!["--clear-key"], 10, "does not exist"),
        (noise, vec!["--clear-key"], 20, "not a BitLocker volume"),
        (&image, vec![], 12, "opens by recovery password, password; give --recovery-password"),
        (&image, vec!["--clear-key"], 12, "no protector for a clear key"),
        (&image, vec!["--bek", noise], 12, "not a BEK file"),
        (&image, vec!["--bek", bek.to_str().unwrap()], 12, "no protector for a BEK file"),
        (&image, vec!["--recovery-password", wrong], 12, "the recovery password is wrong"),
        (&image, vec!["--recovery-password", "1-2"], 2, "2 groups of digits instead of 8"),
        (&image, vec!["--recovery-password", &wrong.replace("11", "12")], 2, "a digit of group 8 is wrong"),
        (&image, vec!["--password-env", "NOT_SET_AT_ALL"], 2, "is not set"),
        (&image, vec!["--password-fd", "0"], 2, "the password is empty"),
        (&image, vec!["--password-file", noise, "--clear-key"], 2, "cannot be used with"),
        (
            &image,
            vec!["--recovery-password", TO_GO_RECOVERY, "--range", "50000000:1"],
            1,
            "begins at byte 50000000",
        ),
    ] {
        let (got, message) = fail(&[&["volume", "unlock", image, "-o", out][..], &secret].concat(), b"");
        assert_eq!(got, code, "{secret:?}: {message}");
        assert!(message.contains(says) && message.lines().count() == 1, "{secret:?}: {message}");
    }
    let (code, message) = fail(
        &["volume", "unlock", &image, "--force", "--recovery-password", TO_GO_RECOVERY, "-o", &image],
        b"",
    );
    assert_eq!(code, 2, "{message}");
    let (code, _) =
        fail(&["volume", "unlock", &image, "--recovery-password", TO_GO_RECOVERY, "-o", noise], b"");
    assert_eq!(code, 11);
    assert_eq!(hash_of_file(Path::new(&image)), before, "the source is as it was");
    assert_eq!(names(folder.path()), [Path::new("noise"), Path::new("volume.img")]);

    File::options().write(true).open(&image).unwrap().set_len(1 << 20).unwrap();
    let (code, message) = fail(&["volume", "info", &image], b"");
    assert_eq!(code, 21, "{message}");
}

/// A server that is stopped at the end.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_roundel"));
        let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Server { child, address: address.trim().to_owned() }
    }

    /// Ctrl-C; the exit code.
    fn stop(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Other people's clients, as far as they are installed.
#[test]
fn other_clients_read_what_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let image = unpack(TO_GO, folder.path());
    let socket = folder.path().join("socket");
    let copied = folder.path().join("copied");
    for place in [socket.to_str().unwrap(), "127.0.0.1:0"] {
        let arguments = ["volume", "serve", &image, "--recovery-password", TO_GO_RECOVERY, "--nbd", place];
        let mut server = Server::start(&arguments);
        assert!(server.address.starts_with("nbd"), "{}", server.address);
        for client in [
            vec!["qemu-img", "convert", "-O", "raw", &server.address, copied.to_str().unwrap()],
            vec!["nbdcopy", &server.address, copied.to_str().unwrap()],
        ] {
            match Command::new(client[0]).args(&client[1..]).output() {
                Ok(output) => {
                    assert!(
                        output.status.success(),
                        "{client:?}: {}",
                        String::from_utf8_lossy(&output.stderr)
                    );
                    assert_eq!(hash_of_file(&copied), TO_GO_SHA256, "{client:?}");
                    std::fs::remove_file(&copied).unwrap();
                }
                Err(_) => eprintln!("skipped: there is no {} here", client[0]),
            }
        }
        if let Ok(output) = Command::new("nbdinfo").arg(&server.address).output() {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains("is_read_only: true") && text.contains("41943040"), "{text}");
        }
        if let Ok(output) = Command::new("nbdinfo").args(["--list", &server.address]).output() {
            assert!(String::from_utf8_lossy(&output.stdout).contains("export=\"volume\""));
        }
        assert_eq!(server.stop(), Some(0));
        assert!(!socket.exists());
    }
}

#[test]
fn places_that_cannot_be_listened_at() {
    let folder = tempfile::tempdir().unwrap();
    let image = unpack(TO_GO, folder.path());
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "a file").unwrap();
    for place in [taken.to_str().unwrap(), "no.such.host.invalid:1", "127.0.0.1"] {
        let (code, message) =
            fail(&["volume", "serve", &image, "--recovery-password", TO_GO_RECOVERY, "--nbd", place], b"");
        assert!(code == 1 && message.contains("cannot listen at"), "{place}: {message}");
    }
    assert_eq!(std::fs::read(&taken).unwrap(), b"a file");
}

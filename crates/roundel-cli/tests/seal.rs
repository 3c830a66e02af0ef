//! `seal`, `open` and their relatives as their user meets them: files, pipes, exit codes, and what is left behind.

mod common;

use common::{fail, names, noise, roundel, succeed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with a key pair in it.
struct Desk {
    folder: TempDir,
    public: String,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let key = folder.path().join("key");
        let made = roundel(&["keygen", "-o", key.to_str().unwrap()]).output().unwrap();
        assert!(made.status.success());
        let printed = String::from_utf8(made.stderr).unwrap();
        let public = printed.trim().strip_prefix("public key: ").unwrap().to_owned();
        Desk { folder, public }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The path as an argument.
    fn arg(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn put(&self, name: &str, contents: &[u8]) {
        fs::write(self.path(name), contents).unwrap();
    }

    fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn sealed(&self, text: &[u8]) -> Vec<u8> {
        succeed(&["seal", "-r", &self.public], text)
    }

    fn open(&self, sealed: &[u8]) -> std::process::Output {
        roundel(&["open", "-i", &self.arg("key")]).write_stdin(sealed).output().unwrap()
    }
}

/// Length of chunks, before and after sealing, by docs/FORMAT.md.
const CHUNK: usize = 16384;
const SEALED_CHUNK: usize = CHUNK + 16;

#[test]
fn round_trips_of_files_and_pipes() {
    let desk = Desk::new();
    let key = desk.arg("key");
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 20 * CHUNK, 3_000_001] {
        let text = noise(len);
        desk.put("text", &text);
        let (file, sealed) = (desk.arg("text"), desk.arg("sealed"));
        succeed(&["seal", "-f", "-r", &desk.public, &file, "-o", &sealed], b"");
        // File to file, file to pipe, pipe to pipe, pipe to file.
        succeed(&["open", "-f", "-i", &key, &sealed, "-o", &desk.arg("back")], b"");
        assert!(desk.get("back") == text, "{len}");
        assert!(succeed(&["open", "-i", &key, &sealed], b"") == text, "{len}");
        let piped = desk.sealed(&text);
        assert!(succeed(&["open", "-i", &key], &piped) == text, "{len}");
        succeed(&["open", "-f", "-i", &key, "-", "-o", &desk.arg("back")], &piped);
        assert!(desk.get("back") == text, "{len}");
        succeed(&["check", "-i", &key, &sealed], b"");
    }
}

#[test]
fn ranges() {
    let desk = Desk::new();
    let text = noise(100_000);
    desk.put("sealed", &desk.sealed(&text));
    let range =
        |range: &str| succeed(&["open", "-i", &desk.arg("key"), "--range", range, &desk.arg("sealed")], b"");
    assert_eq!(range("0:1"), text[..1]);
    assert_eq!(range("16380:10"), text[16380..16390]);
    assert_eq!(range("99990:"), text[99990..]);
    assert_eq!(range("99990:1000"), text[99990..]);
    assert!(range("5:0").is_empty());
    let arguments = ["open", "-i", &desk.arg("key"), "--range", "100001:", &desk.arg("sealed")];
    assert_eq!(fail(&arguments, b"").0, 1);
    for wrong in ["5", "a:b", "-1:5", "1:2:3"] {
        let option = format!("--range={wrong}");
        assert_eq!(fail(&["open", "-i", &desk.arg("key"), &option, &desk.arg("sealed")], b"").0, 2);
    }
}

#[test]
fn what_is_wrong_is_told_apart() {
    let (desk, other) = (Desk::new(), Desk::new());
    let text = noise(5 * CHUNK);
    let good = desk.sealed(&text);
    let chunks_at = good.len() - 5 * SEALED_CHUNK - 16;
    let flipped = |at: usize| {
        let mut bad = good.clone();
        bad[at] ^= 4;
        bad
    };
    let wrong_key = roundel(&["open", "-i", &other.arg("key")]).write_stdin(&good[..]).output().unwrap();
    assert_eq!((wrong_key.status.code(), wrong_key.stdout.len()), (Some(12), 0));

    let chunk_2 = desk.open(&flipped(chunks_at + 2 * SEALED_CHUNK + 77));
    assert_eq!(chunk_2.status.code(), Some(20));
    let message = String::from_utf8(chunk_2.stderr).unwrap();
    let offset = chunks_at + 2 * SEALED_CHUNK;
    assert_eq!(message, format!("roundel: chunk 2 at offset {offset} is damaged\n"));
    assert!(chunk_2.stdout == text[..2 * CHUNK], "exactly the verified chunks come out");

    let header = desk.open(&flipped(40));
    assert_eq!((header.status.code(), header.stdout.len()), (Some(20), 0));
    let no_file_of_ours = desk.open(b"hello");
    assert_eq!((no_file_of_ours.status.code(), no_file_of_ours.stdout.len()), (Some(20), 0));
    let appended = desk.open(&[&good[..], b"x"].concat());
    assert!(matches!(appended.status.code(), Some(20 | 21)));

    desk.put("text", &text);
    succeed(&["seal", "-r", &desk.public, &desk.arg("text"), "-o", &desk.arg("sealed")], b"");
    let sealed = desk.get("sealed");
    for len in [sealed.len() - 1, sealed.len() - SEALED_CHUNK, chunks_at, 100, 0] {
        desk.put("short", &sealed[..len]);
        let (code, message) =
            fail(&["open", "-i", &desk.arg("key"), &desk.arg("short"), "-o", &desk.arg("out")], b"");
        assert_eq!(code, 21, "{message}");
        assert!(!desk.path("out").exists());
    }
    let missing = desk.arg("missing");
    assert_eq!(
        fail(&["open", "-i", &desk.arg("key"), &missing], b""),
        (10, format!("roundel: {missing} does not exist\n"))
    );
    assert_eq!(fail(&["seal", "-r", &desk.public, &missing], b"").0, 10);
}

#[test]
fn the_old_target_stays_until_the_new_one_is_whole() {
    let desk = Desk::new();
    let mut sealed = desk.sealed(&noise(100_000));
    let (source, target, key) = (desk.arg("sealed"), desk.arg("out"), desk.arg("key"));
    desk.put("out", b"old");
    desk.put("sealed", &sealed);
    let arguments = ["open", "-i", &key, &source, "-o", &target];
    assert_eq!(fail(&arguments, b""), (11, format!("roundel: {target} exists: --force replaces it\n")));
    sealed[50_000] ^= 1;
    desk.put("sealed", &sealed);
    assert_eq!(fail(&[&arguments[..], &["--force"]].concat(), b"").0, 20);
    assert_eq!(desk.get("out"), b"old");
    assert_eq!(names(desk.folder.path()), ["key", "out", "sealed"].map(PathBuf::from));
    sealed[50_000] ^= 1;
    desk.put("sealed", &sealed);
    succeed(&[&arguments[..], &["--force"]].concat(), b"");
    assert!(desk.get("out") == noise(100_000));
}

#[test]
fn rescue_writes_what_verifies() {
    let desk = Desk::new();
    let text = noise(10 * CHUNK);
    let mut sealed = desk.sealed(&text);
    let chunks_at = sealed.len() - 10 * SEALED_CHUNK - 16;
    sealed[chunks_at + 3 * SEALED_CHUNK + 5] ^= 1;
    desk.put("sealed", &sealed);
    let arguments = ["rescue", "-i", &desk.arg("key"), &desk.arg("sealed"), "-o", &desk.arg("out")];
    let (code, message) = fail(&arguments, b"");
    let (from, to) = (3 * CHUNK, 4 * CHUNK);
    let expected =
        format!("rescued {} of {} bytes: bytes {from} to {} are missing", 9 * CHUNK, 10 * CHUNK, to - 1);
    assert_eq!((code, message), (20, format!("roundel: {expected}\n")));
    let out = desk.get("out");
    assert!(out[..from] == text[..from] && out[to..] == text[to..]);
    assert!(out[from..to].iter().all(|&byte| byte == 0));
}

#[test]
fn folders_keep_their_tree() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("photos/summer")).unwrap();
    for (name, len) in
        [("photos/a", 10), ("photos/summer/b", 5_000_000), ("photos/summer/c", 0), ("loose", 7)]
    {
        desk.put(name, &noise(len));
    }
    let [photos, loose, out, back] = ["photos", "loose", "out", "back"].map(|name| desk.arg(name));
    succeed(&["seal", "-q", "-r", &desk.public, &photos, &loose, "-o", &out], b"");
    assert_eq!(names(&desk.path("out/photos/summer")), ["b.rndl", "c.rndl"].map(PathBuf::from));
    desk.put("out/photos/readme", b"not sealed");
    let opened = roundel(&["open", "-i", &desk.arg("key"), &out, "-o", &back]).output().unwrap();
    assert!(opened.status.success());
    let note = String::from_utf8(opened.stderr).unwrap();
    assert_eq!(note, "roundel: 1 links and other files in folders were left out\n");
    for name in ["photos/a", "photos/summer/b", "photos/summer/c", "loose"] {
        assert!(desk.get(name) == desk.get(&format!("back/out/{name}")), "{name}");
    }
    // One damaged file of four: named, counted, and the others are done.
    let bad = desk.path("out/photos/a.rndl");
    let mut sealed = fs::read(&bad).unwrap();
    *sealed.last_mut().unwrap() ^= 1;
    fs::write(&bad, sealed).unwrap();
    let (code, message) = fail(&["check", "-q", "-i", &desk.arg("key"), &out], b"");
    assert_eq!(code, 3);
    assert!(message.starts_with(&format!("roundel: {}: ", bad.display())), "{message}");
    assert!(message.ends_with("roundel: 1 of 4 files failed\n"), "{message}");
    assert_eq!(fail(&["seal", "-r", &desk.public, &photos], b"").0, 2);
    assert_eq!(fail(&["check", "-i", &desk.arg("key"), &photos], b"").0, 10);
    fs::create_dir(desk.path("other")).unwrap();
    desk.put("other/loose", b"");
    assert_eq!(
        fail(&["seal", "-f", "-r", &desk.public, &loose, &desk.arg("other/loose"), "-o", &out], b"").0,
        2
    );
}

#[test]
fn summaries_and_progress_are_json() {
    let desk = Desk::new();
    desk.put("text", &noise(2_000_000));
    let arguments = [
        "seal",
        "-r",
        &desk.public,
        "--json",
        "--progress",
        "json",
        &desk.arg("text"),
        "-o",
        &desk.arg("out"),
    ];
    let output = roundel(&arguments).output().unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["files"][0]["text_bytes"], 2_000_000);
    assert_eq!(summary["files"][0]["sealed_bytes"], desk.get("out").len());
    assert_eq!(summary["files"][0]["suite"], "Cobblestone-256");
    let lines = String::from_utf8(output.stderr).unwrap();
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((&last["done"], &last["total"]), (&2_000_000.into(), &2_000_000.into()));
    let refused = roundel(&arguments).output().unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(summary["files"][0]["exit_code"], 11);
    let inspected = succeed(&["inspect", "--json", &desk.arg("out")], b"");
    let inspected: serde_json::Value = serde_json::from_slice(&inspected).unwrap();
    assert_eq!((&inspected["size"], &inspected["whole"]), (&2_000_000.into(), &true.into()));
}

#[test]
fn passphrases_come_from_everywhere_but_arguments() {
    let desk = Desk::new();
    let sealed = {
        let mut command = roundel(&["seal", "--passphrase-env", "ROUNDEL_TEST_PASSPHRASE"]);
        command.env("ROUNDEL_TEST_PASSPHRASE", "Correct Horse").write_stdin("text").output().unwrap().stdout
    };
    desk.put("passphrase", b"Correct Horse\nand a second line\n");
    desk.put("wrong", b"Correct horse\n");
    desk.put("empty", b"\n");
    let by_file = ["open", "--passphrase-file", &desk.arg("passphrase")];
    assert_eq!(succeed(&by_file, &sealed), b"text");
    let by_command = format!("cat {}", desk.arg("passphrase"));
    assert_eq!(succeed(&["open", "--passphrase-command", &by_command], &sealed), b"text");
    desk.put("sealed", &sealed);
    let by_fd = format!(
        "exec {} open --passphrase-fd 7 {} 7<{}",
        env!("CARGO_BIN_EXE_roundel"),
        desk.arg("sealed"),
        desk.arg("passphrase")
    );
    assert_eq!(Command::new("bash").args(["-c", &by_fd]).output().unwrap().stdout, b"text");
    let wrong = fail(&["open", "--passphrase-file", &desk.arg("wrong")], &sealed);
    assert_eq!(wrong, (12, "roundel: the passphrase is wrong\n".to_owned()));
    assert_eq!(fail(&["open", "--passphrase-file", &desk.arg("empty")], &sealed).0, 2);
    assert_eq!(fail(&["open", "-i", &desk.arg("key")], &sealed).0, 12);
    assert_eq!(fail(&["open", "--passphrase-command", "exit 3"], &sealed).0, 1);
    // A passphrase stands alone.
    assert_eq!(fail(&["seal", "-r", &desk.public, "--passphrase-file", &desk.arg("passphrase")], b"").0, 2);
}

#[test]
fn bare_messages() {
    let desk = Desk::new();
    desk.put("raw", &noise(32));
    desk.put("short", &noise(31));
    let text = noise(50_000);
    let sealed = succeed(&["seal", "--bare", "--key-file", &desk.arg("raw")], &text);
    // Salt, commitment, four chunks' tags: no header.
    assert_eq!(sealed.len(), 24 + 32 + text.len() + 4 * 16);
    assert!(succeed(&["open", "--bare", "--key-file", &desk.arg("raw")], &sealed) == text);
    desk.put("other", &noise(40)[8..]);
    assert_eq!(fail(&["open", "--bare", "--key-file", &desk.arg("other")], &sealed).0, 12);
    assert_eq!(fail(&["seal", "--bare", "--key-file", &desk.arg("short")], b"").0, 2);
    assert_eq!(fail(&["seal", "--bare"], b"").0, 2);
}

#[test]
fn keys_are_private_and_never_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    assert_eq!(fs::metadata(desk.path("key")).unwrap().permissions().mode() & 0o777, 0o600);
    let before = desk.get("key");
    assert_eq!(fail(&["keygen", "-o", &desk.arg("key")], b"").0, 11);
    assert_eq!(desk.get("key"), before);
    // Recipient files, and age's own tool, where there is one, reading the key file.
    desk.put("recipients", format!("# me\n{}\n", desk.public).as_bytes());
    let sealed = succeed(&["seal", "-R", &desk.arg("recipients")], b"text");
    assert_eq!(desk.open(&sealed).stdout, b"text");
    if let Ok(output) = Command::new("age-keygen").args(["-y", &desk.arg("key")]).output() {
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), desk.public);
    }
}

#[test]
fn a_full_disk_leaves_nothing() {
    let desk = Desk::new();
    desk.put("text", &noise(2_000_000));
    desk.put("out", b"old");
    // A limit on the file size makes writes fail as a full disk does.
    let script = format!(
        "trap '' XFSZ; ulimit -f 1000; exec {} seal --force -r {} {} -o {}",
        env!("CARGO_BIN_EXE_roundel"),
        desk.public,
        desk.arg("text"),
        desk.arg("out")
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stderr.iter().filter(|&&byte| byte == b'\n').count(), 1);
    assert_eq!(desk.get("out"), b"old");
    assert_eq!(names(desk.folder.path()), ["key", "out", "text"].map(PathBuf::from));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundel"));
    command.args(["seal", "-r", &desk.public, &desk.arg("text")]).stdout(full).stderr(Stdio::piped());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no space left"));
}

/// Seals standard input, of which only a part comes, over an old file.
fn start_over_old(desk: &Desk) -> std::process::Child {
    use std::io::Write;
    desk.put("out", b"old");
    let mut child = Command::new(env!("CARGO_BIN_EXE_roundel"))
        .args(["seal", "--force", "-r", &desk.public, "-o", &desk.arg("out")])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(&noise(3_000_000)).unwrap();
    child
}

#[test]
fn ctrl_c_leaves_the_old_file_alone() {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let desk = Desk::new();
        let mut child = start_over_old(&desk);
        // The pipe stays open: only the signal can end it.
        let _pipe = child.stdin.take();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(code));
        assert_eq!(desk.get("out"), b"old");
        assert_eq!(names(desk.folder.path()), ["key", "out"].map(PathBuf::from));
    }
}

/// A run killed at a random point leaves the old file or a whole new one, and the next run leaves nothing else.
fn kill_at_random_points(times: usize) {
    let desk = Desk::new();
    let text = noise(3_000_000);
    desk.put("text", &text);
    let arguments = ["seal", "--force", "-r", &desk.public, &desk.arg("text"), "-o", &desk.arg("out")];
    let began = std::time::Instant::now();
    succeed(&arguments, b"");
    let whole_run = began.elapsed();
    let mut killed = 0;
    for point in noise(times) {
        desk.put("out", b"old");
        let mut child = Command::new(env!("CARGO_BIN_EXE_roundel")).args(arguments).spawn().unwrap();
        std::thread::sleep(whole_run.mul_f64(f64::from(point) / 200.0));
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        let out = desk.get("out");
        assert!(out == b"old" || desk.open(&out).stdout == text);
    }
    assert!(killed > 0, "every run was faster than its killer");
    succeed(&arguments, b"");
    assert_eq!(names(desk.folder.path()), ["key", "out", "text"].map(PathBuf::from));
}

#[test]
fn killed_at_random_points() {
    kill_at_random_points(20);
}

#[test]
#[ignore = "200 runs: a minute or more"]
fn killed_at_200_random_points() {
    kill_at_random_points(200);
}

/// Runs a command at a terminal, with what is typed there. None where `script` is missing.
fn at_terminal(command: &str, typed: &[u8]) -> Option<(i32, String)> {
    Command::new("script").arg("--version").output().ok()?;
    let output = assert_cmd::Command::new("script")
        .args(["-qec", command, "/dev/null"])
        .write_stdin(typed)
        .timeout(std::time::Duration::from_secs(60))
        .output()
        .unwrap();
    Some((output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[test]
fn terminals_are_asked_and_not_garbled() {
    let desk = Desk::new();
    let program = env!("CARGO_BIN_EXE_roundel");
    desk.put("text", b"text");
    let seal = |more: &str| format!("{program} seal {more} {} ", desk.arg("text"));
    let Some((code, said)) = at_terminal(&seal(&format!("-r {}", desk.public)), b"") else {
        eprintln!("skipped: there is no `script` here");
        return;
    };
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("binary data to the terminal"), "{said}");
    let (code, said) = at_terminal(&seal(&format!("-p -o {}", desk.arg("out"))), b"one\ntwo\n").unwrap();
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("differ"), "{said}");
    let (code, said) = at_terminal(&seal(&format!("-p -o {}", desk.arg("out"))), b"same\nsame\n").unwrap();
    assert_eq!(code, 0, "{said}");
    desk.put("passphrase", b"same");
    let arguments = ["open", "--passphrase-file", &desk.arg("passphrase"), &desk.arg("out")];
    assert_eq!(succeed(&arguments, b""), b"text");
}

#[test]
fn the_path_of_a_key_may_be_standard_input() {
    let desk = Desk::new();
    desk.put("sealed", &desk.sealed(b"text"));
    assert_eq!(succeed(&["open", "-i", "-", &desk.arg("sealed")], &desk.get("key")), b"text");
    assert_eq!(fail(&["open", "-i", "-"], &desk.get("key")).0, 2);
    assert!(Path::new(&desk.arg("key")).exists());
}

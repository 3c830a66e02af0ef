//! `roundel tune` that is stopped. What it measures is tested where it is measured.

mod common;

use common::names;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn ctrl_c_keeps_the_old_profile_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("profile");
    std::fs::write(&profile, "the old one").unwrap();
    let temporary = folder.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_roundel"))
        .arg("tune")
        .env("ROUNDEL_PROFILE", &profile)
        .env("TMPDIR", &temporary)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Its folder is there once it listens.
    while names(&temporary).is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert_eq!(last, "roundel: interrupted: nothing was kept, and a profile from before is as it was");
    assert_eq!((names(&temporary).len(), output.stdout.len()), (0, 0));
    assert_eq!(std::fs::read_to_string(&profile).unwrap(), "the old one");
    assert_eq!(names(folder.path()), ["profile", "temporary"].map(PathBuf::from));
}

//! What the tests of the command line share.

// Each test file is a program of its own and uses what it needs.
#![allow(dead_code)]

pub(crate) mod browser;

use assert_cmd::Command;
use std::path::{Path, PathBuf};

/// `roundel`, with no setting taken over from outside.
pub(crate) fn roundel(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundel"));
    command.args(arguments).env_remove("ROUNDEL_CPU").env("ROUNDEL_PROFILE", "");
    command
}

/// Standard output of a run that must succeed.
pub(crate) fn succeed(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let output = roundel(arguments).write_stdin(input).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Exit code and standard error of a run that must fail.
pub(crate) fn fail(arguments: &[&str], input: &[u8]) -> (i32, String) {
    let output = roundel(arguments).write_stdin(input).output().unwrap();
    assert!(!output.status.success(), "{arguments:?} should fail");
    let message = String::from_utf8(output.stderr).unwrap();
    (output.status.code().expect("no signal ended it"), message)
}

/// Bytes without a pattern that a block cipher mode could hide behind.
pub(crate) fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    names
}

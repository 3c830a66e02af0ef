//! Tables fit a narrow terminal: here one of `script`, which Linux has.
#![cfg(target_os = "linux")]

use std::process::Command;

const WIDTH: usize = 60;

/// What the program shows on a terminal so wide.
fn shown(arguments: &str) -> String {
    let program = env!("CARGO_BIN_EXE_roundel");
    let inside = format!("stty cols {WIDTH} && '{program}' --quiet {arguments}");
    let output = Command::new("script")
        .args(["-qec", &inside, "/dev/null"])
        .env_remove("ROUNDEL_CPU")
        .env("ROUNDEL_PROFILE", "")
        .output()
        .expect("util-linux has script");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments}: {text}");
    text.replace('\r', "")
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let cases = [
        "list",
        "study",
        "study elephant-2008 --quick",
        "study aes-32bit-2002 --quick",
        "study parallel-aes-2011 --quick",
        "study aes-candidates-1999 --quick --cipher rc6",
        "plan --message 1K --explain",
        "plan --table",
        "plan --table --all --allow-timing-leaks",
        "predict 1G --cores 1..64 --price 0.04 --allow-timing-leaks",
        "bench --quick --cipher rc6 --size 16 --mode ctr,key --cores one -o -",
    ];
    for arguments in cases {
        let text = shown(arguments);
        let longest = text.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
        assert!(longest.chars().count() <= WIDTH, "{arguments}: {longest}\n{text}");
        assert!(text.lines().count() > 3, "{arguments}: {text}");
    }
}

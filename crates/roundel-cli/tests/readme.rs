//! The README's table is what the program prints, its commands exist, and the files it names are there.

mod common;

use common::{roundel, succeed};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

/// `TRYCMD=overwrite` writes the table, as it does the messages.
#[test]
fn the_table_is_fresh() {
    let readme = readme();
    let (before, after) = readme.split_once("a test compares -->\n").unwrap();
    let (table, rest) = after.split_once("<!-- end of the table -->").unwrap();
    let printed = String::from_utf8(succeed(&["list", "--markdown"], b"")).unwrap();
    if std::env::var("TRYCMD").is_ok_and(|value| value == "overwrite") {
        let new = format!("{before}a test compares -->\n\n{printed}\n<!-- end of the table -->{rest}");
        return std::fs::write(root().join("README.md"), new).unwrap();
    }
    assert!(table.trim() == printed.trim(), "put this between the marks of README.md:\n\n{printed}");
}

#[test]
fn every_verb_of_the_tour_exists() {
    let readme = readme();
    let verbs =
        readme.lines().filter_map(|line| line.split("roundel ").nth(1).filter(|_| line.starts_with("    ")));
    let mut seen = 0;
    for verb in verbs.map(|rest| rest.split(' ').next().unwrap()).filter(|verb| !verb.starts_with('-')) {
        assert!(roundel(&[verb, "--help"]).output().unwrap().status.success(), "{verb}");
        seen += 1;
    }
    assert!(seen >= 10);
}

#[test]
fn the_files_it_links_to_exist() {
    let readme = readme();
    let links = readme.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
    for link in links {
        assert!(root().join(link).exists(), "{link}");
    }
}

//! The commands of the README exist, and so do the files that it names. (Its table is tested where it is made, in roundel-lab.)

mod common;

use common::roundel;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
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

//! `roundel man`: the manual pages, one for each command.

use crate::args::Args;
use crate::error::Error;
use crate::output;
use clap::{Command, CommandFactory};
use std::fs;
use std::path::PathBuf;

/// Options of `roundel man`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Write a page for each command into this folder [default: the page of roundel, to standard output]
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// `roundel man`.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let mut program = Args::command();
    program.build();
    let Some(folder) = &options.output else { return output::print(&page(program)?) };
    fs::create_dir_all(folder).map_err(|error| Error::file("create", folder, error))?;
    let verbs = program.get_subcommands().filter(|verb| verb.get_name() != "help").map(|verb| {
        let name = format!("roundel-{}", verb.get_name());
        verb.clone().name(name.clone()).display_name(name)
    });
    for command in std::iter::once(program.clone()).chain(verbs) {
        let path = folder.join(format!("{}.1", command.get_name()));
        fs::write(&path, page(command)?).map_err(|error| Error::file("write", &path, error))?;
    }
    Ok(())
}

fn page(command: Command) -> Result<String, Error> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

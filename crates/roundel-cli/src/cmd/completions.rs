//! `roundel completions`: what a shell needs to complete commands and options.

use crate::args::Args;
use crate::error::Error;
use crate::output;
use clap::CommandFactory;
use clap_complete::Shell;

/// Options of `roundel completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The shell: bash, elvish, fish, powershell or zsh
    #[arg(value_enum, hide_possible_values = true)]
    shell: Shell,
}

/// `roundel completions`.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "roundel", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

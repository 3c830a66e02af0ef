//! `roundel list`: the registry.

use crate::error::Error;
use crate::output;
use roundel_lab::list;

/// Options of `roundel list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these ciphers.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    cipher: Vec<String>,
    /// As JSON.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// As the table of the README.
    #[arg(long)]
    markdown: bool,
}

/// `roundel list`.
pub(crate) fn run(options: Options) -> Result<(), Error> {
    let ciphers = match options.cipher.as_slice() {
        [] => roundel::CIPHERS.to_vec(),
        names => names.iter().map(|name| roundel::cipher(name)).collect::<Result<_, _>>()?,
    };
    let entries = list::entries(&ciphers);
    output::print(&match (options.json, options.markdown) {
        (true, _) => list::json(&entries),
        (_, true) => list::markdown(&entries),
        _ => list::terminal(&entries, output::width()),
    })
}

//! The command line of roundel: arguments in, one verb, errors as one sentence on standard error.

use std::process::ExitCode;

mod args;
mod cmd;
mod error;
mod input;
mod output;
mod pipeline;

use args::{Args, Verb};
use error::Error;

fn main() -> ExitCode {
    let outcome = match args::parse() {
        Ok(args) => run(args),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is_silent() {
                eprintln!("roundel: {error}");
            }
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(args: Args) -> Result<(), Error> {
    let global = args.global;
    if let Some(level) = global.cpu {
        roundel::simd::set_cap(level);
    }
    match args.verb {
        None => output::print(args::WELCOME),
        Some(Verb::Encrypt(options)) => cmd::raw::encrypt(options, &global),
        Some(Verb::Decrypt(options)) => cmd::raw::decrypt(options, &global),
    }
}

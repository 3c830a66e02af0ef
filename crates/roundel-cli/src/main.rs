//! The command line of roundel: arguments in, one verb, errors as one sentence on standard error.

use std::process::ExitCode;

mod args;
mod batch;
mod cmd;
mod error;
mod input;
mod keys;
mod output;
mod passphrase;
mod pipeline;
mod progress;
mod run;
mod signals;

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
    if args.verb.as_ref().is_some_and(Verb::writes_files) {
        signals::watch();
    }
    match args.verb {
        None => output::print(args::WELCOME),
        Some(Verb::Seal(options)) => cmd::seal::run(options, &global),
        Some(Verb::Open(options)) => cmd::open::run(options, &global),
        Some(Verb::Check(options)) => cmd::check::run(options, &global),
        Some(Verb::Rescue(options)) => cmd::rescue::run(options, &global),
        Some(Verb::Inspect(options)) => cmd::inspect::run(options),
        Some(Verb::Keygen(options)) => cmd::keygen::run(options),
        Some(Verb::Encrypt(options)) => cmd::raw::encrypt(options, &global),
        Some(Verb::Decrypt(options)) => cmd::raw::decrypt(options, &global),
        Some(Verb::Hash(options)) => cmd::hash::run(&options, &global),
        Some(Verb::Verify(options)) => cmd::verify::run(&options, &global),
        Some(Verb::Bench(options)) => cmd::bench::run(options, &global),
        Some(Verb::Tune(options)) => cmd::tune::run(&options, &global),
        Some(Verb::Plan(options)) => cmd::plan::run(&options, &global),
        Some(Verb::Predict(options)) => cmd::predict::run(&options, &global),
        Some(Verb::List(options)) => cmd::list::run(options),
        Some(Verb::Volume(options)) => cmd::volume::run(options, &global),
        Some(Verb::Study(options)) => cmd::study::run(&options, &global),
        Some(Verb::Report(options)) => cmd::report::run(&options, &global),
        Some(Verb::Completions(options)) => cmd::completions::run(&options),
        Some(Verb::Man(options)) => cmd::man::run(&options),
    }
}

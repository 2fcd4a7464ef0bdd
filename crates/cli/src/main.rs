//! The `iota` command: reads, prints and joins traces.
//!
//! A command delivers everything that is whole, then says in one line on standard error what was not,
//! and exits with status 2. A reader that goes away (`iota text run.iota | head`) is no error.

mod args;
mod failure;
mod names;
mod output;
mod shell;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::report(run(&Args::parse().command))
}

fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
    }
}

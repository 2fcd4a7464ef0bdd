//! The `iota` command: reads, prints and joins traces, and recovers those of killed processes.
//!
//! A command delivers everything that is whole, then says in one line on standard error what was not,
//! and exits with status 2. A reader that goes away (`iota text run.iota | head`) is no error.

mod args;
mod failure;
mod hosts;
mod info;
mod local_time;
mod merge;
mod moved;
mod names;
mod output;
mod ranks;
mod recover;
mod shell;
mod table;
mod text;
mod units;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    failure::report(run(&Args::parse().command))
}

fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Text(args) => text::run(args),
        Command::Info(args) => info::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Recover(args) => recover::run(args),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
    }
}

//! The `iota` command: traces programs; reads, prints and joins traces, and recovers those of killed processes.
//!
//! A command delivers everything that is whole, then says in one line on standard error what was not,
//! and exits with status 2. A reader that goes away (`iota text run.iota | head`) is no error.

mod args;
mod draft;
mod failure;
mod hosts;
mod info;
mod local_time;
mod merge;
mod names;
mod output;
mod progress;
mod ranks;
mod recover;
mod run;
mod shell;
mod stat;
mod table;
mod text;

use args::{Args, Command};
use clap::Parser;
use iota_analysis::human as units;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Args::parse().command {
        Command::Run(args) => run::run(&args),
        command => failure::report(read(&command)),
    }
}

fn read(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Run(_) => Ok(()),
        Command::Text(args) => text::run(args),
        Command::Info(args) => info::run(args),
        Command::Stat(args) => stat::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Recover(args) => recover::run(args),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
    }
}

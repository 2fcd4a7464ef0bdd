//! The `iota` command: traces programs; reads, prints and joins traces, and recovers those of killed processes.
//!
//! A command delivers everything that is whole, then says in one line on standard error what was not,
//! and exits with status 2. A reader that goes away (`iota text run.iota | head`) is no error.

mod args;
mod convert;
mod cut;
mod diff;
mod failure;
mod head;
mod info;
mod inputs;
mod jobs;
mod layers;
mod load;
mod local_time;
mod memory;
mod merge;
mod names;
mod output;
mod plot;
mod progress;
mod ranks;
mod recover;
mod report;
mod run;
mod runs;
mod servers;
mod shell;
mod sql;
mod stat;
mod table;
mod text;
mod text_page;
mod untraced;
mod waited;
mod wraps;

use args::{Args, Command};
use clap::Parser;
use iota_output::temp_guard;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words = load::words(std::env::args_os());
    if let Some(args) = args::Run::alone(&words) {
        return run::run(&args);
    }
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(error) => return load::misused(&words, error),
    };
    match args.command {
        Command::Run(args) => run::run(&args),
        Command::Load(args) => load::run(&args.options, &words[2..]),
        command => failure::report(read(&command)),
    }
}

fn read(command: &Command) -> anyhow::Result<()> {
    iota_launch::umask::spare_owner();
    memory::limit()?;
    temp_guard::watch(iota_load::engine::stop::ending())?;
    iota_trace::read::translate_layouts(iota_lustreapi::known);
    match command {
        Command::Run(_) | Command::Load(_) => Ok(()),
        Command::Sql(args) => sql::run(args),
        Command::Text(args) => text::run(args),
        Command::Info(args) => info::run(args),
        Command::Stat(args) => stat::run(args),
        Command::Layers(args) => layers::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Jobs(args) => jobs::run(args),
        Command::Head(args) => head::run(args),
        Command::Cut(args) => cut::run(args),
        Command::Plot(args) => plot::run(args),
        Command::Report(args) => report::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Symbols(args) => merge::symbols(&args.merge),
        Command::Recover(args) => recover::run(args),
        Command::Wraps(args) => wraps::run(args),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
    }
}

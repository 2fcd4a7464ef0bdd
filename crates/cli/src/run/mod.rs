//! `iota run`: a command with the tracer preloaded in all its processes, and one trace of them at the end.
//!
//! The command must not notice: it keeps its terminal, signals and exit status. What iota has to say goes to standard
//! error, one line for each thing.

mod child;
mod collect;
mod demangled;
mod destination;
mod entries;
mod environment;
mod find;
mod launcher;
pub mod library;
mod lists;
mod needed;
mod probes;
mod program;
mod python;
mod spawn;
mod symbols;

use crate::args;
use crate::{failure, umask};
use child::Ended;
use destination::Destination;
use launcher::Launcher;
use probes::Probes;
use program::Program;
use python::Python;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// As `env` and `timeout` end when it is they who fail
const FAILED: u8 = 125;

/// Runs the command, and ends as it did
pub fn run(args: &args::Run) -> ExitCode {
    match traced(args) {
        Ok(ended) => ended.follow(),
        Err(error) => {
            failure::say(&error);
            ExitCode::from(FAILED)
        }
    }
}

fn traced(args: &args::Run) -> anyhow::Result<Ended> {
    let first = &args.command[0];
    let Some(file) = program::find(first) else {
        failure::note(&format!("{}: command not found", first.display()));
        return Ok(Ended::Code(child::NOT_FOUND));
    };
    umask::spare_owner();
    let plan = Plan::new(args, file)?;
    plan.notes(args.quiet);
    plan.run(args)
}

/// How the command is going to be traced
struct Plan {
    launcher: Option<Launcher>,
    programs: Vec<Program>,
    /// What LD_PRELOAD is set to
    preload: Option<OsString>,
    probes: Probes,
    python: Python,
    /// What becomes of them
    probed: Vec<String>,
}

impl Plan {
    fn new(args: &args::Run, file: PathBuf) -> anyhow::Result<Plan> {
        let launcher = Launcher::of(&file);
        let programs = match launcher {
            None => vec![Program::new(file)],
            Some(_) => program::among(&args.command[1..]),
        };
        // A command like `numactl` starts them; nothing but probes depends on what they are.
        let started = match launcher {
            None => program::by_path(&args.command[1..]),
            Some(_) => None,
        };
        let is_foreign = launcher.is_none() && programs.iter().any(Program::is_foreign);
        let preload = match is_foreign {
            true => None,
            false => Some(library::preload(&library::find(&programs)?)?),
        };
        let mut probes = Probes::new(&args.probe)?;
        Ok(Plan {
            launcher,
            preload,
            probed: probes.look(programs.iter().chain(&started))?,
            probes,
            python: Python::new(&args.python_probe)?,
            programs,
        })
    }

    /// What the user should know before
    fn notes(&self, quiet: bool) {
        let fault = self.programs.first().and_then(Program::fault);
        let notes = fault.iter().chain(&self.probed);
        notes
            .filter(|_| !quiet)
            .for_each(|note| failure::note(note));
    }

    fn run(&self, args: &args::Run) -> anyhow::Result<Ended> {
        let first = &args.command[0];
        let program = self.programs.first().map(Program::name);
        let destination = Destination::new(args, program.unwrap_or_else(|| program::name(first)))?;
        let mut variables = environment::variables(args, &destination, &self.programs);
        let of_probes = self.probes.variables(&destination)?.into_iter();
        let of_probes = of_probes.chain(self.python.variable());
        variables.extend(of_probes.map(|(name, value)| (name.to_owned(), value)));
        let launcher = self.launcher.as_ref();
        let command = environment::command(args, launcher, self.preload.as_deref(), &variables);
        match child::run(&command) {
            Ok((process, ended)) => {
                unless_failed(collect::collect(
                    args,
                    &destination,
                    &variables,
                    |trace| [self.probes.silent(trace), self.python.silent(trace)].concat(),
                    process,
                    launcher.is_some() && ended.is_by_signal(),
                ));
                Ok(ended)
            }
            Err(error) => {
                failure::note(&format!("{}: {error}", first.display()));
                Ok(child::unstarted(&error))
            }
        }
    }
}

/// The command has done its work, whatever becomes of its trace.
fn unless_failed(collected: anyhow::Result<()>) {
    if let Err(error) = collected {
        failure::say(&error);
    }
}

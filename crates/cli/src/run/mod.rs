//! `iota run`: a command with the tracer preloaded in all its processes, and one trace of them at the end.
//!
//! The command must not notice: it keeps its terminal, signals and exit status. What iota has to say goes to standard
//! error, one line for each thing.

mod collect;
mod destination;
mod environment;
mod follow;

use crate::args;
use crate::{failure, names, report, stat};
use destination::Destination;
use follow::FAILED;
use iota_launch::child::{self, Ended};
use iota_launch::launcher::Launcher;
use iota_launch::probes::Probes;
use iota_launch::program::{self, Program};
use iota_launch::python::Python;
use iota_launch::{library, umask};
use iota_output::free;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    // It would be too late to say so at the end.
    if let Some(page) = &args.report {
        free(page, false)?;
    }
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
    /// Whether system calls are followed
    follows: bool,
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
        let is_static = launcher.is_none() && programs.iter().any(Program::is_static);
        Ok(Plan {
            follows: is_enabled() && (args.follow || is_static && !args.no_follow),
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
        let program = self.programs.first();
        let fault = program.filter(|_| !self.follows).and_then(Program::fault);
        let followed = program.filter(|program| self.follows && program.is_static());
        let followed = followed.map(|program| {
            format!(
                "{} is static: its system calls are followed by ptrace (--no-follow: they are not)",
                names::path(Path::new(&program.name()))
            )
        });
        let notes = fault.iter().chain(&followed).chain(&self.probed);
        notes
            .filter(|_| !quiet)
            .for_each(|note| failure::note(note));
    }

    fn run(&self, args: &args::Run) -> anyhow::Result<Ended> {
        let first = &args.command[0];
        let program = self.programs.first().map(Program::name);
        let destination = Destination::new(args, program.unwrap_or_else(|| program::name(first)))?;
        let mut variables = environment::variables(args, &destination, &self.programs);
        let of_probes = self.probes.variables(|| destination.patches())?.into_iter();
        let of_probes = of_probes.chain(self.python.variable());
        variables.extend(of_probes.map(|(name, value)| (name.to_owned(), value)));
        let launcher = self.launcher.as_ref();
        let command = environment::command(args, launcher, self.preload.as_deref(), &variables);
        let followed = match self.follows {
            true => follow::run(&command, &variables, &destination),
            false => Ok(None),
        };
        let ran = followed.and_then(|ran| ran.map_or_else(|| child::run(&command), Ok));
        match ran {
            Ok((process, ended)) => {
                let collected = collect::collect(
                    args,
                    &destination,
                    &variables,
                    |trace| [self.probes.silent(trace), self.python.silent(trace)].concat(),
                    process,
                    launcher.is_some() && ended.is_by_signal(),
                );
                let shown =
                    collected.and_then(|trace| trace.map_or(Ok(()), |trace| show(args, trace)));
                unless_failed(shown);
                Ok(ended)
            }
            Err(error) => {
                failure::note(&format!("{}: {error}", first.display()));
                Ok(child::unstarted(&error))
            }
        }
    }
}

/// Whether anything is to be traced at all
fn is_enabled() -> bool {
    std::env::var_os("IOTA_ENABLE").is_none_or(|value| value != "0")
}

/// What the user wants to see of the trace
fn show(args: &args::Run, trace: PathBuf) -> anyhow::Result<()> {
    if args.stat {
        stat::summarize(&trace)?;
    }
    match &args.report {
        Some(page) => report::write_page(&trace, page),
        None => Ok(()),
    }
}

/// The command has done its work, whatever becomes of its trace.
fn unless_failed(collected: anyhow::Result<()>) {
    if let Err(error) = collected {
        failure::say(&error);
    }
}

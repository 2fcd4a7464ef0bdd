//! `iota run`: a command with the tracer preloaded in all its processes, and one trace of them at the end.
//!
//! The command must not notice: it keeps its terminal, signals and exit status. What iota has to say goes to standard
//! error, one line for each thing.

mod child;
mod collect;
mod environment;
mod flavour;
mod launcher;
mod left;
mod place;
mod program;
mod untraced;

use crate::args;
use crate::failure;
use child::Ended;
use flavour::Libraries;
use launcher::Launcher;
use place::Place;
use program::Program;
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
    let launcher = Launcher::of(&file);
    let programs = programs(args, launcher.as_ref(), Program::new(file));
    let choice = flavour::choose(args.mpi, &Libraries::find()?, launcher.as_ref(), &programs)?;
    let told = |note: &String| failure::note(note);
    let faults = programs.first().and_then(Program::fault);
    let notes = choice.note.iter().chain(&faults);
    notes.filter(|_| !args.quiet).for_each(told);
    let name = programs
        .first()
        .map_or_else(|| program::name(first), Program::name);
    let place = Place::new(args, name)?;
    let variables = environment::variables(args, &place);
    let command = environment::command(args, launcher.as_ref(), &choice.preload()?, &variables);
    match child::run(command) {
        Ok((process, ended)) => {
            unless_failed(collect::collect(args, &place, &variables, process));
            Ok(ended)
        }
        Err(error) => {
            failure::note(&format!("{}: {error}", first.display()));
            Ok(child::unstarted(&error))
        }
    }
}

/// The command has done its work, whatever becomes of its trace.
fn unless_failed(collected: anyhow::Result<()>) {
    if let Err(error) = collected {
        failure::say(&error);
    }
}

/// The programs to trace: the command itself, or, behind a launcher, every word that names one
fn programs(args: &args::Run, launcher: Option<&Launcher>, first: Program) -> Vec<Program> {
    match launcher {
        None => vec![first],
        Some(_) => {
            let words = args.command[1..].iter();
            let words = words.filter(|word| !word.as_encoded_bytes().starts_with(b"-"));
            words.filter_map(program::find).map(Program::new).collect()
        }
    }
}

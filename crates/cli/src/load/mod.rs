//! `iota load`: the load generator, which knows nothing of traces, and what joins it to them.

mod replay;
mod report;
mod trace;

use crate::failure;
use anyhow::bail;
use iota_load::engine::{NoHooks, stop};
use iota_load::options::Options;
use iota_load::plan::World;
use iota_load::{Done, Load, api, dashes, table};
use iota_output::Inputs;
use report::{output, unwritten};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The words of the command line; behind `load` options may have one dash
pub fn words(all: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = all.collect();
    if words.get(1).is_some_and(|word| word == "load") {
        let options = words.split_off(2);
        words.extend(dashes::doubled(options));
    }
    words
}

/// What clap has to say: of a load's options in one line
pub fn misused(words: &[OsString], error: clap::Error) -> ExitCode {
    match words.get(1).is_some_and(|word| word == "load") && error.use_stderr() {
        true => failure::report(Err(iota_load::one_line(error))),
        false => error.exit(),
    }
}

/// `iota load`
pub fn run(options: &Options, words: &[OsString]) -> ExitCode {
    let result = load(options, words);
    let status = failure::report(result);
    if let Some(signal) = stop::signal() {
        stop::die(signal);
    }
    status
}

fn load(options: &Options, words: &[OsString]) -> anyhow::Result<()> {
    if options.table {
        return crate::output::print(&table::table());
    }
    spare(options)?;
    if let Some(recorded) = &options.replay {
        iota_load::replay::check(words, options)?;
        return replay::replay(recorded, options);
    }
    let load = Load::new(words, World::ALONE, &api::APIS)?;
    let trace = options
        .trace
        .as_deref()
        .map(trace::TraceOutput::new)
        .transpose()?;
    let mut out = output(options)?;
    warn(load.warnings());
    let (done, ran) = load.run(&NoHooks);
    load.report(&done, &mut *out)
        .map_err(|error| unwritten(options, error))?;
    if !options.quiet {
        warn(done.iter().flat_map(|done| &done.notes));
    }
    let traced = trace.map_or(Ok(()), |trace| trace.write(&done));
    ran.and(traced).and(failed(&done))
}

/// What is replayed, or says what to do, is not written to.
fn spare(options: &Options) -> anyhow::Result<()> {
    let replayed: Vec<PathBuf> = options.replay.iter().cloned().collect();
    let read = iota_trace::read::files(&replayed).into_iter();
    let inputs = Inputs::of(read.chain(options.job.clone()));
    let outputs = options.output.iter().chain(&options.trace);
    outputs
        .into_iter()
        .try_for_each(|output| inputs.spare(output))
}

fn warn<'a>(warnings: impl Iterator<Item = &'a String>) {
    warnings.for_each(|warning| failure::note(&format!("warning: {warning}")));
}

/// The first failure by time of what threads say, and how many there are
fn failed(done: &[Done]) -> anyhow::Result<()> {
    let failures: Vec<_> = done
        .iter()
        .flat_map(|done| done.outcome.failures())
        .collect();
    match failures.as_slice() {
        [] => Ok(()),
        [one] => bail!("{one}"),
        [first, rest @ ..] => bail!(
            "{first}; other pieces had {}",
            iota_quantity::many(rest.len() as u64, "failure")
        ),
    }
}

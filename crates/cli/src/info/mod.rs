//! `iota info`: what a trace holds, where and when it came about, how many calls, how complete.

mod collect;
mod facts;
mod layouts;
mod phrases;
mod processes;
mod show;
mod summary;
mod tally;
pub mod unseen;

use crate::{args, failure, inputs, output};
use anyhow::anyhow;
use iota_analysis::Job;
use iota_trace::read::{Error, Options};
use std::path::PathBuf;
use summary::Verdict;

/// Prints the summary; what cannot be read is reported after it
pub fn run(args: &args::Info) -> anyhow::Result<()> {
    let opened = inputs::opened(&args.traces, Options::default());
    let trace = opened.map_err(|error| with_waiting(error, &args.traces))?;
    let summary = collect::summary(&Job::of(&trace), args.top);
    if args.json {
        output::print(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    } else {
        output::print(&show::tables(&summary, args.top, output::width()))?;
    }
    failure::of(&trace.problems())
}

/// What a page says of a job before its figures: what ran, where and when, and what was not recorded
pub fn heading(job: &Job) -> (Vec<(&'static str, String)>, Vec<String>) {
    let summary = collect::outline(job);
    let lacks = match summary.completeness.complete {
        Verdict::Yes => Vec::new(),
        Verdict::No | Verdict::Unknown => phrases::lacks(&summary),
    };
    (phrases::heading(&summary), lacks)
}

/// A job that was killed may have left nothing but spools.
fn with_waiting(error: Error, traces: &[PathBuf]) -> anyhow::Error {
    let waiting = traces.iter().map(|trace| iota_recover::of_output(trace));
    let message = waiting
        .filter_map(|waiting| Some((waiting.message()?, waiting.remedy())))
        .next();
    match message {
        Some((message, remedy)) => anyhow!("{error}; but there are {message}: {remedy}"),
        None => error.into(),
    }
}

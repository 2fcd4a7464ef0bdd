//! `iota text`: one line for each call.

pub mod header;

use crate::args;
use crate::output::Lines;
use crate::{convert, failure, inputs};
use anyhow::bail;
use iota_export::task::Task;
use iota_trace::read::{Options, Part, Trace};
use iota_trace::text::{line, long_line};

/// Prints what is asked for
pub fn run(args: &args::Text) -> anyhow::Result<()> {
    if !args.filter.is_empty() {
        return convert::lines(args);
    }
    let raw_clock = args.raw_clock;
    let trace = inputs::open(&args.traces, Options { raw_clock }, None)?.trace;
    write(&trace, args, Lines::new()?)?;
    failure::of(&trace.problems())
}

/// Writes an opened trace
pub fn write(trace: &Trace, args: &args::Text, mut out: Lines) -> anyhow::Result<()> {
    let chosen = chosen(trace, args)?;
    header::print(trace, args.verbose, args.raw_clock, &mut out)?;
    // A task is all parts of one rank: what it did before and after MPI_Finalize, and its children.
    for parts in chosen.chunk_by(|a, b| a.rank() == b.rank()) {
        task(parts, args.verbose, &mut out)?;
    }
    out.flush()
}

fn chosen<'a>(trace: &'a Trace, args: &args::Text) -> anyhow::Result<Vec<&'a Part>> {
    let parts = trace.parts().iter();
    let Some(ranks) = &args.rank else {
        return Ok(parts.collect());
    };
    let chosen: Vec<_> = parts.filter(|part| ranks.contains(part.rank())).collect();
    if chosen.is_empty() {
        let there = header::ranks(trace);
        bail!("--rank {ranks}: none of these is in the trace, which has {there}");
    }
    Ok(chosen)
}

fn task(parts: &[&Part], verbose: bool, out: &mut Lines) -> anyhow::Result<()> {
    let write = if verbose { long_line } else { line };
    let mut task = Task::new(parts);
    while let Some(call) = task.next_call() {
        out.add(|room| write(room, &call.line(verbose)))?;
    }
    Ok(())
}

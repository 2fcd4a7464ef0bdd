//! `iota info`: what a trace holds, where and when it came about, how many calls, how complete.

mod collect;
mod facts;
mod layouts;
mod phrases;
mod show;
mod summary;
mod tally;

use crate::{args, failure, output};
use iota_trace::read::{Options, Trace};

/// Says it
pub fn run(args: &args::Info) -> anyhow::Result<()> {
    let trace = Trace::open(&args.traces, Options::default())?;
    let summary = collect::summary(&trace, args.top);
    if args.json {
        output::print(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    } else {
        output::print(&show::tables(&summary, args.top, output::width()))?;
    }
    failure::of(&trace.problems())
}

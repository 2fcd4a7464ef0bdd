//! `iota report`: a trace as one HTML page.

use crate::args::Report;
use crate::inputs::{self, Opened};
use crate::plot::{none_passes, parsed, shown, write};
use crate::{failure, names};
use iota_analysis::Job;
use iota_plot::Scope;
use iota_report::About;
use iota_trace::read::Options;

/// Reads the trace twice and writes the page
pub fn run(args: &Report) -> anyhow::Result<()> {
    let filter = parsed("--where", args.filter.iter().cloned())?
        .of_program()
        .on_storage();
    let Opened { trace, inputs } =
        inputs::open(&args.traces, Options::default(), Some(&args.output))?;
    let job = Job::of(&trace).counting(&filter);
    let found = shown(|progress| iota_report::find(&job, &Scope { filter }, progress));
    let found = found.ok_or_else(|| none_passes(&args.traces))?;
    let about = About {
        title: args.title.clone(),
        traces: args.traces.iter().map(|path| names::path(path)).collect(),
        filter: args.filter.clone(),
        problems: trace.problems().iter().map(failure::told).collect(),
    };
    write(&args.output, &inputs, found.page(&about)?.as_bytes())?;
    failure::of(&trace.problems())
}

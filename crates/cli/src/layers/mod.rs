//! `iota layers`: calls of MPI-IO, and what they caused.

mod show;

use crate::progress::Shown;
use crate::stat::filter;
use crate::{args, failure, inputs, names, output};
use iota_analysis::layers::{Layers, Report};
use iota_analysis::stat::Finding;
use iota_analysis::{Filter, Job, Pass, Progress};
use iota_trace::read::{Options, Trace};

/// The object of `--json`
#[derive(serde::Serialize)]
struct Said<'a> {
    traces: &'a [String],
    filter: &'a [String],
    /// In ns since 1970
    start: i64,
    /// In ns
    duration: i64,
    #[serde(flatten)]
    report: &'a Report,
}

/// Prints the report
pub fn run(args: &args::Layers) -> anyhow::Result<()> {
    let filter = filter(&args.filter)?;
    let raw_clock = args.raw_clock;
    let trace = inputs::open(&args.traces, Options { raw_clock }, None)?.trace;
    let job = Job::of(&trace);
    let report = read(&job, &filter, args.top);
    let traces: Vec<String> = args.traces.iter().map(|path| names::path(path)).collect();
    let said = Said {
        traces: &traces,
        filter: &args.filter,
        start: trace.start().0,
        duration: job.duration,
        report: &report,
    };
    match args.json {
        true => output::print(&(serde_json::to_string_pretty(&said)? + "\n"))?,
        false => output::print(&show::page(&said, &args.by, output::width()))?,
    }
    failure::of(&trace.problems())
}

/// What the tree of a trace that has calls of MPI-IO finds, for `iota stat`
pub fn findings(trace: &Trace, filter: &Filter) -> Vec<Finding> {
    read(&Job::of(trace), filter, 1).findings
}

/// Reads a trace, and shows how far it is
fn read(job: &Job, filter: &Filter, top: usize) -> Report {
    let (wanted, shown) = (filter.bind(job), Shown::of(0));
    let progress = |at: Progress| shown.at(at.done, at.all);
    let pass = Pass::of(job).of_processes(filter).progress(&progress);
    let layers = pass.run(|| Layers::new(job, &wanted));
    shown.done();
    Report::of(&layers, job, top)
}

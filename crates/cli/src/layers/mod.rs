//! `iota layers`: calls of a layer, and what they caused.

mod cells;
mod json;
mod server_table;
mod show;
mod tree;

use crate::args::filter;
use crate::progress::Bar;
use crate::{args, failure, inputs, names, output, runs, servers};
use iota_analysis::layers::{LayerReport, Stack, layer_of, layers_of};
use iota_analysis::servers::ServerTies;
use iota_analysis::thresholds::Thresholds;
use iota_analysis::{Filter, Job, Pass, Progress};
use iota_trace::read::{Options, Trace};
use iota_trace::text;
use json::LayersJson;

/// Prints the report
pub fn run(args: &args::Layers) -> anyhow::Result<()> {
    let (filter, thresholds) = (filter(&args.filter)?, args.thresholds.table()?);
    let raw_clock = args.raw_clock;
    let options = Options { raw_clock };
    let trace = inputs::open_beside(&args.traces, &args.servers.server, options, None)?.trace;
    let of_servers = servers::open(&args.servers)?;
    runs::must_be_one(&args.traces, &trace)?;
    let job = Job::of(&trace);
    let layer = match &args.layer {
        None => layer_of(&job),
        Some(name) => named(&job, name)?,
    };
    let ties = servers::join(&args.servers, &of_servers, &job)?;
    let mut report = read(&job, layer, &filter, ties.as_ref(), args.top, &thresholds);
    let findings = report.findings.iter_mut();
    findings.for_each(|finding| finding.within(&args.filter));
    let traces: Vec<String> = args.traces.iter().map(|path| names::path(path)).collect();
    let said = LayersJson {
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
    failure::of(&servers::problems(&trace, &of_servers))
}

/// The layer of this name, in small letters and without a hyphen if the user likes
fn named(job: &Job, name: &str) -> anyhow::Result<u8> {
    let plain = |name: &str| name.to_lowercase().replace('-', "");
    let known = layers_of(job);
    let is_it = |layer: &&u8| plain(text::layer(**layer)) == plain(name);
    if let Some(layer) = known.iter().find(is_it) {
        return Ok(*layer);
    }
    let names: Vec<String> = known
        .iter()
        .map(|layer| plain(text::layer(*layer)))
        .collect();
    match names.is_empty() {
        true => anyhow::bail!("--layer {name}: the trace has only calls of POSIX and STDIO"),
        false => anyhow::bail!("--layer {name}: the trace has {}", names.join(", ")),
    }
}

/// What the tree of a trace that has calls of libraries finds, for `iota stat`
pub fn of(trace: &Trace, filter: &Filter, thresholds: &Thresholds) -> LayerReport {
    let job = Job::of(trace);
    read(&job, layer_of(&job), filter, None, 1, thresholds)
}

/// Reads a trace, and shows how far it is
fn read(
    job: &Job,
    layer: u8,
    filter: &Filter,
    servers: Option<&ServerTies>,
    top: usize,
    thresholds: &Thresholds,
) -> LayerReport {
    let (wanted, shown) = (filter.bind(job), Bar::of(0));
    let progress = |at: Progress| shown.at(at.done, at.all);
    let pass = Pass::of(job).of_processes(filter).progress(&progress);
    let stack = Stack::read(&pass, job, &wanted, layer, false, servers);
    shown.done();
    stack.report(job, filter, top, thresholds)
}

//! `iota stat`: where the time went.

mod objects;
mod show;
mod sites;
mod tables;
mod words;

use crate::args::filter;
use crate::failure;
use crate::inputs::{self, Opened};
use crate::names;
use crate::output;
use crate::progress::Bar;
use crate::{args, layers, runs};
use anyhow::{Context, anyhow, bail};
use iota_analysis::layers::LayerReport;
use iota_analysis::stat::{Facts, Further, Options, Overwrites, Partial, Report, Sort, Stat};
use iota_analysis::thresholds::Thresholds;
use iota_analysis::{Filter, Job, Pass, Share};
use iota_output::{Draft, free};
use iota_quantity as units;
use iota_trace::read::{Options as How, Problem, Trace};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Prints the report, writes one share of it, or joins shares
pub fn run(args: &args::Stat) -> anyhow::Result<()> {
    match (&args.shard, &args.output) {
        _ if args.merge => merged(args),
        (Some(share), Some(output)) => write(args, *share, output),
        _ => whole(args),
    }
}

/// How much of a run was I/O, and the findings, on standard error
pub fn summarize(trace: &Path) -> anyhow::Result<()> {
    let trace = inputs::opened(&[trace.to_owned()], How::default())?;
    anstream::eprint!("{}", show::summary(&report(&trace), output::width()));
    failure::of(&trace.problems())
}

/// The figures and findings of a whole trace
pub fn report(trace: &Trace) -> Report {
    let options = Options {
        by: Vec::new(),
        top: 0,
        sort: Sort::Time,
        thresholds: Thresholds::default(),
        is_filtered: false,
    };
    let found = Analysis::of(trace, &Filter::default(), &options.thresholds);
    Report::of(&found.stat, &found.facts, found.further(), &options)
}

fn whole(args: &args::Stat) -> anyhow::Result<()> {
    let (filter, thresholds) = (filter(&args.filter)?, args.thresholds.table()?);
    let trace = open(args, None)?.trace;
    let found = Analysis::of(&trace, &filter, &thresholds);
    let title = title(&args.traces);
    let asked = (&*title, &*args.filter, &thresholds);
    say(args, &found.stat, &found.facts, found.further(), asked)?;
    failure::of(&trace.problems())
}

/// All that is found out of a trace
struct Analysis {
    stat: Stat,
    facts: Facts,
    tree: Option<LayerReport>,
    overwrites: Option<Overwrites>,
}

impl Analysis {
    /// One pass more where calls of libraries caused others, and one where several ranks wrote the same bytes
    fn of(trace: &Trace, filter: &Filter, thresholds: &Thresholds) -> Analysis {
        let job = Job::of(trace).counting(filter);
        let (stat, facts) = read(&job, filter, thresholds);
        let has_tree = stat.library_calls() > 0;
        let tree = has_tree.then(|| layers::of(trace, filter, thresholds));
        let overwrites = Overwrites::find(&job, filter, &stat, tree.as_ref());
        Analysis {
            stat,
            facts,
            tree,
            overwrites,
        }
    }

    fn further(&self) -> Further<'_> {
        Further {
            tree: self.tree.as_ref(),
            overwrites: self.overwrites.as_ref(),
        }
    }
}

/// Reads a trace, and shows how far it is
pub fn read(job: &Job, filter: &Filter, thresholds: &Thresholds) -> (Stat, Facts) {
    let shown = Bar::of(0);
    let progress = |at: iota_analysis::Progress| shown.at(at.done, at.all);
    let stat = Pass::of(job)
        .only(&filter.clone().of_program())
        .progress(&progress)
        .run(|| Stat::of(job, filter).with(thresholds));
    shown.done();
    let facts = Facts::of(job, [&stat]);
    (stat, facts)
}

fn open(args: &args::Stat, output: Option<&Path>) -> anyhow::Result<Opened> {
    let raw_clock = args.raw_clock;
    let opened = inputs::open(&args.traces, How { raw_clock }, output)?;
    runs::must_be_one(&args.traces, &opened.trace)?;
    Ok(opened)
}

fn title(traces: &[PathBuf]) -> Vec<String> {
    traces.iter().map(|path| names::path(path)).collect()
}

fn say(
    args: &args::Stat,
    stat: &Stat,
    facts: &Facts,
    further: Further,
    (traces, filter, thresholds): (&[String], &[String], &Thresholds),
) -> anyhow::Result<()> {
    let options = Options {
        by: args.by.clone(),
        top: args.top,
        sort: args.sort,
        thresholds: *thresholds,
        is_filtered: !filter.is_empty(),
    };
    let mut report = Report::of(stat, facts, further, &options);
    let findings = report.findings.iter_mut();
    findings.for_each(|finding| finding.within(filter));
    if args.json {
        let text = serde_json::to_string_pretty(&StatJson {
            traces,
            filter,
            report: &report,
        })?;
        return output::print(&(text + "\n"));
    }
    let lacks_tree = further.tree.is_none() && stat.library_calls() > 0;
    let page = show::page(&report, lacks_tree, traces, filter, output::width());
    output::print(&page)
}

/// The object of `--json`
#[derive(serde::Serialize)]
struct StatJson<'a> {
    traces: &'a [String],
    filter: &'a [String],
    #[serde(flatten)]
    report: &'a Report,
}

/// A share, for others to be joined with
fn write(args: &args::Stat, share: Share, output: &Path) -> anyhow::Result<()> {
    let (filter, thresholds) = (filter(&args.filter)?, args.thresholds.table()?);
    let Opened { trace, inputs } = open(args, Some(output))?;
    free(output, args.force)?;
    let job = Job::of(&trace).counting(&filter);
    let found = Pass::of(&job)
        .only(&filter.clone().of_program())
        .share(share)
        .run_share(|| Stat::of(&job, &filter).with(&thresholds));
    let problems = trace.problems();
    let partial = Partial {
        share,
        traces: title(&args.traces),
        filter: args.filter.clone(),
        thresholds,
        facts: Facts::of(&job, found.values()),
        problems: problems.iter().map(Problem::message).collect(),
        found,
    };
    let draft = Draft::beside(output, &inputs)?;
    (&draft.file)
        .write_all(&partial.encoded())
        .with_context(|| names::path(output))?;
    draft.publish(output, args.force)?;
    failure::of(&problems)
}

fn merged(args: &args::Stat) -> anyhow::Result<()> {
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).with_context(|| names::path(path))?;
        Partial::decoded(&bytes).with_context(|| names::path(path))
    };
    let shares = args
        .traces
        .iter()
        .map(read)
        .collect::<anyhow::Result<Vec<_>>>()?;
    let (stat, all) = Partial::join(shares).map_err(|(which, cause)| match which {
        Some(which) => anyhow!("{}: {cause}", names::path(&args.traces[which])),
        None => anyhow!(cause),
    })?;
    let asked = (&*all.traces, &*all.filter, &all.thresholds);
    say(args, &stat, &all.facts, Further::default(), asked)?;
    match &all.problems[..] {
        [] => Ok(()),
        [problem] => bail!("{problem}; everything else was read"),
        [problem, rest @ ..] => bail!(
            "{problem}; everything else was read ({})",
            units::many(rest.len() as u64, "more problem")
        ),
    }
}

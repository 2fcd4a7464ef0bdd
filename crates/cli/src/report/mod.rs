//! `iota report`: a trace as one HTML page.

use crate::args::{Report, Thresholds};
use crate::inputs::{self, Opened};
use crate::plot::{none, parsed, shown, write};
use crate::{failure, info, names, runs};
use iota_analysis::Job;
use iota_output::free;
use iota_plot::{Missing, Scope};
use iota_report::PageFacts;
use iota_trace::read::{Options, Problem};
use std::path::{Path, PathBuf};

/// Reads the trace twice and writes the page
pub fn run(args: &Report) -> anyhow::Result<()> {
    let filter = parsed("--where", args.filter.iter().cloned())?
        .of_program()
        .on_storage();
    let thresholds = args.thresholds.table()?;
    let output = args.output.clone().unwrap_or_else(|| beside(&args.traces));
    let Opened { trace, inputs } = inputs::open(&args.traces, Options::default(), Some(&output))?;
    runs::must_be_one(&args.traces, &trace)?;
    free(&output, args.force)?;
    let job = Job::of(&trace).counting(&filter);
    let scope = Scope {
        filter,
        servers: None,
    };
    let found = shown(|progress| iota_report::find(&job, &scope, &thresholds, progress));
    let mut found = found.ok_or_else(|| none(&args.traces, &Missing::calls()))?;
    found.select_within(&args.filter);
    let (what, lacks) = info::heading(&job);
    let about = PageFacts {
        job: what,
        lacks,
        title: args.title.clone(),
        traces: args.traces.iter().map(|path| names::path(path)).collect(),
        filter: args.filter.clone(),
        problems: trace.problems().iter().map(Problem::message).collect(),
    };
    write(&output, &inputs, args.force, found.page(&about)?.as_bytes())?;
    if args.output.is_none() {
        anstream::eprintln!("{}: the report", names::path(&output));
    }
    failure::of(&trace.problems())
}

/// The page of a trace, as the command writes it if nothing else is asked for
pub fn write_page(trace: &Path, page: &Path) -> anyhow::Result<()> {
    run(&Report {
        traces: vec![trace.to_owned()],
        output: Some(page.to_owned()),
        force: false,
        filter: Vec::new(),
        thresholds: Thresholds {
            threshold: Vec::new(),
            all: false,
        },
        title: None,
    })
}

/// The page's name if none is given
fn beside(traces: &[PathBuf]) -> PathBuf {
    let name = traces.first().and_then(|trace| trace.file_name());
    Path::new(name.unwrap_or("report".as_ref())).with_extension("html")
}

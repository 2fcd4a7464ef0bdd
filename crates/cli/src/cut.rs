//! `iota cut`: some calls of a trace as a trace.

use crate::args::Cut;
use crate::args::filter;
use crate::inputs::{self, Opened};
use crate::plot::none;
use crate::progress::Bar;
use crate::{failure, merge, names};
use iota_analysis::{Filter, Job};
use iota_output::{Draft, free};
use iota_plot::Missing;
use iota_trace::read::{self, Options, Trace};
use std::io::{BufWriter, Write};

/// Writes them
pub fn run(args: &Cut) -> anyhow::Result<()> {
    let filter = filter(&args.filter)?;
    let Opened { trace, inputs } =
        inputs::open(&args.traces, Options::default(), Some(&args.output))?;
    free(&args.output, args.force)?;
    let draft = Draft::beside(&args.output, &inputs)?;
    let cut = write(&trace, &filter, BufWriter::new(&draft.file))?;
    if cut.parts == 0 {
        return Err(none(&args.traces, &Missing::calls()));
    }
    draft.publish(&args.output, args.force)?;
    anstream::eprintln!("{}: {}", names::path(&args.output), merge::summary(&cut));
    failure::of(&trace.problems())
}

fn write(trace: &Trace, filter: &Filter, out: impl Write) -> anyhow::Result<read::Merged> {
    let job = Job::of(trace);
    let (bound, mut cut) = (filter.bind(&job), read::Cut::new(out));
    let total = trace.parts().iter().map(|part| part.len()).sum();
    let (shown, mut done) = (Bar::of(total), 0);
    for (at, part) in (0..).zip(trace.parts()) {
        let process = job.process(at);
        if bound.process(&process) {
            let (times, ids) = (part.times(), job.ids(at));
            let wanted = |header: &_| bound.block(&times, header);
            cut.part(part, wanted, |event, details| {
                let call = job.call(&times, &process, &ids, event);
                bound.call(&job.detailed(call, &ids, details))
            })?;
        }
        done += part.len();
        shown.at(done, total);
    }
    shown.done();
    Ok(cut.finish()?)
}

//! Logs of other tools as a trace: a file here for each format, and one trait.
//!
//! A line that makes no sense is told with its place and left out; the trace holds all others, and counts it as lost.

mod builder;
mod details;
mod dxt;
mod ioplots;
mod lines;
mod strace;
mod text;

use crate::args::{self, Input};
use crate::convert::target::Target;
use crate::draft::Draft;
use crate::inputs::Inputs;
use crate::progress::Shown;
use crate::{names, units};
use anyhow::bail;
use builder::Builder;
use iota_trace::write::Written;
use lines::Lines;
use std::fs::{self, File};
use std::path::Path;

/// A format that is read line by line
trait Format {
    /// Whether a line is one of this format; those of a comment tell nothing
    fn knows(&self, line: &[u8]) -> bool;

    /// Tells all calls of a log
    fn read(&self, lines: &mut Lines, to: &mut Builder) -> anyhow::Result<()>;
}

/// Reads the logs that are named, and writes a trace
pub fn run(args: &args::Convert) -> anyhow::Result<()> {
    let inputs = Inputs::of(args.traces.clone());
    let mut target = Target::new(&args.output, &inputs, args.force)?;
    let mut builder = Builder::new(spool(&args.output)?, &args.output);
    let (progress, mut problems) = (Shown::of(total(args)), Problems::default());
    for path in &args.traces {
        let mut lines = Lines::open(path, &progress)?;
        let format = format(args, &mut lines)?;
        format.read(&mut lines, &mut builder)?;
        problems.add(lines)?;
    }
    builder.lose(problems.count);
    let written = builder.finish(&mut target)?;
    progress.done();
    target.publish()?;
    say(args, &written);
    problems.told()
}

fn total(args: &args::Convert) -> u64 {
    let length = |path: &std::path::PathBuf| fs::metadata(path).map_or(0, |data| data.len());
    args.traces.iter().map(length).sum()
}

/// Where blocks wait: beside the output if that is a file
fn spool(output: &Path) -> anyhow::Result<File> {
    let is_file = fs::metadata(output).map_or(true, |data| data.is_file());
    if output == Path::new("-") || !is_file {
        return Draft::nameless(&std::env::temp_dir().join("iota-convert"));
    }
    Draft::nameless(output)
}

fn format(args: &args::Convert, lines: &mut Lines) -> anyhow::Result<Box<dyn Format>> {
    let file = args.file.clone();
    let all: [(Input, Box<dyn Format>); 4] = [
        (Input::Text, Box::new(text::Text)),
        (Input::Dxt, Box::new(dxt::Dxt)),
        (Input::Strace, Box::new(strace::Strace)),
        (Input::Ioplots, Box::new(ioplots::Ioplots { file })),
    ];
    let first = lines.first()?;
    let knows = |format: &dyn Format| first.iter().any(|line| format.knows(line));
    let found = all.into_iter().find(|(input, format)| match args.from {
        Some(from) => from == *input,
        None => knows(&**format),
    });
    match found {
        Some((_, format)) => Ok(format),
        None if args.from == Some(Input::Iota) => {
            bail!(
                "{}: is a trace already; to join several, use iota merge",
                lines.name()
            )
        }
        None => bail!(
            "{}: unknown format, judging by its first {}; if it is from strace -ttt -T, iota text, darshan-dxt-parser or ioplots, name it with --from",
            lines.name(),
            units::many(first.len() as u64, "line")
        ),
    }
}

/// Lines that made no sense
#[derive(Default)]
struct Problems {
    count: u64,
    first: Option<String>,
}

impl Problems {
    fn add(&mut self, lines: Lines) -> anyhow::Result<()> {
        let (bad, good) = (lines.bad, lines.good);
        if let Some((number, cause)) = lines.first_bad {
            let first = format!("{}: line {number}: {cause}", lines.name);
            if good == 0 {
                bail!("{first}; no line of the file could be read, nothing is written");
            }
            self.first.get_or_insert(first);
            self.count += bad;
        }
        Ok(())
    }

    fn told(self) -> anyhow::Result<()> {
        match self.first {
            None => Ok(()),
            Some(first) => bail!(
                "{first}; {} skipped, everything else was converted",
                units::many(self.count, "line")
            ),
        }
    }
}

fn say(args: &args::Convert, written: &Written) {
    if args.output != Path::new("-") {
        let Written {
            parts,
            events,
            bytes,
        } = *written;
        let (parts, calls) = (units::many(parts, "process"), units::many(events, "call"));
        anstream::eprintln!(
            "{}: {calls} of {parts}, {}",
            names::path(&args.output),
            units::bytes(bytes)
        );
    }
}

//! `iota merge`: several files as one.
//!
//! The output appears under its name when it is whole, and takes the place of another file only when asked to.

use crate::args::Merge;
use crate::inputs::{self, Opened};
use crate::progress::Bar;
use crate::{failure, names};
use iota_output::{Draft, free};
use iota_quantity as units;
use iota_symbols::Symbols;
use iota_trace::Printable;
use iota_trace::read::{self, Merged, Options, Part, Trace};
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Joins them
pub fn run(args: &Merge) -> anyhow::Result<()> {
    write(args, join)
}

/// Joins them, and looks up from where calls were made
pub fn symbols(args: &Merge) -> anyhow::Result<()> {
    write(args, join_with_symbols)
}

fn write(
    args: &Merge,
    join: impl FnOnce(&Trace, &Draft) -> anyhow::Result<Merged>,
) -> anyhow::Result<()> {
    let Opened { trace, inputs } =
        inputs::open(&args.traces, Options::default(), Some(&args.output))?;
    free(&args.output, args.force)?;
    let draft = Draft::beside(&args.output, &inputs)?;
    let merged = join(&trace, &draft)?;
    draft.publish(&args.output, args.force)?;
    anstream::eprintln!("{}: {}", names::path(&args.output), summary(&merged));
    failure::of(&trace.problems())
}

/// Joins the parts of a trace in a draft, and shows how far it is where that takes long
pub fn join(trace: &Trace, draft: &Draft) -> anyhow::Result<Merged> {
    join_with(trace, draft, |_| Vec::new())
}

/// The same, with the functions and lines of stacks, as far as their programs are at hand
pub fn join_with_symbols(trace: &Trace, draft: &Draft) -> anyhow::Result<Merged> {
    let mut symbols = Symbols::default();
    let merged = join_with(trace, draft, |part| symbols.of_part(part))?;
    for object in symbols.changed() {
        failure::note(&format!(
            "{}: built anew since it ran; its functions stay addresses",
            Printable(object)
        ));
    }
    Ok(merged)
}

fn join_with(
    trace: &Trace,
    draft: &Draft,
    frames: impl FnMut(&Part) -> Vec<Vec<u8>>,
) -> anyhow::Result<Merged> {
    let total = trace.parts().iter().map(|part| part.len()).sum();
    let mut growing = Growing::of(draft, total);
    let merged = read::join_with(trace.parts(), frames, BufWriter::new(&mut growing))?;
    growing.shown.done();
    Ok(merged)
}

/// A file whose growth is shown
struct Growing<'a> {
    file: &'a File,
    shown: Bar,
    written: u64,
    total: u64,
}

impl Growing<'_> {
    fn of(draft: &Draft, total: u64) -> Growing<'_> {
        Growing {
            file: &draft.file,
            shown: Bar::of(total),
            written: 0,
            total,
        }
    }
}

impl Write for Growing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.written += n as u64;
        self.shown.at(self.written, self.total);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// What was written
pub fn summary(merged: &Merged) -> String {
    let (parts, calls) = (
        units::many(merged.parts, "part"),
        units::many(merged.events, "call"),
    );
    format!("{parts}, {calls}, {}", units::bytes(merged.bytes))
}

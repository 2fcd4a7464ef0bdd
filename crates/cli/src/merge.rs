//! `iota merge`: several files as one.
//!
//! The output appears under its name when it is whole, and takes the place of another file only when told to.

use crate::args::Merge;
use crate::draft::Draft;
use crate::progress::Shown;
use crate::{failure, names, units};
use anyhow::bail;
use iota_trace::read::{self, Merged, Options, Part, Trace};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Joins them
pub fn run(args: &Merge) -> anyhow::Result<()> {
    refuse(&args.output, args.force)?;
    let draft = Draft::beside(&args.output)?;
    let merged = join(&args.traces, &draft)?;
    draft.publish(&args.output, args.force)?;
    anstream::eprintln!("{}: {}", names::path(&args.output), told(&merged));
    failure::of(&merged.problems)
}

/// Joins traces in a draft, and shows how far it is where that takes long
pub fn join(traces: &[PathBuf], draft: &Draft) -> anyhow::Result<Merged> {
    let mut growing = Growing::of(draft, total(traces)?);
    let merged = read::merge(traces, &mut growing)?;
    growing.shown.done();
    Ok(merged)
}

fn total(traces: &[PathBuf]) -> anyhow::Result<u64> {
    let trace = Trace::open(traces, Options::default())?;
    Ok(trace.parts().iter().map(|part| part.len()).sum())
}

/// Joins parts of an open trace in the same way
pub fn join_parts(parts: &[&Part], draft: &Draft) -> anyhow::Result<()> {
    let total = parts.iter().map(|part| part.len()).sum();
    let mut growing = Growing::of(draft, total);
    read::join(parts.iter().copied(), BufWriter::new(&mut growing))?;
    growing.shown.done();
    Ok(())
}

/// A file whose growth is shown
struct Growing<'a> {
    file: &'a File,
    shown: Shown,
    written: u64,
    total: u64,
}

impl Growing<'_> {
    fn of(draft: &Draft, total: u64) -> Growing<'_> {
        Growing {
            file: &draft.file,
            shown: Shown::of(total),
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

/// An output that is there stays, unless told otherwise
pub fn refuse(output: &Path, force: bool) -> anyhow::Result<()> {
    if !force && output.symlink_metadata().is_ok() {
        bail!(
            "{}: exists already; give another name, or --force",
            names::path(output)
        );
    }
    Ok(())
}

/// What was written
pub fn told(merged: &Merged) -> String {
    let (parts, calls) = (
        units::many(merged.parts, "part"),
        units::many(merged.events, "call"),
    );
    format!("{parts}, {calls}, {}", units::bytes(merged.bytes))
}

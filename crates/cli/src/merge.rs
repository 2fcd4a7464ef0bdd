//! `iota merge`: several files as one.
//!
//! The output appears under its name when it is whole, and takes the place of another file only when told to.

use crate::args::Merge;
use crate::draft::Draft;
use crate::{failure, names, units};
use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use iota_trace::read::{self, Merged, Options, Trace};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Work that takes longer is shown
const LONG: Duration = Duration::from_secs(1);

/// Joins them
pub fn run(args: &Merge) -> anyhow::Result<()> {
    if !args.force && args.output.symlink_metadata().is_ok() {
        bail!(
            "{}: exists already; give another name, or --force",
            names::path(&args.output)
        );
    }
    let draft = Draft::beside(&args.output)?;
    let merged = join(&args.traces, &draft)?;
    draft.publish(&args.output, args.force)?;
    say(args, &merged);
    failure::of(&merged.problems)
}

/// Joins traces in a draft, and shows how far it is where that takes long
pub fn join(traces: &[PathBuf], draft: &Draft) -> anyhow::Result<Merged> {
    let mut shown = Shown::new(&draft.file, total(traces)?);
    let merged = read::merge(traces, &mut shown)?;
    shown.bar.finish_and_clear();
    Ok(merged)
}

fn total(traces: &[PathBuf]) -> anyhow::Result<u64> {
    let trace = Trace::open(traces, Options::default())?;
    Ok(trace.parts().iter().map(|part| part.len()).sum())
}

/// A file whose growth is shown on standard error, where that is a terminal and it takes long
struct Shown<'a> {
    file: &'a File,
    bar: ProgressBar,
    begun: Instant,
    written: u64,
}

impl<'a> Shown<'a> {
    fn new(file: &'a File, total: u64) -> Shown<'a> {
        let style = "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        let style = ProgressStyle::with_template(style);
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        Shown {
            file,
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            begun: Instant::now(),
            written: 0,
        }
    }
}

impl Write for Shown<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.written += n as u64;
        if self.bar.is_hidden() && self.begun.elapsed() > LONG {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(self.written);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn say(args: &Merge, merged: &Merged) {
    let Merged {
        parts,
        events,
        bytes,
        ..
    } = *merged;
    let (parts, calls) = (units::many(parts, "part"), units::many(events, "call"));
    let output = names::path(&args.output);
    anstream::eprintln!("{output}: {parts}, {calls}, {}", units::bytes(bytes));
}

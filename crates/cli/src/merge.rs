//! `iota merge`: several files as one.
//!
//! The output appears under its name when it is whole, and takes the place of another file only when told to.

use crate::args::Merge;
use crate::{failure, names, units};
use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use iota_trace::read::{self, Merged, Options, Trace};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
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
    let draft = Draft::new(&args.output)?;
    let mut shown = Shown::new(&draft.file, total(&args.traces)?);
    let merged = read::merge(&args.traces, &mut shown)?;
    shown.bar.finish_and_clear();
    draft.publish(args.force)?;
    say(args, &merged);
    failure::of(&merged.problems)
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

/// The output before it has its name; removed if it never gets it.
pub struct Draft<'a> {
    pub file: File,
    path: PathBuf,
    target: &'a Path,
}

impl<'a> Draft<'a> {
    /// An empty file beside it
    pub fn new(target: &'a Path) -> anyhow::Result<Draft<'a>> {
        let mut name = target
            .file_name()
            .context("-o needs the name of a file")?
            .to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let path = target.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let file = file.with_context(|| names::path(&path))?;
        Ok(Draft { file, path, target })
    }

    /// Gives it its name, once it is on the disk
    pub fn publish(mut self, force: bool) -> anyhow::Result<()> {
        self.file
            .flush()
            .and_then(|()| self.file.sync_all())
            .with_context(|| names::path(&self.path))?;
        self.rename(force).with_context(|| names::path(self.target))
    }

    /// A link, unlike a rename, fails where somebody else was faster; not every file system has links.
    fn rename(&self, force: bool) -> io::Result<()> {
        if !force {
            match fs::hard_link(&self.path, self.target) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists && !self.target.exists() => {
                }
                done => return done,
            }
        }
        fs::rename(&self.path, self.target)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // After a rename it is gone, which is as well.
        let _ = fs::remove_file(&self.path);
    }
}

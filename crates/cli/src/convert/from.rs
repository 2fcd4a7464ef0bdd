//! Logs of other tools as a trace.

use crate::args::{self, Input};
use crate::progress::Bar;
use crate::{failure, names};
use anyhow::{Context, bail};
use iota_import::{Import, ImportSummary, Log, Tool};
use iota_output::{Draft, Inputs, OutputFile};
use iota_quantity as units;
use iota_trace::write::Written;
use std::fs::{self, File};
use std::path::Path;

/// Reads the logs that are named, and writes a trace
pub fn run(args: &args::Convert) -> anyhow::Result<()> {
    let inputs = Inputs::of(args.traces.clone());
    let target = OutputFile::new(&args.output, &inputs, args.force)?;
    let name = names::path(&args.output);
    let mut import = Import::new(spool(&args.output)?, name, args.file.clone());
    let (progress, mut problems) = (Bar::of(total(args)), Problems::default());
    for path in &args.traces {
        let tool = tool(args, path)?;
        let found = import.log(log(path, &|more| progress.add(more))?, tool)?;
        problems.add(path, found)?;
    }
    import.lose(problems.count);
    let written = import.finish(target.file());
    let written = written.map_err(|error| target.failure(error))?;
    progress.done();
    target.publish()?;
    say(args, &written);
    problems.result()
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

/// A file, or standard input
fn log<'l>(path: &'l Path, progress: &'l dyn Fn(u64)) -> anyhow::Result<Log<'l>> {
    let name = names::path(path);
    let path = match path == Path::new("-") {
        true => Path::new("/dev/stdin"),
        false => path,
    };
    let file = File::open(path).with_context(|| name.clone())?;
    Ok(Log {
        name,
        path,
        from: Box::new(file),
        progress,
    })
}

/// The tool that `--from` names
fn tool(args: &args::Convert, path: &Path) -> anyhow::Result<Option<Tool>> {
    Ok(match args.from {
        None => None,
        Some(Input::Text) => Some(Tool::Text),
        Some(Input::Dxt) => Some(Tool::Dxt),
        Some(Input::Strace) => Some(Tool::Strace),
        Some(Input::Ioplots) => Some(Tool::Ioplots),
        Some(Input::Iota) => bail!(
            "{}: is a trace already; to join several, use iota merge",
            names::path(path)
        ),
    })
}

/// Lines that made no sense
#[derive(Default)]
struct Problems {
    count: u64,
    first: Option<String>,
}

impl Problems {
    fn add(&mut self, path: &Path, found: ImportSummary) -> anyhow::Result<()> {
        let name = names::path(path);
        if let Some(note) = found.note {
            failure::note(&format!("{name}: {note}"));
        }
        if let Some((number, cause)) = found.first_bad {
            let first = format!("{name}: line {number}: {cause}");
            if found.good == 0 {
                bail!("{first}; no line of the file could be read, nothing is written");
            }
            self.first.get_or_insert(first);
            self.count += found.bad;
        }
        Ok(())
    }

    fn result(self) -> anyhow::Result<()> {
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

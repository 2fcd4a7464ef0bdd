//! After the command: the parts of all its processes become one trace.

use super::launcher::Variables;
use super::left::{self, Spools};
use super::place::Place;
use crate::draft::Draft;
use crate::output::Lines;
use crate::units::{bytes, many};
use crate::{args, failure, merge, names, text};
use anyhow::Context;
use iota_trace::read::{Options, Trace};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Joins what there is, and says what came of it
pub fn collect(
    args: &args::Run,
    place: &Place,
    variables: &Variables,
    process: u32,
) -> anyhow::Result<()> {
    let running = left::running(place.parts());
    let spools = left::spools(place.parts(), variables, &running);
    recover(&spools);
    let parts = left::parts(place.parts(), &running)?;
    let told = match parts.is_empty() {
        true => "nothing was traced".to_owned(),
        false => joined(place, &parts, process).with_context(|| unjoined(place))?,
    };
    let rest = remainder(place.parts(), running.len(), &spools);
    let notes = [Some(told), rest].into_iter().flatten();
    notes
        .filter(|_| !args.quiet)
        .for_each(|note| failure::note(&note));
    Ok(())
}

/// RECOVERY JOINS IN HERE: `recover::recover(output, ...)` is to turn the spools of killed processes into parts beside
/// the others, in the directory that is their output; they are then joined like all.
fn recover(_spools: &Spools) {}

fn unjoined(place: &Place) -> String {
    format!("the parts stay in {}", names::path(place.parts()))
}

fn joined(place: &Place, parts: &[PathBuf], process: u32) -> anyhow::Result<String> {
    let trace = Trace::open(parts, Options::default())?;
    let mut targets = place.traces(process).peekable();
    let first = targets.peek().context("a name")?.clone();
    let draft = Draft::beside(&first)?;
    if place.is_text() {
        write_lines(&trace, &draft)?;
    } else {
        merge::join(parts, &draft)?;
    }
    let target = draft.publish_as_first(targets)?;
    parts.iter().for_each(|part| remove(part));
    Ok(summary(&trace, &target))
}

fn write_lines(trace: &Trace, draft: &Draft) -> anyhow::Result<()> {
    let as_usual = args::Text {
        traces: Vec::new(),
        verbose: false,
        raw_clock: false,
        rank: None,
    };
    text::write(trace, &as_usual, Lines::to(draft.file.try_clone()?))
}

/// What cannot be removed is no failure: the trace is whole.
fn remove(part: &Path) {
    let _ = fs::remove_file(part);
}

/// `run.iota: 1,234 calls of 4 processes, 2 ranks, 5.6 KiB`
fn summary(trace: &Trace, target: &Path) -> String {
    let parts = trace.parts();
    let calls = parts.iter().map(|part| part.event_count()).sum();
    let processes: BTreeSet<_> = parts.iter().map(|part| (part.host(), part.pid())).collect();
    let ranks: BTreeSet<_> = parts.iter().map(|part| part.rank()).collect();
    let ranks = match ranks.len() as u64 {
        1 => String::new(),
        ranks => format!(", {}", many(ranks, "rank")),
    };
    let problems = match trace.problems().len() as u64 {
        0 => String::new(),
        problems => format!("; {}, which iota info lists", many(problems, "problem")),
    };
    let size = target.metadata().map_or(0, |data| data.len());
    format!(
        "{}: {} of {}{ranks}, {}{problems}",
        shown(target),
        many(calls, "call"),
        many(processes.len() as u64, "process"),
        bytes(size)
    )
}

/// As the user would name it, from where the command was started
fn shown(target: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    names::path(target.strip_prefix(here).unwrap_or(target))
}

/// What is not in the trace, and how it can be had
fn remainder(parts: &Path, running: usize, spools: &Spools) -> Option<String> {
    let dir = names::path(parts);
    let running = (running > 0).then(|| {
        let processes = many(running as u64, "process");
        format!("{processes} of the command still running: what they call is going to be in {dir}")
    });
    let killed = (!spools.is_empty()).then(|| {
        let processes = many(spools.len() as u64, "process");
        format!("{processes} killed: iota recover {dir} gets their calls")
    });
    let notes: Vec<_> = running.into_iter().chain(killed).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

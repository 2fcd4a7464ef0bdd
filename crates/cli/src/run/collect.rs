//! After the command: the parts of all its processes become one trace.

use super::destination::Destination;
use crate::info::unseen::{Uncalled, requests};
use crate::output::Lines;
use crate::waited::{self, Waited};
use crate::{args, failure, merge, names, text, untraced};
use anyhow::Context;
use iota_launch::launcher::{self, Variables};
use iota_output::Draft;
use iota_output::Inputs;
use iota_quantity::{bytes, many};
use iota_recover::leftovers::{self, Processes, Spools};
use iota_trace::read::{Options, Part, Spool, Trace};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::{self, Builder};

/// Of so many parts the second look takes longer than to begin a thread.
const MANY: usize = 16;

/// Joins what there is, and says what came of it. Returns the trace, if there is one to be read.
pub fn collect(
    args: &args::Run,
    destination: &Destination,
    variables: &Variables,
    silent: impl Fn(&Trace) -> Vec<String>,
    process: u32,
    may_be_killed: bool,
) -> anyhow::Result<Option<PathBuf>> {
    let running = leftovers::running(destination.parts());
    destination.restore()?;
    let dirs = leftovers::spool_dirs(variables.get("IOTA_SPOOL").map(AsRef::as_ref));
    // Mostly there are none, of this run or another, and nobody need look a second time.
    let has_spools = leftovers::has_spools(&dirs);
    let mut spools = Spools::new();
    if has_spools {
        recover(destination.parts(), &dirs);
        spools = leftovers::spools(destination.parts(), &dirs, &running.ids);
    }
    let unfinished = spools.iter().filter_map(|spool| leftovers::owner(spool));
    let unfinished = unfinished.chain(running.ids.iter().copied()).collect();
    if running.processes > 0 {
        leftovers::set_apart(destination.parts())?;
    }
    let parts = leftovers::parts(destination.parts(), &unfinished)?;
    let (target, messages) = match parts.is_empty() {
        // What another rank of a job gathered stands in its trace.
        true if launcher::is_later_rank() => (None, Vec::new()),
        true if unfinished.is_empty() => {
            let elsewhere = may_be_killed.then(|| elsewhere(destination));
            let messages = [Some("nothing was traced".to_owned()), elsewhere];
            (None, messages.into_iter().flatten().collect())
        }
        true => (None, Vec::new()),
        false => {
            let silent = |trace: &Trace| {
                let elsewhere =
                    (may_be_killed && lacks_ranks(trace)).then(|| elsewhere(destination));
                elsewhere.into_iter().chain(silent(trace)).collect()
            };
            let names_next = !args.stat && args.report.is_none();
            let joined = joined(
                destination,
                &parts,
                silent,
                process,
                &unfinished,
                names_next,
            );
            let (target, messages) = joined.with_context(|| unjoined(destination))?;
            (Some(target), messages)
        }
    };
    let mut rest = remainder(destination, running.processes, &spools);
    if has_spools {
        rest.extend(older(destination, &dirs));
    }
    let notes = messages.iter().chain(&rest).filter(|_| !args.quiet);
    notes.for_each(|note| failure::note(note));
    Ok(target.filter(|_| !destination.is_text()))
}

/// Spools of killed processes become parts beside the others. What cannot be recovered is reported as left.
fn recover(parts: &Path, dirs: &[PathBuf]) {
    let options = iota_recover::Options {
        spools: dirs.to_owned(),
        // They are of namespaces within this one, of which all that lives is seen.
        unseen: true,
        ..iota_recover::Options::default()
    };
    if let Err(error) = iota_recover::recover(parts, &options) {
        failure::say(&error);
    }
}

/// Of ranks that were killed on another node, nothing is seen here.
fn elsewhere(destination: &Destination) -> String {
    destination.keep();
    let dir = names::path(destination.parts());
    format!(
        "if ranks were killed on other nodes, `iota recover {dir}` on these nodes brings their calls there"
    )
}

/// Whether there were more ranks than it has
fn lacks_ranks(trace: &Trace) -> bool {
    let parts = trace.parts();
    let ranks: BTreeSet<_> = parts.iter().map(|part| part.rank()).collect();
    let size = |part: &Part| part.process().map(|block| block.fields().size);
    let size = parts.iter().filter_map(size).max();
    size.is_some_and(|size| (ranks.len() as u64) < u64::from(size))
}

fn unjoined(destination: &Destination) -> String {
    format!("the parts are kept in {}", names::path(destination.parts()))
}

fn joined(
    destination: &Destination,
    parts: &[PathBuf],
    silent: impl Fn(&Trace) -> Vec<String>,
    process: u32,
    unfinished: &Processes,
    names_next: bool,
) -> anyhow::Result<(PathBuf, Vec<String>)> {
    let trace = Trace::open(parts, Options::default())?;
    let mut targets = destination.traces(process, rank(&trace)).peekable();
    let first = targets.peek().context("a name")?.clone();
    let draft = Draft::beside(&first, &Inputs::NONE)?;
    let write = || match destination.is_text() {
        true => write_lines(&trace, &draft),
        false => merge::join_with_symbols(&trace, &draft).map(drop),
    };
    let untraced = untraced(untraced_beside(write, &trace, unfinished)?);
    let waited = waited::of(&trace).map(Waited::message);
    let silent = silent(&trace);
    let target = draft.publish_as_first(targets)?;
    let kept = kept(destination, &trace);
    if kept.is_none() {
        parts.iter().for_each(|part| remove(part));
    }
    let mut summary = summary(&trace, &target);
    if names_next && !destination.is_text() {
        summary += &format!("; next: iota stat {}", shown(&target));
    }
    let messages = [Some(summary), kept, untraced, waited]
        .into_iter()
        .flatten();
    Ok((target, messages.chain(silent).collect()))
}

/// The rank whose part this is, where a launcher started several of this command: of one job there is one name. A trace of
/// several ranks is the job's.
fn rank(trace: &Trace) -> Option<u64> {
    let ranks: BTreeSet<_> = trace.parts().iter().map(|part| part.rank()).collect();
    launcher::rank_of_several().filter(|_| ranks.len() == 1)
}

/// Counts programs that were not traced while the trace is written, if there is enough to count for a thread: both look
/// through all parts.
fn untraced_beside(
    write: impl FnOnce() -> anyhow::Result<()>,
    trace: &Trace,
    unfinished: &Processes,
) -> anyhow::Result<u64> {
    let count = || untraced::count(trace, unfinished);
    thread::scope(|scope| {
        let begin = || Builder::new().spawn_scoped(scope, count).ok();
        let begun = (trace.parts().len() >= MANY).then(begin).flatten();
        write()?;
        Ok(match begun {
            Some(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => count(),
        })
    })
}

/// Parts stay where not all of them is in the trace.
fn kept(destination: &Destination, trace: &Trace) -> Option<String> {
    trace.is_damaged().then(|| {
        destination.keep();
        unjoined(destination)
    })
}

fn write_lines(trace: &Trace, draft: &Draft) -> anyhow::Result<()> {
    let as_usual = args::Text {
        traces: Vec::new(),
        verbose: false,
        raw_clock: false,
        rank: None,
        filter: Vec::new(),
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
    let lost = parts.iter().filter_map(|part| part.end());
    let lost = match lost.map(|end| end.lost).sum() {
        0 => String::new(),
        lost => format!("; {} lost", many(lost, "call")),
    };
    let unseen = match requests(trace) {
        0 => String::new(),
        unseen => format!("; {} of io_uring not seen", many(unseen, "request")),
    };
    let uncalled = Uncalled::of(trace).map(Uncalled::message);
    let uncalled = uncalled.map_or(String::new(), |message| format!("; not seen: {message}"));
    let problems = match trace.problems().len() as u64 {
        0 => String::new(),
        problems => format!("; {} (iota info lists them)", many(problems, "problem")),
    };
    let size = target.metadata().map_or(0, |data| data.len());
    format!(
        "{}: {} of {}{ranks}, {}{lost}{unseen}{uncalled}{problems}",
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

fn untraced(processes: u64) -> Option<String> {
    let processes = Some(processes).filter(|&n| n > 0);
    processes.map(|n| {
        let programs = many(n, "program");
        format!(
            "{programs} not traced: static, setuid, or started without LD_PRELOAD in the environment"
        )
    })
}

/// What is not in the trace, and how it can be had
fn remainder(destination: &Destination, running: u64, left: &[PathBuf]) -> Vec<String> {
    let dir = names::path(destination.parts());
    let mut notes = Vec::new();
    if running > 0 {
        let processes = many(running, "process");
        notes.push(format!(
            "{processes} of the command still running; their calls will be in {dir}"
        ));
    }
    if !left.is_empty() {
        let calls = left.iter().map(|spool| calls(spool)).sum();
        let processes = many(left.len() as u64, "process");
        let where_to: BTreeSet<_> = left.iter().filter_map(|spool| spool.parent()).collect();
        let where_to: Vec<_> = where_to.into_iter().map(names::path).collect();
        notes.push(format!(
            "{} of {processes} could not be written and are still in {}: `iota recover {dir}` recovers them",
            many(calls, "call"),
            where_to.join(", ")
        ));
    }
    if !notes.is_empty() {
        destination.keep();
    }
    notes
}

fn calls(spool: &Path) -> u64 {
    let spool = Spool::open(spool).ok().flatten();
    spool.map_or(0, |spool| spool.calls())
}

/// What runs before this one left, which nobody else tells
fn older(destination: &Destination, dirs: &[PathBuf]) -> Option<String> {
    let waiting = iota_recover::of_others(dirs, destination.parts());
    let message = waiting.message()?;
    Some(format!("earlier runs left {message}; {}", waiting.remedy()))
}

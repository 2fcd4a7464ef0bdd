//! `iota recover`: the traces of processes that were killed, from the spools that they left on this node.
//!
//! Nothing goes away before what it held is on the disk in the job's file; nothing that stands there already is added
//! again; a file of another run is left as it is.

mod family;
mod life;
mod recovery_dir;
mod run;
mod spools;
mod target;
mod waiting;

use crate::args::Recover;
use crate::table::Table;
use crate::{names, output};
use anyhow::{anyhow, bail};
use iota_quantity::{count, many};
use life::Life;
pub use life::{inner_id, lives};
use run::DeadRun;
use spools::FoundSpool;
use std::path::{Path, PathBuf, absolute};
pub use waiting::{of_others, of_output, of_trace, parts_stem};

/// How to recover
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Directories where spools are; none: the usual ones
    pub spools: Vec<PathBuf>,
    /// The file to write instead of NAME.iota
    pub file: Option<PathBuf>,
    /// Spools and parts stay
    pub keep: bool,
    /// Processes of other hosts are dead
    pub other_hosts: bool,
    /// So are those of PID namespaces that are not seen here
    pub unseen: bool,
}

/// What was recovered
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    /// The files that were written, with the number of processes whose spools are new in them, and of their calls
    pub files: Vec<(PathBuf, u64, u64)>,
    /// What was left alone, and why
    pub notes: Vec<String>,
    /// What was damaged or failed; all else was done
    pub problems: Vec<String>,
}

/// Recovers, or lists
pub fn run(args: &Recover) -> anyhow::Result<()> {
    if args.list || args.outputs.is_empty() {
        return list(args);
    }
    let options = Options {
        spools: args.spool.clone(),
        file: args.output.clone(),
        keep: args.keep,
        other_hosts: args.other_hosts,
        unseen: args.other_hosts,
    };
    let mut problems = Vec::new();
    for output in &args.outputs {
        match recover(output, &options) {
            Ok(done) => {
                say(output, &done);
                problems.extend(done.problems);
            }
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    fail(problems)
}

/// Recovers what belongs to an output, or to any in a directory
pub fn recover(wanted: &Path, options: &Options) -> anyhow::Result<Recovered> {
    let places = spools::places(&options.spools);
    let (found, mut unread) = spools::find(&places);
    let others = unread.take_others(&base(wanted));
    let mut done = Recovered {
        problems: shortened(unread.problems()),
        ..Recovered::default()
    };
    if others > 0 {
        let spools = many(others, "spool");
        done.notes.push(format!(
            "left alone: {spools} of other runs and another version of iota; iota recover --list names them"
        ));
    }
    let mut found: Vec<FoundSpool> = found
        .into_iter()
        .filter(|found| is_wanted(wanted, &found.base))
        .collect();
    if options.other_hosts {
        found.iter_mut().for_each(FoundSpool::give_up_elsewhere);
    }
    if options.unseen {
        found.iter_mut().for_each(FoundSpool::give_up_unseen);
    }
    if found.is_empty() && !exists(wanted) {
        bail!(
            "{}: no such trace, and none of its spools in {}",
            names::path(wanted),
            listed(&places)
        );
    }
    let runs = DeadRun::all(found, &mut done);
    if runs.len() > 1 && options.file.is_some() {
        bail!(
            "{}: there are {} runs, and each needs a file of its own; leave out -o",
            names::path(wanted),
            runs.len()
        );
    }
    for run in runs {
        if let Err(error) = run.recover(options, &mut done) {
            done.problems.push(format!("{error:#}"));
        }
    }
    Ok(done)
}

/// Spools of another version may lie about by the dozen.
fn shortened(mut problems: Vec<String>) -> Vec<String> {
    let more = problems.len().saturating_sub(4) as u64;
    if more > 0 {
        problems.truncate(4);
        let which = many(more, "more spool");
        problems.push(format!(
            "{which} cannot be read; iota recover --list names all"
        ));
    }
    problems
}

/// An output's path without its ending, by which spools and arguments are compared
pub fn base(path: &Path) -> PathBuf {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = match path.extension() {
        Some(ending) if ending == "iota" => path.with_extension(""),
        _ => path,
    };
    let dir = path.parent().and_then(|dir| dir.canonicalize().ok());
    match (dir, path.file_name()) {
        (Some(dir), Some(name)) => dir.join(name),
        _ => path,
    }
}

fn is_wanted(wanted: &Path, output: &Path) -> bool {
    let dir = wanted.canonicalize().ok().filter(|dir| dir.is_dir());
    output == base(wanted) || dir.is_some_and(|dir| output.parent() == Some(&dir))
}

fn exists(wanted: &Path) -> bool {
    let base = base(wanted);
    wanted.exists() || target::names_of(&base).next().is_some()
}

fn listed(dirs: &[PathBuf]) -> String {
    let dirs: Vec<String> = dirs.iter().map(|dir| names::path(dir)).collect();
    dirs.join(", ")
}

fn say(wanted: &Path, done: &Recovered) {
    for (file, processes, calls) in &done.files {
        let (processes, calls) = (many(*processes, "process"), many(*calls, "call"));
        anstream::eprintln!("{}: {processes} recovered, {calls}", names::path(file));
    }
    for note in &done.notes {
        anstream::eprintln!("{note}");
    }
    if done.files.is_empty() && done.notes.is_empty() && done.problems.is_empty() {
        anstream::eprintln!("{}: nothing to recover", names::path(wanted));
    }
}

/// A line for each problem; the last one ends the command.
fn fail(mut problems: Vec<String>) -> anyhow::Result<()> {
    problems.dedup();
    let Some(last) = problems.pop() else {
        return Ok(());
    };
    for problem in problems {
        anstream::eprintln!("iota: {problem}");
    }
    Err(anyhow!("{last}"))
}

fn list(args: &Recover) -> anyhow::Result<()> {
    let places = spools::places(&args.spool);
    let (found, unread) = spools::find(&places);
    let wanted = |found: &&FoundSpool| {
        let mut outputs = args.outputs.iter();
        args.outputs.is_empty() || outputs.any(|output| is_wanted(output, &found.base))
    };
    let mut table = Table::new(&["state", "process", "rank", "calls", "output"]);
    let mut any = false;
    for found in found.iter().filter(wanted) {
        any = true;
        table.row(row(found));
    }
    if any {
        let mut text = String::new();
        table.print(&mut text, output::width());
        output::print(&text)?;
    } else {
        anstream::eprintln!("no spools of this user in {}", listed(&places));
    }
    fail(unread.problems())
}

fn row(found: &FoundSpool) -> [String; 5] {
    let (ids, mut output) = (found.spool.ids(), found.base.clone().into_os_string());
    output.push(".iota");
    let state = match &found.life {
        Life::Dead => "dead".to_owned(),
        Life::Alive => "alive".to_owned(),
        Life::NonStorage(host) => format!("on {host}"),
        Life::Unseen => "not seen here".to_owned(),
    };
    [
        state,
        ids.pid.to_string(),
        ids.rank.to_string(),
        count(found.spool.calls()),
        names::path(Path::new(&output)),
    ]
}

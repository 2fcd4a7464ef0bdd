//! The traces of processes that were killed, from the spools that they left on this node.
//!
//! Nothing goes away before what it held is on the disk in the job's file; nothing that stands there already is added
//! again; a file of another run is left as it is.

mod family;
pub mod host;
pub mod leftovers;
mod life;
mod recovery_dir;
mod run;
mod spools;
mod target;
mod waiting;

use anyhow::bail;
use iota_quantity::many;
use iota_trace::Printable;
pub use life::{Life, inner_id, lives};
use run::DeadRun;
pub use spools::FoundSpool;
use std::path::{Path, PathBuf, absolute};
pub use waiting::{Waiting, of_others, of_output, of_trace, parts_stem};

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

/// The spools of this user that belong to outputs, or to any in directories; without any, all of them
pub struct SpoolList {
    /// The spools
    pub found: Vec<FoundSpool>,
    /// Where they were looked for
    pub places: Vec<PathBuf>,
    /// Those that cannot be read
    pub problems: Vec<String>,
}

impl SpoolList {
    /// Of these outputs, in these directories or the usual ones
    pub fn of(outputs: &[PathBuf], dirs: &[PathBuf]) -> SpoolList {
        let places = spools::places(dirs);
        let (mut found, unread) = spools::find(&places);
        let is_asked = |found: &FoundSpool| {
            let mut outputs = outputs.iter();
            outputs.any(|output| is_wanted(output, &found.base))
        };
        found.retain(|found| outputs.is_empty() || is_asked(found));
        SpoolList {
            found,
            places,
            problems: unread.problems(),
        }
    }
}

/// Recovers what belongs to an output, or to any in a directory
///
/// # Errors
///
/// There is nothing of this name, or several runs are to become one file.
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
            Printable::path(wanted),
            listed(&places)
        );
    }
    let runs = DeadRun::all(found, &mut done);
    if runs.len() > 1 && options.file.is_some() {
        bail!(
            "{}: there are {} runs, and each needs a file of its own; leave out -o",
            Printable::path(wanted),
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

/// Directories in a row
pub fn listed(dirs: &[PathBuf]) -> String {
    let dirs: Vec<String> = dirs.iter().map(|dir| Printable::path(dir)).collect();
    dirs.join(", ")
}

//! The traces of processes that were killed, from the spools that they left on this node.
//!
//! Nothing goes away before what it held is on the disk in the job's file; nothing that stands there already is added
//! again; a file of another run is left as it is.

mod family;
pub mod host;
pub mod leftovers;
mod life;
mod names;
mod options;
mod recovery_dir;
mod run;
mod spools;
mod target;
mod waiting;

use anyhow::bail;
use iota_quantity::many;
use iota_trace::Printable;
pub use life::{Life, inner_id, lives};
pub use names::listed;
use names::{base, is_wanted};
pub use options::{Options, Recovered};
use run::DeadRun;
pub use spools::FoundSpool;
use std::path::{Path, PathBuf};
pub use waiting::{Waiting, of_others, of_output, of_trace, parts_stem};

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

fn exists(wanted: &Path) -> bool {
    let base = base(wanted);
    wanted.exists() || target::names_of(&base).next().is_some()
}

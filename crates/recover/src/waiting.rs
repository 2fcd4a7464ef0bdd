//! Warns about spools of dead processes that nobody has recovered.

use super::family::{Member, belongs};
use super::life::{Life, lives, shares_ids};
use super::names::{base, is_wanted, listed};
use super::spools::{self, FoundSpool};
use crate::host;
use iota_quantity::many;
use iota_trace::Printable;
use iota_trace::part::reason;
use iota_trace::read::{Part, Trace};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::slice;

/// Spools of dead processes, all together
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many
    pub processes: u64,
    /// Their calls
    pub calls: u64,
    /// Where the spools are
    pub dirs: BTreeSet<PathBuf>,
    /// What their traces were to be called
    pub outputs: BTreeSet<PathBuf>,
}

/// Of the run that a trace is of: they are missing in it.
pub fn of_trace(trace: &Trace) -> Waiting {
    let members: Vec<_> = trace.parts().iter().filter_map(Member::of_part).collect();
    let outputs: BTreeSet<_> = trace.parts().iter().filter_map(output).collect();
    // Spools may be kept.
    let is_recovered = |found: &FoundSpool, part: &Part| {
        let is = part
            .end()
            .is_some_and(|end| end.reason == reason::RECOVERED);
        is && part.process_key() == found.spool.process_key()
    };
    let in_trace = |found: &FoundSpool| {
        let mut parts = trace.parts().iter();
        parts.any(|part| is_recovered(found, part))
    };
    gathered(&spools::places(&[]), |found| {
        outputs.contains(&found.base)
            && belongs(&members, &Member::of_spool(&found.spool))
            && !in_trace(found)
    })
}

/// Of any run that was to leave its trace here, or in this directory
pub fn of_output(wanted: &Path) -> Waiting {
    gathered(&spools::places(&[]), |found| is_wanted(wanted, &found.base))
}

/// Of runs that have ended, in these directories, but for the one whose parts lie in `parts`
pub fn of_others(dirs: &[PathBuf], parts: &Path) -> Waiting {
    let parts = base(parts);
    gathered(dirs, |found| {
        found.base.parent() != Some(&parts) && !may_be_collected(found)
    })
}

fn gathered(dirs: &[PathBuf], is_meant: impl Fn(&FoundSpool) -> bool) -> Waiting {
    let (found, _) = spools::find(dirs);
    let (dead, others): (Vec<_>, Vec<_>) = found.iter().partition(|found| found.life == Life::Dead);
    // Of a run that goes on, here or on another node, nothing is left yet.
    let going_on: Vec<_> = others
        .iter()
        .map(|found| Member::of_spool(&found.spool))
        .collect();
    let goes_on = |one: &Member| going_on.iter().any(|of| belongs(slice::from_ref(of), one));
    let is_left =
        |found: &&FoundSpool| found.spool.calls() > 0 && !goes_on(&Member::of_spool(&found.spool));
    let mut all = Waiting::default();
    for found in dead
        .into_iter()
        .filter(is_left)
        .filter(|found| is_meant(found))
    {
        all.processes += 1;
        all.calls += found.spool.calls();
        all.dirs
            .extend(found.spool.path().parent().map(Path::to_owned));
        all.outputs.insert(found.base.clone());
    }
    all
}

const PARTS: &str = ".iota-run-";

/// How this process calls the directory in which the parts of its run wait, but for a number
pub fn parts_stem() -> String {
    format!("{PARTS}{}-{}", host::short(), std::process::id())
}

/// Whether the parts of the run have a directory, and its `iota run` may still be there to collect them: that is not known
/// of another host, or of a PID namespace that is not ours.
fn may_be_collected(found: &FoundSpool) -> bool {
    let parts = found.base.parent().filter(|parts| parts.is_dir());
    let name = parts.and_then(Path::file_name).and_then(OsStr::to_str);
    let words = name.and_then(|name| name.strip_prefix(PARTS)?.rsplit_once('-'));
    let Some((host, process)) = words.and_then(|(words, _)| words.rsplit_once('-')) else {
        return false;
    };
    let is_seen = host == host::short() && shares_ids(&found.spool);
    !is_seen || process.parse().is_ok_and(lives)
}

fn output(part: &Part) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let block = part.process()?;
    let output = std::ffi::OsStr::from_bytes(block.fields().output);
    Some(base(Path::new(output)))
}

impl Waiting {
    /// `4,685 calls of 2 processes without a trace in /dev/shm`
    pub fn message(&self) -> Option<String> {
        let dirs: Vec<_> = self.dirs.iter().cloned().collect();
        (self.processes > 0).then(|| {
            format!(
                "{} of {} without a trace in {}",
                many(self.calls, "call"),
                many(self.processes, "process"),
                listed(&dirs)
            )
        })
    }

    /// The command that brings them back
    pub fn remedy(&self) -> String {
        let only = self.outputs.first().filter(|_| self.outputs.len() == 1);
        match only {
            None => "`iota recover` lists them".to_owned(),
            Some(base) if base.parent().is_some_and(Path::is_dir) => {
                format!("`iota recover {}` recovers them", shown(base))
            }
            Some(base) => format!("`iota recover {} -o FILE` recovers them", shown(base)),
        }
    }
}

fn shown(base: &Path) -> String {
    let mut name = base.as_os_str().to_owned();
    name.push(".iota");
    Printable::path(Path::new(&name))
}

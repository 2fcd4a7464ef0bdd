//! What a run has left: parts, spools of processes that were killed, processes that still run.
//!
//! All of them name the directory of this run's parts, which no other run has: parts lie in it, spools hold it in their
//! header, processes have it in their environment, so that a daemon is found that nobody is the parent of. On other
//! nodes spools and processes are not seen.

use crate::{host, inner_id};
use anyhow::Context;
use iota_trace::Printable;
use iota_trace::spool::HEADER;
use memchr::memmem::Finder;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirEntry, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// For how long processes that outlive the command are waited for: ranks end a moment after a launcher that was killed.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// With what the files begin that the processes of a node share
pub const SHARED: &[u8] = b"all-";

/// Processes by their ids
pub type Processes = BTreeSet<u32>;
/// Files of processes that were killed
pub type Spools = Vec<PathBuf>;

/// Traced processes that do not end soon
pub struct Running {
    /// How many
    pub processes: u64,
    /// Their ids, and those that they have in PID namespaces of their own
    pub ids: Processes,
}

/// Waits for them a moment
pub fn running(parts: &Path) -> Running {
    let until = Instant::now() + PATIENCE;
    loop {
        let found = with_environment(parts);
        if found.is_empty() || Instant::now() > until {
            let inner = found.iter().filter_map(|id| inner_id(*id));
            return Running {
                processes: found.len() as u64,
                ids: inner.chain(found.iter().copied()).collect(),
            };
        }
        std::thread::sleep(PAUSE);
    }
}

fn with_environment(parts: &Path) -> Processes {
    let parts = inside(parts);
    let mut room = Vec::new();
    let id = |entry: DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let environment = host::read(&format!("/proc/{id}/environ"), &mut room).ok()?;
        names(environment, &parts).then_some(id)
    };
    entries(Path::new("/proc")).filter_map(id).collect()
}

/// Parts of all but unfinished processes: those that run may add to theirs, recovery of those that were killed needs what
/// they had written
///
/// # Errors
///
/// The directory cannot be read.
pub fn parts(dir: &Path, unfinished: &Processes) -> anyhow::Result<Vec<PathBuf>> {
    let found = fs::read_dir(dir).with_context(|| Printable::path(dir))?;
    let paths = found.flatten().map(|entry| entry.path());
    let is_part = |path: &PathBuf| path.extension().is_some_and(|end| end == "iota");
    let is_done = |path: &PathBuf| !number(path, '.', 0).is_some_and(|id| unfinished.contains(&id));
    let mut parts: Vec<_> = paths.filter(is_part).filter(is_done).collect();
    parts.sort();
    Ok(parts)
}

/// Gives the files that processes share another name: those that still run begin new ones.
///
/// # Errors
///
/// A file cannot be renamed.
pub fn set_apart(dir: &Path) -> anyhow::Result<()> {
    let is_shared = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_bytes();
        name.starts_with(SHARED)
    };
    let paths = entries(dir).map(|entry| entry.path());
    for path in paths.filter(is_shared).collect::<Vec<_>>() {
        fs::rename(&path, path.with_extension("ended.iota"))
            .with_context(|| Printable::path(&path))?;
    }
    Ok(())
}

/// Spools of this run that nobody uses any more
pub fn spools(parts: &Path, dirs: &[PathBuf], running: &Processes) -> Spools {
    let parts = inside(parts);
    let is_spool = |path: &PathBuf| is_spool(path.as_os_str());
    let is_left = |path: &PathBuf| !owner(path).is_some_and(|id| running.contains(&id));
    let is_ours = |path: &PathBuf| header(path).is_some_and(|header| names(&header, &parts));
    let files = dirs
        .iter()
        .flat_map(|dir| entries(dir))
        .map(|entry| entry.path());
    files
        .filter(is_spool)
        .filter(is_left)
        .filter(is_ours)
        .collect()
}

/// Whether there is any, whosever it is
pub fn has_spools(dirs: &[PathBuf]) -> bool {
    let mut files = dirs.iter().flat_map(|dir| entries(dir));
    files.any(|entry| is_spool(&entry.file_name()))
}

fn is_spool(name: &OsStr) -> bool {
    name.as_bytes().ends_with(b".spool")
}

/// The process that a spool was of
pub fn owner(spool: &Path) -> Option<u32> {
    number(spool, '-', 2)
}

/// Where the tracer puts them: in the directory that IOTA_SPOOL names, or in the usual ones
pub fn spool_dirs(named: Option<&OsStr>) -> Vec<PathBuf> {
    if let Some(dir) = named.filter(|dir| !dir.is_empty()) {
        return vec![dir.into()];
    }
    let temporary = std::env::var_os("TMPDIR").unwrap_or_else(|| "/tmp".into());
    vec!["/dev/shm".into(), temporary.into()]
}

fn header(spool: &Path) -> Option<Vec<u8>> {
    let mut header = Vec::with_capacity(HEADER);
    let file = File::open(spool).ok()?;
    file.take(HEADER as u64).read_to_end(&mut header).ok()?;
    Some(header)
}

/// What finds the paths of files in a directory, and not of one whose name only begins as its own does
fn inside(dir: &Path) -> Finder<'static> {
    let path = [dir.as_os_str().as_bytes(), b"/"].concat();
    Finder::new(&path).into_owned()
}

fn names(bytes: &[u8], path: &Finder) -> bool {
    path.find(bytes).is_some()
}

fn entries(dir: &Path) -> impl Iterator<Item = DirEntry> {
    fs::read_dir(dir).into_iter().flatten().flatten()
}

/// The number at a place in a file's name
fn number(path: &Path, separator: char, place: usize) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    name.split(separator).nth(place)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_unfinished_processes_wait() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["12.iota", "12.1.iota", "13.0.iota", "13.iota.part"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let done = parts(dir.path(), &Processes::from([12])).unwrap();
        assert_eq!(done, [dir.path().join("13.0.iota")]);
    }

    #[test]
    fn spools_are_known_by_the_directory_in_their_header() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("iota-0-7-1.spool", "/run/parts/7"),
            ("iota-0-8-1.spool", "/run/parts/8"),
            ("iota-0-9-1.spool", "/run/parts-of-another/9"),
        ] {
            fs::write(dir.path().join(name), text).unwrap();
        }
        let dirs = spool_dirs(Some(dir.path().as_os_str()));
        let found = spools(Path::new("/run/parts"), &dirs, &Processes::from([8]));
        assert_eq!(found, [dir.path().join("iota-0-7-1.spool")]);
        assert!(has_spools(&dirs));
        fs::remove_file(dir.path().join("iota-0-7-1.spool")).unwrap();
        fs::remove_file(dir.path().join("iota-0-8-1.spool")).unwrap();
        assert!(has_spools(&dirs), "one of another run");
        fs::remove_file(dir.path().join("iota-0-9-1.spool")).unwrap();
        assert!(!has_spools(&dirs));
    }
}

//! The spools of this node, whose they are, and whether their processes live.

use super::life::{Life, Living};
use super::names::base;
use iota_trace::read::Spool;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A spool and what became of its process
pub struct FoundSpool {
    /// The spool
    pub spool: Spool,
    /// Whether its process runs
    pub life: Life,
    /// The output's path without its ending
    pub base: PathBuf,
}

/// Where spools may be, each directory once: those that are wished for, or the usual ones
pub fn places(wished: &[PathBuf]) -> Vec<PathBuf> {
    if !wished.is_empty() {
        return wished.to_vec();
    }
    let named = ["TMPDIR", "IOTA_SPOOL"].map(std::env::var_os);
    let named = named.into_iter().flatten().filter(|dir| !dir.is_empty());
    let usual = ["/dev/shm", "/tmp"].map(PathBuf::from);
    let mut dirs = Vec::new();
    for dir in usual.into_iter().chain(named.map(PathBuf::from)) {
        let dir = dir.canonicalize().unwrap_or(dir);
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    dirs
}

/// Spools that cannot be read, and why
#[derive(Default)]
pub struct Unread {
    pub damaged: Vec<String>,
    /// Of another version, with the header of each
    pub foreign: Vec<(String, Vec<u8>)>,
}

impl Unread {
    /// All of them
    pub fn problems(self) -> Vec<String> {
        let foreign = self.foreign.into_iter().map(|(problem, _)| problem);
        self.damaged.into_iter().chain(foreign).collect()
    }

    /// Takes those of another version out that do not name this path; how many they are.
    pub fn take_others(&mut self, path: &Path) -> u64 {
        let names = memchr::memmem::Finder::new(path.as_os_str().as_bytes());
        let all = self.foreign.len();
        self.foreign
            .retain(|(_, header)| names.find(header).is_some());
        (all - self.foreign.len()) as u64
    }
}

/// The user's spools in these directories, and those that cannot be read
pub fn find(dirs: &[PathBuf]) -> (Vec<FoundSpool>, Unread) {
    let (mut all, mut unread, living) = (Vec::new(), Unread::default(), Living::default());
    for path in dirs.iter().flat_map(|dir| files(dir)) {
        match Spool::open(&path) {
            Ok(Some(spool)) => all.push(FoundSpool::of(spool, &living)),
            // Not begun, or gone in the meantime.
            Ok(None) => {}
            Err(_) if !path.exists() => {}
            Err(error) => match Spool::header_of_another_version(&path) {
                Some(header) => unread.foreign.push((error.to_string(), header)),
                None => unread.damaged.push(error.to_string()),
            },
        }
    }
    all.sort_by_key(|found| (found.base.clone(), found.spool.ids().rank, found.began()));
    (all, unread)
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_spool = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.as_bytes().starts_with(b"iota-") && name.as_bytes().ends_with(b".spool")
    };
    let mut paths: Vec<PathBuf> = entries
        .filter(is_spool)
        .map(|entry| entry.path())
        .filter(|path| is_ours(path))
        .collect();
    paths.sort();
    paths
}

/// What another user put there is none of ours, unless we are root, and a link is nobody's.
fn is_ours(path: &Path) -> bool {
    // SAFETY: it only returns a number.
    let me = unsafe { libc::geteuid() };
    path.symlink_metadata()
        .is_ok_and(|data| data.is_file() && (me == 0 || data.uid() == me))
}

impl FoundSpool {
    fn of(spool: Spool, living: &Living) -> FoundSpool {
        FoundSpool {
            life: living.life(&spool),
            base: base(Path::new(std::ffi::OsStr::from_bytes(
                spool.process().output,
            ))),
            spool,
        }
    }

    /// A process of another host is taken for dead.
    pub fn give_up_elsewhere(&mut self) {
        if matches!(self.life, Life::NonStorage(_)) {
            self.life = Life::Dead;
        }
    }

    /// So is one of a PID namespace that is not seen.
    pub fn give_up_unseen(&mut self) {
        if self.life == Life::Unseen {
            self.life = Life::Dead;
        }
    }

    /// When the process started
    pub fn began(&self) -> u64 {
        self.spool.process().start.realtime
    }
}

//! Whether the process of a spool lives. Its id is that of its own PID namespace, which may be another one than this
//! command's.

use crate::host;
use iota_trace::Printable;
use iota_trace::read::Spool;
use std::cell::OnceCell;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The inode of the namespace that has all others in it
const INITIAL: u64 = 0xEFFF_FFFC;

/// Whether a process is running
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// It has ended
    Dead,
    /// It runs
    Alive,
    /// On another host, where it may live
    NonStorage(String),
    /// In a PID namespace of which nothing is seen here, where it may live
    Unseen,
}

/// A process of a PID namespace within ours
struct Inner {
    id: u32,
    /// As it has it itself
    own_id: u32,
}

/// What is asked of /proc once, for many spools
#[derive(Default)]
pub struct Living {
    namespace: OnceCell<u64>,
    inner: OnceCell<Vec<Inner>>,
}

impl Living {
    /// Whether the process of a spool is among those that live
    pub fn life(&self, spool: &Spool) -> Life {
        let (host, own) = (spool.process().host, self.namespace());
        let theirs = spool.pid_namespace().map_or(own, u64::from);
        match () {
            () if !is_here(host) => Life::NonStorage(Printable(host).to_string()),
            () if theirs == own || own == 0 => by_id(spool),
            () if self.has_inner(spool, theirs) => Life::Alive,
            () if own == INITIAL => Life::Dead,
            () => Life::Unseen,
        }
    }

    fn namespace(&self) -> u64 {
        *self
            .namespace
            .get_or_init(|| namespace("self").unwrap_or(0))
    }

    fn has_inner(&self, spool: &Spool, theirs: u64) -> bool {
        let inner = self.inner.get_or_init(inner).iter();
        let of_number = inner.filter(|inner| inner.own_id == spool.ids().pid);
        of_number
            .into_iter()
            .any(|inner| is_process(inner.id, theirs, spool))
    }
}

/// Whether this process is the one in the namespace. Where that must not be known, its user decides.
fn is_process(id: u32, theirs: u64, spool: &Spool) -> bool {
    let users = [
        Path::new("/proc").join(id.to_string()),
        spool.path().to_owned(),
    ];
    let users = users.map(|path| path.metadata().map(|data| data.uid()).ok());
    match namespace(&id.to_string()) {
        Some(namespace) => namespace == theirs && has_mapped(id, spool) != Some(false),
        None => users[0] == users[1],
    }
}

fn by_id(spool: &Spool) -> Life {
    let id = spool.ids().pid;
    match has_mapped(id, spool) {
        // Another process may have got the number since.
        Some(false) => Life::Dead,
        // A process that has just ended has no memory to tell of.
        None if !lives(id) => Life::Dead,
        // One of another user, which we must not look into.
        None if has_begun_after(id, spool.process().start.monotonic) => Life::Dead,
        _ => Life::Alive,
    }
}

/// Whether the process has the spool in its memory; none where that must not be known
fn has_mapped(id: u32, spool: &Spool) -> Option<bool> {
    let name = spool.path().file_name().unwrap_or_default().as_bytes();
    match fs::read(format!("/proc/{id}/maps")) {
        Ok(maps) => Some(memchr::memmem::find(&maps, name).is_some()),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(false),
        Err(_) => None,
    }
}

/// Whether a process began later than this moment of CLOCK_MONOTONIC, by more than a second
fn has_begun_after(id: u32, moment: u64) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().nth(19);
    let ticks: Option<i128> = ticks.and_then(|ticks| ticks.parse().ok());
    // SAFETY: a plain question.
    let in_second = i128::from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).max(1);
    // The kernel counts from the boot, and while the machine sleeps.
    let asleep = now(libc::CLOCK_BOOTTIME) - now(libc::CLOCK_MONOTONIC);
    let began = ticks.map(|ticks| ticks * 1_000_000_000 / in_second - asleep);
    began.is_some_and(|began| began > i128::from(moment) + 1_000_000_000)
}

fn now(clock: libc::clockid_t) -> i128 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it fills `time`.
    unsafe { libc::clock_gettime(clock, &mut time) };
    i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
}

fn namespace(process: &str) -> Option<u64> {
    let file = fs::metadata(format!("/proc/{process}/ns/pid")).ok()?;
    Some(file.ino())
}

/// Whether ids of the process' PID namespace are those of ours
pub fn shares_ids(spool: &Spool) -> bool {
    let theirs = spool.pid_namespace().map(u64::from);
    theirs.is_none() || theirs == namespace("self")
}

fn inner() -> Vec<Inner> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let inner = |id| inner_id(id).map(|own_id| Inner { id, own_id });
    ids.filter_map(inner).collect()
}

/// The id of a process in its own PID namespace, where that is one within ours
pub fn inner_id(id: u32) -> Option<u32> {
    let mut room = Vec::new();
    let status = host::read(&format!("/proc/{id}/status"), &mut room).ok()?;
    let mut lines = status.split(|byte| *byte == b'\n');
    let line = lines.find_map(|line| line.strip_prefix(b"NSpid:"))?;
    let ids = std::str::from_utf8(line).ok()?.split_whitespace();
    ids.skip(1).last()?.parse().ok()
}

/// True for this host's name
pub fn is_here(host: &[u8]) -> bool {
    crate::host::name() == host
}

/// True where a process has this id
pub fn lives(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_began_later_is_another_one() {
        let (own, now) = (std::process::id(), now(libc::CLOCK_MONOTONIC) as u64);
        assert!(has_begun_after(own, 0) && !has_begun_after(own, now));
        assert!(!has_begun_after(u32::MAX, 0), "there is none");
    }
}

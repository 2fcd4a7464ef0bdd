//! The descriptors of a process: the files that they are of, and their positions. What no followed call made, the kernel is
//! asked about.

use crate::tracee::Tracee;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileTypeExt;
use std::rc::Rc;

/// What the kernel appends to the path of a file that no directory has any more
const DELETED: &[u8] = b" (deleted)";

/// What descriptors share that were made from one another
#[derive(Debug)]
pub struct Description {
    /// Empty: it has none, as a pipe
    pub path: Rc<[u8]>,
    /// None: it has none
    position: Cell<Option<i64>>,
    appends: Cell<bool>,
}

/// Those of a process, by their numbers
#[derive(Clone, Debug, Default)]
pub struct Files(BTreeMap<i32, Rc<Description>>);

impl Description {
    /// What an `open` with these flags made
    pub fn opened(thread: Tracee, fd: i32, path: Rc<[u8]>, flags: u64) -> Description {
        Description {
            path,
            position: Cell::new(has_position(thread, fd).then_some(0)),
            appends: Cell::new(flags & libc::O_APPEND as u64 != 0),
        }
    }

    /// Of no path, and without a position
    pub fn nameless() -> Description {
        Description {
            path: Rc::default(),
            position: Cell::new(None),
            appends: Cell::new(false),
        }
    }

    fn asked(thread: Tracee, fd: i32) -> Option<Description> {
        let path = fs::read_link(at(thread, "fd", fd)).ok()?;
        let path = path.into_os_string().into_vec();
        let path = path.strip_suffix(DELETED).unwrap_or(&path);
        let says = fs::read_to_string(at(thread, "fdinfo", fd)).ok()?;
        let number = |name: &str, base| {
            let line = says.lines().find_map(|line| line.strip_prefix(name))?;
            i64::from_str_radix(line.trim(), base).ok()
        };
        let flags = number("flags:", 8).unwrap_or(0);
        Some(Description {
            path: match path.starts_with(b"/") {
                true => path.into(),
                false => Rc::default(),
            },
            position: Cell::new(number("pos:", 10).filter(|_| has_position(thread, fd))),
            appends: Cell::new(flags & i64::from(libc::O_APPEND) != 0),
        })
    }

    /// Where it stands; -1: nowhere
    pub fn position(&self) -> i64 {
        self.position.get().unwrap_or(-1)
    }

    /// It was moved there.
    pub fn set_position(&self, position: i64) {
        self.position.set(Some(position));
    }

    /// Where so many bytes were moved at the position, or at the end if it appends and they were written; -1: nowhere
    pub fn passes(&self, moved: i64, is_write: bool, thread: Tracee, fd: i32) -> i64 {
        let Some(position) = self.position.get() else {
            return -1;
        };
        let after = match is_write && self.appends.get() {
            // Others may append, too: only the kernel knows where the end was.
            true => Description::asked(thread, fd).and_then(|now| now.position.get()),
            false => position.checked_add(moved),
        };
        self.position.set(after);
        after.map_or(-1, |after| after.saturating_sub(moved))
    }

    /// F_SETFL
    pub fn set_flags(&self, flags: u64) {
        self.appends.set(flags & libc::O_APPEND as u64 != 0);
    }
}

fn at(thread: Tracee, what: &str, fd: i32) -> String {
    format!("/proc/{}/{what}/{fd}", thread.0)
}

/// Pipes, sockets and terminals have none.
fn has_position(thread: Tracee, fd: i32) -> bool {
    let kind = fs::metadata(at(thread, "fd", fd)).map(|data| data.file_type());
    kind.is_ok_and(|kind| kind.is_file() || kind.is_block_device() || kind.is_dir())
}

impl Files {
    /// What a descriptor of the thread is of
    pub fn get(&mut self, thread: Tracee, fd: i32) -> Option<Rc<Description>> {
        if let Some(known) = self.0.get(&fd) {
            return Some(known.clone());
        }
        let asked = Rc::new(Description::asked(thread, fd).filter(|_| fd >= 0)?);
        self.0.insert(fd, asked.clone());
        Some(asked)
    }

    /// Nothing is known of any.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// A descriptor was made.
    pub fn add(&mut self, fd: i32, description: Rc<Description>) {
        self.0.insert(fd, description);
    }

    /// These are gone.
    pub fn close(&mut self, first: i64, last: i64) {
        self.0
            .retain(|fd, _| !(first..=last).contains(&i64::from(*fd)));
    }

    /// The process became another program: only those are left that are still open.
    pub fn after_exec(&mut self, thread: Tracee) {
        self.0
            .retain(|fd, _| fs::symlink_metadata(at(thread, "fd", *fd)).is_ok());
    }
}

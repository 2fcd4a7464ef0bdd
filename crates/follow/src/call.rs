//! A call, from the registers and memory of the thread that made it: descriptor, path, offset, length; and what it changes in
//! its process.

use crate::files::{Description, Files};
use crate::numbers::Followed;
use crate::tracee::Tracee;
use iota_calls::{Arguments, Transfer};
use iota_trace::{Event, Second, flags};
use std::cell::RefCell;
use std::rc::Rc;

/// What a thread shares with others, or has for itself
#[derive(Clone)]
pub struct Surroundings {
    /// Its descriptors
    pub files: Rc<RefCell<Files>>,
    /// Its working directory, once it was asked for
    pub directory: Rc<RefCell<Option<Rc<[u8]>>>>,
}

/// Where in the arguments of a call descriptors stand that it moves or closes
pub fn descriptors(arguments: Arguments) -> impl Iterator<Item = usize> {
    use Arguments::*;
    let places = match arguments {
        Close | Transfer(_) | Seek | Dup | Fcntl | Descriptor(..) => [Some(0), None],
        Between(from, _, to, ..) => [Some(from), Some(to)],
        _ => [None, None],
    };
    places.into_iter().flatten()
}

/// A system call that a thread is in
#[derive(Clone, Debug)]
pub struct Entered {
    /// Which
    pub followed: Followed,
    /// Its arguments
    pub arguments: [u64; 6],
    /// When it began, in ns since the start
    pub start: i64,
    /// The path that it is about to become, of which nothing is left afterwards
    pub program: Option<Rc<[u8]>>,
}

/// A call that is over
pub struct Call<'c> {
    /// Who made it
    pub thread: Tracee,
    /// With what
    pub of: &'c Surroundings,
    /// What it was
    pub entered: &'c Entered,
    /// What is recorded of it
    pub event: Event,
    /// Its file
    pub path: Option<Rc<[u8]>>,
    /// Its second file
    pub second: Option<Rc<[u8]>>,
}

impl Call<'_> {
    /// One that returned so
    pub fn new<'c>(
        thread: Tracee,
        of: &'c Surroundings,
        entered: &'c Entered,
        end: i64,
        returned: i64,
    ) -> Call<'c> {
        let failed = (-4095..0).contains(&returned);
        Call {
            thread,
            of,
            entered,
            event: Event {
                start: entered.start,
                end,
                ret: if failed { -1 } else { returned },
                errno: if failed {
                    returned.unsigned_abs() as u16
                } else {
                    0
                },
                thread: thread.0 as u32,
                offset: -1,
                fd: -1,
                ..Event::default()
            },
            path: None,
            second: None,
        }
    }

    /// Reads what it says. False: it is not to be recorded
    pub fn read(&mut self, arguments: Arguments) -> bool {
        match arguments {
            Arguments::Open(at, path, flags) => self.opened(at, path, flags),
            Arguments::Close => self.closed(),
            Arguments::CloseRange => self.range_closed(),
            Arguments::Transfer(transfer) => self.transferred(transfer),
            Arguments::Seek => self.sought(),
            Arguments::Dup => self.duplicated(),
            Arguments::Fcntl => self.controlled(),
            Arguments::Descriptor(offset, length) => self.on_descriptor(offset, length),
            Arguments::Path(at, path) => self.on_path(at, path),
            Arguments::Paths(first, second) => {
                self.path = self.absolute(first.0, first.1);
                self.second = self.absolute(second.0, second.1);
                self.event.flags |= flags::MORE;
            }
            Arguments::Between(from, from_offset, to, to_offset, length) => {
                self.copied((from, from_offset), (to, to_offset), length);
            }
            Arguments::Map => {
                self.on_descriptor(Some(5), Some(1));
                self.at(4);
            }
            Arguments::Made => self.makes(self.event.ret, Description::nameless()),
            Arguments::Pair => self.paired(),
            Arguments::Exec(..) => self.path = self.entered.program.clone(),
            Arguments::Global => {}
            Arguments::Clone => return false,
        }
        true
    }

    fn argument(&self, place: usize) -> u64 {
        self.entered.arguments.get(place).copied().unwrap_or(0)
    }

    fn succeeded(&self) -> bool {
        self.event.errno == 0
    }

    fn descriptor(&self, place: usize) -> (i32, Option<Rc<Description>>) {
        let fd = self.argument(place) as i32;
        (fd, self.of.files.borrow_mut().get(self.thread, fd))
    }

    /// The descriptor that it is on
    fn at(&mut self, place: usize) -> Option<Rc<Description>> {
        let (fd, description) = self.descriptor(place);
        self.event.fd = fd;
        let path = description.as_ref().map(|found| found.path.clone());
        self.path = path.filter(|path| !path.is_empty());
        description
    }

    fn makes(&self, fd: i64, description: Description) {
        if self.succeeded() {
            let mut files = self.of.files.borrow_mut();
            files.add(fd as i32, Rc::new(description));
        }
    }

    fn absolute(&self, at: Option<usize>, path: usize) -> Option<Rc<[u8]>> {
        self.of.absolute(
            self.thread,
            at.map(|at| self.argument(at) as i32),
            self.argument(path),
        )
    }

    fn opened(&mut self, at: Option<usize>, path: usize, flags: Option<usize>) {
        self.path = self.absolute(at, path);
        let (mut open, mut mode) = match flags {
            Some(place) => (self.argument(place), self.argument(place + 1)),
            None => {
                let creates = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
                (creates as u64, self.argument(path + 1))
            }
        };
        if self.entered.followed.name == "openat2" {
            [open, mode] = self.thread.words(open).unwrap_or_default();
        }
        open &= u64::from(u32::MAX);
        let creates = libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY);
        mode = if open & creates as u64 != 0 { mode } else { 0 };
        self.event.length = open | mode << 32;
        if self.succeeded() {
            let (fd, path) = (self.event.ret as i32, self.path.clone().unwrap_or_default());
            let made = Description::opened(self.thread, fd, path, open);
            self.makes(fd.into(), made);
        }
    }

    fn closed(&mut self) {
        self.at(0);
        // Linux has closed it whatever it says, unless it was none.
        if self.event.errno != libc::EBADF as u16 {
            let fd = self.event.fd.into();
            self.of.files.borrow_mut().close(fd, fd);
        }
    }

    fn range_closed(&mut self) {
        let (first, last) = (self.argument(0) as u32, self.argument(1) as u32);
        (self.event.fd, self.event.length) = (first as i32, last.into());
        let only_at_exec = self.argument(2) & u64::from(libc::CLOSE_RANGE_CLOEXEC) != 0;
        if self.succeeded() && !only_at_exec {
            let mut files = self.of.files.borrow_mut();
            files.close(first.into(), last.into());
        }
    }

    fn transferred(&mut self, transfer: Transfer) {
        let description = self.at(0);
        self.event.length = match transfer.is_vector {
            true => self.thread.vector(self.argument(1), self.argument(2)),
            false => self.argument(2),
        };
        let offset = transfer.offset.map(|place| self.argument(place) as i64);
        // preadv2 with -1 is at the position.
        self.event.offset = match (offset.filter(|offset| *offset >= 0), description) {
            (Some(offset), _) => offset,
            (None, Some(description)) => {
                self.event.flags |= flags::OFFSET_INFERRED;
                let moved = self.event.ret.max(0);
                description.passes(moved, transfer.is_write, self.thread, self.event.fd)
            }
            (None, None) => -1,
        };
    }

    fn sought(&mut self) {
        let description = self.at(0);
        self.event.length = self.argument(1);
        self.event.whence = self.argument(2) as u16;
        if let Some(description) = description {
            self.event.offset = description.position();
            if self.succeeded() {
                description.set_position(self.event.ret);
            }
        }
    }

    fn duplicated(&mut self) {
        let description = self.at(0);
        self.event.second.fd = self.event.ret as i32;
        self.event.flags |= flags::MORE;
        if let (Some(description), true) = (description, self.succeeded()) {
            let mut files = self.of.files.borrow_mut();
            files.add(self.event.ret as i32, description);
        }
    }

    fn controlled(&mut self) {
        let command = self.argument(1) as i32;
        match command {
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => self.duplicated(),
            _ => {
                let description = self.at(0);
                let sets = command == libc::F_SETFL && self.succeeded();
                if let Some(description) = description.filter(|_| sets) {
                    description.set_flags(self.argument(2));
                }
            }
        }
        self.event.whence = command as u16;
    }

    fn on_descriptor(&mut self, offset: Option<usize>, length: Option<usize>) {
        self.at(0);
        self.event.offset = offset.map_or(-1, |place| self.argument(place) as i64);
        self.event.length = length.map_or(0, |place| self.argument(place));
        if self.entered.followed.name == "fchdir" && self.succeeded() {
            self.of.directory.replace(None);
        }
    }

    fn on_path(&mut self, at: Option<usize>, path: usize) {
        self.path = self.absolute(at, path);
        if self.entered.followed.name == "chdir" && self.succeeded() {
            self.of.directory.replace(None);
        }
    }

    fn copied(&mut self, from: (usize, Option<usize>), to: (usize, Option<usize>), length: usize) {
        let moved = self.event.ret.max(0);
        let mut ends = [(from, false), (to, true)].map(|((place, at), is_write)| {
            let (fd, description) = self.descriptor(place);
            let at = at.and_then(|place| self.thread.words(self.argument(place)));
            let offset = match (at, &description) {
                // The kernel has moved it on.
                (Some([after]), _) => (after as i64).wrapping_sub(moved),
                (None, Some(found)) => found.passes(moved, is_write, self.thread, fd),
                (None, None) => -1,
            };
            let path = description.map(|found| found.path.clone());
            (fd, offset, path.filter(|path| !path.is_empty()))
        });
        // The first descriptor of the call is the event's own.
        if to.0 < from.0 {
            ends.reverse();
        }
        let [(fd, offset, path), (second_fd, second_offset, second)] = ends;
        (self.event.fd, self.event.offset, self.path) = (fd, offset, path);
        self.event.length = self.argument(length);
        self.event.second = Second {
            fd: second_fd,
            offset: second_offset,
            ..Second::NONE
        };
        self.event.flags |= flags::MORE;
        self.second = second;
    }

    fn paired(&mut self) {
        let place = match self.entered.followed.name {
            "socketpair" => 3,
            _ => 0,
        };
        let made = self.thread.words::<1>(self.argument(place));
        if let (Some([pair]), true) = (made, self.succeeded()) {
            let [first, second] = [pair as u32, (pair >> 32) as u32];
            self.makes(first.into(), Description::nameless());
            self.makes(second.into(), Description::nameless());
            (self.event.fd, self.event.second.fd) = (first as i32, second as i32);
            self.event.flags |= flags::MORE;
        }
    }
}

impl Surroundings {
    /// The path at an address, below a directory or the working directory
    pub fn absolute(&self, thread: Tracee, at: Option<i32>, path: u64) -> Option<Rc<[u8]>> {
        let path = thread.string(path)?;
        if path.starts_with(b"/") {
            return Some(path.into());
        }
        let directory = match at.filter(|at| *at != libc::AT_FDCWD) {
            Some(fd) => self.files.borrow_mut().get(thread, fd)?.path.clone(),
            None => self.working_directory(thread),
        };
        let path = path.strip_prefix(b"./").unwrap_or(&path);
        Some(match (&directory[..], path) {
            (_, b"" | b".") => directory,
            (b"/", path) => [b"/", path].concat().into(),
            (directory, path) => [directory, b"/", path].concat().into(),
        })
    }

    fn working_directory(&self, thread: Tracee) -> Rc<[u8]> {
        let mut known = self.directory.borrow_mut();
        let asked = || crate::process::link(thread, "cwd").into();
        known.get_or_insert_with(asked).clone()
    }
}

//! What a call says, told by its arguments: descriptor, path, offset, length; and what it changes in its process.

use super::args;
use super::calls::Arguments;
use super::line::Call;
use super::thread::{Descriptor, Thread};
use iota_trace::{Event, flags};
use std::collections::HashMap;
use std::rc::Rc;

/// A call while it is being understood
pub struct Seen<'c> {
    pub of: &'c Thread,
    pub call: &'c Call<'c>,
    pub sizes: &'c mut HashMap<Rc<[u8]>, i64>,
    pub event: Event,
    pub path: Option<Rc<[u8]>>,
    pub second: Option<Rc<[u8]>>,
}

impl Seen<'_> {
    /// Whether it is to be recorded
    pub(super) fn take(&mut self, arguments: Arguments) -> bool {
        match arguments {
            Arguments::Open(at, path, flags) => self.opened(at, path, flags),
            Arguments::Close => self.closed(),
            Arguments::CloseRange => self.range_closed(),
            Arguments::Transfer(transfer) => self.transferred(transfer),
            Arguments::Seek => self.sought(),
            Arguments::Dup => self.copied_descriptor(1),
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
            Arguments::Map => return self.mapped(),
            Arguments::Made => self.makes(self.call.ret, None, b""),
            Arguments::Pair => self.paired(),
            Arguments::Exec(at, path) => self.path = self.absolute(at, path),
            Arguments::Global => {}
            Arguments::Clone => return false,
        }
        true
    }

    pub(super) fn arg(&self, place: usize) -> &[u8] {
        self.call.args.get(place).copied().unwrap_or_default()
    }

    pub(super) fn number(&self, place: usize) -> Option<i64> {
        args::number(self.arg(place))
    }

    /// The descriptor in a place; one that nobody has told of is as -y says
    pub(super) fn descriptor(&self, place: usize) -> (i32, Option<Descriptor>) {
        let (number, path) = args::descriptor(self.arg(place));
        let Some(fd) = args::number(number).map(|fd| fd as i32) else {
            return (-1, None);
        };
        let mut open = self.of.open.borrow_mut();
        if let (None, Some(path)) = (open.get(&fd), path)
            && fd >= 0
        {
            open.insert(fd, Descriptor::of(path.into(), None, false, false));
        }
        (fd, open.get(&fd).cloned())
    }

    /// The path in a place, below the directory in another or the working directory
    pub(super) fn absolute(&self, at: Option<usize>, place: usize) -> Option<Rc<[u8]>> {
        let path = args::string(self.arg(place))?;
        if path.starts_with(b"/") {
            return Some(path.into());
        }
        let directory = self.directory(at);
        let path = path.strip_prefix(b"./").unwrap_or(&path);
        Some(match (&directory[..], path) {
            (b"", path) => path.into(),
            (directory, b"" | b".") => directory.into(),
            (b"/", path) => [b"/", path].concat().into(),
            (directory, path) => [directory, b"/", path].concat().into(),
        })
    }

    /// What a path is below
    pub(super) fn directory(&self, at: Option<usize>) -> Vec<u8> {
        let place = at.filter(|at| !self.arg(*at).starts_with(b"AT_FDCWD"));
        if let Some((_, descriptor)) = place.map(|place| self.descriptor(place)) {
            return descriptor.map_or(Vec::new(), |found| found.description.path.to_vec());
        }
        self.of.directory.borrow().clone()
    }

    pub(super) fn makes(&mut self, fd: i64, path: Option<Rc<[u8]>>, flags: &[u8]) {
        if fd >= 0 {
            let ends = ["O_CLOEXEC", "SOCK_CLOEXEC", "EFD_CLOEXEC", "EPOLL_CLOEXEC"];
            let ends = ends.iter().any(|flag| args::has(flags, flag));
            let mut made = Descriptor::of(
                path.unwrap_or_default(),
                Some(0),
                args::has(flags, "O_APPEND"),
                ends,
            );
            made.since = self.event.end;
            self.of.open.borrow_mut().insert(fd as i32, made);
        }
    }

    pub(super) fn opened(&mut self, at: Option<usize>, path: usize, flags: Option<usize>) {
        self.path = self.absolute(at, path);
        let flags = flags
            .map_or(&b"O_WRONLY|O_CREAT|O_TRUNC"[..], |place| self.arg(place))
            .to_owned();
        // openat2 has them in a structure.
        let flags = flags.strip_prefix(b"{flags=").unwrap_or(&flags);
        let flags = flags.split(|byte| *byte == b',').next().unwrap_or_default();
        let mode = self
            .call
            .args
            .last()
            .and_then(|mode| args::number(mode))
            .unwrap_or(0) as u64;
        let creates = args::has(flags, "O_CREAT") || args::has(flags, "O_TMPFILE");
        self.event.length = args::open_flags(flags) | if creates { mode << 32 } else { 0 };
        if let (Some(path), true) = (&self.path, self.call.ret >= 0)
            && (args::has(flags, "O_TRUNC") || args::has(flags, "O_EXCL"))
        {
            self.sizes.insert(path.clone(), 0);
        }
        self.makes(
            self.call.ret,
            self.path
                .clone()
                .or_else(|| self.call.made.clone().map(Rc::from)),
            flags,
        );
    }

    pub(super) fn closed(&mut self) {
        self.on_descriptor(None, None);
        // While it was closed another thread may have got its number for another file.
        let mut open = self.of.open.borrow_mut();
        let is_another = |found: &Descriptor| found.since > self.event.start;
        if open.get(&self.event.fd).is_some_and(is_another) {
            self.path = None;
        } else {
            open.remove(&self.event.fd);
        }
    }

    pub(super) fn range_closed(&mut self) {
        let (first, last) = (
            self.number(0).unwrap_or(0),
            self.number(1).unwrap_or(i64::MAX),
        );
        self.event.fd = first as i32;
        if self.call.ret == 0 && !args::has(self.arg(2), "CLOSE_RANGE_CLOEXEC") {
            let closed = |fd: i32| (first..=last).contains(&fd.into());
            self.of.open.borrow_mut().retain(|fd, _| !closed(*fd));
        }
    }

    pub(super) fn on_descriptor(&mut self, offset: Option<usize>, length: Option<usize>) {
        let (fd, descriptor) = self.descriptor(0);
        self.event.fd = fd;
        self.event.offset = offset.and_then(|place| self.number(place)).unwrap_or(-1);
        self.event.length = length.and_then(|place| self.number(place)).unwrap_or(0) as u64;
        let path = descriptor.map(|descriptor| descriptor.description.path.clone());
        self.path = path.filter(|path| !path.is_empty());
        match self.call.name {
            "fstat" => self.learn_size(1),
            "fchdir" if self.call.ret == 0 => self.moves_to(self.path.clone()),
            "ftruncate" if self.call.ret == 0 => {
                let (path, size) = (self.path.clone(), self.event.offset);
                path.map(|path| self.sizes.insert(path, size));
            }
            _ => {}
        }
    }

    pub(super) fn on_path(&mut self, at: Option<usize>, path: usize) {
        self.path = self.absolute(at, path);
        match self.call.name {
            "stat" | "newfstatat" => self.learn_size(path + 1),
            "chdir" if self.call.ret == 0 => self.moves_to(self.path.clone()),
            _ => {}
        }
    }

    pub(super) fn moves_to(&self, directory: Option<Rc<[u8]>>) {
        *self.of.directory.borrow_mut() = directory.map_or(Vec::new(), |path| path.to_vec());
    }

    pub(super) fn learn_size(&mut self, place: usize) {
        if let (Some(path), Some(size)) = (&self.path, args::field(self.arg(place), "st_size=")) {
            self.sizes.insert(path.clone(), size);
        }
    }

    /// Memory that is no file is not I/O.
    pub(super) fn mapped(&mut self) -> bool {
        let (fd, descriptor) = self.descriptor(4);
        self.event.fd = fd;
        self.event.length = self.number(1).unwrap_or(0) as u64;
        self.event.offset = self.number(5).unwrap_or(-1);
        self.path = descriptor
            .map(|d| d.description.path.clone())
            .filter(|path| !path.is_empty());
        fd >= 0
    }

    pub(super) fn paired(&mut self) {
        let pair = self
            .call
            .args
            .iter()
            .find(|arg| arg.starts_with(b"["))
            .copied()
            .unwrap_or_default();
        let (ends, _) = args::split(&pair[1.min(pair.len())..]);
        let number =
            |end: &&[u8]| args::number(args::descriptor(end.strip_suffix(b"]").unwrap_or(end)).0);
        let ends: Vec<i64> = ends.iter().filter_map(number).collect();
        for end in ends.iter().filter(|_| self.call.ret >= 0) {
            self.makes(*end, None, b"");
        }
        if let [first, second] = ends[..] {
            self.event.fd = first as i32;
            self.event.second.fd = second as i32;
            self.event.flags |= flags::MORE;
        }
    }
}

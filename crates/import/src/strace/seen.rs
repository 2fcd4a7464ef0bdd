//! What a call says by its arguments: descriptor, path, offset, length; and what it changes in its process.

use super::args;
use super::line::Call;
use super::sizes::{Size, Sizes};
use super::thread::{Descriptor, Thread};
use iota_calls::Arguments;
use iota_trace::{Event, flags};
use std::rc::Rc;

/// A call while it is being understood
pub struct Seen<'c> {
    pub of: &'c Thread,
    pub call: &'c Call<'c>,
    pub sizes: &'c Sizes,
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
                self.named();
            }
            Arguments::Between(from, from_offset, to, to_offset, length) => {
                self.copied((from, from_offset), (to, to_offset), length);
            }
            Arguments::Map => return self.mapped(),
            Arguments::Made => self.makes(self.call.ret, None, b"", Size::default()),
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

    /// The descriptor in a place; one that no call made is as -y says
    pub(super) fn descriptor(&self, place: usize) -> (i32, Option<Descriptor>) {
        let (number, path) = args::descriptor(self.arg(place));
        let Some(fd) = args::number(number).map(|fd| fd as i32) else {
            return (-1, None);
        };
        let mut open = self.of.open.borrow_mut();
        if let (None, Some(path)) = (open.get(&fd), path)
            && fd >= 0
        {
            let size = match self.arg(place).ends_with(args::DELETED) {
                true => Size::default(),
                false => self.sizes.of(&path),
            };
            open.insert(fd, Descriptor::of(path.into(), None, size));
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

    pub(super) fn makes(&mut self, fd: i64, path: Option<Rc<[u8]>>, flags: &[u8], size: Size) {
        if fd >= 0 {
            let ends = ["O_CLOEXEC", "SOCK_CLOEXEC", "EFD_CLOEXEC", "EPOLL_CLOEXEC"];
            let ends = ends.iter().any(|flag| args::has(flags, flag));
            let mut made = Descriptor::of(path.unwrap_or_default(), Some(0), size);
            let appends = args::has(flags, "O_APPEND");
            made.description.appends.set(appends);
            (made.ends_at_exec, made.since) = (ends, self.event.end);
            self.of.open.borrow_mut().insert(fd as i32, made);
        }
    }

    pub(super) fn opened(&mut self, at: Option<usize>, path: usize, flags: Option<usize>) {
        self.path = self.absolute(at, path);
        let flags = flags
            .map_or(&b"O_WRONLY|O_CREAT|O_TRUNC"[..], |place| self.arg(place))
            .to_owned();
        // openat2 has them in a structure, and the mode as well.
        let within = flags.strip_prefix(b"{flags=");
        let mode = match (within, self.call.args.last()) {
            (Some(within), _) => args::field(within, "mode="),
            (None, last) => last.and_then(|mode| args::number(mode)),
        };
        let mode = mode.unwrap_or(0) as u64;
        let flags = within.unwrap_or(&flags);
        let flags = flags.split(|byte| *byte == b',').next().unwrap_or_default();
        let creates = args::has(flags, "O_CREAT") || args::has(flags, "O_TMPFILE");
        self.event.length = args::open_flags(flags) | if creates { mode << 32 } else { 0 };
        let path = self.path.clone();
        let path = path.or_else(|| self.call.made.clone().map(Rc::from));
        let size = match &path {
            Some(path) if self.call.ret >= 0 => self.size_at_open(path, flags),
            _ => Size::default(),
        };
        self.makes(self.call.ret, path, flags, size);
    }

    fn size_at_open(&self, path: &[u8], flags: &[u8]) -> Size {
        let size = match () {
            // It has no name, its path is that of a directory.
            () if args::has(flags, "O_TMPFILE") => Size::default(),
            () if args::has(flags, "O_EXCL") => self.sizes.made(path),
            () => self.sizes.of(path),
        };
        if args::has(flags, "O_TRUNC") || args::has(flags, "O_TMPFILE") {
            size.set(Some(0));
        }
        size
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
        if self.call.ret == 0 {
            let only_at_exec = args::has(self.arg(2), "CLOSE_RANGE_CLOEXEC");
            self.of.open.borrow_mut().retain(|fd, descriptor| {
                let is_in = (first..=last).contains(&(*fd).into());
                descriptor.ends_at_exec |= is_in;
                !is_in || only_at_exec
            });
        }
    }

    pub(super) fn on_descriptor(&mut self, offset: Option<usize>, length: Option<usize>) {
        let (fd, descriptor) = self.descriptor(0);
        self.event.fd = fd;
        self.event.offset = offset.and_then(|place| self.number(place)).unwrap_or(-1);
        self.event.length = length.and_then(|place| self.number(place)).unwrap_or(0) as u64;
        let path = descriptor.as_ref().map(|found| &found.description.path);
        self.path = path.filter(|path| !path.is_empty()).cloned();
        let Some(Descriptor { description, .. }) = descriptor.filter(|_| self.call.ret == 0) else {
            return;
        };
        match self.call.name {
            "fstat" => self.learn_size(&description.size, 1),
            "fchdir" => self.moves_to(self.path.clone()),
            "ftruncate" => description.size.set(Some(self.event.offset)),
            "fallocate" => self.allocated(&description.size),
            _ => {}
        }
    }

    fn allocated(&self, size: &Size) {
        let mode = self.arg(1);
        let has = |flag| args::has(mode, flag);
        if has("FALLOC_FL_COLLAPSE_RANGE") || has("FALLOC_FL_INSERT_RANGE") {
            size.set(None);
        } else if !has("FALLOC_FL_KEEP_SIZE") {
            let length = i64::try_from(self.event.length).unwrap_or(i64::MAX);
            size.reaches(self.event.offset.saturating_add(length));
        }
    }

    pub(super) fn on_path(&mut self, at: Option<usize>, path: usize) {
        self.path = self.absolute(at, path);
        let Some(named) = self.path.clone().filter(|_| self.call.ret == 0) else {
            return;
        };
        match self.call.name {
            "newfstatat" if self.arg(path) == b"\"\"" => {
                if let Some((_, Some(found))) = at.map(|at| self.descriptor(at)) {
                    self.learn_size(&found.description.size, path + 1);
                }
            }
            "stat" | "newfstatat" => self.learn_size(&self.sizes.of(&named), path + 1),
            "truncate" => self.sizes.of(&named).set(self.number(path + 1)),
            "unlink" | "unlinkat" => self.sizes.removed(&named),
            "chdir" => self.moves_to(Some(named)),
            _ => {}
        }
    }

    /// Two paths: files get other names.
    fn named(&self) {
        let (Some(first), Some(second), 0) = (&self.path, &self.second, self.call.ret) else {
            return;
        };
        match self.call.name {
            "renameat2" if args::has(self.arg(4), "RENAME_EXCHANGE") => {
                self.sizes.exchanged(first, second);
            }
            "rename" | "renameat" | "renameat2" => self.sizes.renamed(first, second),
            "link" | "linkat" => self.sizes.linked(first, second),
            _ => {}
        }
    }

    pub(super) fn moves_to(&self, directory: Option<Rc<[u8]>>) {
        *self.of.directory.borrow_mut() = directory.map_or(Vec::new(), |path| path.to_vec());
    }

    fn learn_size(&self, of: &Size, place: usize) {
        let stat = self.arg(place);
        let is_link = stat.starts_with(b"{st_mode=S_IFLNK");
        if let (Some(size), false) = (args::field(stat, "st_size="), is_link) {
            of.set(Some(size));
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
            self.makes(*end, None, b"", Size::default());
        }
        if let [first, second] = ends[..] {
            self.event.fd = first as i32;
            self.event.second.fd = second as i32;
            self.event.flags |= flags::MORE;
        }
    }
}

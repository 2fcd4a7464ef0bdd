//! Calls that move bytes, and positions with them.

use super::args;
use super::seen::Seen;
use super::thread::Descriptor;
use iota_calls::Transfer;
use iota_trace::{Second, flags};

impl Seen<'_> {
    pub(super) fn transferred(&mut self, transfer: Transfer) {
        let is_write = transfer.is_write;
        self.on_descriptor(transfer.offset, Some(2));
        if transfer.is_vector {
            self.event.length = args::vector(self.arg(1)).max(self.call.ret.max(0) as u64);
        }
        let (_, descriptor) = self.descriptor(0);
        let appends = descriptor.as_ref().filter(|d| is_write && self.appends(d));
        // preadv2 with -1 is at the position.
        if self.event.offset < 0 {
            self.event.offset = self.claim(descriptor.as_ref(), appends.is_some());
            self.event.flags |= flags::OFFSET_INFERRED;
        } else if let Some(descriptor) = appends {
            // Linux appends, whatever the offset.
            self.event.offset = descriptor.description.size.known().unwrap_or(-1);
            self.event.flags |= flags::OFFSET_INFERRED;
        }
        if is_write {
            self.grow(descriptor.as_ref(), self.event.offset);
        }
    }

    /// Whether a write to it goes to the end of the file; pwritev2 has flags of its own for this.
    fn appends(&self, descriptor: &Descriptor) -> bool {
        let has_flag = |flag| {
            self.call
                .args
                .iter()
                .skip(4)
                .any(|arg| args::has(arg, flag))
        };
        has_flag("RWF_APPEND") || descriptor.description.appends.get() && !has_flag("RWF_NOAPPEND")
    }

    /// Moves the position by what was transferred, and returns where it was; -1 where nobody knows
    fn claim(&self, descriptor: Option<&Descriptor>, appends: bool) -> i64 {
        let Some(Descriptor { description, .. }) =
            descriptor.filter(|d| !d.description.path.is_empty())
        else {
            return -1;
        };
        let before = match appends {
            true => description.size.known(),
            false => description.position.get(),
        };
        let after = before.map(|before| before.saturating_add(self.call.ret.max(0)));
        description.position.set(after);
        before.unwrap_or(-1)
    }

    /// What was written from an offset on may make the file longer.
    fn grow(&self, descriptor: Option<&Descriptor>, offset: i64) {
        if let (Some(descriptor), true) = (descriptor, offset >= 0) {
            let end = offset.saturating_add(self.call.ret.max(0));
            descriptor.description.size.reaches(end);
        }
    }

    pub(super) fn sought(&mut self) {
        self.on_descriptor(None, Some(1));
        if let (_, Some(descriptor)) = self.descriptor(0) {
            let position = &descriptor.description.position;
            self.event.offset = position.get().unwrap_or(-1);
            if self.call.ret >= 0 {
                position.set(Some(self.call.ret));
            }
        }
        self.event.whence = match self.arg(2) {
            b"SEEK_CUR" => 1,
            b"SEEK_END" => 2,
            b"SEEK_DATA" => 3,
            b"SEEK_HOLE" => 4,
            _ => 0,
        };
    }

    pub(super) fn copied_descriptor(&mut self, flags: usize) {
        self.on_descriptor(None, None);
        if let (_, Some(descriptor)) = self.descriptor(0)
            && self.call.ret >= 0
        {
            let ends_at_exec = self
                .call
                .args
                .iter()
                .skip(flags)
                .any(|arg| args::has(arg, "O_CLOEXEC") || args::has(arg, "F_DUPFD_CLOEXEC"));
            let copy = Descriptor {
                ends_at_exec,
                since: self.event.end,
                ..descriptor
            };
            self.of.open.borrow_mut().insert(self.call.ret as i32, copy);
        }
        self.event.second.fd = self.call.ret as i32;
        self.event.flags |= flags::MORE;
    }

    pub(super) fn controlled(&mut self) {
        match self.arg(1) {
            b"F_DUPFD" | b"F_DUPFD_CLOEXEC" => self.copied_descriptor(1),
            b"F_SETFD" => {
                self.on_descriptor(None, None);
                let ends = args::has(self.arg(2), "FD_CLOEXEC");
                if let Some(descriptor) = self.of.open.borrow_mut().get_mut(&self.event.fd) {
                    descriptor.ends_at_exec = ends;
                }
            }
            b"F_SETFL" if self.call.ret >= 0 => {
                self.on_descriptor(None, None);
                if let (_, Some(descriptor)) = self.descriptor(0) {
                    let appends = args::has(self.arg(2), "O_APPEND");
                    descriptor.description.appends.set(appends);
                }
            }
            _ => self.on_descriptor(None, None),
        }
    }

    pub(super) fn copied(
        &mut self,
        from: (usize, Option<usize>),
        to: (usize, Option<usize>),
        length: usize,
    ) {
        let offset = |seen: &Self, place: Option<usize>| {
            let text = seen.arg(place?);
            // `[17]`, or `[17] => [21]`
            let inner = text
                .strip_prefix(b"[")?
                .split(|byte| *byte == b']')
                .next()?;
            args::number(inner)
        };
        let mut ends = [(from, false), (to, true)].map(|((place, at), is_write)| {
            let (fd, descriptor) = self.descriptor(place);
            let known = offset(self, at);
            let appends = is_write && descriptor.as_ref().is_some_and(|d| self.appends(d));
            let offset = known.unwrap_or_else(|| self.claim(descriptor.as_ref(), appends));
            if is_write {
                self.grow(descriptor.as_ref(), offset);
            }
            let path = descriptor
                .map(|d| d.description.path.clone())
                .filter(|path| !path.is_empty());
            (fd, offset, path)
        });
        // The first descriptor of the call is the event's own.
        if to.0 < from.0 {
            ends.reverse();
        }
        let [(fd, offset, path), (second_fd, second_offset, second)] = ends;
        (self.event.fd, self.event.offset, self.path) = (fd, offset, path);
        self.event.length = self.number(length).unwrap_or(0) as u64;
        self.event.second = Second {
            fd: second_fd,
            offset: second_offset,
            ..Second::NONE
        };
        self.event.flags |= flags::MORE;
        self.second = second;
    }
}

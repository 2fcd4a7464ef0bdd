//! An event as a line of text, TAB-separated, without anything that a hook must not drag in.
//!
//! ```text
//! task start elapse offset op ret path {lustre}     calls that open or create, and calls on a path
//! task start elapse offset op ret fd                calls on a descriptor
//! ```
//! With more columns every line has as many: after the seventh the striping, length, thread, errno, layer,
//! call and enclosing call (each `thread.number`), the descriptor's path, the second path or descriptor, the process;
//! behind these, of a call that has some, its details: flags as words, `whence=`, `path2=` and `off2=`, then forms with
//! their fields.

use crate::bytes::Put;
use crate::decimal::{signed, unsigned};
use crate::lustre::Layout;
use crate::printable::{Printable, Quoted};
use crate::record::flags;
use crate::{Event, Nanos, errno};

/// `iota_calls::Kind::Open`
const OPEN: u8 = iota_calls::Kind::Open as u8;
const READ: u8 = iota_calls::Kind::Read as u8;
const WRITE: u8 = iota_calls::Kind::Write as u8;
const STDIO: u8 = iota_calls::Layer::Stdio as u8;

/// An event with what its ids stand for.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Rank in MPI_COMM_WORLD.
    pub task: u32,
    /// Its process.
    pub pid: u32,
    /// Since the start of the job.
    pub start: Nanos,
    /// From start to end.
    pub elapse: Nanos,
    /// The function's name.
    pub op: &'a [u8],
    /// `iota_calls::Layer`.
    pub layer: u8,
    /// `iota_calls::Kind`.
    pub kind: u8,
    /// The path of the event's file; empty: none, or not known.
    pub path: &'a [u8],
    /// The path of its second file.
    pub second: &'a [u8],
    /// How the file lies on Lustre; none: it does not, or not known.
    pub layout: Option<Layout<'a>>,
    /// Its details, as text; empty: none.
    pub details: &'a [u8],
    /// All else.
    pub event: &'a Event,
}

impl<'a> Line<'a> {
    /// The layout, of a call that opened the file.
    fn opened_layout(&self) -> Option<Layout<'a>> {
        let is_opened = self.kind == OPEN && self.event.ret >= 0;
        self.layout.filter(|_| is_opened)
    }

    /// Its `whence`, if it says something: 0 says that items were too large for it.
    fn whence(&self) -> Option<u16> {
        let event = self.event;
        let moves_items = self.layer == STDIO && matches!(self.kind, READ | WRITE);
        let size = match event.length.checked_rem(event.ret.max(0) as u64) {
            Some(0) => event.length.checked_div(event.ret as u64),
            _ => None,
        };
        let is_large = moves_items && size.is_some_and(|size| size > u16::MAX.into());
        (event.whence != 0 || is_large).then_some(event.whence)
    }

    /// The second path, of a call whose second descriptor is shown, unless both are of one file.
    fn second_path(&self) -> Option<&'a [u8]> {
        let (event, second) = (self.event, self.event.second);
        let shows_fd = event.flags & flags::MORE != 0 && second.fd != -1;
        let is_another = second.file != 0 && second.file != event.file;
        (shows_fd && is_another && !self.second.is_empty()).then_some(self.second)
    }

    /// The second position, where it is known.
    fn second_offset(&self) -> Option<i64> {
        let event = self.event;
        let is_known = event.flags & flags::MORE != 0 && event.second.offset >= 0;
        is_known.then_some(event.second.offset)
    }
}

/// Flags that decide how a call counts, as words before its details.
pub const WORDS: [(u16, &str); 4] = [
    (flags::MPI_STARTUP, "startup"),
    (flags::ASYNCHRONOUS, "asynchronous"),
    (flags::UNDER_LIBRARY, "under_library"),
    (flags::UNDER_PROBE, "under_probe"),
];

/// What stands before `whence` there, before the second path between quotes, and before the second position.
pub const WHENCE: &str = "whence=";
/// See [`WHENCE`].
pub const SECOND_PATH: &str = "path2=";
/// See [`WHENCE`].
pub const SECOND_OFFSET: &str = "off2=";

/// What a line's seventh column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The path.
    Path,
    /// The descriptor.
    Fd,
}

/// Calls that open or create, and those on a path, show the path; those on a descriptor show that.
pub fn column(kind: u8, event: &Event) -> Column {
    if kind == OPEN || (event.fd == -1 && event.file != 0) {
        Column::Path
    } else {
        Column::Fd
    }
}

/// Writes the line with its newline; `None`: it did not fit.
pub fn line(out: &mut [u8], line: &Line) -> Option<usize> {
    let mut put = Put::new(out);
    common(&mut put, line);
    if let Some(layout) = line.opened_layout() {
        tab(&mut put, |put| layout.put_short(put));
    }
    put.u8(b'\n');
    put.done()
}

/// The same with more columns.
pub fn long_line(out: &mut [u8], line: &Line) -> Option<usize> {
    let (mut put, event) = (Put::new(out), line.event);
    common(&mut put, line);
    tab(&mut put, |put| match line.opened_layout() {
        Some(layout) => layout.put_long(put),
        None => put.u8(b'-'),
    });
    tab(&mut put, |put| unsigned(put, event.length));
    tab(&mut put, |put| unsigned(put, event.thread.into()));
    tab(&mut put, |put| error(put, line.layer, event.errno));
    tab(&mut put, |put| put.bytes(layer(line.layer).as_bytes()));
    tab(&mut put, |put| call(put, event.thread, event.id));
    tab(&mut put, |put| call(put, event.thread, event.parent));
    tab(&mut put, |put| match column(line.kind, event) {
        Column::Fd => Printable(line.path).put(put),
        Column::Path => put.u8(b'-'),
    });
    tab(&mut put, |put| second(put, line));
    tab(&mut put, |put| unsigned(put, line.pid.into()));
    details(&mut put, line);
    put.u8(b'\n');
    put.done()
}

/// The names of the columns of [`line`], or of [`long_line`].
pub const fn header(long: bool) -> &'static str {
    if long {
        "task\tstart\telapse\toffset\top\tret\tpath/fd\tlustre\tlen\tthread\terrno\tlayer\tid\tparent\tpath\tpath2/fd2\tpid\tdetails"
    } else {
        "task\tstart\telapse\toffset\top\tret\tpath/fd\tlustre"
    }
}

fn common(put: &mut Put, line: &Line) {
    let event = line.event;
    unsigned(put, line.task.into());
    tab(put, |put| seconds(put, line.start));
    tab(put, |put| seconds(put, line.elapse));
    tab(put, |put| signed(put, event.offset));
    tab(put, |put| Printable(line.op).put(put));
    tab(put, |put| signed(put, event.ret));
    tab(put, |put| match column(line.kind, event) {
        Column::Path => Printable(line.path).put(put),
        Column::Fd => signed(put, event.fd.into()),
    });
}

fn tab(put: &mut Put, field: impl FnOnce(&mut Put)) {
    put.u8(b'\t');
    field(put);
}

/// Words and forms; nothing, of a call that has neither.
fn details(put: &mut Put, line: &Line) {
    let mut first = true;
    let mut next = |put: &mut Put| {
        put.u8(if first { b'\t' } else { b' ' });
        first = false;
    };
    for (_, word) in WORDS.iter().filter(|(bit, _)| line.event.flags & bit != 0) {
        next(put);
        put.bytes(word.as_bytes());
    }
    if let Some(whence) = line.whence() {
        next(put);
        put.bytes(WHENCE.as_bytes());
        unsigned(put, whence.into());
    }
    if let Some(path) = line.second_path() {
        next(put);
        put.bytes(SECOND_PATH.as_bytes());
        Quoted(path).put(put);
    }
    if let Some(offset) = line.second_offset() {
        next(put);
        put.bytes(SECOND_OFFSET.as_bytes());
        signed(put, offset);
    }
    if !line.details.is_empty() {
        next(put);
        put.bytes(line.details);
    }
}

fn second(put: &mut Put, line: &Line) {
    let second = line.event.second;
    match line.event.flags & flags::MORE {
        0 => put.u8(b'-'),
        _ if second.file != 0 && second.fd == -1 => Printable(line.second).put(put),
        _ => signed(put, second.fd.into()),
    }
}

fn error(put: &mut Put, layer: u8, errno: u16) {
    match errno::of_layer(layer, errno) {
        _ if errno == 0 => put.u8(b'-'),
        Some(name) => put.bytes(name.as_bytes()),
        None => unsigned(put, errno.into()),
    }
}

fn call(put: &mut Put, thread: u32, id: u64) {
    if id == 0 {
        return put.u8(b'-');
    }
    unsigned(put, thread.into());
    put.u8(b'.');
    unsigned(put, id);
}

/// A layer as it is known; numbers are those of iota-calls.
pub const fn layer(layer: u8) -> &'static str {
    match layer {
        0 => "USER",
        1 => "HDF5",
        2 => "PNETCDF",
        3 => "MPI-IO",
        4 => "STDIO",
        5 => "POSIX",
        6 => "SERVER",
        7 => "NETCDF",
        _ => "-",
    }
}

fn seconds(put: &mut Put, nanos: Nanos) {
    if nanos.0 < 0 {
        put.u8(b'-');
    }
    let nanos = nanos.0.unsigned_abs();
    unsigned(put, nanos / 1_000_000_000);
    put.u8(b'.');
    let mut digits = [0u8; 9];
    let mut rest = nanos % 1_000_000_000;
    for digit in digits.iter_mut().rev() {
        *digit = b'0'.wrapping_add((rest % 10) as u8);
        rest /= 10;
    }
    put.bytes(&digits);
}

#[cfg(test)]
mod tests;

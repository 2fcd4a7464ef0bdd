//! An event as a line of text, TAB-separated, without anything that a hook must not drag in.
//!
//! ```text
//! task start elapse offset op ret path {lustre}     calls that open or create, and calls on a path
//! task start elapse offset op ret fd                calls on a descriptor
//! ```
//! With more columns every line has as many: after the seventh the striping, length, thread, errno, layer,
//! call and enclosing call (each `thread.number`), the descriptor's path, the second path or descriptor, the process.

use crate::bytes::Put;
use crate::lustre::Layout;
use crate::record::flags;
use crate::{Event, Nanos, errno};

/// `iota_calls::Kind::Open`
const OPEN: u8 = iota_calls::Kind::Open as u8;

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
    /// All else.
    pub event: &'a Event,
}

impl<'a> Line<'a> {
    /// The layout, of a call that opened the file.
    fn opened_layout(&self) -> Option<Layout<'a>> {
        let is_opened = self.kind == OPEN && self.event.ret >= 0;
        self.layout.filter(|_| is_opened)
    }
}

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
    tab(&mut put, |put| error(put, event.errno));
    tab(&mut put, |put| put.bytes(layer(line.layer).as_bytes()));
    tab(&mut put, |put| call(put, event.thread, event.id));
    tab(&mut put, |put| call(put, event.thread, event.parent));
    tab(&mut put, |put| match column(line.kind, event) {
        Column::Fd => path(put, line.path),
        Column::Path => put.u8(b'-'),
    });
    tab(&mut put, |put| second(put, line));
    tab(&mut put, |put| unsigned(put, line.pid.into()));
    put.u8(b'\n');
    put.done()
}

/// The names of the columns of [`line`], or of [`long_line`].
pub const fn header(long: bool) -> &'static str {
    if long {
        "task\tstart\telapse\toffset\top\tret\tpath/fd\tlustre\tlength\tthread\terrno\tlayer\tcall\tparent\tpath\tsecond\tpid"
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
    tab(put, |put| put.bytes(or_dash(line.op)));
    tab(put, |put| signed(put, event.ret));
    tab(put, |put| match column(line.kind, event) {
        Column::Path => path(put, line.path),
        Column::Fd => signed(put, event.fd.into()),
    });
}

fn tab(put: &mut Put, field: impl FnOnce(&mut Put)) {
    put.u8(b'\t');
    field(put);
}

fn or_dash(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"-" } else { name }
}

fn second(put: &mut Put, line: &Line) {
    let second = line.event.second;
    match line.event.flags & flags::MORE {
        0 => put.u8(b'-'),
        _ if second.file != 0 && second.fd == -1 => path(put, line.second),
        _ => signed(put, second.fd.into()),
    }
}

fn error(put: &mut Put, errno: u16) {
    match errno::name(errno) {
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
        _ => "-",
    }
}

/// A path on one line: TAB, newline and backslash by their letters, other control characters and what is not
/// UTF-8 as `\xNN`; `-` for none.
pub fn path(put_to: &mut impl Sink, path: &[u8]) {
    if path.is_empty() {
        return put_to.put(b"-");
    }
    for chunk in path.utf8_chunks() {
        let mut bytes = chunk.valid().bytes().peekable();
        while let Some(byte) = bytes.next() {
            // The control characters U+0080 to U+009F: terminals obey them.
            match bytes.next_if(|next| byte == 0xC2 && *next < 0xA0) {
                Some(next) => [byte, next].iter().for_each(|byte| hex(put_to, *byte)),
                None => escaped(put_to, byte),
            }
        }
        for byte in chunk.invalid() {
            hex(put_to, *byte);
        }
    }
}

/// Where escaped text goes.
pub trait Sink {
    /// Takes bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Put<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
    }
}

#[cfg(feature = "std")]
impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

fn escaped(put: &mut impl Sink, byte: u8) {
    match byte {
        b'\t' => put.put(b"\\t"),
        b'\n' => put.put(b"\\n"),
        b'\\' => put.put(b"\\\\"),
        0..0x20 | 0x7F => hex(put, byte),
        _ => put.put(&[byte]),
    }
}

fn hex(put: &mut impl Sink, byte: u8) {
    let digit = |nibble: u8| {
        if nibble < 10 {
            b'0'.wrapping_add(nibble)
        } else {
            b'a'.wrapping_add(nibble.wrapping_sub(10))
        }
    };
    put.put(&[b'\\', b'x', digit(byte >> 4), digit(byte & 15)]);
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

fn signed(put: &mut Put, v: i64) {
    if v < 0 {
        put.u8(b'-');
    }
    unsigned(put, v.unsigned_abs());
}

pub(crate) fn unsigned(put: &mut Put, mut v: u64) {
    let mut digits = [0u8; 20];
    let mut used = 0usize;
    for digit in digits.iter_mut().rev() {
        *digit = b'0'.wrapping_add((v % 10) as u8);
        v /= 10;
        used = used.wrapping_add(1);
        if v == 0 {
            break;
        }
    }
    put.bytes(digits.get(digits.len().wrapping_sub(used)..).unwrap_or(&[]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Second;

    const WRITE: Event = Event {
        start: 0,
        end: 0,
        ret: 8,
        offset: 4096,
        length: 8,
        id: 12,
        parent: 11,
        thread: 3,
        file: 1,
        fd: 5,
        op: 17,
        errno: 0,
        flags: 0,
        whence: 0,
        second: Second::NONE,
    };

    fn written<'a>(event: &'a Event, op: &'a str, kind: u8) -> Line<'a> {
        let (start, elapse) = (Nanos(1_000_000_042), Nanos(400));
        let names = (
            op.as_bytes(),
            b"/a\tb\\\xFF\n\x1B\xC3\xA9\xC2\x9B".as_slice(),
        );
        Line {
            task: 7,
            pid: 4711,
            start,
            elapse,
            op: names.0,
            layer: 5,
            kind,
            path: names.1,
            second: b"",
            layout: None,
            event,
        }
    }

    fn text(line: &Line, write: fn(&mut [u8], &Line) -> Option<usize>) -> String {
        let mut out = [0; 512];
        let len = write(&mut out, line).unwrap();
        String::from_utf8(out[..len].to_vec()).unwrap()
    }

    #[test]
    fn a_call_on_a_descriptor() {
        let line = written(&WRITE, "pwrite64", 4);
        assert_eq!(
            text(&line, super::line),
            "7\t1.000000042\t0.000000400\t4096\tpwrite64\t8\t5\n"
        );
        let more = "-\t8\t3\t-\tPOSIX\t3.12\t3.11\t/a\\tb\\\\\\xff\\n\\x1bé\\xc2\\x9b\t-\t4711";
        assert_eq!(
            text(&line, long_line),
            format!("7\t1.000000042\t0.000000400\t4096\tpwrite64\t8\t5\t{more}\n")
        );
    }

    #[test]
    fn an_open_that_failed_shows_its_path() {
        let event = Event {
            fd: -1,
            ret: -1,
            errno: 2,
            offset: -1,
            parent: 0,
            ..WRITE
        };
        let line = written(&event, "open", OPEN);
        let start = "7\t1.000000042\t0.000000400\t-1\topen\t-1\t/a\\tb\\\\\\xff\\n\\x1bé\\xc2\\x9b";
        assert_eq!(text(&line, super::line), format!("{start}\n"));
        assert_eq!(
            text(&line, long_line),
            format!("{start}\t-\t8\t3\tENOENT\tPOSIX\t3.12\t-\t-\t-\t4711\n")
        );
    }

    #[test]
    fn an_open_on_lustre_shows_the_layout_and_nothing_else_does() {
        let blob = crate::lustre::blob::plain(1, 1 << 20, 1, &[12], Some("flash"));
        let layout = Some(Layout(&blob));
        let event = Event { ret: 5, ..WRITE };
        let line = Line {
            layout,
            ..written(&event, "open", OPEN)
        };
        assert!(text(&line, super::line).ends_with("\t1048576,1,12,12\n"));
        assert!(text(&line, long_line).contains("\t1048576,1,12,12:pool=flash\t8\t3\t"));
        let failed = Event { ret: -1, ..WRITE };
        for (event, kind) in [(&failed, OPEN), (&event, 4)] {
            let line = Line {
                layout,
                ..written(event, "open", kind)
            };
            assert!(!text(&line, super::line).contains("1048576"));
            assert!(!text(&line, long_line).contains("1048576"));
        }
    }

    #[test]
    fn a_second_descriptor_stands_last() {
        let second = Second {
            file: 2,
            fd: 9,
            offset: 0,
            arg: 0,
        };
        let event = Event {
            flags: flags::MORE,
            second,
            ..WRITE
        };
        assert!(text(&written(&event, "sendfile", 4), long_line).ends_with("\t9\t4711\n"));
    }

    #[test]
    fn long_lines_have_the_columns_that_the_header_names() {
        let columns = |text: &str| text.split('\t').count();
        assert_eq!(
            columns(&text(&written(&WRITE, "write", 4), long_line)),
            columns(header(true))
        );
        assert_eq!(columns(header(false)), 8);
    }

    #[test]
    fn no_room_writes_nothing_to_rely_on() {
        for room in 0..40 {
            assert_eq!(
                super::line(&mut [0; 40][..room], &written(&WRITE, "pwrite64", 4)),
                None
            );
        }
    }

    #[test]
    fn extremes_have_all_their_digits() {
        let event = Event {
            ret: i64::MIN,
            offset: i64::MAX,
            ..WRITE
        };
        let line = Line {
            start: Nanos(i64::MIN),
            ..written(&event, "", 4)
        };
        let expected = "7\t-9223372036.854775808\t0.000000400\t9223372036854775807\t-\t-9223372036854775808\t5\n";
        assert_eq!(text(&line, super::line), expected);
    }
}

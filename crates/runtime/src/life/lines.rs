//! `IOTA_FORMAT=text`: the part as lines, written when it ends to a file of the task's own.
//!
//! The calls wait as blocks, like any others; only the last step differs. Lines come block by block: in order within a
//! thread, but not merged over threads. Times count from this process' own start, which a comment gives.

use super::sealed::Sealed;
use crate::arena::header;
use crate::state::output::{self, Path};
use crate::state::{job, log};
use crate::sys::{self, File, Text};
use crate::tables::probed;
use core::sync::atomic::Ordering::Relaxed;
use iota_calls::Op;
use iota_trace::block::{HEADER_SIZE, Header, kind};
use iota_trace::lustre::Layout;
use iota_trace::names::{Name, NamesReader};
use iota_trace::{Clock, Event, Nanos, decode, encode, text};

/// Bytes gathered before they are written.
const BUFFER: usize = 256 << 10;
/// No line is longer: three paths, escaped fourfold, and numbers.
const LINE: usize = 56 << 10;

/// Everything that is too large for a program's stack.
struct Buffers {
    path: Path,
    block: [u8; encode::MAX_BLOCK],
    decode: decode::Scratch,
    lines: [u8; BUFFER],
}

/// What stands in the part's Names blocks.
struct NameTables {
    paths: NameTable,
    layouts: NameTable,
}

/// Names by their ids: where each begins and how long it is, in one mapping behind another.
struct NameTable {
    index: &'static mut [(u32, u32)],
    bytes: &'static mut [u8],
    used: usize,
    last: (usize, usize),
}

/// Sizes for names: ids up to this, so many bytes.
#[derive(Clone, Copy, Default)]
struct Sizes {
    ids: usize,
    bytes: usize,
}

impl Sizes {
    fn add(&mut self, id: u32, length: usize) {
        self.ids = self.ids.max(id as usize);
        self.bytes = self.bytes.wrapping_add(length);
    }
}

/// Writes the part's lines; a file that cannot be written whole is removed.
pub fn write(sealed: &mut Sealed) -> sys::Result<()> {
    let memory = sys::map_private(size_of::<Buffers>(), false)?;
    // SAFETY: fresh zeroed memory of this size, for which zero is valid.
    let work = unsafe { &mut *memory.cast::<Buffers>() };
    let done = write_with(sealed, work);
    // SAFETY: not used any more.
    unsafe { sys::unmap(memory, size_of::<Buffers>()) };
    done
}

fn write_with(sealed: &mut Sealed, work: &mut Buffers) -> sys::Result<()> {
    let file = output::create(output::text_candidate, 1, &mut work.path)?;
    let mut writer = Writer {
        file,
        work: &mut *work,
        filled: 0,
        failed: Ok(()),
        start: job::start_time(),
    };
    let done = writer.part(sealed);
    if done.is_err() {
        let _ = sys::unlink(work.path.c_str());
    }
    done
}

struct Writer<'w> {
    file: File,
    work: &'w mut Buffers,
    filled: usize,
    failed: sys::Result<()>,
    start: Nanos,
}

impl Writer<'_> {
    fn part(&mut self, sealed: &mut Sealed) -> sys::Result<()> {
        let mut known = NameTables::map(count_names(sealed, &mut self.work.block))?;
        let clock = job::clock();
        self.head();
        let mut at = 0;
        while let Some(header) = next(sealed, &mut at, &mut self.work.block) {
            match header.kind {
                kind::NAMES => known.read(payload(&self.work.block, &header)),
                kind::EVENTS => self.events(&header, &known, &clock),
                _ => {}
            }
        }
        self.flush();
        known.unmap();
        self.failed
    }

    fn head(&mut self) {
        let mut head = Text::<512>::EMPTY;
        head.push(b"# iota ")
            .push(env!("CARGO_PKG_VERSION").as_bytes());
        head.push(b"\n# start: ")
            .push_number(self.start.0 as u64 / 1_000_000_000)
            .push(b".");
        let mut digits = Text::<24>::EMPTY;
        digits.push_number(1_000_000_000 + self.start.0 as u64 % 1_000_000_000);
        head.push(digits.bytes().get(1..).unwrap_or_default());
        head.push(b"\n# process: ")
            .push_number(u64::from(job::pid()));
        head.push(b"\n# calls: ")
            .push_number(header().captured.load(Relaxed));
        head.push(b" captured, ")
            .push_number(header().filtered.load(Relaxed));
        head.push(b" filtered, ")
            .push_number(header().lost.load(Relaxed));
        head.push(b" lost\n# ")
            .push(text::header(false).as_bytes())
            .push(b"\n");
        self.add(head.bytes());
    }

    fn add(&mut self, bytes: &[u8]) {
        let end = self.filled.wrapping_add(bytes.len());
        if let Some(room) = self.work.lines.get_mut(self.filled..end) {
            room.iter_mut()
                .zip(bytes)
                .for_each(|(to, from)| *to = *from);
            self.filled = end;
        }
    }

    fn events(&mut self, header: &Header, known: &NameTables, clock: &Clock) {
        let Buffers {
            block,
            decode,
            lines,
            ..
        } = &mut *self.work;
        let (file, start) = (&self.file, self.start);
        let (filled, failed) = (&mut self.filled, &mut self.failed);
        let done = decode::events(header, payload(block, header), decode, |event| {
            if lines.len().wrapping_sub(*filled) < LINE {
                flush(file, lines, filled, failed);
            }
            let room = lines.get_mut(*filled..).unwrap_or_default();
            let length = text::line(room, &line(event, known, clock, start)).unwrap_or(0);
            *filled = filled.wrapping_add(length);
        });
        if done.is_err() {
            log::line(&[b"a block of events cannot be decoded; its calls are missing"]);
        }
    }

    fn flush(&mut self) {
        flush(
            &self.file,
            &self.work.lines,
            &mut self.filled,
            &mut self.failed,
        );
    }
}

fn flush(file: &File, lines: &[u8], filled: &mut usize, failed: &mut sys::Result<()>) {
    if failed.is_ok() {
        *failed = file.append([lines.get(..*filled).unwrap_or_default()]);
    }
    *filled = 0;
}

fn line<'a>(
    event: &'a Event,
    known: &'a NameTables,
    clock: &Clock,
    start: Nanos,
) -> text::Line<'a> {
    let (from, to) = (clock.nanos(event.start).0, clock.nanos(event.end).0);
    let info = Op(event.op).info();
    text::Line {
        task: job::rank().unwrap_or(0),
        pid: job::pid(),
        start: Nanos(from.wrapping_sub(start.0)),
        elapse: Nanos(to.wrapping_sub(from)),
        op: match info {
            Some(info) => info.name.as_bytes(),
            None => probed::name(Op(event.op)).unwrap_or_default(),
        },
        layer: info.map_or(0, |info| info.layer as u8),
        kind: info.map_or(0, |info| info.kind as u8),
        path: known.paths.get(event.file),
        second: known.paths.get(event.second.file),
        layout: Some(Layout(known.layouts.get(event.file))).filter(|layout| !layout.0.is_empty()),
        details: &[],
        event,
    }
}

/// Reads the block at `at` into `room`, and moves `at` behind it. None at the end.
fn next(sealed: &mut Sealed, at: &mut u64, room: &mut [u8]) -> Option<Header> {
    let (head, rest) = room.split_at_mut_checked(HEADER_SIZE)?;
    if !sealed.read_at(*at, head) {
        return None;
    }
    let header = Header::parse(head)?;
    let behind = at.wrapping_add(u64::from(header.header_len));
    let wanted = matches!(header.kind, kind::NAMES | kind::EVENTS);
    let read = !wanted || sealed.read_at(behind, rest.get_mut(..header.payload_len as usize)?);
    *at = at.wrapping_add(header.block_len());
    (read && header.kind != kind::FOOTER).then_some(header)
}

fn payload<'b>(room: &'b [u8], header: &Header) -> &'b [u8] {
    let end = HEADER_SIZE.wrapping_add(header.payload_len as usize);
    room.get(HEADER_SIZE..end).unwrap_or_default()
}

/// The room that all paths, and all layouts, take.
fn count_names(sealed: &mut Sealed, room: &mut [u8]) -> (Sizes, Sizes) {
    let (mut at, mut paths, mut layouts) = (0, Sizes::default(), Sizes::default());
    while let Some(header) = next(sealed, &mut at, room) {
        if header.kind != kind::NAMES {
            continue;
        }
        for name in NamesReader::new(payload(room, &header)) {
            match name {
                Name::File { id, shared, rest } => paths.add(id, shared.wrapping_add(rest.len())),
                Name::Layout { file, layout } => layouts.add(file, layout.length),
                Name::Op { .. } | Name::Form { .. } | Name::Text { .. } | Name::Frames(_) => {}
            }
        }
    }
    (paths, layouts)
}

impl NameTables {
    fn map((paths, layouts): (Sizes, Sizes)) -> sys::Result<NameTables> {
        Ok(NameTables {
            paths: NameTable::map(paths)?,
            layouts: NameTable::map(layouts)?,
        })
    }

    fn read(&mut self, payload: &[u8]) {
        (self.paths.last, self.layouts.last) = ((0, 0), (0, 0));
        for name in NamesReader::new(payload) {
            match name {
                Name::File { id, shared, rest } => {
                    let path = self.paths.add(id, shared, shared.wrapping_add(rest.len()));
                    let behind = path.get_mut(shared..).unwrap_or_default();
                    behind
                        .iter_mut()
                        .zip(rest)
                        .for_each(|(to, from)| *to = *from);
                }
                Name::Layout { file, layout } => {
                    let all = self.layouts.add(file, layout.length, layout.length);
                    layout.apply(all);
                }
                Name::Op { .. } | Name::Form { .. } | Name::Text { .. } | Name::Frames(_) => {}
            }
        }
    }

    fn unmap(self) {
        self.paths.unmap();
        self.layouts.unmap();
    }
}

impl NameTable {
    fn map(room: Sizes) -> sys::Result<NameTable> {
        let places = room.ids.wrapping_add(1);
        let index = sys::map_private(places.wrapping_mul(8), false)?;
        let bytes = sys::map_private(room.bytes.max(1), false)?;
        // SAFETY: fresh zeroed memory of these sizes.
        let (index, bytes) = unsafe {
            let index = core::slice::from_raw_parts_mut(index.cast::<(u32, u32)>(), places);
            let bytes = core::slice::from_raw_parts_mut(bytes.cast::<u8>(), room.bytes);
            (index, bytes)
        };
        Ok(NameTable {
            index,
            bytes,
            used: 0,
            last: (0, 0),
        })
    }

    /// Sizes for a name of `length` bytes, of which the first `shared` are those of the name before it.
    fn add(&mut self, id: u32, shared: usize, length: usize) -> &mut [u8] {
        let from = self.used;
        let end = from.wrapping_add(length);
        if end > self.bytes.len() {
            return &mut [];
        }
        let (before, had) = self.last;
        sys::move_within(self.bytes, before, from, shared.min(had).min(length));
        (self.used, self.last) = (end, (from, length));
        if let Some(place) = self.index.get_mut(id as usize) {
            *place = (from as u32, length as u32);
        }
        self.bytes.get_mut(from..end).unwrap_or_default()
    }

    fn get(&self, id: u32) -> &[u8] {
        let (from, length) = self.index.get(id as usize).copied().unwrap_or((0, 0));
        let (from, length) = (from as usize, length as usize);
        self.bytes
            .get(from..from.wrapping_add(length))
            .unwrap_or_default()
    }

    fn unmap(self) {
        // SAFETY: not used any more.
        unsafe {
            sys::unmap(
                self.index.as_mut_ptr().cast(),
                self.index.len().wrapping_mul(8),
            );
            sys::unmap(self.bytes.as_mut_ptr().cast(), self.bytes.len().max(1));
        }
    }
}

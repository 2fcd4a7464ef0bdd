//! Traces as the tracer writes them, built by the same functions.
#![allow(dead_code)] // each test file uses its own share

use std::path::PathBuf;

use iota_trace::block::{Header, Ids};
use iota_trace::clock::{Anchor, Offset, TICK};
use iota_trace::part::{self, End, Entry, FOOTER_SIZE, Footer, INDEX_ENTRY_SIZE, Process};
use iota_trace::read::{Options, Trace};
use iota_trace::{Event, Record, Step, encode, names};

/// A part being written.
pub struct Part {
    pub ids: Ids,
    pub bytes: Vec<u8>,
    /// Start and end of every events block, and its number of events.
    pub blocks: Vec<(usize, usize, u64)>,
    entries: Vec<u8>,
    index: u64,
    indexed: u64,
}

/// Ticks are nanoseconds here; the part starts at `start` ns since 1970.
pub fn begin(rank: u32, pid: u32, start: u64) -> Part {
    let ids = Ids {
        rank,
        pid,
        thread: pid,
    };
    let mut part = Part {
        ids,
        bytes: Vec::new(),
        blocks: Vec::new(),
        entries: Vec::new(),
        index: 0,
        indexed: 0,
    };
    let process = Process {
        version: b"0.1.0",
        size: 4,
        ppid: 1,
        host: b"node7",
        exe: b"/usr/bin/app",
        argv: b"app\0-v\0",
        start: Anchor {
            ticks: 1000,
            monotonic: 5000,
            realtime: start,
        },
        rate: 1_000_000_000,
        step: TICK,
        ..Process::default()
    };
    part.add(|out| process.write(ids, out));
    part.add(|out| {
        let mut writer = names::Writer::new(out);
        writer.op(17, op(b"pwrite64"));
        writer.op(5, op(b"open"));
        writer.file(1, b"/scratch/a.dat");
        writer.file(2, b"/scratch/b.dat");
        writer.finish(ids)
    });
    part
}

/// A function as the table has it.
pub fn op(name: &'static [u8]) -> names::Op<'static> {
    let row = iota_calls::rows().find(|(_, call)| call.name.as_bytes() == name);
    row.unwrap().0.info().unwrap().into()
}

impl Part {
    pub fn add(&mut self, write: impl FnOnce(&mut [u8]) -> Option<usize>) {
        let mut out = vec![0; encode::MAX_BLOCK];
        let len = write(&mut out).unwrap();
        let header = Header::parse(&out).unwrap();
        let at = self.bytes.len();
        self.entries.extend(Entry::of(at as u64, &header).encoded());
        self.bytes.extend(&out[..len]);
        if header.kind == iota_trace::block::kind::EVENTS {
            self.blocks.push((at, at + len, header.count.into()));
        }
    }

    pub fn events(mut self, thread: u32, records: &[Record]) -> Part {
        let ids = Ids { thread, ..self.ids };
        let step = Step::new(1000, TICK);
        let mut scratch = Box::new(encode::Scratch::NEW);
        self.add(|out| encode::events(records, &step, 1 << 20, ids, &mut scratch, out));
        self
    }

    /// A block's worth of writes of a thread, the first call number `id`; each takes 40 ns, one every 100.
    pub fn writes(self, thread: u32, id: u32, count: u32) -> Part {
        let records: Vec<Record> = (id..id + count)
            .map(|id| write(id, u64::from(thread)))
            .collect();
        self.events(thread, &records)
    }

    /// Writes the index of what was added since the last one.
    pub fn index(mut self) -> Part {
        let at = self.bytes.len() as u64;
        self.bytes
            .extend(part::index(self.ids, self.index, &self.entries));
        self.bytes.append(&mut self.entries.clone());
        self.indexed += (self.entries.len() / INDEX_ENTRY_SIZE) as u64;
        self.entries.clear();
        self.index = at;
        self
    }

    pub fn end(mut self, elapsed: u64, offset: Option<Offset>) -> Part {
        let (ids, captured) = (self.ids, self.event_count());
        let end = Anchor {
            ticks: 1000 + elapsed,
            monotonic: 5000 + elapsed,
            realtime: 0,
        };
        self.add(|out| {
            End {
                captured,
                end,
                offset,
                ..End::default()
            }
            .write(ids, out)
        });
        self
    }

    pub fn footer(self) -> Part {
        let mut part = self.index();
        let len = (part.bytes.len() + FOOTER_SIZE) as u64;
        let footer = Footer {
            len,
            index: part.index,
            entries: part.indexed,
            events: part.event_count(),
        };
        part.bytes.extend(footer.encoded(part.ids));
        part
    }

    pub fn finish(self) -> Part {
        self.end(10_000_000, None).footer()
    }

    pub fn event_count(&self) -> u64 {
        self.blocks.iter().map(|(.., count)| count).sum()
    }
}

pub fn write(id: u32, jitter: u64) -> Record {
    let start = 1000 + u64::from(id) * 100 + jitter;
    let offset = i64::from(id) * 8;
    Record {
        start,
        end: start + 40,
        ret: 8,
        offset,
        length: 8,
        id,
        file: 1,
        fd: 5,
        op: 17,
        ..Record::default()
    }
}

/// Several segments as one.
pub fn group(parts: &[Part]) -> Vec<u8> {
    let (mut bytes, mut entries, mut events) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        let Ids { rank, pid, .. } = part.ids;
        let (offset, len, count) = (
            bytes.len() as u64,
            part.bytes.len() as u64,
            part.event_count(),
        );
        entries.extend(
            Entry::Segment {
                rank,
                pid,
                offset,
                len,
                events: count,
            }
            .encoded(),
        );
        bytes.extend(&part.bytes);
        events += count;
    }
    let index = bytes.len() as u64;
    bytes.extend(part::index(Ids::default(), 0, &entries));
    bytes.extend(&entries);
    let len = (bytes.len() + FOOTER_SIZE) as u64;
    bytes.extend(
        Footer {
            len,
            index,
            entries: parts.len() as u64,
            events,
        }
        .encoded(Ids::default()),
    );
    bytes
}

/// A directory of the test's own, empty.
pub fn directory(test: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

pub fn open(path: &std::path::Path) -> Trace {
    Trace::open(&[path.to_owned()], Options::default()).unwrap()
}

/// Rank and event of everything in the trace.
pub fn all(trace: &Trace) -> Vec<(u32, Event)> {
    let events =
        |part| iota_trace::read::Part::events(part).map(|timed| (part.rank(), timed.event));
    trace.parts().iter().flat_map(events).collect()
}

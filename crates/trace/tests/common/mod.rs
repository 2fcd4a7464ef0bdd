//! Traces as the tracer writes them, built by the same functions.
#![allow(dead_code)] // each test file uses its own share

use std::path::PathBuf;

use iota_trace::block::{Header, Ids};
use iota_trace::clock::{Anchor, Offset, TICK};
use iota_trace::part::{End, INDEX_ENTRY_SIZE, PartWriter, Process, Slot};
use iota_trace::read::{Options, Trace};
use iota_trace::{Event, Record, Step, encode, names};

/// A part being written.
pub struct Part {
    pub ids: Ids,
    pub bytes: Vec<u8>,
    /// Start and end of every events block, and its number of events.
    pub blocks: Vec<(usize, usize, u64)>,
    writer: PartWriter<Vec<Slot>>,
}

/// Ticks are nanoseconds here; the part starts at `start` ns since 1970.
pub fn begin(rank: u32, pid: u32, start: u64) -> Part {
    begin_random(rank, pid, start, 0)
}

/// The same of a process with this random number.
pub fn begin_random(rank: u32, pid: u32, start: u64, random: u32) -> Part {
    let start = Anchor {
        ticks: 1000,
        monotonic: 5000,
        realtime: start,
    };
    let process = Process {
        start,
        rate: 1_000_000_000,
        random,
        ..Process::default()
    };
    begin_as(rank, pid, process)
}

/// The same of a process with these clocks, output, job and random number.
pub fn begin_as(rank: u32, pid: u32, process: Process) -> Part {
    let ids = Ids {
        rank,
        pid,
        thread: pid,
    };
    let mut part = Part {
        ids,
        bytes: Vec::new(),
        blocks: Vec::new(),
        writer: PartWriter::new(vec![[0; INDEX_ENTRY_SIZE]; 1024]),
    };
    let process = Process {
        version: b"0.1.0",
        size: 4,
        ppid: 1,
        host: b"node7",
        exe: b"/usr/bin/app",
        argv: b"app\0-v\0",
        step: TICK,
        ..process
    };
    part.add(|out| process.write(ids, out));
    part.add(|out| {
        let mut writer = names::NamesWriter::new(out);
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
        self.writer.add_block(at as u64, &header);
        self.bytes.extend(&out[..len]);
        if header.kind == iota_trace::block::kind::EVENTS {
            self.blocks.push((at, at + len, header.count.into()));
        }
    }

    /// A block of events.
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
        let (head, entries) = self.writer.index(self.ids);
        self.bytes.extend([&head, entries].concat());
        self.writer.indexed(Some(at));
        self
    }

    pub fn end(self, elapsed: u64, offset: Option<Offset>) -> Part {
        self.end_by(0, elapsed, offset)
    }

    pub fn end_by(mut self, reason: u8, elapsed: u64, offset: Option<Offset>) -> Part {
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
                reason,
                ..End::default()
            }
            .write(ids, out)
        });
        self
    }

    pub fn footer(self) -> Part {
        let mut part = self;
        close(&part.writer, part.ids, &mut part.bytes);
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

fn close(writer: &PartWriter<Vec<Slot>>, ids: Ids, bytes: &mut Vec<u8>) {
    let mut end = vec![0; writer.close_len()];
    let len = writer.close(ids, bytes.len() as u64, &mut end);
    assert_eq!(len, Some(end.len()));
    bytes.extend(end);
}

/// Several segments as one.
pub fn group(parts: &[Part]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = PartWriter::new(vec![[0; INDEX_ENTRY_SIZE]; parts.len()]);
    for part in parts {
        let Ids { rank, pid, .. } = part.ids;
        let (offset, len) = (bytes.len() as u64, part.bytes.len() as u64);
        writer.add_segment(rank, pid, offset, len, part.event_count());
        bytes.extend(&part.bytes);
    }
    close(&writer, Ids::default(), &mut bytes);
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

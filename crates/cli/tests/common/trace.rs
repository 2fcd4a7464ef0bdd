//! Traces made to measure, through the same writers that a traced program uses.

use iota_calls::Op;
use iota_trace::block::{HEADER_SIZE, Header, Ids};
use iota_trace::clock::{Anchor, Offset, TICK};
use iota_trace::part::{
    self, End, FOOTER_SIZE, Footer, INDEX_ENTRY_SIZE, PartWriter, Process, Slot, Traffic, reason,
    source,
};
use iota_trace::{Record, Step, encode, names};
use std::io::{self, Write};

/// 2026-11-21 06:00:00 UTC
pub const EPOCH: u64 = 1_795_240_800_000_000_000;
/// Ticks of the counter at the start of every part
pub const ORIGIN: u64 = 1_000_000;
/// Index entries that are held before an index block is written
const ENTRIES: usize = 1024;

/// One process' part of a trace, its clock one tick a nanosecond
pub struct Part {
    out: Vec<u8>,
    writer: PartWriter<Vec<Slot>>,
    ids: Ids,
    events: u64,
    scratch: Box<encode::Scratch>,
    step: Step,
}

impl Part {
    /// A part of rank `rank` of `size` that started `late` ns after the epoch, with the names of all calls
    pub fn new(rank: u32, size: u32, late: u64) -> Part {
        Part::of(rank, &process(size, late))
    }

    pub fn of(rank: u32, process: &Process) -> Part {
        let mut part = Part::bare(rank, process);
        let ops: Vec<_> = iota_calls::rows().map(|(_, call)| call.name).collect();
        part.name_ops(&ops);
        part
    }

    /// A part that names no call yet
    pub fn bare(rank: u32, process: &Process) -> Part {
        Part::unnamed(rank, 4000 + rank, process)
    }

    /// The same of any process
    pub fn unnamed(rank: u32, pid: u32, process: &Process) -> Part {
        let thread = pid;
        let mut part = Part {
            out: Vec::new(),
            writer: PartWriter::new(vec![[0; INDEX_ENTRY_SIZE]; ENTRIES]),
            ids: Ids { rank, pid, thread },
            events: 0,
            scratch: Box::new(encode::Scratch::NEW),
            step: Step::new(ORIGIN, process.step),
        };
        let mut block = vec![0; 1 << 18];
        let len = process.write(part.ids, &mut block).unwrap();
        part.block(&block[..len]);
        part
    }

    /// Another process of the same rank
    pub fn set_pid(&mut self, pid: u32) {
        self.ids.pid = pid;
    }

    /// Names calls
    pub fn name_ops(&mut self, wanted: &[&str]) {
        let mut block = vec![0; 1 << 18];
        let mut names = names::NamesWriter::new(&mut block);
        let all = iota_calls::rows();
        for (op, _) in all.filter(|(_, call)| wanted.contains(&call.name)) {
            assert!(names.op(op.0, op.info().unwrap().into()));
        }
        let len = names.finish(self.ids).unwrap();
        self.block(&block[..len]);
    }

    /// Names a function that no table has
    pub fn name_op(&mut self, id: u16, op: names::Op) -> &mut Part {
        let mut block = [0; 256];
        let mut names = names::NamesWriter::new(&mut block);
        assert!(names.op(id, op));
        let len = names.finish(self.ids).unwrap();
        self.block(&block[..len]);
        self
    }

    fn block(&mut self, block: &[u8]) {
        let header = Header::parse(block).unwrap();
        let at = self.out.len() as u64;
        self.writer.add_block(at, &header);
        self.out.extend(block);
        if self.writer.is_full() {
            let at = self.out.len() as u64;
            let (head, entries) = self.writer.index(self.ids);
            self.out.extend([&head, entries].concat());
            self.writer.indexed(Some(at));
        }
    }

    /// Names a file
    pub fn file(&mut self, id: u32, path: &[u8]) -> &mut Part {
        let mut block = vec![0; path.len() + 256];
        let mut names = names::NamesWriter::new(&mut block);
        assert!(names.file(id, path));
        let len = names.finish(self.ids).unwrap();
        self.block(&block[..len]);
        self
    }

    /// Names files, with the ids from 1 on, in one block
    pub fn files<'p>(&mut self, paths: impl Iterator<Item = &'p [u8]>) -> &mut Part {
        let mut block = vec![0; 1 << 26];
        let mut names = names::NamesWriter::new(&mut block);
        (1..)
            .zip(paths)
            .for_each(|(id, path)| assert!(names.file(id, path)));
        let len = names.finish(self.ids).unwrap();
        self.block(&block[..len]);
        self
    }

    /// Tells how a file lies on Lustre
    pub fn layout(&mut self, id: u32, layout: &[u8]) -> &mut Part {
        let mut block = vec![0; layout.len() * 2 + 256];
        let mut names = names::NamesWriter::new(&mut block);
        assert!(names.layout(id, layout));
        let len = names.finish(self.ids).unwrap();
        self.block(&block[..len]);
        self
    }

    /// Calls of the main thread, numbered from `first` if they have no number
    pub fn calls(&mut self, records: &[Record]) -> &mut Part {
        self.calls_of(self.ids.pid, records)
    }

    pub fn calls_of(&mut self, thread: u32, records: &[Record]) -> &mut Part {
        let ids = Ids { thread, ..self.ids };
        for some in records.chunks(encode::MAX_RECORDS) {
            let calls = some
                .iter()
                .map(|record| u64::from(record.id))
                .max()
                .unwrap();
            let mut out = vec![0; encode::MAX_BLOCK];
            let len = encode::events(some, &self.step, calls, ids, &mut self.scratch, &mut out);
            let len = len.unwrap();
            self.events += u64::from(Header::parse(&out[..HEADER_SIZE]).unwrap().count);
            self.block(&out[..len]);
        }
        self
    }

    /// The whole part, ended as usual
    pub fn finish(&mut self) -> Vec<u8> {
        let end = self.end();
        self.finish_as(&end)
    }

    /// An end after ten seconds
    pub fn end(&self) -> End {
        self.end_at(10_000_000_000)
    }

    /// An end so many ns after the start
    pub fn end_at(&self, ns: u64) -> End {
        let end = Anchor {
            ticks: ORIGIN + ns,
            monotonic: 5_000_000_000 + ns,
            realtime: EPOCH + ns,
        };
        End {
            captured: self.events,
            end,
            offset: Some(Offset {
                nanos: 0,
                error: 300,
                drift: 0,
            }),
            reason: reason::FINALIZE,
            uncalled: Some(Traffic::default()),
            ..End::default()
        }
    }

    pub fn finish_as(&mut self, end: &End) -> Vec<u8> {
        let mut block = vec![0; part::end_room(ENTRIES)];
        let at = self.out.len() as u64;
        let len = self.writer.finish((end, &[]), self.ids, at, &mut block);
        self.out.extend(&block[..len.unwrap()]);
        std::mem::take(&mut self.out)
    }

    /// What a killed process leaves: no end, no index
    pub fn cut(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

/// What a part says of its process
pub fn process(size: u32, late: u64) -> Process<'static> {
    Process {
        version: b"0.1.0",
        size,
        ppid: 3999,
        host: b"node01",
        exe: b"/home/u/app/flash",
        argv: b"./flash\0-n\x0064\0",
        cwd: b"/scratch/run",
        output: b"/scratch/run/flash-77.iota",
        job: b"77",
        start: Anchor {
            ticks: ORIGIN,
            monotonic: 5_000_000_000,
            realtime: EPOCH + late,
        },
        rate: 1_000_000_000,
        source: source::TSC,
        step: TICK,
        flavour: b"static-mpi",
        ..Process::default()
    }
}

/// A call by name that started at `start` and took `elapse` ns
pub fn call(name: &str, start: u64, elapse: u64) -> Record {
    let row = iota_calls::rows().find(|(_, call)| call.name == name);
    let (Op(op), _) = row.unwrap_or_else(|| panic!("no call {name}"));
    Record {
        start: ORIGIN + start,
        end: ORIGIN + start + elapse,
        offset: -1,
        fd: -1,
        op,
        ..Record::default()
    }
}

/// `n` sequential writes of `length` bytes to descriptor 3, file 1, one a microsecond
pub fn writes(n: u32, length: u64) -> Vec<Record> {
    let write = call("pwrite64", 0, 400);
    (0..n)
        .map(|i| Record {
            start: write.start + u64::from(i) * 1000,
            end: write.end + u64::from(i) * 1000,
            ret: length as i64,
            offset: (u64::from(i) * length) as i64,
            length,
            id: i + 1,
            file: 1,
            fd: 3,
            ..write
        })
        .collect()
}

/// Several parts as a gathered file holds them
pub fn gathered(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut group = Group::new(Vec::new());
    for part in parts {
        group.part(part).unwrap();
    }
    group.finish().unwrap()
}

/// A gathered file as it is written
pub struct Group<W> {
    out: W,
    writer: PartWriter<Vec<Slot>>,
    at: u64,
}

impl<W: Write> Group<W> {
    pub fn new(out: W) -> Group<W> {
        Group {
            out,
            writer: PartWriter::new(vec![[0; INDEX_ENTRY_SIZE]; 1 << 14]),
            at: 0,
        }
    }

    /// Adds a part
    pub fn part(&mut self, part: &[u8]) -> io::Result<()> {
        let footer = &part[part.len() - FOOTER_SIZE..];
        let ids = Header::parse(footer).unwrap().ids;
        let footer = Footer::parse(&footer[HEADER_SIZE..]).unwrap();
        let len = part.len() as u64;
        self.writer
            .add_segment(ids.rank, ids.pid, self.at, len, footer.events);
        self.at += len;
        self.out.write_all(part)?;
        if self.writer.is_full() {
            self.index()?;
        }
        Ok(())
    }

    /// Writes the entries that are held
    fn index(&mut self) -> io::Result<()> {
        let (head, entries) = self.writer.index(Ids::default());
        let block = [&head[..], entries].concat();
        self.writer.indexed(Some(self.at));
        self.at += block.len() as u64;
        self.out.write_all(&block)
    }

    /// Adds the index
    pub fn finish(mut self) -> io::Result<W> {
        let mut end = vec![0; self.writer.close_len()];
        self.writer
            .close(Ids::default(), self.at, &mut end)
            .unwrap();
        self.out.write_all(&end)?;
        Ok(self.out)
    }
}

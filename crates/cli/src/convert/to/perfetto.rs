//! Perfetto's trace, for ui.perfetto.dev and `trace_processor`: a track for each thread, calls within the calls that
//! caused them, the bandwidth of the job as counters. Field numbers are those of perfetto's `protos/perfetto/trace`.
//!
//! Calls come when they end; a track must hear of them as they began. So those that others enclose wait for these.

use super::bandwidth::Bandwidth;
use super::proto::Message;
use super::{Format, PIECE, STRETCH};
use crate::convert::job::{Encoder, Job, Row};
use crate::convert::target::Target;
use crate::names;
use iota_analysis::{NO_FILE, OpId};
use iota_trace::read::Part;
use iota_trace::{errno, flags};
use std::collections::{HashMap, HashSet};

/// Fields of a TracePacket
mod packet {
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TRACK_DESCRIPTOR: u32 = 60;
}

/// Names of what a slice tells besides its function, by their interned numbers from 1
const FACTS: [&str; 8] = [
    "file",
    "offset",
    "length",
    "ret",
    "errno",
    "fd",
    "bytes",
    "second_file",
];
/// Calls of a thread that wait for one that encloses them
const WAITING: usize = 1 << 14;
/// Beyond these are numbers that no process has: PID_MAX_LIMIT of Linux
const PIDS: u64 = 1 << 22;
/// Begins a sequence, needs its interned names
const CLEARED: u64 = 1;
const NEEDS: u64 = 2;

/// Slices and counters
pub struct Perfetto;

impl Format for Perfetto {
    fn bytes_per_call(&self) -> u64 {
        110
    }

    fn is_text(&self) -> bool {
        false
    }

    fn write(&self, job: &Job, to: &mut Target) -> anyhow::Result<()> {
        let bandwidth = Bandwidth::new(job.all.duration);
        let start = job.all.trace.start().0.max(0) as u64;
        let shown = Shown::of(job);
        to.put(&clocks(start))?;
        let tracks = |stretch| Tracks::new(stretch, start, &bandwidth, &shown);
        job.encode(STRETCH, tracks, |piece| to.put(&piece))?;
        to.put(&counters(start, &bandwidth))
    }
}

/// A packet of a trace
fn packet(sequence: u64, fill: impl FnOnce(&mut Message)) -> Vec<u8> {
    let mut trace = Message::default();
    trace.message(1, |packet| {
        packet.number(packet::SEQUENCE, sequence);
        fill(packet);
    });
    trace.0
}

/// Says that times are those of the day
fn clocks(start: u64) -> Vec<u8> {
    const REALTIME: u64 = 1;
    const BOOTTIME: u64 = 6;
    packet(1, |packet| {
        packet.message(packet::CLOCK_SNAPSHOT, |snapshot| {
            for clock in [REALTIME, BOOTTIME] {
                snapshot.message(1, |reading| {
                    reading.number(1, clock).number(2, start);
                });
            }
        });
    })
}

fn counters(start: u64, bandwidth: &Bandwidth) -> Vec<u8> {
    let (read, written) = bandwidth.rates();
    let (mut out, mut uuid) = (Vec::new(), 0);
    for (name, rates) in [("read, bytes/s", read), ("written, bytes/s", written)] {
        uuid += 1;
        out.extend(packet(1, |packet| {
            packet.message(packet::TRACK_DESCRIPTOR, |track| {
                track.number(1, uuid).bytes(2, name.as_bytes());
                track.message(8, |counter| {
                    counter.bytes(6, b"bytes/s");
                });
            });
        }));
        for (at, rate) in rates {
            out.extend(packet(1, |packet| {
                packet.number(packet::TIMESTAMP, start + at);
                packet.message(packet::TRACK_EVENT, |event| {
                    event.number(9, 4).number(11, uuid).number(30, rate);
                });
            }));
        }
    }
    out
}

/// The process numbers that are shown: Perfetto takes two processes of one number for one, and nodes know nothing of
/// each other's.
struct Shown {
    /// By the part's place in the trace
    pids: Vec<u64>,
    /// Numbers that are left for threads of each part; 0: threads keep their own
    threads: u64,
}

impl Shown {
    fn of(job: &Job) -> Shown {
        let parts = job.all.trace.parts();
        let hosts: HashSet<_> = parts.iter().map(Part::host).collect();
        let mut processes = HashMap::new();
        let mut pids = HashMap::new();
        let mut twice = false;
        for (place, part) in parts.iter().enumerate() {
            let of = (part.rank(), part.pid(), part.host());
            processes.entry(of).or_insert(PIDS + place as u64);
            twice |= *pids.entry(part.pid()).or_insert(of) != of;
        }
        let own = hosts.len() <= 1 && !twice;
        let pid = |part: &Part| match own {
            true => part.pid().into(),
            false => processes[&(part.rank(), part.pid(), part.host())],
        };
        let threads = ((1 << 31) - 2 * PIDS) / (parts.len() as u64).max(1);
        Shown {
            pids: parts.iter().map(pid).collect(),
            threads: if own { 0 } else { threads },
        }
    }

    /// The number of a part's thread, which is the `nth`
    fn thread(&self, row: &Row, nth: u64) -> u64 {
        let (place, thread) = (row.call.process.part as usize, row.call.event.thread);
        match self.threads {
            0 => thread.into(),
            _ if thread == row.call.process.pid => self.pids[place],
            most => 2 * PIDS + place as u64 * most + nth % most,
        }
    }
}

/// The tracks of a stretch of ranks, which is a sequence of packets of its own
struct Tracks<'a> {
    out: Vec<u8>,
    sequence: u64,
    /// Of the job, in ns since 1970
    start: u64,
    bandwidth: &'a Bandwidth,
    shown: &'a Shown,
    named: HashSet<(u32, u64)>,
    /// By part and thread
    threads: HashMap<(u32, u32), Thread>,
    /// The tracks of each part
    tracks: HashMap<u32, u64>,
}

/// A thread's calls
#[derive(Default)]
struct Thread {
    waiting: Vec<Slice>,
    /// The tracks that its calls are on, and the end of the last call of each; the first is its own
    tracks: Vec<(u64, u64)>,
}

/// A call that waits
struct Slice {
    id: u64,
    parent: u64,
    start: u64,
    end: u64,
    op: OpId,
    asynchronous: bool,
    facts: Vec<u8>,
}

/// Fields of InternedData that name slices, and hold texts of facts
const FUNCTIONS: u32 = 2;
const TEXTS: u32 = 29;

impl<'a> Tracks<'a> {
    fn new(stretch: usize, start: u64, bandwidth: &'a Bandwidth, shown: &'a Shown) -> Tracks<'a> {
        let sequence = stretch as u64 + 2;
        let facts = |packet: &mut Message| {
            packet.number(packet::SEQUENCE_FLAGS, CLEARED | NEEDS);
            packet.message(packet::INTERNED, |interned| {
                (1..)
                    .zip(FACTS)
                    .for_each(|(iid, name)| named(interned, 3, iid, name.as_bytes()));
            });
        };
        Tracks {
            out: packet(sequence, facts),
            sequence,
            start,
            bandwidth,
            shown,
            named: HashSet::new(),
            threads: HashMap::new(),
            tracks: HashMap::new(),
        }
    }

    fn packet(&mut self, fill: impl FnOnce(&mut Message)) {
        self.out.extend(packet(self.sequence, fill));
    }

    /// Interns a name
    fn name(&mut self, field: u32, iid: u64, name: impl FnOnce() -> Vec<u8>) {
        if self.named.insert((field, iid)) {
            self.packet(|packet| {
                packet.number(packet::SEQUENCE_FLAGS, NEEDS);
                packet.message(packet::INTERNED, |interned| {
                    named(interned, field, iid, &name())
                });
            });
        }
    }

    /// What a call tells besides its function
    fn facts(&mut self, row: &Row) -> Vec<u8> {
        let (call, event) = (&row.call, row.call.event);
        let mut facts = Facts::default();
        let second = if event.flags & flags::MORE != 0 {
            call.second
        } else {
            NO_FILE
        };
        for (iid, file) in [(1, call.file), (8, second)] {
            if file != NO_FILE {
                self.name(TEXTS, file.into(), || printable(row.path(file)));
                facts.text(iid, file.into());
            }
        }
        facts.number(2, event.offset, event.offset >= 0);
        facts.number(3, event.length as i64, true);
        facts.number(4, event.ret, true);
        if event.errno != 0 {
            // Errors share the table of texts with files.
            let error_text = u64::from(event.errno) << 32;
            self.name(TEXTS, error_text, || error(event.errno).into_bytes());
            facts.text(5, error_text);
        }
        facts.number(6, event.fd.into(), event.fd >= 0);
        let bytes = call.moved.read.max(call.moved.written);
        facts.number(7, bytes as i64, bytes > 0);
        facts.0.0
    }

    /// The thread of a call; tells of its tracks when it comes first
    fn begin(&mut self, row: &Row) {
        let (part, thread) = (row.call.process.part, row.call.event.thread);
        if self.threads.contains_key(&(part, thread)) {
            return;
        }
        let track = self.track(part);
        let (pid, nth) = (self.shown.pids[part as usize], track & 0xFFFF_FFFF);
        let tid = self.shown.thread(row, nth);
        if nth == 1 {
            let name = process_name(row);
            self.describe(process_track(part), 0, |track| {
                track.message(3, |process| {
                    process.number(1, pid).bytes(6, name.as_bytes());
                });
            });
        }
        let name = format!("thread {thread}");
        self.describe(track, process_track(part), |track| {
            track.message(4, |thread| {
                thread
                    .number(1, pid)
                    .number(2, tid)
                    .bytes(5, name.as_bytes());
            });
        });
        let known = Thread {
            tracks: vec![(track, 0)],
            ..Thread::default()
        };
        self.threads.insert((part, thread), known);
    }

    /// A new track of a part
    fn track(&mut self, part: u32) -> u64 {
        let tracks = self.tracks.entry(part).or_insert(0);
        *tracks += 1;
        process_track(part) | *tracks
    }

    fn describe(&mut self, track: u64, parent: u64, fill: impl FnOnce(&mut Message)) {
        self.packet(|packet| {
            packet.message(packet::TRACK_DESCRIPTOR, |description| {
                description.number(1, track);
                if parent != 0 {
                    description.number(5, parent);
                }
                fill(description);
            });
        });
    }

    /// Hands out what waits on a thread, in the order in which calls began
    fn flush(&mut self, of: (u32, u32)) {
        let Some(mut thread) = self.threads.remove(&of) else {
            return;
        };
        let mut waiting = std::mem::take(&mut thread.waiting);
        waiting.sort_by_key(|slice| slice.id);
        let (mut open, mut track): (Vec<(u64, u64)>, u64) = (Vec::new(), 0);
        for slice in waiting {
            while let Some((_, end)) = open.pop_if(|(id, _)| *id != slice.parent) {
                self.end(track, end);
            }
            let end = open
                .last()
                .map_or(slice.end, |(_, end)| slice.end.min(*end));
            if open.is_empty() {
                track = self.place(of.0, &mut thread, &slice);
            }
            self.start(track, &slice, end);
            open.push((slice.id, end));
        }
        while let Some((_, end)) = open.pop() {
            self.end(track, end);
        }
        self.threads.insert(of, thread);
    }

    fn start(&mut self, track: u64, slice: &Slice, end: u64) {
        self.packet(|packet| {
            packet.number(packet::TIMESTAMP, slice.start.min(end));
            packet.number(packet::SEQUENCE_FLAGS, NEEDS);
            packet.message(packet::TRACK_EVENT, |event| {
                event
                    .number(9, 1)
                    .number(11, track)
                    .number(10, u64::from(slice.op) + 1);
                event.0.extend_from_slice(&slice.facts);
            });
        });
    }

    fn end(&mut self, track: u64, end: u64) {
        self.packet(|packet| {
            packet.number(packet::TIMESTAMP, end);
            packet.message(packet::TRACK_EVENT, |event| {
                event.number(9, 2).number(11, track);
            });
        });
    }

    /// The track of a call that none encloses: the thread's own, or one beside it where calls overlap
    fn place(&mut self, part: u32, thread: &mut Thread, slice: &Slice) -> u64 {
        let from = usize::from(slice.asynchronous);
        let mut tracks = thread.tracks.iter_mut().skip(from);
        if let Some(free) = tracks.find(|(_, end)| *end <= slice.start) {
            free.1 = slice.end;
            return free.0;
        }
        let (own, track) = (thread.tracks[0].0, self.track(part));
        self.describe(track, own, |track| {
            track.bytes(2, b"asynchronous");
        });
        thread.tracks.push((track, slice.end));
        track
    }
}

impl Encoder for Tracks<'_> {
    type Piece = Vec<u8>;

    fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        let (call, event) = (&row.call, row.call.event);
        self.bandwidth.add(call);
        self.begin(row);
        self.name(FUNCTIONS, u64::from(call.op) + 1, || {
            printable(&call.function.name)
        });
        let facts = self.facts(row);
        let time = |time: i64| self.start.saturating_add_signed(time);
        let slice = Slice {
            id: event.id,
            parent: event.parent,
            start: time(call.start),
            end: time(call.end),
            op: call.op,
            asynchronous: event.flags & flags::ASYNCHRONOUS != 0,
            facts,
        };
        let of = (call.process.part, event.thread);
        if let Some(thread) = self.threads.get_mut(&of) {
            thread.waiting.push(slice);
            if event.parent == 0 || thread.waiting.len() > WAITING {
                self.flush(of);
            }
        }
        Ok(())
    }

    fn full(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        Ok((self.out.len() >= PIECE).then(|| std::mem::take(&mut self.out)))
    }

    fn rest(mut self) -> anyhow::Result<Option<Vec<u8>>> {
        let mut threads: Vec<_> = self.threads.keys().copied().collect();
        threads.sort_unstable();
        threads.into_iter().for_each(|thread| self.flush(thread));
        Ok(Some(self.out))
    }
}

/// Annotations of a slice
#[derive(Default)]
struct Facts(Message);

impl Facts {
    fn number(&mut self, name: u64, value: i64, is_there: bool) {
        if is_there {
            self.fact(name, 4, value as u64);
        }
    }

    fn text(&mut self, name: u64, iid: u64) {
        self.fact(name, 17, iid);
    }

    fn fact(&mut self, name: u64, field: u32, value: u64) {
        self.0.message(4, |fact| {
            fact.number(1, name).number(field, value);
        });
    }
}

fn named(interned: &mut Message, field: u32, iid: u64, name: &[u8]) {
    interned.message(field, |entry| {
        entry.number(1, iid).bytes(2, name);
    });
}

fn process_track(part: u32) -> u64 {
    (u64::from(part) + 1) << 32
}

fn process_name(row: &Row) -> String {
    let process = row.part.process();
    let exe = process
        .as_ref()
        .map_or(&b""[..], |process| process.fields().exe);
    let program = exe.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let (program, host) = (names::printable(program), names::printable(row.part.host()));
    format!(
        "rank {} {program} ({host}, process {})",
        row.part.rank(),
        row.part.pid()
    )
}

fn printable(bytes: &[u8]) -> Vec<u8> {
    names::printable(bytes).into_bytes()
}

fn error(number: u16) -> String {
    errno::name(number).map_or_else(|| number.to_string(), str::to_owned)
}

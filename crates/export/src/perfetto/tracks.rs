//! Slices on tracks: the calls of threads in the order in which they began, within those that enclose them.

use super::annotations::{self, Annotations, FUNCTIONS, NEEDS, SITES, TEXTS, named, printable};
use super::bandwidth::Bandwidth;
use super::flows::{Collective, to_servers};
use super::process_numbers::ProcessNumbers;
use super::proto::{Message, packet};
use crate::PIECE;
use crate::job::{Encoder, Row};
use iota_analysis::servers::{CallKey, ServerTies};
use iota_analysis::{NO_FILE, NO_SITE, OpId};
use iota_trace::{Printable, errno, flags};
use std::collections::{HashMap, HashSet};

/// Calls of a thread that wait for one that encloses them
const WAITING: usize = 1 << 14;
/// The tracks of a stretch of ranks, which is a sequence of packets of its own
pub struct Tracks<'a> {
    out: Vec<u8>,
    sequence: u64,
    /// Of the job, in ns since 1970
    start: u64,
    /// Of the job
    ranks: u32,
    bandwidth: &'a Bandwidth,
    shown: &'a ProcessNumbers,
    servers: Option<&'a ServerTies>,
    named: HashSet<(u32, u64)>,
    /// By part and thread
    threads: HashMap<(u32, u32), ThreadTrack>,
    /// The tracks of each part
    tracks: HashMap<u32, u64>,
}

/// A thread's calls
#[derive(Default)]
struct ThreadTrack {
    waiting: Vec<Slice>,
    /// The tracks that its calls are on, and the end of the last call of each; the first is its own
    tracks: Vec<(u64, u64)>,
}

/// A call that waits
struct Slice {
    key: CallKey,
    id: u64,
    parent: u64,
    start: u64,
    end: u64,
    op: OpId,
    asynchronous: bool,
    facts: Vec<u8>,
    rank: u32,
    /// Of a call of MPI-IO
    collective: Collective,
    /// Whether it moved bytes
    moves: bool,
    /// How many calls of file servers worked for it
    served: u64,
}

impl<'a> Tracks<'a> {
    /// None yet
    pub fn new(
        stretch: usize,
        (start, ranks): (u64, u32),
        bandwidth: &'a Bandwidth,
        shown: &'a ProcessNumbers,
        servers: Option<&'a ServerTies>,
    ) -> Tracks<'a> {
        let sequence = stretch as u64 + 2;
        Tracks {
            out: annotations::begin(sequence),
            sequence,
            start,
            ranks,
            bandwidth,
            shown,
            servers,
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
        let mut facts = Annotations::default();
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
            let layer = row.call.function.layer;
            let error_text = u64::from(event.errno) << 32 | u64::from(layer) << 48;
            self.name(TEXTS, error_text, || error(layer, event.errno).into_bytes());
            facts.text(5, error_text);
        }
        facts.number(6, event.fd.into(), event.fd >= 0);
        let bytes = call.moved.read.max(call.moved.written);
        facts.number(7, bytes as i64, bytes > 0);
        for (iid, field) in [(9, &b"collective"[..]), (10, b"ranks"), (11, b"extent")] {
            let number = row.mpi(field);
            facts.number(iid, number as i64, number > 0);
        }
        if call.site != NO_SITE {
            let site = SITES | u64::from(call.site);
            self.name(TEXTS, site, || row.site(call.site).into_bytes());
            facts.text(12, site);
        }
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
        let known = ThreadTrack {
            tracks: vec![(track, 0)],
            ..ThreadTrack::default()
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
        let (mut open, mut track): (Vec<(u64, u64, Collective)>, u64) = (Vec::new(), 0);
        for slice in waiting {
            while let Some((_, end, _)) = open.pop_if(|(id, ..)| *id != slice.parent) {
                self.end(track, end);
            }
            let (end, above) = match open.last() {
                Some((_, end, above)) => (slice.end.min(*end), *above),
                None => (slice.end, Collective::NONE),
            };
            if open.is_empty() {
                track = self.place(of.0, &mut thread, &slice);
            }
            self.start(track, &slice, end, above);
            open.push((slice.id, end, slice.collective));
        }
        while let Some((_, end, _)) = open.pop() {
            self.end(track, end);
        }
        self.threads.insert(of, thread);
    }

    fn start(&mut self, track: u64, slice: &Slice, end: u64, above: Collective) {
        self.packet(|packet| {
            packet.number(packet::TIMESTAMP, slice.start.min(end));
            packet.number(packet::SEQUENCE_FLAGS, NEEDS);
            packet.message(packet::TRACK_EVENT, |event| {
                event
                    .number(9, 1)
                    .number(11, track)
                    .number(10, u64::from(slice.op) + 1);
                event.0.extend_from_slice(&slice.facts);
                slice.collective.call(slice.rank, event);
                if slice.moves {
                    above.transfer(event);
                }
                to_servers(slice.key, slice.served, event);
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
    fn place(&mut self, part: u32, thread: &mut ThreadTrack, slice: &Slice) -> u64 {
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
        let key = CallKey::of(call);
        let slice = Slice {
            key,
            served: self
                .servers
                .map_or(0, |servers| servers.for_call(key).calls),
            id: event.id,
            parent: event.parent,
            start: time(call.start),
            end: time(call.end),
            op: call.op,
            asynchronous: call.is_asynchronous(),
            facts,
            rank: call.process.rank,
            collective: Collective::new(
                (row.mpi(b"collective"), row.call.process.launch),
                row.mpi(b"ranks"),
                self.ranks,
            ),
            moves: call.is_io() && call.moved.read + call.moved.written > 0,
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

fn process_track(part: u32) -> u64 {
    (u64::from(part) + 1) << 32
}

fn process_name(row: &Row) -> String {
    let process = row.part.process();
    let exe = process
        .as_ref()
        .map_or(&b""[..], |process| process.fields().exe);
    let program = iota_analysis::file_name(exe);
    let (program, host) = (Printable(program), Printable(row.part.host()));
    format!(
        "rank {} {program} ({host}, process {})",
        row.part.rank(),
        row.part.pid()
    )
}

fn error(layer: u8, number: u16) -> String {
    errno::of_layer(layer, number).map_or_else(|| number.to_string(), str::to_owned)
}

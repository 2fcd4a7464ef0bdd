//! What frames the events of a process: its Process and End blocks, indexes and footers.
//!
//! A segment is a part (Process, names and events, End, indexes, Footer) or a group (segments,
//! indexes, Footer). Everything here writes into slices of the caller's.

mod segment;
mod writer;

pub(crate) use segment::index;
pub use segment::{Entry, FOOTER_SIZE, Footer, INDEX_ENTRY_SIZE, INDEX_HEAD_SIZE};
pub use writer::{END_SIZE, PartWriter, Slot, end_room};

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::bytes::{Get, Put};
use crate::clock::{Anchor, Offset};

/// Tags of the fields of Process and End payloads; each field is tag u16, length u16, bytes.
pub(crate) mod tag {
    pub const VERSION: u16 = 1;
    pub const SIZE: u16 = 2;
    pub const PPID: u16 = 3;
    pub const HOST: u16 = 4;
    pub const EXE: u16 = 5;
    pub const ARGV: u16 = 6;
    pub const CWD: u16 = 7;
    pub const OUTPUT: u16 = 8;
    pub const JOB: u16 = 9;
    pub const START: u16 = 10;
    pub const RATE: u16 = 11;
    pub const SOURCE: u16 = 12;
    pub const STEP: u16 = 13;
    pub const FILES: u16 = 14;
    pub const EXCLUDE: u16 = 15;
    pub const FLAVOUR: u16 = 16;
    pub const RANDOM: u16 = 17;
    pub const WORLD: u16 = 18;
    pub const SPAWNER: u16 = 19;
    pub const CAPTURED: u16 = 32;
    pub const FILTERED: u16 = 33;
    pub const LOST: u16 = 34;
    pub const END: u16 = 35;
    pub const OFFSET: u16 = 36;
    pub const REASON: u16 = 37;
    pub const ERRORS: u16 = 38;
    pub const MISSED: u16 = 39;
    pub const WAITED: u16 = 40;
    pub const SPAWN: u16 = 41;
    pub const MEANT: u16 = 42;
    pub const UNSEEN: u16 = 43;
}

/// What stamps the events.
pub mod source {
    /// clock_gettime(CLOCK_MONOTONIC); a tick is a nanosecond.
    pub const MONOTONIC: u8 = 0;
    /// The x86 time stamp counter.
    pub const TSC: u8 = 1;
    /// The aarch64 virtual counter.
    pub const CNTVCT: u8 = 2;
}

/// How the tracer came into the process.
pub mod flavour {
    /// The archive in a static program: every call in it is seen.
    pub const STATIC: &[u8] = b"static";
    /// The shared object, linked or preloaded: the calls of all libraries are seen.
    pub const SHARED: &[u8] = b"shared";
    /// The archive in a program with a loader: what its shared libraries call is not seen.
    pub const ARCHIVE_IN_DYNAMIC: &[u8] = b"archive-dynamic";
}

/// Why a part ended.
pub mod reason {
    /// The process exited.
    pub const EXIT: u8 = 0;
    /// MPI_Finalize.
    pub const FINALIZE: u8 = 1;
    /// MPI_Abort or abort().
    pub const ABORT: u8 = 2;
    /// The process was killed; the part was recovered from its spool.
    pub const RECOVERED: u8 = 3;
    /// exec: the same process went on as another program.
    pub const EXEC: u8 = 4;
    /// A fatal signal.
    pub const SIGNAL: u8 = 5;
}

/// Who was traced, how, on what clock. Rank and pid stand in the block's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Process<'a> {
    /// Of iota.
    pub version: &'a [u8],
    /// Ranks of the job; 1 without MPI.
    pub size: u32,
    /// The process' parent.
    pub ppid: u32,
    /// The node's name.
    pub host: &'a [u8],
    /// Path of the program.
    pub exe: &'a [u8],
    /// Its arguments, a NUL after each.
    pub argv: &'a [u8],
    /// Its working directory.
    pub cwd: &'a [u8],
    /// Where the trace was to go.
    pub output: &'a [u8],
    /// The batch system's job id.
    pub job: &'a [u8],
    /// The moment of step 0.
    pub start: Anchor,
    /// Ticks per second, as estimated at the start.
    pub rate: u64,
    /// See [`source`].
    pub source: u8,
    /// Length of a clock step in 1/65536 ticks.
    pub step: u64,
    /// IOTA_FILES.
    pub files: &'a [u8],
    /// IOTA_EXCLUDE.
    pub exclude: &'a [u8],
    /// See [`flavour`].
    pub flavour: &'a [u8],
    /// Another one in each process; 0: none. Early traces have 64 bits of it.
    pub random: u32,
    /// What the ranks have in common that one call of MPI_Comm_spawn started; 0: it was not one of them.
    pub world: u32,
    /// Who called it, in the words of the launcher, where it tells.
    pub spawner: &'a [u8],
}

/// So many calls of MPI_Comm_spawn an End block has room for.
pub const SPAWNS: usize = 8;

/// A call of MPI_Comm_spawn or MPI_Comm_spawn_multiple whose root the process was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spawn {
    /// When it began, in ns since 1970.
    pub since: u64,
    /// When it ended: then all that it started had started MPI.
    pub until: u64,
    /// How many ranks it started; 0: there is no such call.
    pub ranks: u32,
}

/// Totals and the end of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Calls in the part.
    pub captured: u64,
    /// Calls that IOTA_FILES and IOTA_EXCLUDE left out.
    pub filtered: u64,
    /// Calls that should stand in the part and do not.
    pub lost: u64,
    /// The moment of the end.
    pub end: Anchor,
    /// The distance to rank 0's clock, where it was measured.
    pub offset: Option<Offset>,
    /// See [`reason`].
    pub reason: u8,
    /// Of a recovered part: why its process had ended it, if it had and could not write it.
    pub meant: Option<u8>,
    /// Inner failures of the tracer.
    pub errors: u64,
    /// Calls that came before the tracer could start.
    pub missed: u64,
    /// Requests of io_uring that the kernel took, and that no call which was seen had submitted.
    pub unseen: u64,
    /// For how many ns MPI_Finalize waited for ranks that did not come, and how many of them are known not to be traced.
    pub waited: [u64; 2],
}

pub(crate) fn field(put: &mut Put, tag: u16, bytes: &[u8]) {
    // A length is 16 bits: of a longer command line the start.
    let len = bytes.len().min(0xFFFF);
    put.u16(tag);
    put.u16(len as u16);
    put.bytes(bytes.get(..len).unwrap_or(&[]));
}

fn text(put: &mut Put, tag: u16, bytes: &[u8]) {
    if !bytes.is_empty() {
        field(put, tag, bytes);
    }
}

pub(crate) fn words<const N: usize>(put: &mut Put, tag: u16, words: [u64; N]) {
    put.u16(tag);
    put.u16((N as u16).wrapping_mul(8));
    for word in words {
        put.u64(word);
    }
}

pub(crate) fn anchor(put: &mut Put, tag: u16, anchor: Anchor) {
    words(put, tag, [anchor.ticks, anchor.monotonic, anchor.realtime]);
}

pub(crate) fn fields(payload: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut get = Get(payload);
    core::iter::from_fn(move || {
        let tag = get.u16()?;
        let len = get.u16()?;
        Some((tag, get.bytes(usize::from(len))?))
    })
}

/// The `n`th number of a field of 64-bit numbers, 0 where the field is too short.
pub(crate) fn word(bytes: &[u8], n: usize) -> u64 {
    let mut get = Get(bytes);
    get.bytes(n.wrapping_mul(8))
        .and_then(|_| get.u64())
        .unwrap_or(0)
}

pub(crate) fn as_anchor(bytes: &[u8]) -> Anchor {
    Anchor {
        ticks: word(bytes, 0),
        monotonic: word(bytes, 1),
        realtime: word(bytes, 2),
    }
}

fn framed(kind: u8, ids: Ids, out: &mut [u8], write: impl FnOnce(&mut Put)) -> Option<usize> {
    let mut put = Put::new(out);
    put.bytes(&[0; HEADER_SIZE]);
    write(&mut put);
    let payload_len = put.done()?.checked_sub(HEADER_SIZE)?;
    block::seal(Header::new(kind, ids, 1), payload_len, put.into_inner())
}

impl<'a> Process<'a> {
    /// The whole block; its length, if it fitted.
    pub fn write(&self, ids: Ids, out: &mut [u8]) -> Option<usize> {
        framed(kind::PROCESS, ids, out, |put| {
            anchor(put, tag::START, self.start);
            words(put, tag::RATE, [self.rate]);
            words(put, tag::STEP, [self.step]);
            field(put, tag::SOURCE, &[self.source]);
            field(put, tag::SIZE, &self.size.to_le_bytes());
            field(put, tag::PPID, &self.ppid.to_le_bytes());
            if self.random != 0 {
                field(put, tag::RANDOM, &self.random.to_le_bytes());
            }
            if self.world != 0 {
                field(put, tag::WORLD, &self.world.to_le_bytes());
            }
            for (tag, bytes) in self.texts() {
                text(put, tag, bytes);
            }
        })
    }

    fn texts(&self) -> [(u16, &'a [u8]); 11] {
        [
            (tag::VERSION, self.version),
            (tag::FLAVOUR, self.flavour),
            (tag::HOST, self.host),
            (tag::EXE, self.exe),
            (tag::ARGV, self.argv),
            (tag::CWD, self.cwd),
            (tag::OUTPUT, self.output),
            (tag::JOB, self.job),
            (tag::FILES, self.files),
            (tag::EXCLUDE, self.exclude),
            (tag::SPAWNER, self.spawner),
        ]
    }

    /// From a block's payload; unknown fields are skipped, absent ones are empty.
    pub fn parse(payload: &'a [u8]) -> Process<'a> {
        fields(payload).fold(Process::default(), |process, (tag, bytes)| {
            process.with(tag, bytes)
        })
    }

    fn with(mut self, tag: u16, bytes: &'a [u8]) -> Self {
        let number = |bytes| Get(bytes).u32().unwrap_or(0);
        match tag {
            tag::VERSION => self.version = bytes,
            tag::SIZE => self.size = number(bytes),
            tag::PPID => self.ppid = number(bytes),
            tag::HOST => self.host = bytes,
            tag::EXE => self.exe = bytes,
            tag::ARGV => self.argv = bytes,
            tag::CWD => self.cwd = bytes,
            tag::OUTPUT => self.output = bytes,
            tag::JOB => self.job = bytes,
            tag::START => self.start = as_anchor(bytes),
            tag::RATE => self.rate = word(bytes, 0),
            tag::SOURCE => self.source = bytes.first().copied().unwrap_or(0),
            tag::STEP => self.step = word(bytes, 0),
            tag::FILES => self.files = bytes,
            tag::EXCLUDE => self.exclude = bytes,
            tag::FLAVOUR => self.flavour = bytes,
            tag::RANDOM => self.random = number(bytes),
            tag::WORLD => self.world = number(bytes),
            tag::SPAWNER => self.spawner = bytes,
            _ => {}
        }
        self
    }
}

impl Spawn {
    /// Those in the payload of an end block.
    pub fn all(payload: &[u8]) -> impl Iterator<Item = Spawn> {
        let spawns = fields(payload).filter(|(tag, _)| *tag == tag::SPAWN);
        let spawns = spawns.map(|(_, bytes)| Spawn {
            since: word(bytes, 0),
            until: word(bytes, 1),
            ranks: word(bytes, 2) as u32,
        });
        spawns.filter(|spawn| spawn.ranks != 0).take(SPAWNS)
    }
}

impl End {
    /// The whole block of a process that started no ranks; its length, if it fitted (it needs less than 512 bytes).
    pub fn write(&self, ids: Ids, out: &mut [u8]) -> Option<usize> {
        self.write_with(&[], ids, out)
    }

    /// The same of one that did, in the order of the calls.
    pub fn write_with(&self, spawns: &[Spawn], ids: Ids, out: &mut [u8]) -> Option<usize> {
        framed(kind::END, ids, out, |put| {
            words(put, tag::CAPTURED, [self.captured]);
            words(put, tag::FILTERED, [self.filtered]);
            words(put, tag::LOST, [self.lost]);
            anchor(put, tag::END, self.end);
            if let Some(offset) = self.offset {
                words(
                    put,
                    tag::OFFSET,
                    [offset.nanos as u64, offset.error, offset.drift as u64],
                );
            }
            field(put, tag::REASON, &[self.reason]);
            if let Some(reason) = self.meant {
                field(put, tag::MEANT, &[reason]);
            }
            words(put, tag::ERRORS, [self.errors]);
            if self.missed != 0 {
                words(put, tag::MISSED, [self.missed]);
            }
            if self.unseen != 0 {
                words(put, tag::UNSEEN, [self.unseen]);
            }
            if self.waited != [0; 2] {
                words(put, tag::WAITED, self.waited);
            }
            for spawn in spawns.iter().filter(|spawn| spawn.ranks != 0) {
                let ranks = u64::from(spawn.ranks);
                words(put, tag::SPAWN, [spawn.since, spawn.until, ranks]);
            }
        })
    }

    /// From a block's payload; unknown fields are skipped.
    pub fn parse(payload: &[u8]) -> End {
        fields(payload).fold(End::default(), |end, (tag, bytes)| end.with(tag, bytes))
    }

    fn with(mut self, tag: u16, bytes: &[u8]) -> Self {
        match tag {
            tag::CAPTURED => self.captured = word(bytes, 0),
            tag::FILTERED => self.filtered = word(bytes, 0),
            tag::LOST => self.lost = word(bytes, 0),
            tag::END => self.end = as_anchor(bytes),
            tag::OFFSET => {
                let (nanos, drift) = (word(bytes, 0) as i64, word(bytes, 2) as i64);
                self.offset = Some(Offset {
                    nanos,
                    error: word(bytes, 1),
                    drift,
                });
            }
            tag::REASON => self.reason = bytes.first().copied().unwrap_or(0),
            tag::MEANT => self.meant = bytes.first().copied(),
            tag::ERRORS => self.errors = word(bytes, 0),
            tag::MISSED => self.missed = word(bytes, 0),
            tag::UNSEEN => self.unseen = word(bytes, 0),
            tag::WAITED => self.waited = [word(bytes, 0), word(bytes, 1)],
            _ => {}
        }
        self
    }
}

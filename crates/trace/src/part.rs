//! What frames the events of a process: its Process and End blocks, indexes and footers.
//!
//! A segment is a part (Process, names and events, End, indexes, Footer) or a group (segments,
//! indexes, Footer). Everything here writes into slices of the caller's.

mod end;
mod segment;
mod writer;

pub use end::{End, SPAWNS, Spawn, Traffic};
pub(crate) use segment::index;
pub use segment::{Entry, FOOTER_SIZE, Footer, INDEX_ENTRY_SIZE, INDEX_HEAD_SIZE};
pub use writer::{END_SIZE, PartWriter, Slot, end_room};

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::bytes::{Get, Put};
use crate::clock::Anchor;

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
    pub const TRAFFIC: u16 = 44;
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
    /// Not at all: its system calls were followed from outside. Of a process that the tracer is in, those are recorded that it
    /// makes without the C library.
    pub const FOLLOWED: &[u8] = b"followed";
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

//! The End block of a part: its totals, and what is known of its process.

use super::{anchor, as_anchor, field, fields, framed, tag, word, words};
use crate::block::{Ids, kind};
use crate::clock::{Anchor, Offset};

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

/// Bytes that were read and written, and in how many system calls, as `/proc/PID/io` counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// System calls that read.
    pub reads: u64,
    /// Bytes written.
    pub written: u64,
    /// System calls that wrote.
    pub writes: u64,
}

impl Traffic {
    /// Both together.
    #[must_use]
    pub fn plus(self, more: Traffic) -> Traffic {
        self.with(more, u64::saturating_add)
    }

    /// What is left of it without as much; nothing where that is more.
    #[must_use]
    pub fn minus(self, less: Traffic) -> Traffic {
        self.with(less, u64::saturating_sub)
    }

    fn with(self, other: Traffic, work: impl Fn(u64, u64) -> u64) -> Traffic {
        Traffic {
            read: work(self.read, other.read),
            reads: work(self.reads, other.reads),
            written: work(self.written, other.written),
            writes: work(self.writes, other.writes),
        }
    }
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
    /// What the kernel counted of the process beyond its calls, where the two can be compared.
    pub uncalled: Option<Traffic>,
    /// For how many ns MPI_Finalize waited for ranks that did not come, and how many of them are known not to be traced.
    pub waited: [u64; 2],
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
            if let Some(Traffic {
                read,
                reads,
                written,
                writes,
            }) = self.uncalled
            {
                words(put, tag::TRAFFIC, [read, reads, written, writes]);
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
            tag::TRAFFIC => {
                self.uncalled = Some(Traffic {
                    read: word(bytes, 0),
                    reads: word(bytes, 1),
                    written: word(bytes, 2),
                    writes: word(bytes, 3),
                });
            }
            tag::WAITED => self.waited = [word(bytes, 0), word(bytes, 1)],
            _ => {}
        }
        self
    }
}

//! What a rank did with a file on one layer, counted as Darshan counts it.

use super::values::{Busy, Values, seconds};
use crate::job::Row;
use crate::transfer::Transfer;
use iota_calls::{Handles, Kind};
use iota_trace::flags;

/// The greatest size of each class but the last, in bytes
const SIZES: [u64; 9] = [
    100,
    1 << 10,
    10 << 10,
    100 << 10,
    1 << 20,
    4 << 20,
    10 << 20,
    100 << 20,
    1 << 30,
];

/// Alignment where no stripes are known
const BLOCK: u64 = 4096;

/// Reads, or writes
#[derive(Default)]
pub struct DirectionCounters {
    pub count: i64,
    pub bytes: i64,
    /// The highest byte
    pub highest: i64,
    pub consecutive: i64,
    pub sequential: i64,
    /// The byte that the last one ended with
    last: i64,
    /// How long the slowest took, in ns, and its size
    slowest: (i64, i64),
    pub busy: Busy,
    pub sizes: [i64; 10],
}

impl DirectionCounters {
    fn go_to(&mut self, offset: i64, length: i64) -> i64 {
        let end = offset.saturating_add(length) - 1;
        let is_later = offset > self.last;
        let stride = if is_later && self.last != 0 {
            offset - self.last - 1
        } else {
            0
        };
        self.sequential += i64::from(is_later);
        self.consecutive += i64::from(offset == self.last + 1);
        (self.last, self.highest) = (end, self.highest.max(end));
        stride
    }

    fn add(&mut self, transfer: &Transfer) -> i64 {
        let length = transfer.length as i64;
        self.count += 1;
        self.bytes = self.bytes.saturating_add(length);
        let stride = if transfer.is_placed() {
            self.go_to(transfer.offset, length)
        } else {
            0
        };
        let size = SIZES
            .iter()
            .take_while(|most| transfer.length > **most)
            .count();
        self.sizes[size] += 1;
        self.busy.add(transfer.start, transfer.end);
        let took = transfer.end.saturating_sub(transfer.start);
        if took > self.slowest.0 {
            self.slowest = (took, length);
        }
        stride
    }

    /// How long the slowest took
    pub fn longest(&self) -> f64 {
        seconds(self.slowest.0)
    }

    /// The size of the slowest
    pub fn longest_size(&self) -> i64 {
        self.slowest.1
    }
}

/// All of it
#[derive(Default)]
pub struct Record {
    pub opens: i64,
    pub duplicates: i64,
    /// Streams made of descriptors, among `opens`
    pub of_descriptors: i64,
    pub seeks: i64,
    pub stats: i64,
    pub maps: i64,
    pub syncs: i64,
    pub data_syncs: i64,
    pub renamed: i64,
    pub renamed_to: i64,
    /// The first file that was renamed to this one
    pub renamed_from: u64,
    pub mode: i64,
    pub read: DirectionCounters,
    pub written: DirectionCounters,
    pub switches: i64,
    was_write: Option<bool>,
    pub unaligned: i64,
    pub alignment: i64,
    pub sizes: Values,
    pub strides: Values,
    pub open: Busy,
    pub close: Busy,
    pub meta: Busy,
    pub mpi: Mpi,
}

/// Calls of MPI-IO by kind
#[derive(Default)]
pub struct Mpi {
    pub collective_opens: i64,
    /// Reads, writes
    pub independent: [i64; 2],
    pub collective: [i64; 2],
    pub split: [i64; 2],
    pub nonblocking: [i64; 2],
    pub hints: i64,
    pub views: i64,
}

impl Record {
    /// Bytes moved
    pub fn transfer(&mut self, row: &Row, transfer: &Transfer) {
        let stripe = row.call.layout.and_then(|layout| layout.main());
        let alignment = stripe.map_or(BLOCK, |part| u64::from(part.stripe_size).max(1));
        self.alignment = alignment as i64;
        let is_unaligned = |offset: u64| !offset.is_multiple_of(alignment);
        let is_unaligned = transfer.is_placed() && is_unaligned(transfer.offset as u64);
        self.unaligned += i64::from(is_unaligned);
        let way = if transfer.is_write {
            &mut self.written
        } else {
            &mut self.read
        };
        let stride = way.add(transfer);
        self.sizes.add(transfer.length as i64);
        self.strides.add(stride);
        let is_switch = self.was_write.is_some_and(|was| was != transfer.is_write);
        self.switches += i64::from(is_switch);
        self.was_write = Some(transfer.is_write);
        self.mpi
            .transfer(&row.call.function.name, usize::from(transfer.is_write));
    }

    /// Whatever else a call did
    pub fn call(&mut self, row: &Row) {
        let (call, event) = (&row.call, row.call.event);
        let (start, end) = (call.start, call.end);
        match (call.kind(), call.function.effects.handles) {
            (_, Handles::Opens | Handles::OpensByFlags) | (Kind::Open, _) => self.opened(row),
            (_, Handles::Duplicates | Handles::MayDuplicate) if event.flags & flags::MORE != 0 => {
                self.duplicates += 1;
                self.opened(row);
            }
            (Kind::Close, _) => {
                self.close.add(start, end);
                self.meta.add(start, end);
            }
            (Kind::Seek, _) => self.seeks += self.meta(start, end),
            (Kind::Map, _) if event.length > 0 && is_named(row, &["mmap"]) => {
                self.maps += self.meta(start, end);
            }
            (Kind::Sync, _) => self.synced(row),
            (Kind::Meta, _) => self.other(row),
            _ => {}
        }
    }

    fn opened(&mut self, row: &Row) {
        let (start, end) = (row.call.start, row.call.end);
        self.opens += self.meta(start, end);
        self.open.add(start, end);
        self.of_descriptors += i64::from(is_named(row, &["fdopen"]));
        if row.call.function.effects.handles == Handles::OpensByFlags {
            self.mode = (row.call.event.length >> 32) as i64;
        }
        if let Some(opened) = row.details().form(b"mpiio_open") {
            self.mpi.collective_opens += i64::from(opened.number(b"ranks") > 1);
            self.mode = opened.number(b"amode") as i64;
        }
    }

    /// Darshan counts them as writing
    fn synced(&mut self, row: &Row) {
        let is_data = is_named(row, &["fdatasync"]);
        *if is_data {
            &mut self.data_syncs
        } else {
            &mut self.syncs
        } += 1;
        self.written.busy.add(row.call.start, row.call.end);
    }

    fn other(&mut self, row: &Row) {
        let (start, end) = (row.call.start, row.call.end);
        if is_named(
            row,
            &[
                "stat",
                "lstat",
                "fstat",
                "fstatat",
                "statx",
                "__xstat",
                "__lxstat",
                "__fxstat",
                "__fxstatat",
            ],
        ) {
            self.stats += self.meta(start, end);
        } else if is_named(row, &["MPI_File_set_view"]) {
            self.mpi.views += self.meta(start, end);
        } else if is_named(row, &["MPI_File_set_info"]) {
            self.mpi.hints += self.meta(start, end);
        }
    }

    /// A rename of this file, or to it
    pub fn rename(&mut self, row: &Row, from: Option<u64>) {
        self.meta(row.call.start, row.call.end);
        match from {
            None => self.renamed += 1,
            Some(from) => {
                self.renamed_to += 1;
                if self.renamed_from == 0 {
                    self.renamed_from = from;
                }
            }
        }
    }

    /// Time of metadata, and one more of something
    fn meta(&mut self, start: i64, end: i64) -> i64 {
        self.meta.add(start, end);
        1
    }
}

impl Mpi {
    fn transfer(&mut self, name: &[u8], way: usize) {
        let Ok(name) = str::from_utf8(name) else {
            return;
        };
        let name = name.strip_suffix("_c").unwrap_or(name);
        let counts = match name {
            _ if name.ends_with("_begin") => &mut self.split,
            _ if name.starts_with("MPI_File_i") => &mut self.nonblocking,
            _ if name.ends_with("_all") || name.ends_with("_ordered") => &mut self.collective,
            _ => &mut self.independent,
        };
        counts[way] += 1;
    }
}

/// Whether a call is of one of these functions, or of the same for large files
pub fn is_named(row: &Row, names: &[&str]) -> bool {
    let name = &row.call.function.name[..];
    let name = name.strip_suffix(b"64").unwrap_or(name);
    names.iter().any(|one| one.as_bytes() == name)
}

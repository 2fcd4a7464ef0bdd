//! Spools as a tracer leaves them, through the same types that it writes them with.
#![allow(dead_code)] // fuzzing and tests each use their share

use std::sync::atomic::Ordering::Relaxed;

use iota_trace::block::Ids;
use iota_trace::clock::{Anchor, TICK};
use iota_trace::part::Process;
use iota_trace::spool::{HEADER, MAGIC, SLOT, Slot, SpoolHeader, name_check};
use iota_trace::{Details, Record, Step, encode, flags, names};

/// Bytes of the arena.
pub const CAPACITY: usize = 8192;
pub const IDS: Ids = Ids {
    rank: 2,
    pid: 77,
    thread: 77,
};

/// A spool in memory that is aligned as a mapping is.
pub struct Spool {
    pages: Vec<Page>,
}

#[repr(C, align(4096))]
#[derive(Clone)]
struct Page([u8; 4096]);

impl Spool {
    /// Of a process that has made `slots` threads and no call.
    pub fn new(slots: usize) -> Spool {
        let pages = (HEADER + CAPACITY + slots * SLOT) / 4096;
        let spool = Spool {
            pages: vec![Page([0; 4096]); pages],
        };
        let header = spool.header();
        header.magic.store(MAGIC, Relaxed);
        header.table.store(iota_calls::FINGERPRINT, Relaxed);
        header.capacity.store(CAPACITY as u64, Relaxed);
        header.slots.store(slots as u32, Relaxed);
        header.pid.store(IDS.pid, Relaxed);
        for (n, slot) in (0..slots).map(|n| (n, spool.slot(n))) {
            slot.start((HEADER + CAPACITY + n * SLOT) as u64);
            slot.set_thread(n as u32);
            slot.set_all_ready();
        }
        let mut spool = spool.describe();
        if slots > 0 {
            spool.name(0, 1, b"/scratch/a");
            spool.name(0, 9, b"/scratch/other");
        }
        spool
    }

    fn describe(mut self) -> Spool {
        let process = process();
        let at = std::mem::offset_of!(SpoolHeader, process);
        let length = process
            .write(IDS, &mut self.bytes_mut()[at..HEADER])
            .unwrap();
        self.header().process_length.store(length as u32, Relaxed);
        self
    }

    pub fn header(&self) -> &SpoolHeader {
        // SAFETY: aligned, as long as a header, and made of plain numbers.
        unsafe { &*self.pages.as_ptr().cast() }
    }

    pub fn slot(&self, n: usize) -> &Slot {
        let page = (HEADER + CAPACITY + n * SLOT) / 4096;
        assert!(page < self.pages.len());
        // SAFETY: as the header; `new` made room for it. Not through a slice, which would be for reading only.
        unsafe { &*self.pages.as_ptr().add(page).cast() }
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: pages are bytes, one behind the other.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast(), self.pages.len() * 4096) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed for writing.
        unsafe {
            std::slice::from_raw_parts_mut(self.pages.as_mut_ptr().cast(), self.pages.len() * 4096)
        }
    }

    /// Appends a block of events to the arena.
    pub fn append_calls(&mut self, block: &[u8]) {
        let count = iota_trace::block::Header::parse(block).unwrap().count;
        self.header().captured.fetch_add(count.into(), Relaxed);
        self.append(block);
    }

    /// Appends a block to the arena.
    pub fn append(&mut self, block: &[u8]) {
        let at = self.header().filled.fetch_add(block.len() as u64, Relaxed) as usize;
        self.bytes_mut()[HEADER + at..][..block.len()].copy_from_slice(block);
    }

    /// Stores calls in a thread's ring, pairs as two.
    pub fn store(&self, slot: usize, records: impl IntoIterator<Item = Record>) {
        let slot = self.slot(slot);
        for record in records {
            let pair = record.flags & flags::MORE != 0;
            let at = slot.places.reserve(1 + u64::from(pair)).unwrap();
            let more = Record::more(9, 8, 7, 6);
            // SAFETY: these places were reserved.
            unsafe {
                match pair {
                    true => slot.put_pair(at, record, more),
                    false => slot.put(at, record),
                }
            }
        }
    }

    /// Stores a call with details in a thread's ring.
    pub fn store_detailed(&self, slot: usize, record: Record, details: &[Details]) {
        let slot = self.slot(slot);
        let following = || {
            details
                .iter()
                .flat_map(|details| details.records(record.id))
        };
        let pair = record.flags & flags::MORE != 0;
        let places = 1 + usize::from(pair) + following().count();
        let at = slot.places.reserve(places as u64).unwrap();
        let more = pair.then_some(Record::more(9, 8, 7, 6));
        // SAFETY: these places were reserved.
        unsafe { slot.put_detailed(at, record, more, following()) };
    }

    /// Keeps a path in a thread's names.
    pub fn name(&mut self, slot: usize, id: u32, path: &[u8]) {
        self.keep(slot, 1, id, path);
    }

    /// Keeps a name in a thread's names.
    pub fn keep(&mut self, slot: usize, tag: u8, id: u32, path: &[u8]) {
        let size = (path.len() + 8).next_multiple_of(8) as u32;
        let at = self.slot(slot).names_filled.fetch_add(size, Relaxed) as usize;
        let place =
            self.slot(slot).names().wrapping_add(at) as usize - self.bytes().as_ptr() as usize;
        let entry = &mut self.bytes_mut()[place..];
        entry[..2].copy_from_slice(&[tag, name_check(id, path)]);
        entry[2..4].copy_from_slice(&(path.len() as u16).to_le_bytes());
        entry[4..8].copy_from_slice(&id.to_le_bytes());
        entry[8..8 + path.len()].copy_from_slice(path);
    }
}

pub fn process() -> Process<'static> {
    Process {
        version: b"0.1.0",
        host: b"node7",
        output: b"/scratch/run",
        start: Anchor {
            ticks: 1000,
            monotonic: 5000,
            realtime: 1_000_000,
        },
        rate: 1_000_000_000,
        step: TICK,
        ..Process::default()
    }
}

/// The `id`th call of a thread.
pub fn call(id: u32) -> Record {
    Record {
        start: 1000 + u64::from(id) * 100,
        end: 1040 + u64::from(id) * 100,
        ret: 8,
        offset: i64::from(id) * 8,
        length: 8,
        id,
        file: 1,
        fd: 5,
        op: 17,
        ..Record::default()
    }
}

/// The block that calls make.
pub fn block(thread: u32, records: &[Record], calls: u64) -> Vec<u8> {
    let mut out = vec![0; encode::MAX_BLOCK];
    let mut scratch = Box::new(encode::Scratch::NEW);
    let step = Step::new(1000, TICK);
    let ids = Ids { thread, ..IDS };
    let length = encode::events(records, &step, calls, ids, &mut scratch, &mut out);
    out.truncate(length.unwrap());
    out
}

/// A block of one name of a file.
pub fn named(id: u32, path: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 4096];
    let mut writer = names::NamesWriter::new(&mut out);
    assert!(writer.file(id, path));
    let length = writer.finish(IDS).unwrap();
    out.truncate(length);
    out
}

/// Two threads with something everywhere: 100 calls in blocks, 50 and 20 in rings.
pub fn sample() -> Spool {
    let mut spool = Spool::new(2);
    spool.append(&named(1, b"/scratch/a"));
    let sealed: Vec<Record> = (1..=100).map(call).collect();
    spool.append_calls(&block(0, &sealed, 100));
    spool.store(0, (101..=150).map(call));
    spool.name(1, 2, b"/scratch/b");
    let other = |id| Record {
        file: 2,
        op: 18,
        flags: flags::MORE,
        // No two threads make the same call at the same moment.
        start: call(id).start + 7,
        ..call(id)
    };
    spool.store(1, (1..=20).map(other));
    spool
}

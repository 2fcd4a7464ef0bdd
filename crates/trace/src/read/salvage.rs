//! From a spool to a part: what was spilled, what is in the arena, what waits in the threads' slots, and an end.

use core::mem::offset_of;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use super::error::{Error, Problem};
use super::segment::Segment;
use super::source::{Region, Source, Walk};
use super::spool::Spool;
use super::waiting::{Stored, Waiting};
use crate::block::{Header, Ids, kind};
use crate::names::{self, Name};
use crate::part::End;
use crate::spool::{self, FILE, FUNCTION, LAYOUT, TEXT};
use crate::{Event, Record, Step, decode, encode};

/// Bytes compared at once.
const PIECE: usize = 1 << 16;

/// What a spool gave.
#[derive(Clone, Debug)]
pub struct Salvaged {
    /// Events in the part.
    pub events: u64,
    /// What was damaged or missing; everything whole is in the part.
    pub problems: Vec<Problem>,
    /// Threads whose latest calls were in private memory, which is lost.
    pub gone: u32,
}

impl Spool {
    /// Writes the whole part to `out`. `beginning` is the task's own file, where some of it was spilled.
    ///
    /// # Errors
    /// The spool is of another version's table, the task's file cannot be opened, or `out` not be written.
    pub fn part(&self, beginning: Option<&Path>, out: impl Write) -> Result<Salvaged, Error> {
        self.check_table()?;
        let task = match beginning {
            Some(path) => Some(Source::open(path, self.source.problems.clone())?),
            None => None,
        };
        let events = Salvage::new(self, out)
            .part(task.as_ref())
            .map_err(Error::Write)?;
        Ok(Salvaged {
            events,
            problems: self.source.problems.all(),
            gone: self.private_slots(),
        })
    }
}

/// A part being made of a spool.
struct Salvage<'a, W> {
    spool: &'a Spool,
    out: Segment<W>,
    /// The last block of each thread.
    last: HashMap<u32, (&'a Source, u64, Header)>,
    /// Ops that the part's blocks define.
    ops: BTreeSet<u16>,
    /// Forms of details, as well.
    forms: BTreeSet<u16>,
    /// Files that names in blocks or slots define.
    files: HashSet<u32>,
    /// Events that are gone.
    lost: u64,
}

impl<'a, W: Write> Salvage<'a, W> {
    fn new(spool: &'a Spool, out: W) -> Self {
        Salvage {
            spool,
            out: Segment::new(out, spool.ids()),
            last: HashMap::new(),
            ops: BTreeSet::new(),
            forms: BTreeSet::new(),
            files: HashSet::from([0]),
            lost: 0,
        }
    }

    /// All of it; how many events it has.
    fn part(mut self, task: Option<&'a Source>) -> io::Result<u64> {
        self.spool.check();
        self.out.add_block(self.spool.process_block())?;
        let spilled = self.spilled(task);
        if let (Some(task), Some(region)) = (task, spilled) {
            self.blocks(task, region)?;
        }
        let arena = self.spool.arena();
        if !self.was_spilled(arena, task.zip(spilled)) {
            self.blocks(&self.spool.source, arena)?;
        }
        self.count_blocks();
        let filtered = self.slots()?;
        self.end(filtered)?;
        Ok(self.out.events())
    }

    /// Blocks may be gone: the process counted their events.
    fn count_blocks(&mut self) {
        let missing = self.spool.sealed().saturating_sub(self.out.events());
        if missing > 0 {
            self.lost += missing;
            let cause =
                format!("{missing} calls that stood in blocks are missing: they count as lost");
            self.spool
                .source
                .problem(offset_of!(spool::SpoolHeader, captured) as u64, cause);
        }
    }

    /// Where the task's own file holds the beginning of the part.
    fn spilled(&self, task: Option<&Source>) -> Option<Region> {
        let spilled = self.spool.spilled();
        if spilled == 0 {
            return None;
        }
        let Some(task) = task else {
            let cause = format!(
                "{spilled} bytes of the part were written to the task's file, which is missing"
            );
            self.spool.source.problem(0, cause);
            return None;
        };
        let start = task.header(0, task.len).map_or(0, |head| head.block_len());
        let end = start.saturating_add(spilled);
        if end > task.len {
            let cause = format!("the file is cut off: it had {end} bytes");
            task.problem(task.len, cause);
        }
        Some(Region {
            start: start.min(task.len),
            end: end.min(task.len),
        })
    }

    /// The process may have died when the arena was written, and not yet empty.
    fn was_spilled(&self, arena: Region, spilled: Option<(&Source, Region)>) -> bool {
        let length = arena.end - arena.start;
        let Some((task, region)) = spilled else {
            return false;
        };
        let Some(start) = region.end.checked_sub(length) else {
            return false;
        };
        length > 0
            && start >= region.start
            && same(&self.spool.source, arena.start, task, start, length)
    }

    /// Copies the blocks of a region that belong into a part's middle.
    fn blocks(&mut self, source: &'a Source, region: Region) -> io::Result<()> {
        for (at, header) in Walk::suspicious(source, region) {
            match header.kind {
                kind::PROCESS | kind::INDEX | kind::FOOTER | kind::END => continue,
                kind::NAMES => self.learn(source, at, &header),
                kind::EVENTS => {
                    self.last.insert(header.ids.thread, (source, at, header));
                }
                _ => {}
            }
            self.out.copy_block(source, at, &header)?;
        }
        Ok(())
    }

    fn learn(&mut self, source: &Source, at: u64, header: &Header) {
        let mut buffer = Vec::new();
        let payload = source.payload(at, header, &mut buffer);
        for name in names::NamesReader::new(payload.unwrap_or_default()) {
            match name {
                Name::Op { id, .. } => self.ops.extend([id]),
                Name::Form { id, .. } => self.forms.extend([id]),
                Name::File { id, .. } => self.files.extend([id]),
                _ => {}
            }
        }
    }

    /// What waits in the slots, names first: one thread's calls may be on a file that another one named. Returns how
    /// many calls were left out.
    fn slots(&mut self) -> io::Result<u64> {
        let mut filtered = 0u64;
        for at in self.spool.slots() {
            let slot = Waiting::read(&self.spool.source, at);
            self.check(&slot, at);
            filtered = filtered.saturating_add(slot.filtered());
            self.names(&slot)?;
        }
        for at in self.spool.slots() {
            let slot = Waiting::read(&self.spool.source, at);
            self.check_names(&slot, at);
            self.events(&slot)?;
        }
        Ok(filtered)
    }

    /// Tells what of a slot is damaged.
    fn check(&mut self, slot: &Waiting, at: u64) {
        let source = &self.spool.source;
        if !slot.range().is_sound {
            source.problem(at, "the counters of a thread's ring are damaged");
        }
        if slot.range().count() > 0 && !slot.has_thread() {
            source.problem(at + 3, "the number of a thread is damaged");
        }
        let lost = slot.lost();
        if lost > 0 {
            self.lost += lost;
            // Behind the counters, of which something else may be said.
            let cause = format!("{lost} calls in a thread's ring are damaged: they count as lost");
            source.problem(at + 1, cause);
        }
    }

    fn names(&mut self, slot: &Waiting) -> io::Result<()> {
        let all: Vec<_> = slot.names().collect();
        let files = all.iter().filter(|(tag, ..)| *tag == FILE);
        self.files.extend(files.map(|(_, id, _)| *id));
        let ops: BTreeSet<u16> = slot.events().map(|stored| stored.record.op).collect();
        let forms = slot
            .events()
            .flat_map(|stored| stored.forms().collect::<Vec<_>>());
        let forms: BTreeSet<u16> = forms.collect();
        let ids = self.ids(slot.thread());
        self.named(ids, |writer| {
            for (tag, id, bytes) in &all {
                match *tag {
                    LAYOUT => writer.layout(*id, bytes),
                    TEXT => writer.text(*id, bytes),
                    FUNCTION => writer.op(*id as u16, names::Op::of_user(bytes)),
                    _ => writer.file(*id, bytes),
                };
            }
        })?;
        let fresh: Vec<u16> = ops.difference(&self.ops).copied().collect();
        self.ops.extend(&fresh);
        let fresh_forms: Vec<u16> = forms.difference(&self.forms).copied().collect();
        self.forms.extend(&fresh_forms);
        self.named(ids, |writer| {
            fresh.iter().for_each(|op| define(writer, *op));
            fresh_forms
                .iter()
                .for_each(|form| define_form(writer, *form));
        })
    }

    /// A call is on no file whose name was not kept before.
    fn check_names(&self, slot: &Waiting, at: u64) {
        let of =
            |Stored { record, more, .. }: Stored| [record.file, more.map_or(0, |more| more.file)];
        let unknown: HashSet<u32> = slot
            .events()
            .flat_map(of)
            .filter(|file| !self.files.contains(file))
            .collect();
        if !unknown.is_empty() {
            let cause = format!(
                "names are damaged: {} of files that calls are on are unknown",
                unknown.len()
            );
            self.spool.source.problem(at + 2, cause);
        }
    }

    /// Writes a block of names, if there are any; all names of a slot or of the table fit in one.
    fn named<'n>(
        &mut self,
        ids: Ids,
        write: impl FnOnce(&mut names::NamesWriter<'_, 'n>),
    ) -> io::Result<()> {
        let mut block = vec![0; encode::MAX_BLOCK];
        let mut writer = names::NamesWriter::new(&mut block);
        write(&mut writer);
        match (writer.count(), writer.finish(ids)) {
            (1.., Some(length)) => self.out.add_block(&block[..length]),
            _ => Ok(()),
        }
    }

    fn ids(&self, thread: u32) -> Ids {
        Ids {
            thread,
            ..self.spool.ids()
        }
    }

    fn events(&mut self, slot: &Waiting) -> io::Result<()> {
        let process = self.spool.process();
        let step = Step::new(process.start.ticks, process.step);
        let last = self.last_events(slot);
        let mut events: Vec<_> = slot.events().collect();
        events.drain(..sealed(&events, &last, &step));
        let calls = highest(&events, &last);
        let mut block = vec![0; encode::MAX_BLOCK];
        let mut scratch = Box::new(encode::Scratch::NEW);
        self.tell_torn(slot, &events);
        let records: Vec<Record> = events.iter().flat_map(Stored::records).collect();
        for some in encode::blocks(&records) {
            let ids = self.ids(slot.thread());
            match encode::events(some, &step, calls, ids, &mut scratch, &mut block) {
                Some(length) => self.out.add_block(&block[..length])?,
                None => return Err(io::Error::other("a block is larger than any can be")),
            }
        }
        Ok(())
    }

    fn tell_torn(&self, slot: &Waiting, events: &[Stored]) {
        let torn = events.iter().filter(|stored| stored.is_torn).count();
        if torn > 0 {
            let cause = format!("the details of {torn} calls are damaged: they are left out");
            self.spool.source.problem(slot.start(), cause);
        }
    }

    /// The events of the last block of a slot's thread; of all threads, if nobody knows which is its.
    fn last_events(&self, slot: &Waiting) -> Vec<Event> {
        let threads = self
            .last
            .iter()
            .filter(|(thread, _)| !slot.has_thread() || **thread == slot.thread());
        let (mut events, mut buffer) = (Vec::new(), Vec::new());
        for (source, at, header) in threads.map(|(_, last)| last) {
            if let Some(payload) = source.payload(*at, header, &mut buffer) {
                let mut scratch = Box::new(decode::Scratch::NEW);
                // What is damaged there is reported when the part is read.
                let _ = decode::events(header, payload, &mut scratch, |event| events.push(*event));
            }
        }
        events
    }

    fn end(&mut self, filtered: u64) -> io::Result<()> {
        let mut block = [0; 512];
        let end = self.spool.end(self.out.events(), filtered);
        let problems = self.spool.source.problems.all().len() as u64;
        let end = End {
            lost: self.spool.lost().saturating_add(self.lost),
            // What is not lost may be wrong: no reader is to take the part for complete.
            errors: problems + u64::from(self.spool.private_slots()),
            ..end
        };
        let length = end.write(self.ids(self.spool.ids().pid), &mut block);
        self.out.add_block(&block[..length.unwrap_or(0)])?;
        self.out.close()
    }
}

fn same(one: &Source, mut at: u64, other: &Source, mut there: u64, mut length: u64) -> bool {
    let (mut a, mut b) = (vec![0; PIECE], vec![0; PIECE]);
    while length > 0 {
        let n = length.min(PIECE as u64) as usize;
        let whole = one.read(at, &mut a[..n]) == n && other.read(there, &mut b[..n]) == n;
        if !whole || a[..n] != b[..n] {
            return false;
        }
        (at, there, length) = (at + n as u64, there + n as u64, length - n as u64);
    }
    true
}

fn define(writer: &mut names::NamesWriter<'_, '_>, op: u16) {
    if let Some(info) = iota_calls::Op(op).info() {
        writer.op(op, info.into());
    }
}

fn define_form(writer: &mut names::NamesWriter<'_, '_>, form: u16) {
    if let Some(info) = iota_calls::Form(form).info() {
        writer.form(form, info);
    }
}

/// How many of a ring's events stand in the thread's last block, or before it: the process may have died when the block
/// was in the arena, and the ring not yet free.
fn sealed(events: &[Stored], last: &[Event], step: &Step) -> usize {
    let known: HashSet<_> = last
        .iter()
        .map(|event| (event.id as u32, event.start))
        .collect();
    let is_known =
        |stored: &Stored| known.contains(&(stored.record.id, step.steps(stored.record.start)));
    events.iter().rposition(is_known).map_or(0, |at| at + 1)
}

/// The full number of the latest call: records have its low half, the block before them tells the rest.
fn highest(events: &[Stored], last: &[Event]) -> u64 {
    let known = last.iter().map(|event| event.id).max().unwrap_or(0);
    let ahead = |stored: &Stored| stored.record.id.wrapping_sub(known as u32);
    let ahead = events.iter().map(ahead).filter(|n| *n < 1 << 31).max();
    known.wrapping_add(ahead.unwrap_or(0).into())
}

//! Writing a trace of calls that something else recorded: any number of processes, in any order, in memory that grows
//! with their names alone.
//!
//! Blocks wait in a spool file until all calls are there, because the blocks of a process stand together in a trace.

mod part;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use crate::block::Ids;
use crate::clock::TICK;
use crate::details::{self, Details};
use crate::names::{self, Op};
use crate::read::{Form, Group};
use crate::{Event, Nanos, Record, Step, encode};

pub use part::ProcessFacts;

use part::{NewName, ORIGIN, ProcessDraft, too_small};

/// Records of all threads that wait to be encoded: 64 MB of them.
const WAITING: usize = 1 << 20;
/// Records of one call.
const MOST_OF_A_CALL: usize = 2 + details::MOST * details::MOST_RECORDS;
/// Bytes of a block of names, longer paths apart.
const NAMES: usize = 1 << 16;

/// A process of a trace under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(usize);

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Processes.
    pub parts: u64,
    /// Calls.
    pub events: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A trace under way.
pub struct Writer {
    spool: File,
    /// Bytes in it.
    at: u64,
    parts: Vec<ProcessDraft>,
    /// How many processes of a rank and number there are: numbers are used again.
    namesakes: HashMap<(u32, u32), u64>,
    /// Records that wait.
    waiting: usize,
    scratch: Box<encode::Scratch>,
    block: Vec<u8>,
}

impl Writer {
    /// An empty trace; `spool` is an empty file that can be read and written, and that nobody needs afterwards.
    pub fn new(spool: File) -> Writer {
        Writer {
            spool,
            at: 0,
            parts: Vec::new(),
            namesakes: HashMap::new(),
            waiting: 0,
            scratch: Box::new(encode::Scratch::NEW),
            block: vec![0; encode::MAX_BLOCK],
        }
    }

    /// Whether it has no process.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// A process more.
    pub fn part(&mut self, rank: u32, pid: u32, about: ProcessFacts) -> PartId {
        let ids = Ids {
            rank,
            pid,
            thread: pid,
        };
        let namesakes = self.namesakes.entry((rank, pid)).or_default();
        self.parts.push(ProcessDraft::new(ids, *namesakes, about));
        *namesakes += 1;
        PartId(self.parts.len() - 1)
    }

    /// What is known of a process.
    pub fn about(&mut self, part: PartId) -> &mut ProcessFacts {
        &mut self.parts[part.0].about
    }

    /// The id of a path; 0 for none.
    pub fn file(&mut self, part: PartId, path: &[u8]) -> u32 {
        let part = &mut self.parts[part.0];
        if path.is_empty() {
            return 0;
        }
        if let Some(&known) = part.files.get(path) {
            return known;
        }
        part.name(path.to_owned())
    }

    /// How a file lies on Lustre, as the file system would say it. A path with another layout is another file, under the
    /// id that is returned.
    pub fn layout(&mut self, part: PartId, file: u32, layout: &[u8]) -> u32 {
        let part = &mut self.parts[part.0];
        let file = match part.layouts.get(&file) {
            Some(known) if known == layout => return file,
            Some(_) => match part.files.iter().find(|(_, id)| **id == file) {
                Some((path, _)) => part.name(path.clone()),
                None => return file,
            },
            None => file,
        };
        part.layouts.insert(file, layout.to_owned());
        part.unwritten
            .push(NewName::Layout(file, layout.to_owned()));
        file
    }

    /// The id of a function. Of more than ids suffice for, the last one's.
    pub fn op(&mut self, part: PartId, op: Op) -> u16 {
        let part = &mut self.parts[part.0];
        let numbers = [op.layer, op.kind, op.effects];
        let key = (op.name.to_owned(), numbers);
        if let Some(&known) = part.ops.get(&key) {
            return known;
        }
        let id = (part.ops.len() as u16).saturating_add(1).min(u16::MAX - 2);
        part.ops.insert(key, id);
        part.unwritten
            .push(NewName::Op(id, numbers, op.name.to_owned()));
        id
    }

    /// The id of a form.
    pub fn form(&mut self, part: PartId, form: Form) -> u16 {
        let part = &mut self.parts[part.0];
        if let Some(known) = part.forms.iter().position(|known| *known == form) {
            return known as u16 + 1;
        }
        let id = part.forms.len() as u16 + 1;
        part.forms.push(form.clone());
        part.unwritten.push(NewName::Form(id, form));
        id
    }

    /// The id of a text.
    pub fn text(&mut self, part: PartId, text: &[u8]) -> u32 {
        let part = &mut self.parts[part.0];
        if let Some(&known) = part.texts.get(text) {
            return known;
        }
        let id = part.texts.len() as u32 + 1;
        part.texts.insert(text.to_owned(), id);
        part.unwritten.push(NewName::Text(id, text.to_owned()));
        id
    }

    /// A call, its times in ns since the job's start.
    ///
    /// # Errors
    /// The file where calls wait cannot be written.
    pub fn call(&mut self, part: PartId, event: &Event) -> io::Result<()> {
        self.detailed_call(part, event, &[])
    }

    /// The same with details, whose forms are those of [`Writer::form`].
    ///
    /// # Errors
    /// As there.
    pub fn detailed_call(
        &mut self,
        part: PartId,
        event: &Event,
        details: &[Details],
    ) -> io::Result<()> {
        let of = &mut self.parts[part.0];
        let thread = of.threads.entry(event.thread).or_default();
        let before = thread.len();
        let ticks = |nanos: i64| nanos.wrapping_add(ORIGIN as i64);
        let (start, end) = (ticks(event.start), ticks(event.end));
        thread.extend(
            Event {
                start,
                end,
                ..*event
            }
            .records_with(details),
        );
        self.waiting += thread.len() - before;
        of.calls += 1;
        of.last = of.last.max(event.end);
        if thread.len() + MOST_OF_A_CALL > encode::MAX_RECORDS {
            self.encode(part, event.thread)
        } else if self.waiting >= WAITING {
            self.encode_all()
        } else {
            Ok(())
        }
    }

    fn encode_all(&mut self) -> io::Result<()> {
        for part in 0..self.parts.len() {
            let threads: Vec<u32> = self.parts[part].threads.keys().copied().collect();
            for thread in threads {
                self.encode(PartId(part), thread)?;
            }
        }
        self.waiting = 0;
        Ok(())
    }

    /// A block of what waits of a thread, and before it the names that it needs
    fn encode(&mut self, part: PartId, thread: u32) -> io::Result<()> {
        let of = &mut self.parts[part.0];
        let Some(mut records) = of.threads.remove(&thread) else {
            return Ok(());
        };
        in_order(&mut records);
        let calls = records.iter().map(|record| u64::from(record.id)).max();
        let ids = Ids { thread, ..of.ids };
        self.names(part)?;
        let (step, calls) = (Step::new(ORIGIN, TICK), calls.unwrap_or(0));
        let room = &mut self.block;
        let len = encode::events(&records, &step, calls, ids, &mut self.scratch, room);
        self.waiting = self.waiting.saturating_sub(records.len());
        match len {
            Some(0) => Ok(()),
            Some(len) => self.append(part, len),
            None => Err(too_small()),
        }
    }

    /// Blocks of the names that no block holds yet
    fn names(&mut self, part: PartId) -> io::Result<()> {
        let unwritten = std::mem::take(&mut self.parts[part.0].unwritten);
        let (mut names, ids) = (&unwritten[..], self.parts[part.0].ids);
        while let [first, ..] = names {
            let longest = NAMES.max(first.len() + 256);
            self.block.resize(self.block.len().max(longest), 0);
            let mut writer = names::NamesWriter::new(&mut self.block[..longest]);
            let taken = names
                .iter()
                .take_while(|name| name.put(&mut writer))
                .count();
            let len = writer
                .finish(ids)
                .filter(|_| taken > 0)
                .ok_or_else(too_small)?;
            self.append(part, len)?;
            names = &names[taken..];
        }
        Ok(())
    }

    fn append(&mut self, part: PartId, len: usize) -> io::Result<()> {
        let block = &self.block[..len];
        self.spool.write_all_at(block, self.at)?;
        self.parts[part.0].append(self.at, block);
        self.at += len as u64;
        Ok(())
    }

    /// Writes the trace. `start` is the moment that times count from, in ns since 1970.
    ///
    /// # Errors
    /// `out`, or the file where calls wait, cannot be written or read.
    pub fn finish(mut self, start: Nanos, out: impl Write) -> io::Result<Written> {
        self.encode_all()?;
        for part in 0..self.parts.len() {
            self.names(PartId(part))?;
        }
        let Writer {
            spool, mut parts, ..
        } = self;
        parts.sort_by_key(|part| (part.ids.rank, part.ids.pid));
        let mut group = Group::new(out);
        for part in &parts {
            part.write(&spool, start, &mut group)?;
        }
        let events = group.events();
        Ok(Written {
            parts: parts.len() as u64,
            events,
            bytes: group.close()?,
        })
    }
}

/// Sorts by the end; what follows a call stays with it.
fn in_order(records: &mut Vec<Record>) {
    let follows = |record: &Record| matches!(record.op, crate::OP_MORE | crate::OP_DETAILS);
    let calls = records.iter().filter(|record| !follows(record));
    if calls.is_sorted_by_key(|record| record.end) {
        return;
    }
    let mut calls: Vec<&[Record]> = records.chunk_by(|_, next| follows(next)).collect();
    calls.sort_by_key(|call| call[0].end);
    *records = calls.concat();
}

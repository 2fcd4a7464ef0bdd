//! The calls of one process: threads, their locations, and what they share.

use super::definitions::{DefinitionWriter, attribute};
use super::handle_events::HandleCall;
use super::handles::Handles;
use super::thread::{Thread, ThreadCall};
use crate::job::Row;
use iota_analysis::{FileId, NO_FILE};
use iota_otf2::{Archive, Extra};
use iota_trace::flags;
use iota_trace::read::Part;
use std::collections::BTreeMap;

/// A process whose calls come one after the other
pub struct Process<'a, 'b> {
    archive: &'a Archive,
    definitions: &'b mut DefinitionWriter<'a>,
    handles: Handles,
    operations: u64,
    threads: BTreeMap<u32, Thread<'a>>,
}

impl<'a, 'b> Process<'a, 'b> {
    /// Without calls
    pub fn new(archive: &'a Archive, definitions: &'b mut DefinitionWriter<'a>) -> Self {
        Process {
            archive,
            definitions,
            handles: Handles::default(),
            operations: 0,
            threads: BTreeMap::new(),
        }
    }

    /// A call that has ended after those before
    pub fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        let call = self.call(row)?;
        let number = row.call.event.thread;
        let thread = self
            .threads
            .entry(number)
            .or_insert_with(|| Thread::new(number));
        thread.add(call, self.archive, || self.definitions.location())
    }

    fn call(&mut self, row: &Row) -> anyhow::Result<ThreadCall> {
        let event = row.call.event;
        let second = match event.flags & flags::MORE {
            0 => NO_FILE,
            _ => row.call.second,
        };
        let mut handle_call = HandleCall {
            row,
            handles: &mut self.handles,
            definitions: self.definitions,
            operations: &mut self.operations,
        };
        let handle_event = handle_call.event()?;
        Ok(ThreadCall {
            id: event.id,
            parent: event.parent,
            start: row.call.start.max(0) as u64,
            end: row.call.end.max(row.call.start).max(0) as u64,
            region: self.definitions.region(row)?,
            handle_event,
            files: [
                self.file(row, attribute::FILE, row.call.file)?,
                self.file(row, attribute::SECOND_FILE, second)?,
            ],
            error: match event.errno {
                0 => None,
                errno => Some(Extra::String(
                    attribute::ERRNO,
                    self.definitions.error(row.call.function.layer, errno)?,
                )),
            },
            is_asynchronous: row.call.is_asynchronous(),
        })
    }

    fn file(&mut self, row: &Row, name: u32, file: FileId) -> anyhow::Result<Option<Extra>> {
        Ok(match file {
            NO_FILE => None,
            file => Some(Extra::File(name, self.definitions.file(row, file)?)),
        })
    }

    /// A part of it has ended: numbers of calls begin anew
    pub fn whole(&mut self) -> anyhow::Result<()> {
        for thread in self.threads.values_mut() {
            thread.flush(self.archive, || self.definitions.location())?;
        }
        Ok(())
    }

    /// Ends it; `part` tells of it
    pub fn finish(self, part: &Part, is_first: bool) -> anyhow::Result<()> {
        let (mut locations, mut latest) = (Vec::new(), 0);
        for thread in self.threads.into_values() {
            latest = latest.max(thread.finish(&mut locations)?);
        }
        if locations.is_empty() {
            // An archive without a location is none to readers.
            let location = self.definitions.location();
            let events = self.archive.events(location)?.finish()?;
            locations.push((location, format!("thread {}", part.pid()), events));
        }
        locations.sort_unstable();
        self.definitions.process(part, is_first, &locations, latest)
    }
}

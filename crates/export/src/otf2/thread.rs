//! The events of a thread in order of time. Calls come when they end; those that others enclose wait for these.
//!
//! What is asynchronous has a location of its own, since regions there could not nest: an instant for the call, from which
//! its operation lasts to where the program learnt of its end.

use super::definitions::attribute;
use super::handle_events::{HandleEvent, HandleOperation};
use anyhow::Result;
use iota_otf2::{Archive, Events, Extra};
use std::collections::BTreeMap;

/// Calls of a thread that wait for one that encloses them
const WAITING: usize = 1 << 15;
/// Asynchronous calls of a thread that wait for one that began before them and has not ended
const UNDER_WAY: usize = 1 << 15;

/// A call
#[derive(Clone, Copy, Debug)]
pub struct ThreadCall {
    pub id: u64,
    pub parent: u64,
    pub start: u64,
    pub end: u64,
    pub region: u32,
    pub handle_event: HandleEvent,
    /// Its files, as attributes: where no handle tells them
    pub files: [Option<Extra>; 2],
    pub error: Option<Extra>,
    pub is_asynchronous: bool,
}

/// Calls of a thread
pub struct Thread<'a> {
    number: u32,
    waiting: Vec<ThreadCall>,
    /// The thread's own, and further ones for calls that came too late for it
    lanes: Vec<Lane<'a>>,
    asynchronous: Option<Lane<'a>>,
    /// Begins and ends of asynchronous calls by time; the second number keeps their order
    under_way: BTreeMap<(u64, u64), (Half, ThreadCall)>,
    halves: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Begin,
    End,
}

/// A location
struct Lane<'a> {
    location: u64,
    events: Events<'a>,
    /// The latest event
    last: u64,
}

impl<'a> Thread<'a> {
    /// Without calls
    pub fn new(number: u32) -> Thread<'a> {
        Thread {
            number,
            waiting: Vec::new(),
            lanes: Vec::new(),
            asynchronous: None,
            under_way: BTreeMap::new(),
            halves: 0,
        }
    }

    /// A call that has ended after those before; `number` gives a number for a location
    pub fn add(
        &mut self,
        call: ThreadCall,
        archive: &'a Archive,
        number: impl FnMut() -> u64,
    ) -> Result<()> {
        if call.is_asynchronous {
            return self.asynchronous(call, archive, number);
        }
        self.waiting.push(call);
        if call.parent == 0 || self.waiting.len() > WAITING {
            self.nest(archive, number)?;
        }
        Ok(())
    }

    /// Writes all that waits
    pub fn flush(&mut self, archive: &'a Archive, number: impl FnMut() -> u64) -> Result<()> {
        self.nest(archive, number)?;
        self.release(0)
    }

    /// Writes what waits, each call within the one that encloses it
    fn nest(&mut self, archive: &'a Archive, mut number: impl FnMut() -> u64) -> Result<()> {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|call| call.id);
        let (mut open, mut lane): (Vec<ThreadCall>, usize) = (Vec::new(), 0);
        for mut call in waiting.drain(..) {
            let parent = open.iter().any(|outer| outer.id == call.parent);
            let is_over = |outer: &mut ThreadCall| match (parent, call.parent) {
                (true, parent) => outer.id != parent,
                (false, 0) => true,
                // Left out by --where; what encloses that may be here.
                (false, _) => outer.end <= call.start,
            };
            while let Some(over) = open.pop_if(is_over) {
                self.lanes[lane].end(&over)?;
            }
            match open.last() {
                Some(outer) => call.end = call.end.min(outer.end),
                None => lane = self.lane(call.start, archive, &mut number)?,
            }
            self.lanes[lane].begin(&call)?;
            open.push(call);
        }
        while let Some(over) = open.pop() {
            self.lanes[lane].end(&over)?;
        }
        self.waiting = waiting;
        Ok(())
    }

    /// Where a call that none encloses can begin: the thread's own location, unless what it encloses was written there
    fn lane(
        &mut self,
        start: u64,
        archive: &'a Archive,
        mut number: impl FnMut() -> u64,
    ) -> Result<usize> {
        if let Some(free) = self.lanes.iter().position(|lane| lane.last <= start) {
            return Ok(free);
        }
        self.lanes.push(Lane::new(number(), archive)?);
        Ok(self.lanes.len() - 1)
    }

    fn asynchronous(
        &mut self,
        call: ThreadCall,
        archive: &'a Archive,
        mut number: impl FnMut() -> u64,
    ) -> Result<()> {
        if self.asynchronous.is_none() {
            self.asynchronous = Some(Lane::new(number(), archive)?);
        }
        for (time, half) in [(call.start, Half::Begin), (call.end, Half::End)] {
            self.under_way.insert((time, self.halves), (half, call));
            self.halves += 1;
        }
        self.release(2 * UNDER_WAY)
    }

    /// Writes halves of asynchronous calls until no more than `left` wait
    fn release(&mut self, left: usize) -> Result<()> {
        let Some(lane) = &mut self.asynchronous else {
            return Ok(());
        };
        while self.under_way.len() > left
            && let Some(((time, _), (half, call))) = self.under_way.pop_first()
        {
            match half {
                Half::Begin => lane.begin(&call).and_then(|()| lane.leave(time, &call))?,
                Half::End => lane.has_done(time, &call)?,
            }
        }
        Ok(())
    }

    /// Ends it: `locations` has the number, name and events of each then; says when the last event was
    pub fn finish(self, locations: &mut Vec<(u64, String, u64)>) -> Result<u64> {
        let mut latest = 0;
        let (own, name) = (self.lanes.len(), format!("thread {}", self.number));
        for (nth, lane) in self.lanes.into_iter().chain(self.asynchronous).enumerate() {
            let name = match nth {
                0 if own > 0 => name.clone(),
                nth if nth < own => format!("{name}, beside"),
                _ => format!("{name}, asynchronous"),
            };
            latest = latest.max(lane.last);
            locations.push((lane.location, name, lane.events.finish()?));
        }
        Ok(latest)
    }
}

impl<'a> Lane<'a> {
    fn new(location: u64, archive: &'a Archive) -> Result<Lane<'a>> {
        Ok(Lane {
            location,
            events: archive.events(location)?,
            last: 0,
        })
    }

    /// Times do not go back: clocks of processors may, by a step.
    fn time(&mut self, time: u64) -> u64 {
        self.last = self.last.max(time);
        self.last
    }

    fn begin(&mut self, call: &ThreadCall) -> Result<()> {
        let time = self.time(call.start);
        // Elsewhere the handle has the file.
        let files: Vec<Extra> = match call.handle_event {
            HandleEvent::Nothing => call.files.iter().flatten().copied().collect(),
            _ => Vec::new(),
        };
        self.events.enter(time, call.region, &files)?;
        if let HandleEvent::Operate(operation) = call.handle_event {
            for operation in operation.into_iter().flatten() {
                self.operation(time, operation)?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, time: u64, operation: HandleOperation) -> Result<()> {
        let offset = u64::try_from(operation.offset).ok();
        let extra = offset.map(|offset| Extra::Uint64(attribute::OFFSET, offset));
        let (handle, operation) = (operation.handle, operation.operation);
        Ok(self
            .events
            .begin(time, handle, operation, extra.as_slice())?)
    }

    fn end(&mut self, call: &ThreadCall) -> Result<()> {
        self.has_done(call.end, call)?;
        self.leave(call.end, call)
    }

    fn leave(&mut self, time: u64, call: &ThreadCall) -> Result<()> {
        let time = self.time(time);
        let error = call.error.as_slice();
        Ok(self.events.leave(time, call.region, error)?)
    }

    /// What a call has done when it ends
    fn has_done(&mut self, time: u64, call: &ThreadCall) -> Result<()> {
        let time = self.time(time);
        let events = &mut self.events;
        match call.handle_event {
            HandleEvent::Nothing => {}
            HandleEvent::Create(handles, how) => {
                for handle in handles.into_iter().flatten() {
                    events.create(time, handle, how)?;
                }
            }
            HandleEvent::Destroy(handles) => {
                for handle in handles.into_iter().flatten() {
                    events.destroy(time, handle)?;
                }
            }
            HandleEvent::Duplicate(old, new) => events.duplicate(time, old, new, 0)?,
            HandleEvent::Seek(handle, seek) => events.seek(time, handle, seek)?,
            HandleEvent::Operate(operation) => {
                for operation in operation.into_iter().flatten() {
                    events.complete(
                        time,
                        operation.handle,
                        operation.done,
                        operation.operation.id,
                    )?;
                }
            }
        }
        Ok(())
    }
}

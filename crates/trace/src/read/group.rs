//! A group as it is written: of its parts the small ones go into packs, the others stand as they are.

use std::io::{self, Write};

use super::pack::{PackOutcome, Packer, Small};
use super::segment::Segment;
use super::source::{Region, Source};
use crate::block::Ids;
use crate::pack::SMALL;

/// A group being written.
pub struct Group<W> {
    segment: Segment<W>,
    pack: Packer,
    /// Events in the parts so far.
    events: u64,
}

impl<W: Write> Group<W> {
    /// Nothing yet.
    pub fn new(out: W) -> Self {
        Group {
            segment: Segment::new(out, Ids::default()),
            pack: Packer::default(),
            events: 0,
        }
    }

    /// Events in the parts so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Adds a part: its blocks, which `fill` writes, and its end.
    ///
    /// # Errors
    /// The file cannot be written, or what `fill` says.
    pub(crate) fn part(
        &mut self,
        ids: Ids,
        fill: impl FnOnce(&mut Segment<Held<'_, W>>) -> io::Result<()>,
    ) -> io::Result<()> {
        let held = Held {
            group: self,
            bytes: Vec::new(),
            at: None,
        };
        let mut segment = Segment::new(held, ids);
        fill(&mut segment)?;
        segment.close()?;
        let events = segment.events();
        segment.into_inner().end(ids, events)
    }

    /// Adds a part of another trace as it is.
    pub(super) fn copy(
        &mut self,
        source: &Source,
        Region { start, end }: Region,
        ids: Ids,
        events: u64,
    ) -> io::Result<()> {
        self.write_pack()?;
        let offset = self.segment.at;
        self.segment.copy(source, start, end)?;
        self.add(ids, offset, events)
    }

    /// Adds a part that goes into a pack, if it is one that comes back as it was.
    pub(super) fn small(&mut self, part: Small) -> io::Result<()> {
        self.events += part.events;
        self.pack.add(part);
        match self.pack.is_full() {
            true => self.write_pack(),
            false => Ok(()),
        }
    }

    fn add(&mut self, ids: Ids, offset: u64, events: u64) -> io::Result<()> {
        self.events += events;
        self.segment.add_segment(ids, offset, events)
    }

    fn write_pack(&mut self) -> io::Result<()> {
        for made in self.pack.make()? {
            match made {
                PackOutcome::Pack {
                    block,
                    parts,
                    events,
                } => self.segment.add_pack(&block, parts, events)?,
                PackOutcome::Alone(part) => {
                    let offset = self.segment.at;
                    self.segment.write(&part.bytes)?;
                    self.segment.add_segment(part.ids, offset, part.events)?;
                }
            }
        }
        Ok(())
    }

    /// Ends it; how many bytes it has.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn close(mut self) -> io::Result<u64> {
        self.write_pack()?;
        self.segment.close()?;
        Ok(self.segment.at)
    }
}

/// A part under way: it is held until it is too long for a pack.
pub struct Held<'g, W> {
    group: &'g mut Group<W>,
    bytes: Vec<u8>,
    /// Where it begins in the group, once it is written there.
    at: Option<u64>,
}

impl<W: Write> Held<'_, W> {
    fn end(self, ids: Ids, events: u64) -> io::Result<()> {
        match self.at {
            Some(at) => self.group.add(ids, at, events),
            None => self.group.small(Small {
                bytes: self.bytes,
                ids,
                events,
            }),
        }
    }
}

impl<W: Write> Write for Held<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.at.is_none() && self.bytes.len() + bytes.len() <= SMALL {
            self.bytes.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        if self.at.is_none() {
            self.group.write_pack()?;
            self.at = Some(self.group.segment.at);
            self.group.segment.write(&std::mem::take(&mut self.bytes))?;
        }
        self.group.segment.write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

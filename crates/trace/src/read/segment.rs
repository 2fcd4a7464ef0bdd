//! A segment as it is written: what is added, then an index of it, then a footer. Holds one buffer in memory.

use std::io::{self, Write};

use super::source::Source;
use crate::block::{Header, Ids, kind};
use crate::part::{Entry, FOOTER_SIZE, Footer, INDEX_HEAD_SIZE, index};

/// Bytes copied at once.
const PIECE: usize = 1 << 20;
/// Entries of an index block.
const ENTRIES: usize = 4096;

/// A segment being written; `at` counts from its start.
pub struct Segment<W> {
    out: W,
    pub(crate) at: u64,
    ids: Ids,
    entries: Vec<u8>,
    /// Where its last index block stands.
    index: u64,
    /// Entries in the index blocks so far.
    count: u64,
    pub(crate) events: u64,
}

impl<W: Write> Segment<W> {
    /// Nothing yet. `ids` are those of its index and footer.
    pub fn new(out: W, ids: Ids) -> Self {
        Segment {
            out,
            at: 0,
            ids,
            entries: Vec::new(),
            index: 0,
            count: 0,
            events: 0,
        }
    }

    /// A segment within this one; returns its events.
    pub(crate) fn inner(
        &mut self,
        ids: Ids,
        fill: impl FnOnce(&mut Segment<&mut W>) -> io::Result<()>,
    ) -> io::Result<u64> {
        let mut inner = Segment::new(&mut self.out, ids);
        fill(&mut inner)?;
        inner.close()?;
        let (len, events) = (inner.at, inner.events);
        self.at += len;
        Ok(events)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Copies a stretch of a file; nothing tells of it in the index.
    pub(super) fn copy(&mut self, source: &Source, mut from: u64, end: u64) -> io::Result<()> {
        let mut piece = vec![0; PIECE.min((end - from) as usize)];
        while from < end {
            let want = PIECE.min((end - from) as usize);
            if source.read(from, &mut piece[..want]) < want {
                return Err(io::Error::other(format!(
                    "{} ends while it is copied",
                    source.path.display()
                )));
            }
            self.write(&piece[..want])?;
            from += want as u64;
        }
        Ok(())
    }

    fn waiting(&self) -> u64 {
        (self.entries.len() / crate::part::INDEX_ENTRY_SIZE) as u64
    }

    /// Adds to the index.
    pub(crate) fn add_entry(&mut self, entry: Entry) -> io::Result<()> {
        self.entries.extend_from_slice(&entry.encoded());
        if self.waiting() < ENTRIES as u64 {
            Ok(())
        } else {
            self.write_index()
        }
    }

    fn write_index(&mut self) -> io::Result<()> {
        let (at, entries) = (self.at, std::mem::take(&mut self.entries));
        self.count += (entries.len() / crate::part::INDEX_ENTRY_SIZE) as u64;
        let head: [u8; INDEX_HEAD_SIZE] = index(self.ids, self.index, &entries);
        self.write(&head)?;
        self.write(&entries)?;
        self.index = at;
        Ok(())
    }

    /// Writes what of the index waits, and the footer.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn close(&mut self) -> io::Result<()> {
        if !self.entries.is_empty() {
            self.write_index()?;
        }
        let len = self.at + FOOTER_SIZE as u64;
        let footer = Footer {
            len,
            index: self.index,
            entries: self.count,
            events: self.events,
        };
        self.write(&footer.encoded(self.ids))?;
        self.out.flush()
    }

    /// Copies a block.
    pub(super) fn copy_block(
        &mut self,
        source: &Source,
        at: u64,
        header: &Header,
    ) -> io::Result<()> {
        let offset = self.at;
        self.copy(source, at, at + header.block_len())?;
        self.note(offset, header)
    }

    /// Adds a block of the writer's own.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add_block(&mut self, block: &[u8]) -> io::Result<()> {
        let offset = self.at;
        self.write(block)?;
        match Header::parse(block) {
            Some(header) => self.note(offset, &header),
            None => Ok(()),
        }
    }

    fn note(&mut self, offset: u64, header: &Header) -> io::Result<()> {
        if header.kind == kind::EVENTS {
            self.events += u64::from(header.count);
        }
        self.add_entry(Entry::of(offset, header))
    }
}

//! A segment as it is written: what is added, then an index of it, then a footer. Holds one buffer in memory.

use std::io::{self, Write};

use super::source::Source;
use crate::block::{Header, Ids};
use crate::part::{INDEX_ENTRY_SIZE, PartWriter, Slot};

/// Bytes copied at once.
const PIECE: usize = 1 << 20;
/// Entries of an index block.
const ENTRIES: usize = 1024;

/// A segment being written; `at` counts from its start.
pub struct Segment<W> {
    out: W,
    pub(crate) at: u64,
    ids: Ids,
    writer: PartWriter<Box<[Slot]>>,
}

impl<W: Write> Segment<W> {
    /// Nothing yet. `ids` are those of its index and footer.
    pub fn new(out: W, ids: Ids) -> Self {
        Segment {
            out,
            at: 0,
            ids,
            writer: PartWriter::new(vec![[0; INDEX_ENTRY_SIZE]; ENTRIES].into()),
        }
    }

    /// Events in it so far.
    pub fn events(&self) -> u64 {
        self.writer.events()
    }

    /// What it is written to.
    pub(super) fn into_inner(self) -> W {
        self.out
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
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
                return Err(source.ends());
            }
            self.write(&piece[..want])?;
            from += want as u64;
        }
        Ok(())
    }

    /// Tells of a segment that was written here.
    pub(crate) fn add_segment(&mut self, ids: Ids, offset: u64, events: u64) -> io::Result<()> {
        let len = self.at - offset;
        self.writer
            .add_segment(ids.rank, ids.pid, offset, len, events);
        self.make_room()
    }

    /// Writes a pack of so many parts with so many events.
    pub(super) fn add_pack(&mut self, block: &[u8], parts: u32, events: u64) -> io::Result<()> {
        let (at, len) = (self.at, block.len() as u64);
        self.write(block)?;
        self.writer.add_pack(parts, at, len, events);
        self.make_room()
    }

    /// Writes an index where there is no room for more entries.
    fn make_room(&mut self) -> io::Result<()> {
        if !self.writer.is_full() {
            return Ok(());
        }
        let (head, entries) = self.writer.index(self.ids);
        let block = [&head, entries].concat();
        let at = self.at;
        self.write(&block)?;
        self.writer.indexed(Some(at));
        Ok(())
    }

    /// Writes what of the index waits, and the footer.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn close(&mut self) -> io::Result<()> {
        let mut end = vec![0; self.writer.close_len()];
        let closed = self.writer.close(self.ids, self.at, &mut end);
        closed.ok_or_else(|| io::Error::other("an end is longer than it was to be"))?;
        self.write(&end)?;
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
        self.writer.add_block(offset, header);
        self.make_room()
    }
}

//! Several files as one: parts are copied as they are, an index over them is added. Holds one buffer in memory.

use std::io::{self, Write};
use std::path::PathBuf;

use super::part::Part;
use super::source::Source;
use super::{Error, Options, Problem, Trace};
use crate::block::{Header, Ids, kind};
use crate::part::{Entry, FOOTER_SIZE, Footer, INDEX_HEAD_SIZE, index};

/// Bytes copied at once.
const PIECE: usize = 1 << 20;
/// Entries of an index block.
const ENTRIES: usize = 4096;

/// What a merge did.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Parts in the output.
    pub parts: u64,
    /// Events in them.
    pub events: u64,
    /// Bytes written.
    pub bytes: u64,
    /// What of the input was damaged or missing; everything whole was copied.
    pub problems: Vec<Problem>,
}

/// Writes the trace in `paths` to `out` as one segment.
pub fn merge(paths: &[PathBuf], out: impl Write) -> Result<Merged, Error> {
    let trace = Trace::open(paths, Options::default())?;
    let mut group = Segment {
        out,
        at: 0,
        ids: Ids::default(),
        entries: Vec::new(),
        index: 0,
        count: 0,
        events: 0,
    };
    for part in trace.parts() {
        group.part(part).map_err(Error::Write)?;
    }
    let parts = group.count + group.waiting();
    let events = group.events;
    group
        .close()
        .and_then(|()| group.out.flush())
        .map_err(Error::Write)?;
    Ok(Merged {
        parts,
        events,
        bytes: group.at,
        problems: trace.problems(),
    })
}

/// A segment being written; `at` counts from its start.
struct Segment<W> {
    out: W,
    at: u64,
    ids: Ids,
    entries: Vec<u8>,
    /// Where its last index block stands.
    index: u64,
    /// Entries in the index blocks so far.
    count: u64,
    events: u64,
}

impl<W: Write> Segment<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn copy(&mut self, source: &Source, mut from: u64, end: u64) -> io::Result<()> {
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

    fn entry(&mut self, entry: Entry) -> io::Result<()> {
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

    fn close(&mut self) -> io::Result<()> {
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
        self.write(&footer.encoded(self.ids))
    }

    /// A part with its footer is copied as it is; of another the whole blocks, with an index of their own.
    fn part(&mut self, part: &Part) -> io::Result<()> {
        let (offset, region) = (self.at, part.place.region);
        let events = match part.place.footer {
            Some(footer) => {
                self.copy(&part.source, region.start, region.end)?;
                footer.events
            }
            None => self.rebuild(part)?,
        };
        self.events += events;
        let Ids { rank, pid, .. } = part.place.ids;
        self.entry(Entry::Segment {
            rank,
            pid,
            offset,
            len: self.at - offset,
            events,
        })
    }

    fn rebuild(&mut self, part: &Part) -> io::Result<u64> {
        let ids = part.place.ids;
        let mut inner = Segment {
            out: &mut self.out,
            at: 0,
            ids,
            entries: Vec::new(),
            index: 0,
            count: 0,
            events: 0,
        };
        let mut blocks = part.blocks();
        while let Some((at, header)) = blocks.next() {
            if !part.source.whole(at, &header) {
                blocks.distrust(at);
            } else if !matches!(header.kind, kind::INDEX | kind::FOOTER) {
                inner.block(&part.source, at, &header)?;
            }
        }
        inner.close()?;
        let (len, events) = (inner.at, inner.events);
        self.at += len;
        Ok(events)
    }

    fn block(&mut self, source: &Source, at: u64, header: &Header) -> io::Result<()> {
        let offset = self.at;
        self.copy(source, at, at + header.block_len())?;
        if header.kind == kind::EVENTS {
            self.events += u64::from(header.count);
        }
        self.entry(Entry::of(offset, header))
    }
}

//! The spool of a process that is gone, and the part that it makes: every call that had returned.
//!
//! Nothing in the file is trusted: each length is held against the file's, each block against its checksum.

use core::mem::offset_of;
use std::path::Path;

use super::error::{Error, Problems};
use super::part::ProcessKey;
use super::source::{Region, Source};
use super::waiting::Waiting;
use crate::Printable;
use crate::block::{Check, Header, Ids, VERSION, kind};
use crate::bytes::Get;
use crate::clock::Anchor;
use crate::part::{End, Process, reason};
use crate::spool::{self, HEADER, MAGIC, SLOT, Slot};

/// The start of [`MAGIC`], whatever the version.
const ANY_MAGIC: &[u8] = b"IOTASPL";

/// A spool file, as its header describes it.
#[derive(Debug)]
pub struct Spool {
    pub(super) source: Source,
    header: Vec<u8>,
    process: Region,
    ids: Ids,
}

impl Spool {
    /// Reads the header; `None` if the process had not begun to record.
    ///
    /// # Errors
    /// The file cannot be read, is no spool of this version, or does not tell whose it is.
    pub fn open(path: &Path) -> Result<Option<Spool>, Error> {
        let source = Source::open(path, Problems::default())?;
        let mut header = vec![0; HEADER];
        let read = source.read(0, &mut header);
        let mut spool = Spool {
            source,
            header,
            process: Region { start: 0, end: 0 },
            ids: Ids::default(),
        };
        let is_begun = spool.short(offset_of!(spool::SpoolHeader, slots)) > 0;
        if spool.header.starts_with(&[0; 8]) && read == HEADER && !is_begun {
            return Ok(None);
        }
        spool.check_magic()?;
        if read < HEADER {
            return Err(spool.error(read, "the file is cut off within the spool's header"));
        }
        spool.find_process()?;
        Ok(Some(spool))
    }

    /// The header of a spool of another version, which only the iota that wrote it can read: somewhere in it is the path of
    /// the output.
    pub fn header_of_another_version(path: &Path) -> Option<Vec<u8>> {
        let source = Source::open(path, Problems::default()).ok()?;
        let mut header = vec![0; HEADER];
        let read = source.read(0, &mut header);
        header.truncate(read);
        let is_other = header.starts_with(ANY_MAGIC) && !header.starts_with(&MAGIC.to_le_bytes());
        is_other.then_some(header)
    }

    fn error(&self, offset: usize, cause: impl Into<String>) -> Error {
        Error::Spool {
            file: self.source.path.to_path_buf(),
            offset: offset as u64,
            cause: cause.into(),
        }
    }

    fn check_magic(&self) -> Result<(), Error> {
        let magic = &self.header[..8];
        if magic == MAGIC.to_le_bytes() {
            return Ok(());
        }
        let cause = if magic.starts_with(ANY_MAGIC) {
            format!(
                "a spool of format {}, but this iota reads {}; use the iota command of the build that traced",
                magic.escape_ascii(),
                MAGIC.to_le_bytes().escape_ascii()
            )
        } else {
            "not a spool of iota; check the path".into()
        };
        Err(self.error(0, cause))
    }

    fn find_process(&mut self) -> Result<(), Error> {
        let start = offset_of!(spool::SpoolHeader, process);
        let length = self.short(offset_of!(spool::SpoolHeader, process_length)) as usize;
        let block = self.header.get(start..start.saturating_add(length));
        let header = block.and_then(whole_process);
        let Some(header) = header else {
            return Err(self.error(
                start,
                "its process block is damaged, so the trace that it belongs to is unknown",
            ));
        };
        let start = start as u64;
        self.ids = header.ids;
        self.process = Region {
            start,
            end: start + header.block_len(),
        };
        Ok(())
    }

    fn long(&self, offset: usize) -> u64 {
        let at = self.header.get(offset..).unwrap_or_default();
        Get(at).u64().unwrap_or(0)
    }

    fn short(&self, offset: usize) -> u32 {
        let at = self.header.get(offset..).unwrap_or_default();
        Get(at).u32().unwrap_or(0)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.source.path
    }

    /// Who was traced.
    pub fn process(&self) -> Process<'_> {
        let header = Header::parse(self.process_block()).map_or(0, |header| header.header_len);
        Process::parse(&self.process_block()[usize::from(header)..])
    }

    pub(super) fn process_block(&self) -> &[u8] {
        let Region { start, end } = self.process;
        &self.header[start as usize..end as usize]
    }

    /// Rank and process.
    pub fn ids(&self) -> Ids {
        self.ids
    }

    /// Whose spool it is.
    pub fn process_key(&self) -> ProcessKey {
        ProcessKey::of(self.ids.pid, &self.process())
    }

    /// Bytes of its part that stand in the task's own file, behind the process block there.
    pub fn spilled(&self) -> u64 {
        self.long(offset_of!(spool::SpoolHeader, spilled))
    }

    /// Calls in the part, as the counters tell: those in blocks, and those that wait in rings.
    pub fn calls(&self) -> u64 {
        let waiting = self.slots().map(|at| Waiting::read(&self.source, at));
        let waiting = waiting.map(|slot| slot.range().count()).sum::<u64>();
        self.sealed().saturating_add(waiting)
    }

    /// Calls in the part's blocks, as their counter tells.
    pub(super) fn sealed(&self) -> u64 {
        self.long(offset_of!(spool::SpoolHeader, captured))
    }

    /// Calls that found no room.
    pub(super) fn lost(&self) -> u64 {
        let one = self.long(offset_of!(spool::SpoolHeader, lost));
        one.max(self.long(offset_of!(spool::SpoolHeader, lost_again)))
    }

    /// Threads of which only what stands in blocks is here: their rings were not in the file.
    pub(super) fn private_slots(&self) -> u32 {
        self.short(offset_of!(spool::SpoolHeader, private_slots))
    }

    /// The inode of the PID namespace in which the process has its id; none where that is not known.
    pub fn pid_namespace(&self) -> Option<u32> {
        let inode = self.short(offset_of!(spool::SpoolHeader, namespace));
        (inode != 0).then_some(inode)
    }

    /// The arena as far as it is filled, within the file.
    pub(super) fn arena(&self) -> Region {
        let filled = self.long(offset_of!(spool::SpoolHeader, filled));
        let start = HEADER as u64;
        let end = start.saturating_add(filled).min(self.source.len);
        let end = end.min(self.slots_start()).max(start);
        if end - start < filled {
            let cause = "the arena would be longer than the file";
            self.source
                .problem(offset_of!(spool::SpoolHeader, filled) as u64, cause);
        }
        Region { start, end }
    }

    /// Where slots begin: behind the arena; or, where its length is damaged, where the first slot is that says so.
    fn slots_start(&self) -> u64 {
        let start =
            (HEADER as u64).saturating_add(self.long(offset_of!(spool::SpoolHeader, capacity)));
        let made = self.short(offset_of!(spool::SpoolHeader, slots));
        let most = u64::from(made).min(self.source.len / SLOT as u64 + 1);
        let mut expected = (0..most).map(|n| start.saturating_add(n * SLOT as u64));
        if made == 0 || expected.any(|at| self.is_slot(at)) {
            return start;
        }
        let pages = (HEADER as u64..self.source.len).step_by(align_of::<Slot>());
        let found = pages.into_iter().find(|at| self.is_slot(*at));
        found.unwrap_or(start)
    }

    /// Whether a slot begins here: it says so itself, where it was made and is not damaged.
    fn is_slot(&self, at: u64) -> bool {
        let mut offset = [0; 8];
        let there = at.saturating_add(offset_of!(Slot, offset) as u64);
        self.source.read(there, &mut offset) == 8 && u64::from_le_bytes(offset) == at
    }

    /// Where threads' slots are. What the header's numbers say of them is held against the slots.
    pub(super) fn slots(&self) -> impl Iterator<Item = u64> {
        let start = self.slots_start();
        let room = self.source.len.saturating_sub(start) / SLOT as u64;
        let made = u64::from(self.short(offset_of!(spool::SpoolHeader, slots)));
        let at = move |n| start.saturating_add(n * SLOT as u64);
        let more = (made.min(room)..room).take_while(move |n| self.is_slot(at(*n)));
        let end = more.last().map_or(made.min(room), |last| last + 1);
        (0..end).map(at)
    }

    /// Tells what the header and the slots do not agree on.
    pub(super) fn check(&self) {
        let (start, made) = (
            self.slots_start(),
            self.short(offset_of!(spool::SpoolHeader, slots)),
        );
        let capacity = self.long(offset_of!(spool::SpoolHeader, capacity));
        if start != (HEADER as u64).saturating_add(capacity) {
            let cause = "the length of the arena is damaged";
            self.source
                .problem(offset_of!(spool::SpoolHeader, capacity) as u64, cause);
        }
        if self.long(offset_of!(spool::SpoolHeader, lost))
            != self.long(offset_of!(spool::SpoolHeader, lost_again))
        {
            let cause = "the number of lost calls is damaged";
            self.source
                .problem(offset_of!(spool::SpoolHeader, lost) as u64, cause);
        }
        let found = self.slots().count() as u64;
        if found != u64::from(made) {
            let cause = format!("the number of threads is damaged: {made}, but {found} are there");
            self.source
                .problem(offset_of!(spool::SpoolHeader, slots) as u64, cause);
        }
        for at in self.slots().filter(|at| !self.is_slot(*at)) {
            let slot = Waiting::read(&self.source, at);
            if slot.range().count() > 0 || slot.is_used() {
                self.source.problem(
                    at + offset_of!(Slot, offset) as u64,
                    "a thread's slot is damaged",
                );
            }
        }
    }

    /// The latest moment that was noted; none, which leaves the rate that was estimated at the start, if it is damaged.
    fn anchor(&self) -> Anchor {
        let at = offset_of!(spool::SpoolHeader, anchor);
        let words = [0, 8, 16].map(|word| self.long(at + word));
        let sum = words
            .iter()
            .fold(0, |sum: u64, word| sum.wrapping_add(*word));
        if sum != self.long(offset_of!(spool::SpoolHeader, anchor_sum)) {
            let cause = "the clocks' last reading is damaged: times are by the rate of the start";
            self.source.problem(at as u64, cause);
            return Anchor::default();
        }
        let [ticks, monotonic, realtime] = words;
        Anchor {
            ticks,
            monotonic,
            realtime,
        }
    }

    /// Refuses a spool whose op numbers mean something else here.
    pub(super) fn check_table(&self) -> Result<(), Error> {
        let at = offset_of!(spool::SpoolHeader, table);
        if self.long(at) == iota_calls::FINGERPRINT {
            return Ok(());
        }
        let version = Printable(self.process().version);
        Err(self.error(at, format!(
            "of another build of iota ({version}), which numbers functions differently; use the iota command of that build"
        )))
    }

    /// The end of the part, but for what was lost.
    pub(super) fn end(&self, captured: u64, filtered: u64) -> End {
        End {
            captured,
            filtered: filtered.saturating_add(self.long(offset_of!(spool::SpoolHeader, filtered))),
            end: self.anchor(),
            reason: reason::RECOVERED,
            meant: self
                .short(offset_of!(spool::SpoolHeader, ending))
                .checked_sub(1)
                .map(|reason| reason as u8),
            ..End::default()
        }
    }
}

/// The header of a process block that is what was written.
fn whole_process(block: &[u8]) -> Option<Header> {
    let header = Header::parse(block)?;
    let (head, payload) = block.split_at_checked(header.header_len.into())?;
    let sound = header.kind == kind::PROCESS
        && header.version == VERSION
        && header.block_len() == block.len() as u64
        && Check::new(head).with(payload).holds(&header);
    sound.then_some(header)
}

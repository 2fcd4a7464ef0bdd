//! This process' part of the trace, from its first block to its footer, as one run of bytes that lies in up to four
//! places: the Process block, what has spilled to a file, what waits in the arena, and the end.

use crate::arena::spool::{prefix, process_block};
use crate::arena::{self, Arena, Guard, header};
use crate::state::{clock, early, job, log, output, spawns};
use crate::tables::{self, rings};
use crate::thread;
use core::sync::atomic::Ordering::*;
use iota_trace::clock::Offset;
use iota_trace::part::End;

/// Why a part ends; the numbers stand in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Reason {
    /// The process exits.
    Exit = iota_trace::part::reason::EXIT,
    /// MPI_Finalize.
    Finalize = iota_trace::part::reason::FINALIZE,
    /// MPI_Abort.
    Abort = iota_trace::part::reason::ABORT,
    /// The program is replaced by another.
    Exec = iota_trace::part::reason::EXEC,
}

/// The finished part. While it lives nothing can be added to the arena.
pub struct Sealed {
    pub(super) arena: Guard<'static, Arena>,
    reason: Reason,
    tail: Option<usize>,
    events: u64,
    lost: u64,
}

/// Nothing is dropped in silence: what found no room is reported here, and counted in the part.
fn report_losses() {
    let lost = header().lost.load(Relaxed);
    if lost == 0 {
        return;
    }
    let calls = log::number(lost as i64);
    log::line(&[
        calls.bytes(),
        b" calls lost: neither the spool nor ",
        output::base().bytes(),
        b" had room for them (IOTA_SPOOL, IOTA_OUTPUT)",
    ]);
}

impl Sealed {
    /// Finishes the part. None when there is nothing to write.
    pub fn new(mut arena: Guard<'static, Arena>, reason: Reason) -> Option<Sealed> {
        arena.write_pending(thread::slots());
        let filtered = thread::all()
            .map(|t| t.slot().newly_filtered())
            .fold(0, u64::wrapping_add);
        let header = header();
        header.filtered.fetch_add(filtered, Relaxed);
        if arena::is_empty() {
            return None;
        }
        header
            .ending
            .store((reason as u32).wrapping_add(1), Relaxed);
        if matches!(reason, Reason::Exit | Reason::Abort) {
            // All rings are sealed: should the part stay in the spool, nothing is missing there.
            header.private_slots.store(0, Relaxed);
        }
        Some(Sealed {
            arena,
            reason,
            tail: None,
            events: header.captured.load(Relaxed),
            lost: header.lost.load(Relaxed),
        })
    }

    /// True when the job's trace stands in a file that this part belongs to.
    pub(super) fn has_job_file(&self) -> bool {
        self.arena.job_file().is_some()
    }

    /// Events in it.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// This process' clock against rank 0's; before the length is asked for.
    pub fn set_clock(&mut self, offset: i64, error: u64) {
        self.arena.offset = Some(Offset {
            nanos: offset,
            error,
            drift: 0,
        });
    }

    /// Bytes of the whole part.
    #[allow(clippy::len_without_is_empty, reason = "a part is never empty")]
    pub fn len(&mut self) -> u64 {
        let tail = self.tail() as u64;
        self.middle().wrapping_add(tail)
    }

    /// Bytes before the tail.
    pub(super) fn middle(&self) -> u64 {
        let header = header();
        prefix()
            .wrapping_add(header.spilled.load(Relaxed))
            .wrapping_add(header.filled.load(Relaxed))
    }

    pub(super) fn tail(&mut self) -> usize {
        if let Some(length) = self.tail {
            return length;
        }
        let length = self.compose();
        self.tail = Some(length);
        length
    }

    fn compose(&mut self) -> usize {
        let middle = self.middle();
        let Arena {
            blocks,
            offset,
            tail,
            kernel_count,
            ..
        } = &mut *self.arena;
        let Some(room) = tail else { return 0 };
        let end = End {
            captured: self.events,
            filtered: header().filtered.load(Relaxed),
            lost: self.lost,
            end: clock::anchor().into(),
            offset: *offset,
            reason: self.reason as u8,
            meant: None,
            errors: blocks.store.task.errors,
            missed: early::take_missed(),
            unseen: rings::take_unseen(),
            uncalled: kernel_count.take_unseen(thread::ended(), thread::recorded()),
            waited: job::take_waited(),
        };
        let writer = &blocks.writer;
        writer
            .finish((&end, &spawns::take()), job::ids(0), middle, &mut room[..])
            .unwrap_or(0)
    }

    /// The end, once it was composed.
    pub(super) fn end(&self) -> &[u8] {
        let room = self.arena.tail.as_ref().map(|room| &room[..]);
        room.unwrap_or_default()
            .get(..self.tail.unwrap_or(0))
            .unwrap_or_default()
    }

    /// The part, where it lies in memory; its length was asked for before. None where some of it has spilled.
    pub(super) fn pieces(&self) -> Option<[&[u8]; 3]> {
        let is_here = header().spilled.load(Relaxed) == 0;
        is_here.then(|| [process_block(), self.arena.blocks.store.arena(), self.end()])
    }

    /// Reads `buf.len()` bytes of the part from `offset`; false when that is more than there is, or cannot be read.
    pub fn read_at(&mut self, mut offset: u64, mut buf: &mut [u8]) -> bool {
        self.tail();
        while !buf.is_empty() {
            let n = self.read_some(offset, buf);
            let Some(rest) = buf.get_mut(n..).filter(|_| n != 0) else {
                return false;
            };
            offset = offset.wrapping_add(n as u64);
            buf = rest;
        }
        true
    }

    /// Reads from the one place that holds `offset`.
    fn read_some(&self, offset: u64, buf: &mut [u8]) -> usize {
        let spilled = header().spilled.load(Relaxed);
        if spilled != 0 && offset < prefix().wrapping_add(spilled) {
            let room = prefix().wrapping_add(spilled).wrapping_sub(offset);
            let fits = room.min(buf.len() as u64) as usize;
            let file = self.arena.blocks.store.task.open_to_read();
            return file
                .and_then(|f| f.read_at(buf.get_mut(..fits).unwrap_or_default(), offset))
                .unwrap_or(0);
        }
        let mut at = offset;
        let head = if spilled == 0 { process_block() } else { &[] };
        at = at.wrapping_sub(if spilled == 0 {
            0
        } else {
            prefix().wrapping_add(spilled)
        });
        for place in [head, self.arena.blocks.store.arena(), self.end()] {
            if let Some(rest) = place.get(at as usize..).filter(|rest| !rest.is_empty()) {
                buf.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                return buf.len().min(rest.len());
            }
            at = at.wrapping_sub(place.len() as u64);
        }
        0
    }

    /// The part stands in the job's file, or elsewhere: what is here may go.
    pub fn release(mut self) {
        self.arena.blocks.store.task.remove();
        self.written();
    }

    /// The part stands in the job's file of this name.
    pub fn gathered(mut self, path: &[u8]) {
        self.arena.set_job_file(path);
        self.release();
    }

    /// The part is written: the next event begins another.
    pub(super) fn written(mut self) {
        report_losses();
        job::part_written();
        self.arena.begin_part(self.lost);
        tables::begin_part();
    }
}

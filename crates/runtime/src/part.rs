//! This process' part of the trace, from its first block to its footer, as one run of bytes that lies in up to four
//! places: the Process block, what has spilled to a file, what waits in the arena, and the end.

use crate::books::{self, ENTRIES, ids, prefix, process_block};
use crate::output::Path;
use crate::spool::{self, Guard};
use crate::start::Reason;
use crate::sys::{self, Errno, File};
use crate::{clock, early, job, lines, log, output, paths, settings, thread};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU64, Ordering::*};
use iota_trace::clock::Offset;
use iota_trace::part::{self, End, FOOTER_SIZE, Footer, INDEX_ENTRY_SIZE, INDEX_HEAD_SIZE};

/// The finished part. While it lives nothing can be added to the arena.
pub struct Sealed {
    guard: Guard,
    reason: Reason,
    tail: Option<usize>,
    events: u64,
    lost: u64,
}

/// Nothing is dropped in silence: what found no room is told here, and counted in the part.
fn tell_losses() {
    let lost = spool::header().lost.load(Relaxed);
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

/// Bytes of a part that is appended whole.
const APPENDED: usize = 4 << 20;
/// Bytes of one that is a process's of a run.
const SMALL: usize = 64 << 10;

/// Where the end of the part was composed: End block, last index block, footer.
static TAIL: AtomicU64 = AtomicU64::new(0);
const TAIL_ROOM: usize = 512 + INDEX_HEAD_SIZE + ENTRIES * INDEX_ENTRY_SIZE + FOOTER_SIZE;

/// Maps room for the end of the part: there may be none left when it comes.
pub fn start() -> bool {
    if TAIL.load(Relaxed) == 0 {
        let room = sys::map_private(TAIL_ROOM, false).map_or(0, |at| at as u64);
        TAIL.store(room, Relaxed);
    }
    TAIL.load(Relaxed) != 0
}

impl Sealed {
    /// Finishes the part. None when there is nothing to write.
    pub fn new(guard: Guard, reason: Reason) -> Option<Sealed> {
        books::write_pending(&guard);
        let filtered = thread::all()
            .map(|t| t.slot().newly_filtered())
            .fold(0, u64::wrapping_add);
        spool::header().filtered.fetch_add(filtered, Relaxed);
        if spool::is_empty() {
            return None;
        }
        let events = spool::header().captured.load(Relaxed);
        Some(Sealed {
            guard,
            reason,
            tail: None,
            events,
            lost: spool::header().lost.load(Relaxed),
        })
    }

    /// Events in it.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// This process' clock against rank 0's; before the length is asked for.
    pub fn set_clock(&self, offset: i64, error: u64) {
        books::of(&self.guard).offset = Some(Offset {
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
    fn middle(&self) -> u64 {
        let header = spool::header();
        prefix()
            .wrapping_add(header.spilled.load(Relaxed))
            .wrapping_add(header.filled.load(Relaxed))
    }

    fn tail(&mut self) -> usize {
        if let Some(length) = self.tail {
            return length;
        }
        let length = self.compose();
        self.tail = Some(length);
        length
    }

    fn tail_room() -> &'static mut [u8] {
        match TAIL.load(Relaxed) {
            0 => &mut [],
            // SAFETY: TAIL_ROOM bytes, mapped once, used by the holder of the guard alone.
            at => unsafe { core::slice::from_raw_parts_mut(at as *mut u8, TAIL_ROOM) },
        }
    }

    fn compose(&self) -> usize {
        let header = spool::header();
        let room = Sealed::tail_room();
        let books = books::of(&self.guard);
        let end = End {
            captured: self.events,
            filtered: header.filtered.load(Relaxed),
            lost: self.lost,
            end: clock::anchor().into(),
            offset: books.offset,
            reason: self.reason as u8,
            errors: books.errors,
            missed: early::take_missed(),
        };
        let at = end.write(ids(0), room).unwrap_or(0);
        let entries = books.entries.get(..books.used).unwrap_or_default();
        let index = part::index(ids(0), books.previous, entries);
        let index_at = self.middle().wrapping_add(at as u64);
        let before_footer = at.wrapping_add(index.len()).wrapping_add(entries.len());
        let footer = Footer {
            len: self
                .middle()
                .wrapping_add(before_footer as u64)
                .wrapping_add(FOOTER_SIZE as u64),
            index: index_at,
            entries: books.total,
            events: self.events,
        };
        let mut to = at;
        for piece in [&index[..], entries, &footer.encoded(ids(0))[..]] {
            let next = to.wrapping_add(piece.len());
            if let Some(place) = room.get_mut(to..next) {
                place
                    .iter_mut()
                    .zip(piece)
                    .for_each(|(to, from)| *to = *from);
                to = next;
            }
        }
        to
    }

    /// Reads `buf.len()` bytes of the part from `offset`; false when that is more than there is, or cannot be read.
    pub fn read_at(&mut self, mut offset: u64, mut buf: &mut [u8]) -> bool {
        let tail = self.tail();
        while !buf.is_empty() {
            let n = self.read_some(offset, buf, tail);
            let Some(rest) = buf.get_mut(n..).filter(|_| n != 0) else {
                return false;
            };
            offset = offset.wrapping_add(n as u64);
            buf = rest;
        }
        true
    }

    /// Reads from the one place that holds `offset`.
    fn read_some(&self, offset: u64, buf: &mut [u8], tail: usize) -> usize {
        let spilled = spool::header().spilled.load(Relaxed);
        if spilled != 0 && offset < prefix().wrapping_add(spilled) {
            let room = prefix().wrapping_add(spilled).wrapping_sub(offset);
            let fits = room.min(buf.len() as u64) as usize;
            let task = &books::of(&self.guard).task;
            let file = File::open(task.c_str(), libc::O_RDONLY | libc::O_NOFOLLOW);
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
        for place in [
            head,
            spool::arena(&self.guard),
            Sealed::tail_room().get(..tail).unwrap_or_default(),
        ] {
            if let Some(rest) = place.get(at as usize..).filter(|rest| !rest.is_empty()) {
                buf.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                return buf.len().min(rest.len());
            }
            at = at.wrapping_sub(place.len() as u64);
        }
        0
    }

    /// Writes the part to the task's own file, where some of it may be already.
    pub fn leave(mut self) {
        if settings::get().text {
            return self.leave_lines();
        }
        if self.join_others() {
            return self.release();
        }
        let tail = self.tail();
        let middle = self.middle();
        let written = books::task_file(&self.guard).and_then(|task| {
            task.write_all_at(
                spool::arena(&self.guard),
                spool::header().spilled.load(Relaxed),
            )?;
            let end = Sealed::tail_room().get(..tail).unwrap_or_default();
            task.write_all_at(end, middle.wrapping_sub(prefix()))
        });
        match written {
            Ok(()) => {
                job::written(&books::of(&self.guard).task);
                self.end();
            }
            Err(error) => self.complain(error),
        }
    }

    /// Writes the part as lines instead.
    fn leave_lines(mut self) {
        let mut path = Path::EMPTY;
        match lines::write(&mut self, &mut path) {
            Ok(()) => self.release(),
            Err(error) => {
                let _ = sys::unlink(path.c_str());
                self.complain(error);
            }
        }
    }

    /// Appends the part to a file that holds this job's trace already.
    pub fn append_to(mut self, path: &Path) {
        if self.append(path, 0, APPENDED) {
            self.release()
        } else {
            self.leave()
        }
    }

    /// Appends the part, if it is no longer than `most`; false where that cannot be. One write, so that processes which
    /// append at the same time do not mix.
    fn append(&mut self, path: &Path, flags: c_int, most: usize) -> bool {
        let length = self.len() as usize;
        let flags = flags | libc::O_WRONLY | libc::O_APPEND | libc::O_NOFOLLOW;
        if length > most {
            return false;
        }
        let (Ok(file), Ok(room)) = (
            File::open(path.c_str(), flags),
            sys::map_private(length, false),
        ) else {
            return false;
        };
        // SAFETY: just mapped, `length` bytes.
        let buf = unsafe { core::slice::from_raw_parts_mut(room.cast::<u8>(), length) };
        let done = self.read_at(0, buf) && file.append(buf).is_ok();
        // SAFETY: `buf` is not used any more.
        unsafe { sys::unmap(room, length) };
        done
    }

    /// Appends a small part to the file that processes of a run share, if they do: to make and to remove a file costs more
    /// than a short program itself. A rank's part stays apart.
    fn join_others(&mut self) -> bool {
        let path = output::shared();
        let apart = path.is_empty() || job::rank().is_some();
        let has_begun = spool::header().spilled.load(Relaxed) != 0;
        !apart && !has_begun && self.append(path, libc::O_CREAT, SMALL)
    }

    /// The part stands in the job's file: what is here may go.
    pub fn release(self) {
        books::drop_task_file(&self.guard);
        self.end();
    }

    /// The part could not be written: it stays in the spool, and is tried again when the process ends later.
    fn complain(self, error: Errno) {
        // Half a part beside the output would be taken for what there is.
        if spool::header().spilled.load(Relaxed) == 0 {
            books::drop_task_file(&self.guard);
        }
        let why = log::number(i64::from(error.0));
        let spool = spool::path().bytes();
        let kept: &[u8] = if spool.is_empty() {
            b", and the calls are lost"
        } else {
            b"; the calls stay in "
        };
        if !job::keep_spool() {
            log::line(&[
                b"cannot write ",
                output::base().bytes(),
                b": errno ",
                why.bytes(),
                kept,
                spool,
            ]);
        }
    }

    /// The next event begins another part.
    fn end(self) {
        tell_losses();
        job::part_written();
        spool::clear(&self.guard, self.lost);
        books::open(&self.guard);
        paths::forget_names();
    }
}

//! Where a part goes that no rank gathers: to the task's own file, to the job's file that stands already, or to the one that
//! the processes of a run share.

use super::lines;
use super::sealed::Sealed;
use crate::arena::spool::{self, prefix};
use crate::arena::{Arena, header};
use crate::state::output::{self, Path};
use crate::state::{log, settings};
use crate::sys::{self, Errno, File};
use core::ffi::c_int;
use core::sync::atomic::Ordering::*;

/// Bytes of a part that is appended whole.
const APPENDED: usize = 4 << 20;
/// Bytes of one that is a process's of a run.
const SMALL: usize = 64 << 10;

/// How files are opened to which parts are appended.
const APPEND: c_int = libc::O_WRONLY | libc::O_APPEND | libc::O_NOFOLLOW;

impl Sealed {
    /// Writes the part to the task's own file, where some of it may be already.
    pub fn leave(mut self) {
        if settings::get().text {
            return self.leave_lines();
        }
        if self.join_others() {
            return self.release();
        }
        self.tail();
        match self.write() {
            Ok(()) => {
                self.arena.has_own_file();
                self.written();
            }
            Err(error) => self.complain(error),
        }
    }

    /// Writes what is not in the task's own file yet.
    fn write(&mut self) -> sys::Result<()> {
        let end_at = self.middle().wrapping_sub(prefix());
        let task = self.arena.blocks.store.task.open()?;
        let spilled = header().spilled.load(Relaxed);
        task.write_all_at(self.arena.blocks.store.arena(), spilled)?;
        task.write_all_at(self.end(), end_at)
    }

    /// Writes the part as lines instead.
    #[inline(never)]
    fn leave_lines(mut self) {
        match lines::write(&mut self) {
            Ok(()) => self.release(),
            Err(error) => self.complain(error),
        }
    }

    /// Appends the part to the file that holds this job's trace already.
    pub fn append_to_job(mut self) {
        let open = |arena: &Arena| {
            let path = arena.job_file().map_or(c"", Path::c_str);
            File::open(path, APPEND)
        };
        if self.append(APPENDED, open) {
            self.release()
        } else {
            self.leave()
        }
    }

    /// Appends a small part to the file that processes of a run share, if they do: to make and to remove a file costs more
    /// than a short program itself.
    fn join_others(&mut self) -> bool {
        let path = output::shared();
        let has_begun = header().spilled.load(Relaxed) != 0;
        let open = |_: &Arena| File::open(path.c_str(), APPEND | libc::O_CREAT);
        output::joins_others() && !has_begun && self.append(SMALL, open)
    }

    /// Appends the part, if it is no longer than `most`; false where that cannot be. One write, so that processes which
    /// append at the same time do not mix.
    fn append(&mut self, most: usize, open: impl FnOnce(&Arena) -> sys::Result<File>) -> bool {
        let length = self.len() as usize;
        if length > most {
            return false;
        }
        let Ok(file) = open(&self.arena) else {
            return false;
        };
        match self.pieces() {
            Some(pieces) => file.append(pieces).is_ok(),
            None => self.append_copied(&file, length),
        }
    }

    /// The same for one that lies in a file in part.
    fn append_copied(&mut self, file: &File, length: usize) -> bool {
        let Ok(room) = sys::map_private(length, false) else {
            return false;
        };
        // SAFETY: just mapped, `length` bytes.
        let buf = unsafe { core::slice::from_raw_parts_mut(room.cast::<u8>(), length) };
        let done = self.read_at(0, buf) && file.append([buf]).is_ok();
        // SAFETY: `buf` is not used any more.
        unsafe { sys::unmap(room, length) };
        done
    }

    /// The part could not be written: it stays in the spool, and is tried again when the process ends later.
    fn complain(mut self, error: Errno) {
        // Half a part beside the output would be taken for what there is.
        if header().spilled.load(Relaxed) == 0 {
            self.arena.blocks.store.task.remove();
        }
        let why = log::number(i64::from(error.0));
        let spool = spool::path().bytes();
        let kept: &[u8] = if spool.is_empty() {
            b", and the calls are lost"
        } else {
            b"; the calls stay in "
        };
        if !core::mem::replace(&mut self.arena.keeps_calls, true) {
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
}

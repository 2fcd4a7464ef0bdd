//! The task's own file, beside the output: what the arena has no room for, and a part that goes nowhere else.

use super::spool;
use crate::state::log;
use crate::state::output::{self, Path};
use crate::sys::{self, Errno, File, Text};

/// The file, once it was needed.
#[repr(C)]
pub struct TaskFile {
    /// Errors met, and whether the log knows of one.
    pub errors: u64,
    is_reported: bool,
    /// Whether there is one.
    is_made: bool,
    path: Path,
}

impl TaskFile {
    /// There is none yet.
    pub const NONE: TaskFile = TaskFile {
        errors: 0,
        is_reported: false,
        is_made: false,
        path: Text::EMPTY,
    };

    /// A new part: the file of the last one is done with.
    pub fn forget(&mut self) {
        self.is_made = false;
        (self.errors, self.is_reported) = (0, false);
    }

    /// Its path; empty while there is none. The memory of the path is not looked at before.
    pub fn path(&self) -> &[u8] {
        if self.is_made { self.path.bytes() } else { b"" }
    }

    /// Opens it; the first time makes it, with the Process block at its start.
    pub fn open(&mut self) -> sys::Result<Opened> {
        if self.is_made {
            let file = File::open(self.path.c_str(), libc::O_WRONLY | libc::O_NOFOLLOW)?;
            return if file.has_one_name() {
                Ok(Opened(file))
            } else {
                Err(Errno(libc::EMLINK))
            };
        }
        let file = output::create(output::task_candidate, 1, &mut self.path)?;
        if let Err(error) = file.write_all_at(spool::process_block(), 0) {
            let _ = sys::unlink(self.path.c_str());
            return Err(error);
        }
        self.is_made = true;
        Ok(Opened(file))
    }

    /// Opens it for reading.
    pub fn open_to_read(&self) -> sys::Result<File> {
        if !self.is_made {
            return Err(Errno(libc::ENOENT));
        }
        File::open(self.path.c_str(), libc::O_RDONLY | libc::O_NOFOLLOW)
    }

    /// What it holds stands elsewhere as well: away with it.
    pub fn remove(&mut self) {
        if core::mem::take(&mut self.is_made) {
            let _ = sys::unlink(self.path.c_str());
        }
    }

    /// It could not be written; the log learns it once.
    pub fn failed(&mut self, error: Errno) {
        self.errors = self.errors.wrapping_add(1);
        if !core::mem::replace(&mut self.is_reported, true) {
            let why = log::number(i64::from(error.0));
            log::line(&[
                b"cannot write ",
                output::base().bytes(),
                b".*: errno ",
                why.bytes(),
                b"; the oldest events are kept",
            ]);
        }
    }
}

/// The file, open; offsets count behind the Process block.
pub struct Opened(File);

impl Opened {
    /// Writes behind the Process block.
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> sys::Result<()> {
        self.0
            .write_all_at(bytes, spool::prefix().wrapping_add(offset))
    }
}

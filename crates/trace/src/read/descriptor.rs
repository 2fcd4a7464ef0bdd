//! Descriptors of trace files. A job that was never gathered has as many files as ranks, and a process may hold
//! far fewer open: the first ones stay open, of the others each is opened for as long as a read takes.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Files held open at once: well below the 1024 descriptors that many sites allow.
const HELD: usize = 256;

static HOLDING: AtomicUsize = AtomicUsize::new(0);

/// A file that is held open, or opened when it is read.
#[derive(Debug)]
pub(super) struct Descriptor(Option<File>);

impl Descriptor {
    /// The file at `path`, and its length.
    pub fn open(path: &Path) -> io::Result<(Descriptor, u64)> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let room = HOLDING.fetch_update(Relaxed, Relaxed, |held| (held < HELD).then_some(held + 1));
        Ok((Descriptor(room.is_ok().then_some(file)), len))
    }

    /// Reads at a place; `path` is that of the file.
    pub fn read_at(&self, path: &Path, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match &self.0 {
            Some(file) => file.read_at(buffer, offset),
            None => File::open(path)?.read_at(buffer, offset),
        }
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        if self.0.is_some() {
            HOLDING.fetch_sub(1, Relaxed);
        }
    }
}

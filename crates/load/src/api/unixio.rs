//! open, lseek, read, write, close.

use super::{Api, Calls, Handle, Open, descriptor, moved};
use crate::sys;
use std::io;

/// The interface.
pub struct Unixio;

struct UnixFile(i32);

impl Api for Unixio {
    fn name(&self) -> &'static str {
        "unixio"
    }

    fn calls(&self) -> Calls {
        Calls {
            open: "open",
            seek: "lseek",
            read: "read",
            write: "write",
            sync: ["fsync", "fdatasync"],
            close: "close",
        }
    }

    fn positional(&self) -> bool {
        false
    }

    fn open(&self, open: &Open) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(UnixFile(descriptor::open(open)?)))
    }
}

impl Handle for UnixFile {
    fn fd(&self) -> i32 {
        self.0
    }

    fn seek(&self, offset: u64) -> io::Result<()> {
        // SAFETY: takes numbers only.
        sys::ok(unsafe { libc::lseek(self.0, offset as libc::off_t, libc::SEEK_SET) }).map(drop)
    }

    fn read(&self, buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        // SAFETY: the slice's own pointer and length.
        moved(unsafe { libc::read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) })
    }

    fn write(&self, buffer: &[u8], _offset: u64) -> io::Result<usize> {
        // SAFETY: the slice's own pointer and length.
        moved(unsafe { libc::write(self.0, buffer.as_ptr().cast(), buffer.len()) })
    }

    fn sync(&self, data_only: bool) -> io::Result<()> {
        descriptor::sync(self.0, data_only)
    }

    fn close(&self) -> io::Result<()> {
        descriptor::close(self.0)
    }
}

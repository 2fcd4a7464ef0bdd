//! pread and pwrite.

use super::{Api, Calls, Handle, Open, descriptor, moved};
use std::io;

/// The interface.
pub struct Pio;

struct PioFile(i32);

impl Api for Pio {
    fn name(&self) -> &'static str {
        "pio"
    }

    fn calls(&self) -> Calls {
        Calls {
            open: "open",
            seek: "",
            read: "pread",
            write: "pwrite",
            sync: ["fsync", "fdatasync"],
            close: "close",
        }
    }

    fn open(&self, open: &Open) -> io::Result<Box<dyn Handle>> {
        Ok(Box::new(PioFile(descriptor::open(open)?)))
    }
}

impl Handle for PioFile {
    fn fd(&self) -> i32 {
        self.0
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let (start, offset) = (buffer.as_mut_ptr().cast(), offset as libc::off_t);
        // SAFETY: the slice's own pointer and length.
        moved(unsafe { libc::pread(self.0, start, buffer.len(), offset) })
    }

    fn write(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
        let (start, offset) = (buffer.as_ptr().cast(), offset as libc::off_t);
        // SAFETY: the slice's own pointer and length.
        moved(unsafe { libc::pwrite(self.0, start, buffer.len(), offset) })
    }

    fn sync(&self, data_only: bool) -> io::Result<()> {
        descriptor::sync(self.0, data_only)
    }

    fn close(&self) -> io::Result<()> {
        descriptor::close(self.0)
    }
}

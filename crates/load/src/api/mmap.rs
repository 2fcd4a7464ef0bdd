//! A shared mapping; transfers are copies, which no tracer of calls sees. Room for what is written is promised when the
//! file is opened, so that a full disk is an error and not a signal.

use super::{Api, Calls, Handle, Open, descriptor};
use crate::options::Op;
use crate::sys;
use std::io;

/// The interface.
pub struct Mmap;

struct Mapping {
    fd: i32,
    start: *mut u8,
    length: usize,
}

// SAFETY: threads copy to and from it as the kernel would for them; what they find is whatever is there.
unsafe impl Send for Mapping {}
// SAFETY: threads copy to and from it as the kernel would for them; what they find is whatever is there.
unsafe impl Sync for Mapping {}

impl Api for Mmap {
    fn name(&self) -> &'static str {
        "mmap"
    }

    fn calls(&self) -> Calls {
        Calls {
            open: "open",
            seek: "",
            read: "mmap_read",
            write: "mmap_write",
            sync: ["msync"; 2],
            close: "close",
        }
    }

    fn direct(&self) -> bool {
        false
    }

    /// A mapping that is written must be readable.
    fn flags(&self, open: &Open) -> i32 {
        let access = if open.op == Op::R {
            libc::O_RDONLY
        } else {
            libc::O_RDWR
        };
        open.flags & !libc::O_ACCMODE | access
    }

    fn open(&self, open: &Open) -> io::Result<Box<dyn Handle>> {
        let flags = self.flags(open);
        let fd = descriptor::open(&Open { flags, ..*open })?;
        let mapping = map(fd, open);
        if mapping.is_err() {
            descriptor::close(fd)?;
        }
        Ok(Box::new(mapping?))
    }
}

fn map(fd: i32, open: &Open) -> io::Result<Mapping> {
    let length = open.end as usize;
    let mut protection = libc::PROT_READ;
    if open.op != Op::R {
        protection |= libc::PROT_WRITE;
        // SAFETY: takes numbers only.
        match unsafe { libc::posix_fallocate(fd, 0, length as libc::off_t) } {
            0 => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
    // SAFETY: a mapping at an address of the kernel's choice.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            length,
            protection,
            libc::MAP_SHARED,
            fd,
            0,
        )
    };
    match start == libc::MAP_FAILED {
        true => Err(io::Error::last_os_error()),
        false => Ok(Mapping {
            fd,
            start: start.cast(),
            length,
        }),
    }
}

impl Mapping {
    /// The place of bytes in memory; the plan has all of them before [`Open::end`].
    fn place(&self, offset: u64, length: usize) -> io::Result<*mut u8> {
        let end = (offset as usize).checked_add(length);
        match end.is_some_and(|end| end <= self.length) {
            // SAFETY: within the mapping.
            true => Ok(unsafe { self.start.add(offset as usize) }),
            false => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}

impl Handle for Mapping {
    fn fd(&self) -> i32 {
        self.fd
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let place = self.place(offset, buffer.len())?;
        // SAFETY: both places are as long; the buffer is no part of the mapping.
        unsafe { std::ptr::copy_nonoverlapping(place, buffer.as_mut_ptr(), buffer.len()) };
        Ok(buffer.len())
    }

    fn write(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
        let place = self.place(offset, buffer.len())?;
        // SAFETY: both places are as long; the mapping is writable, because the file was opened to be written.
        unsafe { std::ptr::copy_nonoverlapping(buffer.as_ptr(), place, buffer.len()) };
        Ok(buffer.len())
    }

    fn sync(&self, _data_only: bool) -> io::Result<()> {
        // SAFETY: the mapping's own start and length.
        sys::ok(unsafe { libc::msync(self.start.cast(), self.length, libc::MS_SYNC) }.into())
            .map(drop)
    }

    fn close(&self) -> io::Result<()> {
        // SAFETY: the trait says that it is not used afterwards.
        sys::ok(unsafe { libc::munmap(self.start.cast(), self.length) }.into())?;
        descriptor::close(self.fd)
    }
}

//! fopen, fseeko, fread, fwrite, fclose. `-op w` opens with "w", which cuts the file; `-op rw` with "r+".

use super::{Api, Calls, Handle, Open, descriptor};
use crate::options::Op;
use crate::sys;
use std::ffi::CStr;
use std::io;

/// The interface.
pub struct Stdio;

struct Stream(*mut libc::FILE);

// SAFETY: the C library locks a stream in each call.
unsafe impl Send for Stream {}
// SAFETY: the C library locks a stream in each call.
unsafe impl Sync for Stream {}

impl Api for Stdio {
    fn name(&self) -> &'static str {
        "stdio"
    }

    fn calls(&self) -> Calls {
        Calls {
            open: "fopen",
            seek: "fseeko",
            read: "fread",
            write: "fwrite",
            sync: ["fsync", "fdatasync"],
            close: "fclose",
        }
    }

    fn positional(&self) -> bool {
        false
    }

    fn direct(&self) -> bool {
        false
    }

    fn opens_by_flags(&self) -> bool {
        false
    }

    fn flags(&self, open: &Open) -> i32 {
        match open.op {
            Op::R => libc::O_RDONLY,
            Op::W => libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC,
            Op::Rw => libc::O_RDWR,
        }
    }

    fn open(&self, open: &Open) -> io::Result<Box<dyn Handle>> {
        let (path, mode) = (sys::c_path(open.path)?, mode(open.op));
        // SAFETY: two C strings.
        let stream = unsafe { libc::fopen(path.as_ptr(), mode.as_ptr()) };
        match stream.is_null() {
            true => Err(io::Error::last_os_error()),
            false => Ok(Box::new(Stream(stream))),
        }
    }
}

fn mode(op: Op) -> &'static CStr {
    match op {
        Op::R => c"r",
        Op::W => c"w",
        Op::Rw => c"r+",
    }
}

impl Stream {
    fn moved(&self, count: usize, wanted: usize) -> io::Result<usize> {
        // SAFETY: the stream is open as long as the handle is used.
        match count < wanted && unsafe { libc::ferror(self.0) } != 0 {
            true => Err(io::Error::last_os_error()),
            false => Ok(count),
        }
    }
}

impl Handle for Stream {
    fn fd(&self) -> i32 {
        // SAFETY: the stream is open as long as the handle is used.
        unsafe { libc::fileno(self.0) }
    }

    fn seek(&self, offset: u64) -> io::Result<()> {
        // SAFETY: the stream is open as long as the handle is used.
        sys::ok(unsafe { libc::fseeko(self.0, offset as libc::off_t, libc::SEEK_SET) }.into())
            .map(drop)
    }

    fn read(&self, buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        // SAFETY: the slice's own pointer and length.
        let count = unsafe { libc::fread(buffer.as_mut_ptr().cast(), 1, buffer.len(), self.0) };
        self.moved(count, buffer.len())
    }

    fn write(&self, buffer: &[u8], _offset: u64) -> io::Result<usize> {
        // SAFETY: the slice's own pointer and length.
        let count = unsafe { libc::fwrite(buffer.as_ptr().cast(), 1, buffer.len(), self.0) };
        self.moved(count, buffer.len())
    }

    fn sync(&self, data_only: bool) -> io::Result<()> {
        // SAFETY: the stream is open as long as the handle is used.
        sys::ok(unsafe { libc::fflush(self.0) }.into())?;
        descriptor::sync(self.fd(), data_only)
    }

    fn close(&self) -> io::Result<()> {
        // SAFETY: the trait says that it is not used afterwards.
        sys::ok(unsafe { libc::fclose(self.0) }.into()).map(drop)
    }
}

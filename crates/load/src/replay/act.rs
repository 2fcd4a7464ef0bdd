//! The calls themselves, through the C library's symbols.

use super::buffers::ThreadBuffer;
use super::function::Function;
use super::script::Call;
use crate::sys;
use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;

/// An open descriptor or stream.
#[derive(Clone, Copy, Debug)]
pub enum Opened {
    /// Not yet, or no more
    None,
    /// A descriptor
    Fd(i32),
    /// A stream
    Stream(*mut libc::FILE),
}

// SAFETY: the C library locks a stream in each call, and calls on one take turns.
unsafe impl Send for Opened {}

impl Opened {
    fn fd(self) -> i32 {
        match self {
            Opened::Fd(fd) => fd,
            // SAFETY: a stream that is open.
            Opened::Stream(stream) => unsafe { libc::fileno(stream) },
            Opened::None => -1,
        }
    }

    /// A descriptor that is used as a stream, as standard output is, becomes one; it holds nothing back, because
    /// nobody may close it.
    fn stream(&mut self) -> io::Result<*mut libc::FILE> {
        let fd = match *self {
            Opened::Stream(stream) => return Ok(stream),
            _ => self.fd(),
        };
        // SAFETY: a number, a C string, and the stream that is made of them.
        unsafe {
            let flags = sys::ok(libc::fcntl(fd, libc::F_GETFL).into())? as i32;
            let mode = stream_mode(flags & !(libc::O_TRUNC | libc::O_EXCL));
            let stream = libc::fdopen(fd, mode.as_ptr());
            if stream.is_null() {
                return Err(io::Error::last_os_error());
            }
            libc::setvbuf(stream, std::ptr::null_mut(), libc::_IONBF, 0);
            *self = Opened::Stream(stream);
            Ok(stream)
        }
    }

    /// Another descriptor of the same.
    pub fn dup(self) -> io::Result<Opened> {
        // SAFETY: takes a number only.
        Ok(Opened::Fd(
            sys::ok(unsafe { libc::dup(self.fd()) }.into())? as i32
        ))
    }
}

/// Opens what was open before the recording.
pub fn inherited(path: &CStr, position: u64) -> io::Result<Opened> {
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC;
    // SAFETY: a C string and numbers.
    unsafe {
        let fd = sys::ok(libc::open(path.as_ptr(), flags, 0o666).into())? as i32;
        sys::ok(libc::lseek(fd, position as libc::off_t, libc::SEEK_SET))?;
        Ok(Opened::Fd(fd))
    }
}

/// Makes a call; what it returned. What an open or a dup makes goes to `handle`, `copy`.
pub fn act(
    call: &Call,
    path: &CString,
    handle: &mut Opened,
    room: ThreadBuffer,
) -> io::Result<i64> {
    use Function::*;
    match call.function {
        Open | Openat | Creat | Fopen => open(call, path, handle),
        Fclose | Fread | Fwrite | Fgetc | Fputc | Fseek | Fseeko | Ftell | Ftello | Fflush => {
            on_stream(call, handle.stream()?, room)
        }
        Stat | Lstat | Access | Unlink | Mkdir | Rmdir => on_path(call.function, path),
        Dup => Ok(0),
        _ => on_descriptor(call, handle.fd(), room),
    }
}

fn open(call: &Call, path: &CStr, handle: &mut Opened) -> io::Result<i64> {
    let (flags, mode) = (call.length as i32, (call.length >> 32) as u32);
    // SAFETY: C strings and numbers.
    unsafe {
        if call.function == Function::Fopen {
            let stream = libc::fopen(path.as_ptr(), stream_mode(flags).as_ptr());
            if stream.is_null() {
                return Err(io::Error::last_os_error());
            }
            *handle = Opened::Stream(stream);
            return Ok(0);
        }
        let fd = match call.function {
            Function::Openat => libc::openat(libc::AT_FDCWD, path.as_ptr(), flags, mode),
            Function::Creat => libc::creat(path.as_ptr(), mode),
            _ => libc::open(path.as_ptr(), flags, mode),
        };
        *handle = Opened::Fd(sys::ok(fd.into())? as i32);
        Ok(0)
    }
}

/// As fopen has it.
fn stream_mode(flags: i32) -> CString {
    let (both, append, cut) = (
        flags & libc::O_ACCMODE == libc::O_RDWR,
        flags & libc::O_APPEND != 0,
        flags & libc::O_TRUNC != 0,
    );
    let first = match (flags & libc::O_ACCMODE, append, cut) {
        (_, true, _) => "a",
        (libc::O_WRONLY, ..) | (_, _, true) => "w",
        _ => "r",
    };
    let plus = if both { "+" } else { "" };
    let only = if flags & libc::O_EXCL != 0 { "x" } else { "" };
    let own = if flags & libc::O_CLOEXEC != 0 {
        "e"
    } else {
        ""
    };
    CString::new(format!("{first}{plus}{own}{only}")).unwrap_or_default()
}

fn on_stream(call: &Call, stream: *mut libc::FILE, room: ThreadBuffer) -> io::Result<i64> {
    use Function::*;
    let (start, length) = (room.start, (call.length as usize).min(room.length));
    let far = call.length as libc::off_t;
    // SAFETY: a stream that is open and on which this thread has its turn; the room is long enough.
    unsafe {
        match call.function {
            Fread => Ok(libc::fread(start.cast(), 1, length, stream) as i64),
            Fwrite => Ok(libc::fwrite(start.cast(), 1, length, stream) as i64),
            Fgetc => Ok(libc::fgetc(stream).into()),
            Fputc => sys::ok(libc::fputc(0, stream).into()),
            Fseek => sys::ok(libc::fseek(stream, far, call.whence.into()).into()),
            Fseeko => sys::ok(libc::fseeko(stream, far, call.whence.into()).into()),
            Ftell => sys::ok(libc::ftell(stream)),
            Ftello => sys::ok(libc::ftello(stream)),
            Fflush => sys::ok(libc::fflush(stream).into()),
            _ => sys::ok(libc::fclose(stream).into()),
        }
    }
}

fn on_path(function: Function, path: &CStr) -> io::Result<i64> {
    let mut data = MaybeUninit::<libc::stat>::zeroed();
    let path = path.as_ptr();
    // SAFETY: a C string, and a place for what stat tells.
    let result = unsafe {
        match function {
            Function::Stat => libc::stat(path, data.as_mut_ptr()),
            Function::Lstat => libc::lstat(path, data.as_mut_ptr()),
            Function::Access => libc::access(path, libc::F_OK),
            Function::Unlink => libc::unlink(path),
            Function::Mkdir => libc::mkdir(path, 0o777),
            _ => libc::rmdir(path),
        }
    };
    sys::ok(result.into())
}

fn on_descriptor(call: &Call, fd: i32, room: ThreadBuffer) -> io::Result<i64> {
    use Function::*;
    let start = room.start.cast::<libc::c_void>();
    let length = (call.length as usize).min(room.length);
    let (offset, whence) = (call.offset as libc::off_t, i32::from(call.whence));
    let one = libc::iovec {
        iov_base: start,
        iov_len: length,
    };
    let mut data = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: numbers, and a room that is long enough.
    let result = unsafe {
        match call.function {
            Read => libc::read(fd, start, length) as i64,
            Write => libc::write(fd, start, length) as i64,
            Pread => libc::pread(fd, start, length, offset) as i64,
            Pwrite => libc::pwrite(fd, start, length, offset) as i64,
            Readv => libc::readv(fd, &one, 1) as i64,
            Writev => libc::writev(fd, &one, 1) as i64,
            Preadv => libc::preadv(fd, &one, 1, offset) as i64,
            Pwritev => libc::pwritev(fd, &one, 1, offset) as i64,
            AioRead | AioWrite => return aio(call, fd, start, length),
            Lseek => libc::lseek(fd, call.length as libc::off_t, whence),
            Fsync => libc::fsync(fd).into(),
            Fdatasync => libc::fdatasync(fd).into(),
            Ftruncate => libc::ftruncate(fd, offset).into(),
            Fstat => libc::fstat(fd, data.as_mut_ptr()).into(),
            _ => libc::close(fd).into(),
        }
    };
    sys::ok(result)
}

/// Begun and ended at once: what was under way beside it in the recording is not here.
fn aio(call: &Call, fd: i32, start: *mut libc::c_void, length: usize) -> io::Result<i64> {
    let mut block = MaybeUninit::<libc::aiocb>::zeroed();
    // SAFETY: zero is valid for a control block, which stays here until the transfer has ended, as the room does.
    unsafe {
        let block = block.as_mut_ptr();
        (*block).aio_fildes = fd;
        (*block).aio_buf = start;
        (*block).aio_nbytes = length;
        (*block).aio_offset = call.offset as libc::off_t;
        (*block).aio_sigevent.sigev_notify = libc::SIGEV_NONE;
        let begun = match call.function {
            Function::AioRead => libc::aio_read(block),
            _ => libc::aio_write(block),
        };
        sys::ok(begun.into())?;
        while libc::aio_error(block) == libc::EINPROGRESS {
            std::thread::yield_now();
        }
        match libc::aio_error(block) {
            0 => Ok(libc::aio_return(block) as i64),
            error => {
                libc::aio_return(block);
                Err(io::Error::from_raw_os_error(error))
            }
        }
    }
}

//! Memory that a replay's calls read into and write from. What it holds means nothing, so threads that would need very
//! much share one piece, which stands at many addresses one behind the other.

use crate::sys;
use std::io;
use std::ptr::null_mut;

/// Threads have memory of their own up to so many bytes together.
const OWN: u64 = 128 << 20;
/// Memory begins at a multiple of so many bytes.
const PAGE: usize = 1 << 12;
/// Bytes of the piece that they share otherwise.
const PIECE: usize = 16 << 20;

/// Memory of the replay.
pub struct Buffers {
    start: *mut u8,
    bytes: usize,
    /// From the memory of one thread to that of the next.
    stride: usize,
}

/// Memory of a thread, which others may use as well.
#[derive(Clone, Copy, Debug)]
pub struct ThreadBuffer {
    /// Its first byte.
    pub start: *mut u8,
    /// Bytes.
    pub length: usize,
}

// SAFETY: the memory is handed to system calls and to the C library alone, which do not mind what others write there.
unsafe impl Send for ThreadBuffer {}

impl Buffers {
    /// For so many threads whose longest calls take so many bytes.
    ///
    /// # Errors
    /// There is no such memory.
    pub fn new(threads: usize, longest: u64) -> io::Result<Buffers> {
        let length = (longest.max(1) as usize).next_multiple_of(PAGE);
        let all = (length as u64).saturating_mul(threads as u64);
        match all <= OWN {
            true => Buffers::map(all.max(1) as usize, length),
            false => Buffers::folded(length.next_multiple_of(PIECE)),
        }
    }

    fn map(bytes: usize, stride: usize) -> io::Result<Buffers> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new memory, wherever the kernel likes.
        let start = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = start.cast();
        Ok(Buffers {
            start,
            bytes,
            stride,
        })
    }

    /// One piece of memory at every address.
    fn folded(bytes: usize) -> io::Result<Buffers> {
        let rooms = Buffers::map(bytes, 0)?;
        // SAFETY: a new descriptor; every piece takes the place of one within the memory just mapped, which nobody uses.
        unsafe {
            let piece =
                sys::ok(libc::memfd_create(c"iota-replay".as_ptr(), libc::MFD_CLOEXEC).into())?
                    as i32;
            let sized = sys::ok(libc::ftruncate(piece, PIECE as libc::off_t).into());
            let placed = sized.and_then(|_| rooms.fold(piece));
            libc::close(piece);
            placed.map(|()| rooms)
        }
    }

    /// # Safety
    /// Nobody uses the memory.
    unsafe fn fold(&self, piece: i32) -> io::Result<()> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_SHARED | libc::MAP_FIXED;
        for at in (0..self.bytes).step_by(PIECE) {
            // SAFETY: within the memory, which is a multiple of pieces long, and nobody uses it.
            let placed =
                unsafe { libc::mmap(self.start.add(at).cast(), PIECE, access, kind, piece, 0) };
            if placed == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// The memory of a thread.
    pub fn of(&self, thread: usize) -> ThreadBuffer {
        let at = self.stride * thread;
        ThreadBuffer {
            // SAFETY: within the memory: as many threads were said to come.
            start: unsafe { self.start.add(at.min(self.bytes)) },
            length: if self.stride == 0 {
                self.bytes
            } else {
                self.stride
            },
        }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: as it was mapped; threads that use it have ended.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_memory_is_one_piece() {
        let rooms = Buffers::new(100, 1 << 31).unwrap();
        let (first, last) = (rooms.of(0), rooms.of(99));
        assert_eq!((first.start, first.length), (last.start, 1 << 31));
        // SAFETY: two bytes of the memory, a whole number of pieces apart.
        unsafe {
            first.start.write(7);
            assert_eq!(first.start.add(PIECE * 100).read(), 7);
        }
    }

    #[test]
    fn little_memory_is_a_thread_s_own() {
        let rooms = Buffers::new(3, 5000).unwrap();
        let all = [0, 1, 2].map(|thread| rooms.of(thread));
        assert!(all.iter().all(|room| room.length == 8192));
        assert_eq!(all[2].start.addr() - all[0].start.addr(), 2 * 8192);
    }
}

//! Files of the tracer's own.

use super::call::{Errno, Result, call};
use super::own::{reads, writes};
use super::query::{Identity, identity, mode, size, status};
use core::ffi::{CStr, c_int, c_void};

/// Flags for every file that the tracer itself opens.
const OWN: c_int = libc::O_CLOEXEC | libc::O_NOCTTY;

/// An own descriptor, closed when it goes out of scope; never held across a call of the program.
pub struct File(usize);

impl File {
    /// Opens `path` with `flags`; files are created for the owner alone.
    pub fn open(path: &CStr, flags: c_int) -> Result<File> {
        let mode = 0o600;
        // SAFETY: `path` ends with NUL.
        let fd = unsafe {
            call(
                libc::SYS_openat,
                [
                    libc::AT_FDCWD as usize,
                    path.as_ptr() as usize,
                    (flags | OWN) as usize,
                    mode,
                    0,
                    0,
                ],
            )
        }?;
        let file = File(fd);
        if flags & libc::O_CREAT != 0 {
            file.spare_owner();
        }
        Ok(file)
    }

    /// Gives the owner the rights that the program's umask took away.
    fn spare_owner(&self) {
        let rights =
            |mode: &u16| mode & 0o600 != 0o600 && u32::from(*mode) & libc::S_IFMT == libc::S_IFREG;
        let mode = mode(self.0 as c_int).filter(rights);
        if let Some(mode) = mode {
            let rights = usize::from(mode & 0o777 | 0o600);
            // SAFETY: no memory is passed.
            let _ = unsafe { call(libc::SYS_fchmod, [self.0, rights, 0, 0, 0, 0]) };
        }
    }

    /// Creates `path`, which must not exist, not even as a symbolic link, with `more` flags.
    pub fn create_new(path: &CStr, more: c_int) -> Result<File> {
        File::open(
            path,
            libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | more,
        )
    }

    /// A file in memory, in no directory.
    pub fn in_memory(name: &CStr) -> Result<File> {
        let arguments = [
            name.as_ptr() as usize,
            libc::MFD_CLOEXEC as usize,
            0,
            0,
            0,
            0,
        ];
        // SAFETY: `name` ends with NUL.
        unsafe { call(libc::SYS_memfd_create, arguments) }.map(File)
    }

    /// Its descriptor.
    pub fn number(&self) -> usize {
        self.0
    }

    /// An `ioctl` that reads `argument`.
    pub fn control(&self, request: u32, argument: &[u8]) -> Result<()> {
        let arguments = [
            self.0,
            request as usize,
            argument.as_ptr() as usize,
            0,
            0,
            0,
        ];
        // SAFETY: `argument` is readable, and as long as the request has it.
        unsafe { call(libc::SYS_ioctl, arguments) }.map(drop)
    }

    /// Sets an extended attribute.
    pub fn set_attribute(&self, name: &CStr, value: &[u8]) -> Result<()> {
        let arguments = [
            self.0,
            name.as_ptr() as usize,
            value.as_ptr() as usize,
            value.len(),
            0,
            0,
        ];
        // SAFETY: `name` ends with NUL and `value` is readable.
        unsafe { call(libc::SYS_fsetxattr, arguments) }.map(drop)
    }

    /// Opens a file that this process made, unless something else stands in its place by now: in a folder where others
    /// may write they may also rename.
    pub fn open_made(path: &CStr, flags: c_int, made: Identity) -> Result<File> {
        let file = File::open(path, flags | libc::O_NOFOLLOW)?;
        if file.identity()? == made {
            Ok(file)
        } else {
            Err(Errno(libc::ESTALE))
        }
    }

    /// What distinguishes the file from all others while it exists.
    pub fn identity(&self) -> Result<Identity> {
        identity(self.0 as c_int)
    }

    /// True where the file has no second name, by which it is somebody else's as well.
    pub fn has_one_name(&self) -> bool {
        self.links() == Ok(1)
    }

    /// Reads at most `buf.len()` bytes at `offset`.
    pub fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        let arguments = [
            self.0,
            buf.as_mut_ptr() as usize,
            buf.len(),
            offset as usize,
            0,
            0,
        ];
        // SAFETY: `buf` is ours for writing.
        reads(unsafe { call(libc::SYS_pread64, arguments) })
    }

    /// Reads at most `buf.len()` bytes at the position; for files of /proc.
    pub fn read(&self, buf: &mut [u8]) -> Result<usize> {
        let arguments = [self.0, buf.as_mut_ptr() as usize, buf.len(), 0, 0, 0];
        // SAFETY: `buf` is ours for writing.
        reads(unsafe { call(libc::SYS_read, arguments) })
    }

    /// Writes all of `bytes` at `offset`.
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        within_limit(offset.wrapping_add(bytes.len() as u64))?;
        self.write_all(bytes, |rest, done| {
            let at = offset.wrapping_add(done as u64) as usize;
            // SAFETY: `rest` is readable.
            unsafe {
                call(
                    libc::SYS_pwrite64,
                    [self.0, rest.as_ptr() as usize, rest.len(), at, 0, 0],
                )
            }
        })
    }

    /// Writes all pieces at the position, or at the end under O_APPEND: in one go, if the kernel takes them so, and then
    /// nobody else's come in between.
    pub fn append<const N: usize>(&self, mut pieces: [&[u8]; N]) -> Result<()> {
        let end = size(self.0 as c_int)? as u64;
        within_limit(end.wrapping_add(total(&pieces) as u64))?;
        while total(&pieces) != 0 {
            let vector = pieces.map(|piece| libc::iovec {
                iov_base: piece.as_ptr().cast_mut().cast(),
                iov_len: piece.len(),
            });
            let arguments = [self.0, vector.as_ptr() as usize, N, 0, 0, 0];
            // SAFETY: as many pieces, all readable.
            match writes(unsafe { call(libc::SYS_writev, arguments) }) {
                Ok(0) => return Err(Errno(libc::ENOSPC)),
                Ok(n) => take_off(&mut pieces, n),
                Err(Errno(libc::EINTR)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_all(&self, bytes: &[u8], write: impl Fn(&[u8], usize) -> Result<usize>) -> Result<()> {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            match writes(write(rest, done)) {
                Ok(0) => return Err(Errno(libc::ENOSPC)),
                Ok(n) => done = done.wrapping_add(n),
                Err(Errno(libc::EINTR)) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// How many names a file has.
    pub fn links(&self) -> Result<usize> {
        status(self.0 as c_int).map(|status| status.st_nlink as usize)
    }

    /// How many bytes a file has.
    pub fn length(&self) -> Result<usize> {
        size(self.0 as c_int).map(|size| size as usize)
    }

    /// Writes to this process' memory, which the file is (/proc/self/mem): limits of files do not hold.
    pub fn write_memory(&self, address: usize, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes, |rest, done| {
            let at = address.wrapping_add(done);
            // SAFETY: `rest` is readable; who asks answers for what is changed.
            unsafe {
                call(
                    libc::SYS_pwrite64,
                    [self.0, rest.as_ptr() as usize, rest.len(), at, 0, 0],
                )
            }
        })
    }

    /// Sets the length of the file.
    pub fn set_len(&self, length: u64) -> Result<()> {
        within_limit(length)?;
        // SAFETY: no memory is passed.
        unsafe { call(libc::SYS_ftruncate, [self.0, length as usize, 0, 0, 0, 0]) }.map(drop)
    }

    /// Reserves room, so that a full file system is an error here and not SIGBUS in the program later.
    pub fn reserve(&self, offset: u64, length: u64) -> Result<()> {
        within_limit(offset.wrapping_add(length))?;
        // SAFETY: no memory is passed.
        unsafe {
            call(
                libc::SYS_fallocate,
                [self.0, 0, offset as usize, length as usize, 0, 0],
            )
        }
        .map(drop)
    }

    /// Reads some of a directory's entries; how many bytes they take, 0 at the end.
    pub(super) fn entries(&self, room: &mut [u8]) -> Result<usize> {
        let arguments = [self.0, room.as_mut_ptr() as usize, room.len(), 0, 0, 0];
        // SAFETY: the kernel fills `room`.
        unsafe { call(libc::SYS_getdents64, arguments) }
    }

    /// Maps `length` bytes at `offset`, shared with the kernel's copy, which outlives the process.
    pub fn map_shared(&self, offset: u64, length: usize) -> Result<*mut c_void> {
        let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
        // SAFETY: the kernel chooses the address.
        let at = unsafe {
            call(
                libc::SYS_mmap,
                [
                    0,
                    length,
                    protection,
                    libc::MAP_SHARED as usize,
                    self.0,
                    offset as usize,
                ],
            )
        }?;
        Ok(at as *mut c_void)
    }
}

fn total(pieces: &[&[u8]]) -> usize {
    let lengths = pieces.iter().map(|piece| piece.len());
    lengths.fold(0, usize::wrapping_add)
}

/// Takes the first `n` bytes off.
fn take_off(pieces: &mut [&[u8]], mut n: usize) {
    for piece in pieces {
        let taken = n.min(piece.len());
        *piece = piece.get(taken..).unwrap_or_default();
        n = n.wrapping_sub(taken);
    }
}

/// Beyond RLIMIT_FSIZE the kernel would send SIGXFSZ, and the program would die of our file.
fn within_limit(end: u64) -> Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    let arguments = [
        0,
        libc::RLIMIT_FSIZE as usize,
        0,
        &raw mut limit as usize,
        0,
        0,
    ];
    // SAFETY: the kernel fills `limit`.
    unsafe { call(libc::SYS_prlimit64, arguments) }?;
    if end > limit.rlim_cur {
        return Err(Errno(libc::EFBIG));
    }
    Ok(())
}

impl File {
    /// Closes it; a network file system reports only now what it could not write.
    pub fn close(self) -> Result<()> {
        let file = core::mem::ManuallyDrop::new(self);
        // SAFETY: the descriptor is ours, and not used any more.
        unsafe { call(libc::SYS_close, [file.0, 0, 0, 0, 0, 0]) }.map(drop)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours. An error has nobody to go to.
        let _ = unsafe { call(libc::SYS_close, [self.0, 0, 0, 0, 0, 0]) };
    }
}

/// Removes a file.
pub fn unlink(path: &CStr) -> Result<()> {
    // SAFETY: `path` ends with NUL.
    unsafe {
        call(
            libc::SYS_unlinkat,
            [libc::AT_FDCWD as usize, path.as_ptr() as usize, 0, 0, 0, 0],
        )
    }
    .map(drop)
}

/// Makes a symbolic link that says `text`.
pub fn symlink(text: &CStr, path: &CStr) -> Result<()> {
    let [text, path] = [text, path].map(|name| name.as_ptr() as usize);
    let here = libc::AT_FDCWD as usize;
    // SAFETY: both end with NUL.
    unsafe { call(libc::SYS_symlinkat, [text, here, path, 0, 0, 0]) }.map(drop)
}

/// Gives a file another name.
pub fn rename(from: &CStr, to: &CStr) -> Result<()> {
    let [from, to] = [from, to].map(|name| name.as_ptr() as usize);
    let here = libc::AT_FDCWD as usize;
    // SAFETY: both end with NUL.
    unsafe { call(libc::SYS_renameat2, [here, from, here, to, 0, 0]) }.map(drop)
}

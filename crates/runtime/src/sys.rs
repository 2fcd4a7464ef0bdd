//! Raw system calls: the tracer's own I/O never passes a function that a hook could see, and never touches `errno`.

use core::ffi::{CStr, c_char, c_int, c_void};

/// The kernel's error number, positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub i32);

/// What a system call answered.
pub type Result<T> = core::result::Result<T, Errno>;

#[cfg(target_arch = "x86_64")]
unsafe fn raw(number: i64, a: [usize; 6]) -> isize {
    let ret: isize;
    // SAFETY: the Linux x86_64 convention; the caller answers for what the call does with its arguments.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => ret,
            in("rdi") a[0], in("rsi") a[1], in("rdx") a[2],
            in("r10") a[3], in("r8") a[4], in("r9") a[5],
            lateout("rcx") _, lateout("r11") _,
            options(nostack)
        );
    }
    ret
}

#[cfg(target_arch = "aarch64")]
unsafe fn raw(number: i64, a: [usize; 6]) -> isize {
    let ret: isize;
    // SAFETY: the Linux aarch64 convention; the caller answers for what the call does with its arguments.
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a[0] => ret,
            in("x1") a[1], in("x2") a[2], in("x3") a[3], in("x4") a[4], in("x5") a[5],
            options(nostack)
        );
    }
    ret
}

/// # Safety
/// As the system call itself.
unsafe fn call(number: i64, arguments: [usize; 6]) -> Result<usize> {
    // SAFETY: the caller's.
    let ret = unsafe { raw(number, arguments) };
    if (-4095..0).contains(&ret) {
        Err(Errno((ret as i32).wrapping_neg()))
    } else {
        Ok(ret as usize)
    }
}

/// Flags for every file that the tracer itself opens.
const OWN: c_int = libc::O_CLOEXEC | libc::O_NOCTTY;

/// An own descriptor, closed when it goes out of scope; never held across a call of the host.
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
        Ok(File(fd))
    }

    /// Creates `path`, which must not exist, not even as a symbolic link.
    pub fn create_new(path: &CStr) -> Result<File> {
        File::open(
            path,
            libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW,
        )
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
        unsafe { call(libc::SYS_pread64, arguments) }
    }

    /// Reads at most `buf.len()` bytes at the position; for files of /proc.
    pub fn read(&self, buf: &mut [u8]) -> Result<usize> {
        // SAFETY: `buf` is ours for writing.
        unsafe {
            call(
                libc::SYS_read,
                [self.0, buf.as_mut_ptr() as usize, buf.len(), 0, 0, 0],
            )
        }
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

    /// Writes all of `bytes` at the position, or at the end under O_APPEND.
    pub fn append(&self, bytes: &[u8]) -> Result<()> {
        let end = size(self.0 as c_int)? as u64;
        within_limit(end.wrapping_add(bytes.len() as u64))?;
        self.write_all(bytes, |rest, _| {
            // SAFETY: `rest` is readable.
            unsafe {
                call(
                    libc::SYS_write,
                    [self.0, rest.as_ptr() as usize, rest.len(), 0, 0, 0],
                )
            }
        })
    }

    fn write_all(&self, bytes: &[u8], write: impl Fn(&[u8], usize) -> Result<usize>) -> Result<()> {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            match write(rest, done) {
                Ok(0) => return Err(Errno(libc::ENOSPC)),
                Ok(n) => done = done.wrapping_add(n),
                Err(Errno(libc::EINTR)) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Sets the length of the file.
    pub fn set_len(&self, length: u64) -> Result<()> {
        within_limit(length)?;
        // SAFETY: no memory is passed.
        unsafe { call(libc::SYS_ftruncate, [self.0, length as usize, 0, 0, 0, 0]) }.map(drop)
    }

    /// Reserves room, so that a full file system is an error here and not SIGBUS in the host later.
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

/// Beyond RLIMIT_FSIZE the kernel would send SIGXFSZ, and the host would die of our file.
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
    /// Closes it; a network file system tells only now what it could not write.
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

/// Private zeroed memory, reserved but not yet used. With `wiped`, a forked child finds zeros there.
pub fn map_private(length: usize, wiped: bool) -> Result<*mut c_void> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    // SAFETY: the kernel chooses the address.
    let at = unsafe {
        call(
            libc::SYS_mmap,
            [0, length, protection, flags, usize::MAX, 0],
        )
    }?;
    if wiped {
        // SAFETY: the pages just mapped.
        unsafe {
            call(
                libc::SYS_madvise,
                [at, length, libc::MADV_WIPEONFORK as usize, 0, 0, 0],
            )
        }?;
    }
    Ok(at as *mut c_void)
}

/// Takes a mapping away.
///
/// # Safety
/// Nothing may use `[at, at + length)` any more.
pub unsafe fn unmap(at: *mut c_void, length: usize) {
    // SAFETY: the caller's.
    let _ = unsafe { call(libc::SYS_munmap, [at as usize, length, 0, 0, 0, 0]) };
}

/// Gives the memory of a shared mapping back to the file below it.
///
/// # Safety
/// As [`unmap`], but the mapping stays.
pub unsafe fn forget_pages(at: *mut c_void, length: usize) {
    // SAFETY: the caller's.
    let _ = unsafe {
        call(
            libc::SYS_madvise,
            [at as usize, length, libc::MADV_REMOVE as usize, 0, 0, 0],
        )
    };
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

/// The position of a descriptor of the host.
pub fn position(fd: c_int) -> Result<i64> {
    // SAFETY: no memory is passed.
    unsafe {
        call(
            libc::SYS_lseek,
            [fd as usize, 0, libc::SEEK_CUR as usize, 0, 0, 0],
        )
    }
    .map(|n| n as i64)
}

/// The size of a descriptor's file.
pub fn size(fd: c_int) -> Result<i64> {
    let mut stat = core::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the kernel fills `stat`, for which zero is valid too.
    unsafe {
        call(
            libc::SYS_fstat,
            [fd as usize, stat.as_mut_ptr() as usize, 0, 0, 0, 0],
        )?;
        Ok(stat.assume_init().st_size)
    }
}

/// True while a thread of this process lives.
pub fn thread_lives(thread: u32) -> bool {
    // SAFETY: signal 0 only asks.
    let asked = unsafe {
        call(
            libc::SYS_tgkill,
            [process_id() as usize, thread as usize, 0, 0, 0, 0],
        )
    };
    asked != Err(Errno(libc::ESRCH))
}

/// The calling thread's id.
pub fn thread_id() -> u32 {
    // SAFETY: no memory is passed.
    unsafe { call(libc::SYS_gettid, [0; 6]) }.unwrap_or(0) as u32
}

/// True for a program that the kernel would start; `path` may be anything.
pub fn may_run(path: *const c_char) -> bool {
    let arguments = [
        libc::AT_FDCWD as usize,
        path as usize,
        libc::X_OK as usize,
        0,
        0,
        0,
    ];
    // SAFETY: the kernel looks whether it can read the path.
    unsafe { call(libc::SYS_faccessat, arguments) }.is_ok()
}

/// Makes this process able to call [`barrier`]; cheap while it has one thread.
pub fn register_barrier() {
    membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/// What this thread wrote before, all threads of the process see before anything that they do after. A kernel without
/// it leaves nanoseconds in which they may not.
pub fn barrier() {
    membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

fn membarrier(command: c_int) {
    // SAFETY: no memory is passed.
    let _ = unsafe { call(libc::SYS_membarrier, [command as usize, 0, 0, 0, 0, 0]) };
}

/// Sets which signals wait for this thread, a bit for each; returns which did so far.
pub fn set_signal_mask(mask: u64) -> u64 {
    let mut before = 0u64;
    let places = [&raw const mask as usize, &raw mut before as usize];
    let (how, size) = (libc::SIG_SETMASK as usize, size_of::<u64>());
    // SAFETY: both places are ours, of the kernel's size.
    let _ = unsafe {
        call(
            libc::SYS_rt_sigprocmask,
            [how, places[0], places[1], size, 0, 0],
        )
    };
    before
}

/// The status flags of a descriptor of the host.
pub fn status_flags(fd: c_int) -> Result<c_int> {
    // SAFETY: no memory is passed.
    unsafe {
        call(
            libc::SYS_fcntl,
            [fd as usize, libc::F_GETFL as usize, 0, 0, 0, 0],
        )
    }
    .map(|n| n as c_int)
}

/// What a symbolic link says, without NUL.
pub fn read_link<'b>(path: &CStr, buf: &'b mut [u8]) -> Result<&'b [u8]> {
    let arguments = [
        libc::AT_FDCWD as usize,
        path.as_ptr() as usize,
        buf.as_mut_ptr() as usize,
        buf.len(),
        0,
        0,
    ];
    // SAFETY: `path` ends with NUL and `buf` is ours for writing.
    let n = unsafe { call(libc::SYS_readlinkat, arguments) }?;
    buf.get(..n).ok_or(Errno(libc::ENAMETOOLONG))
}

/// The working directory, without NUL.
pub fn working_directory(buf: &mut [u8]) -> Result<&[u8]> {
    // SAFETY: `buf` is ours for writing.
    let n = unsafe {
        call(
            libc::SYS_getcwd,
            [buf.as_mut_ptr() as usize, buf.len(), 0, 0, 0, 0],
        )
    }?;
    buf.get(..n.saturating_sub(1))
        .ok_or(Errno(libc::ENAMETOOLONG))
}

/// Bytes free in the file system of `path` for this user.
pub fn free_bytes(path: &CStr) -> Result<u64> {
    let mut stat = core::mem::MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: `path` ends with NUL; the kernel fills `stat`, for which zero is valid too.
    let stat = unsafe {
        call(
            libc::SYS_statfs,
            [
                path.as_ptr() as usize,
                stat.as_mut_ptr() as usize,
                0,
                0,
                0,
                0,
            ],
        )?;
        stat.assume_init()
    };
    Ok(stat.f_bavail.wrapping_mul(stat.f_bsize as u64))
}

/// The process' id, from the kernel itself: a cached one may be a parent's.
pub fn process_id() -> u32 {
    // SAFETY: no memory is passed.
    unsafe { call(libc::SYS_getpid, [0; 6]) }.unwrap_or(0) as u32
}

/// The parent's process id.
pub fn parent_id() -> u32 {
    // SAFETY: no memory is passed.
    unsafe { call(libc::SYS_getppid, [0; 6]) }.unwrap_or(0) as u32
}

/// The user's id.
pub fn user_id() -> u32 {
    // SAFETY: no memory is passed.
    unsafe { call(libc::SYS_getuid, [0; 6]) }.unwrap_or(0) as u32
}

/// The host's name, without NUL.
pub fn host_name(name: &mut libc::utsname) -> &[u8] {
    // SAFETY: the kernel fills `name`.
    let _ = unsafe { call(libc::SYS_uname, [name as *mut _ as usize, 0, 0, 0, 0, 0]) };
    // SAFETY: an array of C characters is an array of bytes.
    let bytes = unsafe { &*(&raw const name.nodename).cast::<[u8; 65]>() };
    until_nul(bytes)
}

/// Lets time pass.
pub fn sleep(nanoseconds: u64) {
    let time = [nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000];
    // SAFETY: a timespec is two words; nobody wants to know what is left of it.
    let _ = unsafe { call(libc::SYS_nanosleep, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// Lets others run.
pub fn yield_now() {
    // SAFETY: no memory is passed.
    let _ = unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// Writes to the host's standard error; only for one line on a lost trace.
pub fn complain(bytes: &[u8]) {
    let stderr = 2;
    // SAFETY: `bytes` is readable.
    let _ = unsafe {
        call(
            libc::SYS_write,
            [stderr, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0],
        )
    };
}

/// The bytes before the first NUL, or all.
pub fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or(bytes)
}

/// The calling thread's `errno`.
pub fn errno() -> c_int {
    // SAFETY: libc's own, valid in every thread.
    unsafe { *libc::__errno_location() }
}

/// Sets the calling thread's `errno`; only to what the real call left there.
pub fn set_errno(value: c_int) {
    // SAFETY: libc's own, valid in every thread.
    unsafe { *libc::__errno_location() = value }
}

/// Ends the process.
pub fn exit(status: usize) -> ! {
    loop {
        // SAFETY: no memory is passed; the call does not return.
        let _ = unsafe { call(libc::SYS_exit_group, [status, 0, 0, 0, 0, 0]) };
    }
}

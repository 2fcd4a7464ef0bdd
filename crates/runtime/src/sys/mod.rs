//! Raw system calls: the tracer's own I/O never passes a function that a hook could see, and never touches `errno`.

mod file;
mod memory;
mod process;

pub use file::File;
pub use memory::{copy_in, gather_in, is_in_one_page, is_readable, string_length};
pub use process::*;

use core::ffi::{CStr, c_int, c_void};

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

/// Has the kernel give memory to pages now: where there is none, it answers here, not with a signal at a store. `None`: a
/// kernel before Linux 5.14 cannot.
pub fn populate(at: *mut c_void, length: usize) -> Option<Result<()>> {
    /// `MADV_POPULATE_WRITE`
    const POPULATE_WRITE: usize = 23;
    let arguments = [at as usize, length, POPULATE_WRITE, 0, 0, 0];
    // SAFETY: contents stay as they are.
    match unsafe { call(libc::SYS_madvise, arguments) } {
        Err(Errno(libc::EINVAL | libc::ENOSYS)) => None,
        answer => Some(answer.map(drop)),
    }
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
    status(fd).map(|stat| stat.st_size)
}

fn status(fd: c_int) -> Result<libc::stat> {
    let mut stat = core::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the kernel fills `stat`, for which zero is valid too.
    unsafe {
        call(
            libc::SYS_fstat,
            [fd as usize, stat.as_mut_ptr() as usize, 0, 0, 0, 0],
        )?;
        Ok(stat.assume_init())
    }
}

/// Which file a descriptor of the host is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
    pub is_regular: bool,
}

/// Tells it without asking a server: for `fstat` a parallel file system would look for the size.
pub fn identity(fd: c_int) -> Result<Identity> {
    let mut found = core::mem::MaybeUninit::<libc::statx>::zeroed();
    let arguments = [
        fd as usize,
        c"".as_ptr() as usize,
        (libc::AT_EMPTY_PATH | libc::AT_STATX_DONT_SYNC) as usize,
        (libc::STATX_TYPE | libc::STATX_INO) as usize,
        found.as_mut_ptr() as usize,
        0,
    ];
    // SAFETY: an empty path; the kernel fills `found`, for which zero is valid too.
    let found = match unsafe { call(libc::SYS_statx, arguments).map(|_| found.assume_init()) } {
        Ok(found) => found,
        Err(Errno(libc::ENOSYS)) => return status(fd).map(Identity::of),
        Err(error) => return Err(error),
    };
    Ok(Identity {
        device: libc::makedev(found.stx_dev_major, found.stx_dev_minor),
        inode: found.stx_ino,
        is_regular: u32::from(found.stx_mode) & libc::S_IFMT == libc::S_IFREG,
    })
}

impl Identity {
    /// No file's.
    pub const NONE: Identity = Identity {
        device: 0,
        inode: 0,
        is_regular: false,
    };

    fn of(stat: libc::stat) -> Identity {
        Identity {
            device: stat.st_dev,
            inode: stat.st_ino,
            is_regular: stat.st_mode & libc::S_IFMT == libc::S_IFREG,
        }
    }
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
    let stat = file_system(libc::SYS_statfs, path.as_ptr() as usize)?;
    Ok(stat.f_bavail.wrapping_mul(stat.f_bsize as u64))
}

/// The `f_type` of the file system of `path`.
pub fn kind_of(path: &CStr) -> Result<u64> {
    file_system(libc::SYS_statfs, path.as_ptr() as usize).map(|stat| stat.f_type as u64)
}

/// The `f_type` of the file system of a descriptor of the host.
pub fn kind_below(fd: c_int) -> Result<u64> {
    file_system(libc::SYS_fstatfs, fd as usize).map(|stat| stat.f_type as u64)
}

/// `which` is one of the two calls that fill a `statfs`; `of` is what it takes.
fn file_system(which: libc::c_long, of: usize) -> Result<libc::statfs> {
    let mut stat = core::mem::MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: a path that ends with NUL, or a number; the kernel fills `stat`, for which zero is valid too.
    unsafe {
        call(which, [of, stat.as_mut_ptr() as usize, 0, 0, 0, 0])?;
        Ok(stat.assume_init())
    }
}

/// An extended attribute of a descriptor's file.
pub fn attribute<'b>(fd: c_int, name: &CStr, buf: &'b mut [u8]) -> Result<&'b [u8]> {
    let arguments = [
        fd as usize,
        name.as_ptr() as usize,
        buf.as_mut_ptr() as usize,
        buf.len(),
        0,
        0,
    ];
    // SAFETY: `name` ends with NUL and `buf` is ours for writing.
    let n = unsafe { call(libc::SYS_fgetxattr, arguments) }?;
    buf.get(..n).ok_or(Errno(libc::ERANGE))
}

/// The host's name, without NUL.
pub fn host_name(name: &mut libc::utsname) -> &[u8] {
    // SAFETY: the kernel fills `name`.
    let _ = unsafe { call(libc::SYS_uname, [name as *mut _ as usize, 0, 0, 0, 0, 0]) };
    // SAFETY: an array of C characters is an array of bytes.
    let bytes = unsafe { &*(&raw const name.nodename).cast::<[u8; 65]>() };
    until_nul(bytes)
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

//! What the kernel says of the program's descriptors, paths and machine.

use super::call::{Errno, Result, call};
use core::ffi::{CStr, c_int};

/// The position of a descriptor of the program.
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

/// Reads a clock.
pub fn read_clock(clock: libc::clockid_t, time: &mut libc::timespec) {
    let arguments = [
        clock as usize,
        (&raw mut *time).expose_provenance(),
        0,
        0,
        0,
        0,
    ];
    // SAFETY: the kernel fills `time`.
    let _ = unsafe { call(libc::SYS_clock_gettime, arguments) };
}

/// The size of a descriptor's file.
pub fn size(fd: c_int) -> Result<i64> {
    status(fd).map(|stat| stat.st_size)
}

pub(super) fn status(fd: c_int) -> Result<libc::stat> {
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

/// Which file something is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
    /// `S_IFREG`, `S_IFIFO`, ...
    pub kind: libc::mode_t,
}

/// That of a descriptor of the program, without asking a server: for `fstat` a parallel file system would look for the size.
pub fn identity(fd: c_int) -> Result<Identity> {
    match look_at(fd, c"", libc::AT_EMPTY_PATH) {
        Err(Errno(libc::ENOSYS)) => status(fd).map(Identity::of),
        answer => answer.map(|found| Identity::of_statx(&found)),
    }
}

/// Kind and rights of a descriptor's file, as far as the kernel knows without asking a server.
pub(super) fn mode(fd: c_int) -> Option<u16> {
    let found = look_at(fd, c"", libc::AT_EMPTY_PATH);
    found.ok().map(|found| found.stx_mode)
}

/// Whether a descriptor of the program is what stands at a path, seen through the same mount.
pub fn is_at(fd: c_int, path: &CStr) -> bool {
    let here = look_at(libc::AT_FDCWD, path, libc::AT_SYMLINK_NOFOLLOW);
    let (Ok(here), Ok(own)) = (here, look_at(fd, c"", libc::AT_EMPTY_PATH)) else {
        return false;
    };
    mount(&own).is_some()
        && mount(&own) == mount(&here)
        && Identity::of_statx(&own) == Identity::of_statx(&here)
}

fn look_at(directory: c_int, path: &CStr, flags: c_int) -> Result<libc::statx> {
    let mut found = core::mem::MaybeUninit::<libc::statx>::zeroed();
    let arguments = [
        directory as usize,
        path.as_ptr() as usize,
        (flags | libc::AT_STATX_DONT_SYNC) as usize,
        (libc::STATX_TYPE | libc::STATX_MODE | libc::STATX_INO | libc::STATX_MNT_ID) as usize,
        found.as_mut_ptr() as usize,
        0,
    ];
    // SAFETY: a path that ends with NUL; the kernel fills `found`, for which zero is valid too.
    unsafe { call(libc::SYS_statx, arguments).map(|_| found.assume_init()) }
}

impl Identity {
    /// No file's.
    pub const NONE: Identity = Identity {
        device: 0,
        inode: 0,
        kind: 0,
    };

    fn of_statx(found: &libc::statx) -> Identity {
        Identity {
            device: libc::makedev(found.stx_dev_major, found.stx_dev_minor),
            inode: found.stx_ino,
            kind: libc::mode_t::from(found.stx_mode) & libc::S_IFMT,
        }
    }

    fn of(stat: libc::stat) -> Identity {
        Identity {
            device: stat.st_dev,
            inode: stat.st_ino,
            kind: stat.st_mode & libc::S_IFMT,
        }
    }
}

/// The inode of this process' PID namespace; 0 where nothing tells.
pub fn pid_namespace() -> u32 {
    let found = look_at(libc::AT_FDCWD, c"/proc/self/ns/pid", 0);
    found.map_or(0, |found| found.stx_ino as u32)
}

/// The number of the mount in which the root of the process lies. Every mount namespace has mounts of its own.
pub fn root_mount() -> Option<u64> {
    mount(&look_at(libc::AT_FDCWD, c"/", 0).ok()?)
}

/// The number of the mount through which a file is seen, from Linux 5.8 on.
fn mount(found: &libc::statx) -> Option<u64> {
    (found.stx_mask & libc::STATX_MNT_ID != 0).then_some(found.stx_mnt_id)
}

/// The status flags of a descriptor of the program.
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

/// The `f_type` of the file system of a descriptor of the program.
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

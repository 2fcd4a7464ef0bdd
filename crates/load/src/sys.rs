//! Questions to the system that std does not ask, and its clock.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// CLOCK_MONOTONIC in nanoseconds.
#[inline]
pub fn now() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// As the C library has it.
pub fn timespec(time: Duration) -> libc::timespec {
    libc::timespec {
        tv_sec: time.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}

/// CLOCK_REALTIME in nanoseconds since 1970.
pub fn realtime() -> u64 {
    clock(libc::CLOCK_REALTIME)
}

#[inline]
fn clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: fills the place, which is ours; these clocks are there on every Linux.
    unsafe { libc::clock_gettime(id, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What a C function returned, or why it failed.
pub fn ok(result: i64) -> io::Result<i64> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// A path for C.
pub fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| io::ErrorKind::InvalidFilename.into())
}

/// The other way round.
pub fn path_of(path: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(path.to_bytes()))
}

/// Soft and hard limit.
pub fn limit(resource: libc::__rlimit_resource_t) -> io::Result<(u64, u64)> {
    let mut limit = MaybeUninit::<libc::rlimit>::zeroed();
    // SAFETY: fills the place, for which zero is valid.
    let limit = unsafe {
        ok(libc::getrlimit(resource, limit.as_mut_ptr()).into())?;
        limit.assume_init()
    };
    Ok((limit.rlim_cur, limit.rlim_max))
}

/// Moves the soft limit.
pub fn set_soft_limit(resource: libc::__rlimit_resource_t, soft: u64) -> io::Result<()> {
    let rlim_max = limit(resource)?.1;
    let limit = libc::rlimit {
        rlim_cur: soft.min(rlim_max),
        rlim_max,
    };
    // SAFETY: only reads the place.
    ok(unsafe { libc::setrlimit(resource, &limit) }.into()).map(drop)
}

/// MemAvailable of /proc/meminfo, in bytes.
pub fn memory_available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// Bytes that this user can still write to the file system.
pub fn space(path: &Path) -> io::Result<u64> {
    let (path, mut data) = (c_path(path)?, MaybeUninit::<libc::statvfs>::zeroed());
    // SAFETY: a C string, and a place that it fills, for which zero is valid.
    let data = unsafe {
        ok(libc::statvfs(path.as_ptr(), data.as_mut_ptr()).into())?;
        data.assume_init()
    };
    Ok(data.f_bavail.saturating_mul(data.f_frsize))
}

/// The file system's kind, as statfs(2) numbers them.
pub fn file_system(path: &Path) -> Option<i64> {
    let (path, mut data) = (c_path(path).ok()?, MaybeUninit::<libc::statfs>::zeroed());
    // SAFETY: a path that ends with NUL; the call fills `data`, for which zero is valid too.
    let data = unsafe {
        ok(libc::statfs(path.as_ptr(), data.as_mut_ptr()).into()).ok()?;
        data.assume_init()
    };
    Some(data.f_type as i64)
}

/// Fails unless files can be made in a directory.
pub fn writable(dir: &Path) -> io::Result<()> {
    access(dir, libc::W_OK | libc::X_OK)
}

/// Fails unless a file can be opened so.
pub fn permitted(path: &Path, read: bool, write: bool) -> io::Result<()> {
    access(
        path,
        if read { libc::R_OK } else { 0 } | if write { libc::W_OK } else { 0 },
    )
}

fn access(path: &Path, mode: i32) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: a C string.
    ok(unsafe { libc::access(path.as_ptr(), mode) }.into()).map(drop)
}

/// Alignment that O_DIRECT needs: of memory, of offsets (0: it is not supported); `None` where the kernel does not say.
pub fn direct_alignment(fd: i32) -> Option<(u32, u32)> {
    let mut data = MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: an empty C string means the descriptor; the place is ours, and zero is valid for it.
    let data = unsafe {
        let mask = libc::STATX_DIOALIGN;
        ok(libc::statx(
            fd,
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            mask,
            data.as_mut_ptr(),
        )
        .into())
        .ok()?;
        data.assume_init()
    };
    (data.stx_mask & libc::STATX_DIOALIGN != 0)
        .then_some((data.stx_dio_mem_align, data.stx_dio_offset_align))
}

/// Drops a file's clean pages from the page cache, and its dirty ones after writing them.
pub fn drop_pages(file: &std::fs::File) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    file.sync_all()?;
    // SAFETY: takes numbers only.
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// A line of /proc/self/io.
pub fn process_io(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    text.lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(": ")?.parse().ok())
}

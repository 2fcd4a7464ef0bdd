//! The system call itself, its error numbers, and `errno`, which it does not touch.

use core::ffi::c_int;

/// The kernel's error number, positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub i32);

/// What a system call answered.
pub type Result<T> = core::result::Result<T, Errno>;

#[cfg(all(target_arch = "x86_64", not(miri)))]
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

#[cfg(all(target_arch = "aarch64", not(miri)))]
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

/// Miri makes no system calls. What its tests need is asked of libc, which it knows; memory is never given back.
#[cfg(miri)]
unsafe fn raw(number: i64, a: [usize; 6]) -> isize {
    let at = core::ptr::with_exposed_provenance_mut::<libc::c_void>(a[0]);
    // SAFETY: the caller answers for what the call does with its arguments.
    unsafe {
        match number {
            libc::SYS_mmap => {
                let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
                libc::mmap(at, a[1], a[2] as c_int, kind, -1, 0).expose_provenance() as isize
            }
            libc::SYS_getcwd if libc::getcwd(at.cast(), a[1]).is_null() => {
                (libc::ERANGE as isize).wrapping_neg()
            }
            libc::SYS_getcwd => libc::strlen(at.cast()).wrapping_add(1) as isize,
            libc::SYS_clock_gettime => {
                let time = core::ptr::with_exposed_provenance_mut::<libc::timespec>(a[1]);
                libc::clock_gettime(a[0] as libc::clockid_t, time) as isize
            }
            libc::SYS_getpid => libc::getpid() as isize,
            libc::SYS_madvise | libc::SYS_munmap | libc::SYS_rt_sigprocmask => 0,
            libc::SYS_sched_yield => libc::sched_yield() as isize,
            _ => (libc::ENOSYS as isize).wrapping_neg(),
        }
    }
}

/// # Safety
/// As the system call itself.
pub(super) unsafe fn call(number: i64, arguments: [usize; 6]) -> Result<usize> {
    // SAFETY: what the system call does with its arguments, this function's contract allows.
    let ret = unsafe { raw(number, arguments) };
    if (-4095..0).contains(&ret) {
        Err(Errno((ret as i32).wrapping_neg()))
    } else {
        Ok(ret as usize)
    }
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

/// The calling thread's `errno` as it was when this was made: it is again when this goes.
pub struct KeptErrno(c_int);

impl KeptErrno {
    /// Keeps it as it is now.
    #[inline(always)]
    pub fn now() -> KeptErrno {
        KeptErrno(errno())
    }
}

impl Drop for KeptErrno {
    #[inline(always)]
    fn drop(&mut self) {
        set_errno(self.0);
    }
}

/// Does something of which the program is to notice nothing: `errno` stays.
pub fn quietly<R>(work: impl FnOnce() -> R) -> R {
    let _errno = KeptErrno::now();
    work()
}

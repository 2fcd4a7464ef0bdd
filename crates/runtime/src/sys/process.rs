//! Processes, threads and their signals.

use super::call::{Errno, call};
use core::ffi::{c_char, c_int, c_ulong};
use core::sync::atomic::AtomicU32;

#[cfg(not(test))]
unsafe extern "C" {
    /// c-shim/libc.c
    safe fn iota_auxiliary(kind: c_ulong) -> c_ulong;
}

#[cfg(test)]
fn iota_auxiliary(kind: c_ulong) -> c_ulong {
    // SAFETY: only asks.
    unsafe { libc::getauxval(kind) }
}

/// What the kernel passed to the program, by an `AT_` number; 0: nothing.
pub fn auxiliary(kind: c_ulong) -> usize {
    iota_auxiliary(kind) as usize
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

/// True on a stack that the program set up for signal handlers.
fn is_on_signal_stack() -> bool {
    let mut stack = core::mem::MaybeUninit::<libc::stack_t>::zeroed();
    let arguments = [0, stack.as_mut_ptr() as usize, 0, 0, 0, 0];
    // SAFETY: the kernel fills `stack`, for which zero is valid too.
    let stack = unsafe { call(libc::SYS_sigaltstack, arguments).map(|_| stack.assume_init()) };
    stack.is_ok_and(|stack| stack.ss_flags & libc::SS_ONSTACK != 0)
}

/// Whether what runs at `frame` interrupted what runs at the other frame, which goes on afterwards: a handler's frame lies
/// below, or on a stack of its own. From a frame above, the other one was left by longjmp.
#[cold]
#[inline(never)]
pub fn interrupts(frame: usize, interrupted: usize) -> bool {
    interrupted > frame || is_on_signal_stack()
}

/// True for setuid programs and their kin.
pub fn is_privileged() -> bool {
    auxiliary(libc::AT_SECURE) != 0
}

/// Where the object is that the kernel gives every program; 0: there is none.
pub fn object_of_the_kernel() -> usize {
    auxiliary(libc::AT_SYSINFO_EHDR)
}

/// A random number. Not of what the kernel passed to the program: from that its stack's guard is made, which no trace may
/// tell.
pub fn random() -> super::Result<u64> {
    let mut number = 0u64;
    let arguments = [
        &raw mut number as usize,
        size_of::<u64>(),
        libc::GRND_NONBLOCK as usize,
        0,
        0,
        0,
    ];
    // SAFETY: the kernel fills `number`.
    unsafe { call(libc::SYS_getrandom, arguments) }.map(|_| number)
}

/// The address of the calling thread's storage; 0 before it has any.
#[cfg(target_arch = "x86_64")]
pub fn thread_pointer() -> usize {
    const ARCH_GET_FS: usize = 0x1003;
    let mut at = 0usize;
    // SAFETY: the kernel writes one word to `at`.
    let _ = unsafe {
        call(
            libc::SYS_arch_prctl,
            [ARCH_GET_FS, &raw mut at as usize, 0, 0, 0, 0],
        )
    };
    at
}

/// The address of the calling thread's storage; 0 before it has any.
#[cfg(target_arch = "aarch64")]
pub fn thread_pointer() -> usize {
    let at: usize;
    // SAFETY: reads a register.
    unsafe { core::arch::asm!("mrs {at}, tpidr_el0", at = out(reg) at, options(nomem, nostack)) };
    at
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

/// Lets time pass.
pub fn sleep(nanoseconds: u64) {
    let time = [nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000];
    // SAFETY: a timespec is two words; nobody wants to know what is left of it.
    let _ = unsafe { call(libc::SYS_nanosleep, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// Waits while `word` is `value`, until somebody wakes this thread, for so long at most.
pub fn wait_while(word: &AtomicU32, value: u32, nanoseconds: u64) {
    let how = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    wait_on(word, how, value, nanoseconds);
}

fn wait_on(word: &AtomicU32, how: c_int, value: u32, nanoseconds: u64) {
    let time = [nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000];
    let arguments = [
        word.as_ptr() as usize,
        how as usize,
        value as usize,
        time.as_ptr() as usize,
        0,
        0,
    ];
    // SAFETY: the kernel reads `word` and `time`.
    let _ = unsafe { call(libc::SYS_futex, arguments) };
}

/// The same in memory that processes share.
pub fn wait_while_shared(word: &AtomicU32, value: u32, nanoseconds: u64) {
    wait_on(word, libc::FUTEX_WAIT, value, nanoseconds);
}

/// Wakes one that waits there.
pub fn wake_one(word: &AtomicU32) {
    let how = (libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG) as usize;
    // SAFETY: the address is all that the kernel needs.
    let _ = unsafe { call(libc::SYS_futex, [word.as_ptr() as usize, how, 1, 0, 0, 0]) };
}

/// Wakes all who wait there, in whatever process.
pub fn wake_all_shared(word: &AtomicU32) {
    let (at, all) = (word.as_ptr() as usize, c_int::MAX as usize);
    // SAFETY: the address is all that the kernel needs.
    let _ = unsafe {
        call(
            libc::SYS_futex,
            [at, libc::FUTEX_WAKE as usize, all, 0, 0, 0],
        )
    };
}

/// Lets others run.
pub fn yield_now() {
    // SAFETY: no memory is passed.
    let _ = unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// Ends the process.
pub fn exit(status: usize) -> ! {
    loop {
        // SAFETY: no memory is passed; the call does not return.
        let _ = unsafe { call(libc::SYS_exit_group, [status, 0, 0, 0, 0, 0]) };
    }
}

/// A number that changes when a child that has ended is waited for: what the kernel counted of children is the parent's from
/// then on.
pub fn children_waited_for() -> u64 {
    let mut usage = core::mem::MaybeUninit::<libc::rusage>::zeroed();
    let children = libc::RUSAGE_CHILDREN as usize;
    let arguments = [children, usage.as_mut_ptr() as usize, 0, 0, 0, 0];
    // SAFETY: the kernel fills `usage`, for which zero is valid too.
    let usage = unsafe {
        let _ = call(libc::SYS_getrusage, arguments);
        usage.assume_init()
    };
    let counts = [usage.ru_minflt, usage.ru_nvcsw, usage.ru_nivcsw];
    let sum = counts.into_iter().fold(0, i64::wrapping_add);
    sum as u64
}

/// Whether the process has other threads; true where that is not known.
pub fn has_threads() -> bool {
    let threads = super::File::open(c"/proc/self/task", libc::O_RDONLY | libc::O_DIRECTORY);
    // The directory, its name, and one for each thread.
    !threads.is_ok_and(|threads| threads.links() == Ok(3))
}

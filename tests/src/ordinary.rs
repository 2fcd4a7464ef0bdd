//! What a command finds when it starts: whoever started the tests may ignore or block signals (`nohup`, a batch system, a
//! shell's background) or have set low limits, and what a test expects of a program is not to depend on it.

use std::io::Result;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Seconds that a [`bounded`] command may take.
const BOUND: u32 = 300;

/// Descriptors and bytes of stack, as they are where nobody changed them.
const FILES: u64 = 1024;
const STACK: u64 = 8 << 20;

/// Has the command start with every signal at its default action, none blocked, the usual limits as far as they may be
/// raised, and the usual mask for new files.
pub fn ordinary(command: &mut Command) -> &mut Command {
    // SAFETY: system calls are all that happens between fork and exec.
    unsafe { command.pre_exec(usual) }
}

/// The same; and SIGALRM ends the command when it takes too long, so that whoever waits for it need not look at the clock.
pub fn bounded(command: &mut Command) -> &mut Command {
    let alarm = || {
        // SAFETY: a plain system call.
        unsafe { libc::alarm(BOUND) };
        Ok(())
    };
    // SAFETY: one system call is all that happens between fork and exec.
    unsafe { ordinary(command).pre_exec(alarm) }
}

fn usual() -> Result<()> {
    // SAFETY: the set is filled in before it is used; SIGKILL and SIGSTOP and the C library's own are refused, which is
    // right.
    unsafe {
        for signal in 1..=libc::SIGRTMAX() {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        libc::umask(0o022);
    }
    set(libc::RLIMIT_AS, u64::MAX);
    set(libc::RLIMIT_DATA, u64::MAX);
    set(libc::RLIMIT_FSIZE, u64::MAX);
    set(libc::RLIMIT_NPROC, u64::MAX);
    set(libc::RLIMIT_CPU, u64::MAX);
    set(libc::RLIMIT_NOFILE, FILES);
    set(libc::RLIMIT_STACK, STACK);
    // A core would be one more file that a program leaves.
    set(libc::RLIMIT_CORE, 0);
    Ok(())
}

/// Sets a limit, no higher than it may be.
fn set(which: libc::__rlimit_resource_t, wished: u64) {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is filled in, then read.
    unsafe {
        if libc::getrlimit(which, &mut limit) == 0 {
            limit.rlim_cur = wished.min(limit.rlim_max);
            libc::setrlimit(which, &limit);
        }
    }
}

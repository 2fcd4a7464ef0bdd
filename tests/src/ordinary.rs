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
    // The kernel's structure, whose zeros are the default action; the C library refuses its own two signals.
    let default = [0u64; 4];
    // SAFETY: the sets and the action are as long as is said and zeroed; SIGKILL and SIGSTOP are refused, which is right.
    unsafe {
        for signal in 1..=64 {
            libc::syscall(libc::SYS_rt_sigaction, signal, &default, 0, 8);
        }
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &0u64, 0, 8);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::limited;
    use std::time::Duration;

    /// As `nohup make test &` and a batch system have it.
    fn spoil() -> Result<()> {
        // SAFETY: plain system calls.
        unsafe {
            libc::signal(libc::SIGINT, libc::SIG_IGN);
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
            libc::umask(0o077);
        }
        set(libc::RLIMIT_NOFILE, 50);
        Ok(())
    }

    #[test]
    fn what_ignores_sigint_starts_commands_that_do_not() {
        let mut command = Command::new("sh");
        command.args(["-c", "grep SigIgn /proc/self/status; ulimit -S -n; umask"]);
        // SAFETY: system calls are all that happens between fork and exec.
        unsafe { command.pre_exec(spoil) };
        let found = limited(&mut command, b"", Duration::from_secs(60)).text();
        assert_eq!(found, "SigIgn:\t0000000000000000\n1024\n0022\n");
    }
}

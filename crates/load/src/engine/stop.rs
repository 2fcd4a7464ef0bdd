//! SIGINT, SIGTERM and SIGHUP: the load ends, tells what it did, and then dies of the signal. A second one ends it at
//! once.

use std::io;
use std::mem::MaybeUninit;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// The signal that came, if one did.
pub fn signal() -> Option<i32> {
    match SIGNAL.load(Relaxed) {
        0 => None,
        signal => Some(signal),
    }
}

/// Whether a signal is ignored, as nohup has it for SIGHUP.
pub fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks, and changes nothing; zeroed is valid.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// What ends a command that wants to end in order: of these, those that are not ignored from the start.
pub fn ending() -> impl Iterator<Item = i32> {
    let ending = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
    ending.into_iter().filter(|signal| !is_ignored(*signal))
}

fn signals() -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: sigemptyset makes the set valid; the numbers are signals.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in ending() {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Takes the signals from here on; to be called before other threads are made, which inherit that.
///
/// # Errors
/// The thread that waits for them cannot be made.
pub fn watch() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut made = Ok(());
    ONCE.call_once(|| {
        let set = signals();
        // SAFETY: only reads the set.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) };
        let thread = std::thread::Builder::new()
            .name("signals".into())
            .stack_size(64 << 10);
        made = thread.spawn(move || take(&set)).map(drop);
    });
    made
}

fn take(set: &libc::sigset_t) {
    loop {
        let mut signal = 0;
        // SAFETY: waits for signals of the set, which are blocked; fills the place.
        if unsafe { libc::sigwait(set, &mut signal) } != 0 {
            return;
        }
        if SIGNAL.swap(signal, Relaxed) != 0 {
            die(signal);
        }
    }
}

/// Ends the process by the signal, so that whoever waits for it knows why.
pub fn die(signal: i32) -> ! {
    // SAFETY: the default action of these signals ends the process; the set is made valid.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::signal(signal, libc::SIG_DFL);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), std::ptr::null_mut());
        libc::raise(signal);
        libc::_exit(128 + signal)
    }
}

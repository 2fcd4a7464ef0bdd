//! What a command makes is for its owner at the least, whatever the umask takes away.

use libc::mode_t;
use std::sync::OnceLock;

/// The user's
static BEFORE: OnceLock<mode_t> = OnceLock::new();

/// Takes nothing away from the owner any more
pub fn spare_owner() {
    // SAFETY: plain system calls; the process has one thread.
    let before = *BEFORE.get_or_init(|| unsafe { libc::umask(0o77) });
    // SAFETY: as above.
    unsafe { libc::umask(before & !libc::S_IRWXU) };
}

/// Takes away what the user wants, in the child that is to be another program; system calls alone
pub fn restore() {
    if let Some(before) = BEFORE.get() {
        // SAFETY: a plain system call.
        unsafe { libc::umask(*before) };
    }
}

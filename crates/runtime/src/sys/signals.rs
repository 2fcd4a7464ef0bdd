//! Signals of the program's.

use super::call::call;
use super::process::{process_id, thread_id};
use core::ffi::c_int;

/// The kernel's `struct sigaction`, on both architectures: handler, flags, restorer, mask.
type Action = [usize; 4];

fn action(signal: c_int, new: Option<&Action>) -> Action {
    let mut before: Action = [0; 4];
    let new = new.map_or(0, |new| new.as_ptr() as usize);
    let arguments = [
        signal as usize,
        new,
        &raw mut before as usize,
        size_of::<u64>(),
        0,
        0,
    ];
    // SAFETY: the kernel reads one action and writes one.
    let _ = unsafe { call(libc::SYS_rt_sigaction, arguments) };
    before
}

/// Whether a function of the program is called for a signal.
pub fn is_handled(signal: c_int) -> bool {
    !matches!(action(signal, None)[0], libc::SIG_DFL | libc::SIG_IGN)
}

/// From now on the signal does what it does by default.
pub fn set_default(signal: c_int) {
    action(signal, Some(&[0; 4]));
}

/// Sends the signal to this thread, which lets it through, as `abort` does. It comes before this returns.
pub fn raise(signal: c_int) {
    let set = 1u64 << (signal - 1);
    let (how, size) = (libc::SIG_UNBLOCK as usize, size_of::<u64>());
    let unblock = [how, &raw const set as usize, 0, size, 0, 0];
    let (process, thread) = (process_id() as usize, thread_id() as usize);
    let send = [process, thread, signal as usize, 0, 0, 0];
    // SAFETY: the kernel reads the set; the handler is the program's.
    unsafe {
        let _ = call(libc::SYS_rt_sigprocmask, unblock);
        let _ = call(libc::SYS_tgkill, send);
    }
}

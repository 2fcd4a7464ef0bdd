//! No signal in between: a handler may jump away, and an asynchronous cancellation ends the thread where it stands. What
//! others wait for must not be left half done. Faults keep their handlers.

use super::process::set_signal_mask;

/// Signals of this thread wait until it goes out of scope.
pub struct SignalsBlocked(u64);

impl SignalsBlocked {
    /// From now on.
    pub fn begin() -> SignalsBlocked {
        SignalsBlocked(set_signal_mask(!FAULTS))
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        set_signal_mask(self.0);
    }
}

const FAULTS: u64 = bit(libc::SIGSEGV)
    | bit(libc::SIGBUS)
    | bit(libc::SIGFPE)
    | bit(libc::SIGILL)
    | bit(libc::SIGTRAP)
    | bit(libc::SIGSYS);

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

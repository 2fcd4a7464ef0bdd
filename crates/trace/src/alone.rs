//! Arithmetic on what one thread and its signal handlers change, and no other thread.

use core::sync::atomic::AtomicU64;

/// Adds, and returns what the number was. On x86_64 one instruction without the lock prefix, which would cost more than
/// all else on the path of a call: no signal comes in its middle.
#[inline(always)]
pub fn fetch_add(number: &AtomicU64, more: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut before = more;
        // SAFETY: it reads and writes the number, which is there for both.
        unsafe {
            core::arch::asm!(
                "xadd qword ptr [{number}], {more}",
                number = in(reg) number.as_ptr(),
                more = inout(reg) before,
                options(nostack)
            );
        }
        before
    }
    #[cfg(not(target_arch = "x86_64"))]
    number.fetch_add(more, core::sync::atomic::Ordering::Relaxed)
}

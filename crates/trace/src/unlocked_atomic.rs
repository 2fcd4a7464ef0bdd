//! Arithmetic on what one thread and its signal handlers change, and no other thread.

use core::sync::atomic::{AtomicU32, AtomicU64};

/// Adds, and returns what the number was. On x86_64 one instruction without the lock prefix, which would cost more than
/// all else on the path of a call: no signal comes in its middle.
#[inline(always)]
pub fn fetch_add(number: &AtomicU64, more: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
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
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    number.fetch_add(more, core::sync::atomic::Ordering::Relaxed)
}

/// Makes `to` of a number that is `from`; returns whether it was.
#[inline(always)]
pub fn replace(number: &AtomicU32, from: u32, to: u32) -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut found = from;
        // SAFETY: it reads and writes the number, which is there for both.
        unsafe {
            core::arch::asm!(
                "cmpxchg dword ptr [{number}], {to:e}",
                number = in(reg) number.as_ptr(),
                to = in(reg) to,
                inout("eax") found,
                options(nostack)
            );
        }
        found == from
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    {
        use core::sync::atomic::Ordering::Relaxed;
        number.compare_exchange(from, to, Relaxed, Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_change_as_asked() {
        let (long, short) = (AtomicU64::new(7), AtomicU32::new(7));
        assert_eq!((fetch_add(&long, 5), fetch_add(&long, u64::MAX)), (7, 12));
        assert_eq!(long.into_inner(), 11);
        assert!(!replace(&short, 6, 9) && replace(&short, 7, 8) && !replace(&short, 7, 9));
        assert_eq!(short.into_inner(), 8);
    }
}

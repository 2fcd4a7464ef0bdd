//! Memory for the time of gathering, from the kernel and back to it.

use core::ffi::c_void;
use iota_runtime::sys;

/// Zeroed bytes of our own.
pub struct Memory {
    at: *mut c_void,
    length: usize,
}

impl Memory {
    /// Maps so many; none are no trouble.
    pub fn new(length: usize) -> Option<Memory> {
        let at = if length == 0 {
            core::ptr::null_mut()
        } else {
            sys::map_private(length, false).ok()?
        };
        Some(Memory { at, length })
    }

    /// The bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: mapped in `new`, `length` bytes, borrowed as long as `self` is.
        unsafe { core::slice::from_raw_parts_mut(self.at.cast(), self.length) }
    }

    /// The same as words, as many as fit.
    pub fn words(&mut self) -> &mut [usize] {
        let count = self.length / size_of::<usize>();
        if count == 0 {
            return &mut [];
        }
        // SAFETY: as in `bytes`; a page is aligned for everything.
        unsafe { core::slice::from_raw_parts_mut(self.at.cast(), count) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.length != 0 {
            // SAFETY: nobody borrows the bytes any more.
            unsafe { sys::unmap(self.at, self.length) };
        }
    }
}

//! Who called whom, by the rules of `.eh_frame`: from the registers of a function to those of its caller.
//!
//! It runs inside the traced program: it allocates nothing, and reads nothing but through [`Memory`], so that neither
//! a wrong rule nor a library that was unloaded can do harm. Formats are those of the DWARF standard (version 5, section 6.4)
//! and of the Linux Standard Base (Exception Frames, `.eh_frame_hdr`).
#![cfg_attr(not(test), no_std)]

mod cursor;
mod entry;
mod expression;
mod header;
mod registers;
mod row;
mod step;

pub use registers::{COUNT, Registers, STACK};
pub use step::{Caller, Unwinder, step};

/// Memory that may not be there.
pub trait Memory {
    /// Fills `to` with the bytes at `at`; false where not all of them can be read.
    fn read(&self, at: usize, to: &mut [u8]) -> bool;

    /// The word at an address.
    fn word(&self, at: usize) -> Option<usize> {
        let mut bytes = [0; size_of::<usize>()];
        self.read(at, &mut bytes)
            .then(|| usize::from_ne_bytes(bytes))
    }
}

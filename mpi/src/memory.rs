//! Memory for the time of gathering or of a call, from the kernel and back to it.

use core::ffi::{c_int, c_void};
use core::marker::PhantomData;
use iota_runtime::sys::{self, Zeroed};

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

    /// The same as integers of C, as many as fit.
    pub fn integers(&mut self) -> &mut [c_int] {
        let count = self.length / size_of::<c_int>();
        if count == 0 {
            return &mut [];
        }
        // SAFETY: as in `bytes`; a page is aligned for everything.
        unsafe { core::slice::from_raw_parts_mut(self.at.cast(), count) }
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

/// A value in memory of its own, which begins as zeros.
pub struct Value<T> {
    memory: Memory,
    of: PhantomData<T>,
}

impl<T: Zeroed> Value<T> {
    /// Maps as much as it takes.
    pub fn new() -> Option<Value<T>> {
        let memory = Memory::new(size_of::<T>())?;
        let of = PhantomData;
        Some(Value { memory, of })
    }

    /// The value.
    pub fn get(&mut self) -> &mut T {
        // SAFETY: mapped in `new` for such a value, of which zeros are one; a page is aligned for everything.
        unsafe { &mut *self.memory.at.cast() }
    }
}

/// Zeroed words: a few where this stands, more in memory of their own.
pub struct WordBuffer<const FEW: usize> {
    few: [usize; FEW],
    many: Option<Memory>,
    count: usize,
}

impl<const FEW: usize> WordBuffer<FEW> {
    /// So many, if there is room for them.
    pub fn new(count: usize) -> Option<WordBuffer<FEW>> {
        let mapped = || Memory::new(count.wrapping_mul(size_of::<usize>()));
        let many = if count > FEW { Some(mapped()?) } else { None };
        Some(WordBuffer {
            few: [0; FEW],
            many,
            count,
        })
    }

    /// All of them.
    pub fn all(&mut self) -> &mut [usize] {
        let words = match &mut self.many {
            Some(many) => many.words(),
            None => &mut self.few,
        };
        words.get_mut(..self.count).unwrap_or_default()
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

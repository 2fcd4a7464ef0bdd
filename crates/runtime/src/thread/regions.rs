//! What a thread is in, the innermost last: regions that the program, or its Python, says begin and end.

use crate::sys;
use core::cell::Cell;
use core::ptr;

/// Inside each other, in one thread; those beyond are not recorded.
const MOST: usize = 1024;

/// Those of a thread. Zeros are a value: none.
pub struct Regions<R> {
    at: Cell<*mut R>,
    depth: Cell<usize>,
}

impl<R: Copy> Regions<R> {
    pub fn forget(&self) {
        self.depth.set(0);
    }

    /// Whether there is room for one more. One that there is none for is counted all the same, because it will end.
    pub fn has_room(&self) -> bool {
        let depth = self.depth.get();
        let has_room = self.place(depth).is_some();
        if !has_room {
            self.depth.set(depth.wrapping_add(1));
        }
        has_room
    }

    /// It begins.
    pub fn push(&self, region: R) {
        let depth = self.depth.get();
        if let Some(place) = self.place(depth) {
            // SAFETY: a place for one, of this thread alone.
            unsafe { *place = region };
            self.depth.set(depth.wrapping_add(1));
        }
    }

    /// The innermost one that `is_it` ends, and with it those inside it. None: there is none.
    pub fn pop(&self, is_it: impl Fn(&R) -> bool) -> Option<R> {
        let depth = self.depth.get();
        if depth > MOST {
            // One that there was no room for.
            self.depth.set(depth.wrapping_sub(1));
            return None;
        }
        for nth in (0..depth).rev() {
            // SAFETY: a place below the depth, which was written to.
            let region = self.place(nth).map(|place| unsafe { *place })?;
            if is_it(&region) {
                self.depth.set(nth);
                return Some(region);
            }
        }
        None
    }

    /// The place of the nth; None: there is no room.
    fn place(&self, nth: usize) -> Option<*mut R> {
        if self.at.get().is_null() {
            let room = MOST.wrapping_mul(size_of::<R>());
            let at = sys::map_private(room, true).unwrap_or(ptr::null_mut());
            self.at.set(at.cast());
        }
        let at = self.at.get();
        (nth < MOST && !at.is_null()).then(|| at.wrapping_add(nth))
    }
}

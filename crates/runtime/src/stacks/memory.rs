//! The process' own memory, read by the kernel, a page at a time: pages stay as they were for as long as a stack is unwound.

use crate::sys;
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;
use iota_unwind::Memory;

/// No page is smaller, and none ends but at a multiple of it.
const PAGE: usize = 4096;
/// Pages that are kept: some of the stack, of the table of functions and of their entries.
const KEPT: usize = 16;

/// Pages that were read. Zeros are none.
pub struct Pages {
    /// One more than the address of each.
    known: [Cell<usize>; KEPT],
    bytes: [UnsafeCell<[MaybeUninit<u8>; PAGE]>; KEPT],
    next: Cell<usize>,
}

impl Pages {
    /// Memory may have changed.
    pub fn forget(&self) {
        self.known.iter().for_each(|known| known.set(0));
    }

    /// The page at an address, if it can be read.
    fn page(&self, at: usize) -> Option<&[u8]> {
        let key = at.wrapping_add(1);
        let known = self.known.iter().position(|known| known.get() == key);
        let place = match known {
            Some(place) => place,
            None => self.fetch(at)?,
        };
        let bytes = self.bytes.get(place)?;
        // SAFETY: all of a known page was written, and it changes only when another one is fetched, after this one was used.
        Some(unsafe { core::slice::from_raw_parts(bytes.get().cast(), PAGE) })
    }

    fn fetch(&self, at: usize) -> Option<usize> {
        let place = self.next.get() % KEPT;
        let (known, bytes) = (self.known.get(place)?, self.bytes.get(place)?);
        known.set(0);
        // SAFETY: no page is in use while another one is fetched.
        let room = unsafe { &mut *bytes.get() };
        if sys::copy_in(at, room, PAGE).len() != PAGE {
            return None;
        }
        known.set(at.wrapping_add(1));
        self.next.set(place.wrapping_add(1));
        Some(place)
    }
}

impl Memory for Pages {
    fn read(&self, at: usize, to: &mut [u8]) -> bool {
        let (mut at, mut to) = (at, to);
        while !to.is_empty() {
            let within = at & (PAGE - 1);
            let length = to.len().min(PAGE.wrapping_sub(within));
            let (piece, rest) = to.split_at_mut(length);
            let page = self.page(at.wrapping_sub(within));
            let Some(bytes) = page.and_then(|page| page.get(within..within.wrapping_add(length)))
            else {
                return false;
            };
            piece.copy_from_slice(bytes);
            (at, to) = (at.wrapping_add(length), rest);
        }
        true
    }
}

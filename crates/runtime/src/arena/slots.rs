//! Slots of the spool, one for each thread that runs at a time: its ring of records, and its names that no block holds yet.

use super::spool::{self, have, header, reopened};
use crate::sys;
use core::ffi::c_void;
use core::mem;
use core::sync::atomic::Ordering::*;
use iota_trace::spool::{HEADER, SLOT, SLOT_START, Slot};

/// The right to add slots to the spool's file.
pub struct Slots {
    /// For how many the file is long enough.
    room: u32,
    /// The address of the latest one.
    last: usize,
    /// That of what is mapped behind it, where there was no memory for a slot; 0: there is none.
    next: usize,
}

impl Slots {
    /// The one that the arena owns.
    pub(super) const NEW: Slots = Slots {
        room: 0,
        last: 0,
        next: 0,
    };

    /// Those of a new spool.
    pub(super) fn start(&mut self) {
        *self = Slots {
            room: spool::room(),
            ..Slots::NEW
        };
    }

    /// One more in the spool's file, and where it lies there.
    pub fn add(&mut self) -> Option<(*mut c_void, u64)> {
        let header = header();
        let number = header.slots.load(Relaxed);
        let offset = offset_of(number);
        if spool::is_private() {
            return None;
        }
        let slot = match number {
            0 => spool::behind_header(offset).cast(),
            _ => self.further(number, offset).ok()?,
        };
        self.next = slot as usize;
        have_start(slot, offset).ok()?;
        self.last = mem::take(&mut self.next);
        header.slots.store(number.wrapping_add(1), Release);
        Some((slot, offset))
    }

    /// Maps another one, if the file can be opened or not.
    fn further(&mut self, number: u32, offset: u64) -> sys::Result<*mut c_void> {
        if self.next != 0 {
            return Ok(self.next as *mut c_void);
        }
        if number >= self.room {
            self.room = number.wrapping_add(spool::lengthen(&reopened()?, offset)?);
        }
        let end = self.last.wrapping_add(SLOT) as *mut c_void;
        // SAFETY: there the mapping of a slot ends, which stays.
        unsafe { sys::map_behind(end, SLOT) }.or_else(|_| reopened()?.map_shared(offset, SLOT))
    }
}

/// Where slot `number` lies in the file.
fn offset_of(number: u32) -> u64 {
    (HEADER as u64)
        .wrapping_add(header().capacity.load(Relaxed))
        .wrapping_add(u64::from(number).wrapping_mul(SLOT as u64))
}

fn have_start(slot: *mut c_void, offset: u64) -> sys::Result<()> {
    let mut parts = SLOT_START.iter();
    parts.try_for_each(|part| have_part(slot, *part, offset))
}

fn have_part(slot: *mut c_void, (at, bytes): (usize, usize), offset: u64) -> sys::Result<()> {
    let place = slot.cast::<u8>().wrapping_add(at).cast();
    have(place, bytes, offset.wrapping_add(at as u64), reopened)
}

/// A slot in private memory, where the file has none.
pub fn private() -> Option<(*mut c_void, u64)> {
    let slot = sys::map_private(SLOT, false).ok()?;
    header().private_slots.fetch_add(1, Relaxed);
    Some((slot, 0))
}

/// More of a slot's ring; false where it has all, or memory ends.
pub fn grow(slot: &Slot) -> bool {
    let Some(part) = slot.ring_growth().filter(|part| grows(slot, *part)) else {
        return false;
    };
    slot.add_ready(part.1);
    true
}

/// All of a slot's names; false where it has them, or memory ends.
pub fn grow_names(slot: &Slot) -> bool {
    let has_more = slot.names_growth().is_some_and(|part| grows(slot, part));
    if has_more {
        slot.set_names_ready();
    }
    has_more
}

fn grows(slot: &Slot, part: (usize, usize)) -> bool {
    let offset = slot.offset.load(Relaxed);
    let at = (&raw const *slot).cast_mut().cast();
    offset == 0 || have_part(at, part, offset).is_ok()
}

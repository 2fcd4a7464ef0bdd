//! Slots of the spool, one for each thread that runs at a time: its ring of records, and its names that no block holds yet.

use super::spool::{self, have, header, reopened};
use crate::sys::{self, File};
use core::borrow::Borrow;
use core::ffi::c_void;
use core::sync::atomic::Ordering::*;
use iota_trace::spool::{HEADER, SLOT, SLOT_START, Slot};

/// The right to add slots to the spool's file.
pub struct Slots(());

impl Slots {
    /// The one that the arena owns.
    pub(super) const NEW: Slots = Slots(());

    /// One more in the spool's file, and where it lies there. What was asked of the file in vain is given back.
    pub fn add(&mut self) -> Option<(*mut c_void, u64)> {
        let header = header();
        let number = header.slots.load(Relaxed);
        let offset = offset_of(number);
        let slot = if spool::is_private() {
            return None;
        } else if number == 0 {
            let slot = spool::behind_header(offset).cast();
            have_start(slot, offset, reopened).ok()?;
            slot
        } else {
            further(offset).ok()?
        };
        header.slots.store(number.wrapping_add(1), Release);
        Some((slot, offset))
    }
}

/// Where slot `number` lies in the file.
fn offset_of(number: u32) -> u64 {
    (HEADER as u64)
        .wrapping_add(header().capacity.load(Relaxed))
        .wrapping_add(u64::from(number).wrapping_mul(SLOT as u64))
}

fn further(offset: u64) -> sys::Result<*mut c_void> {
    let file = reopened()?;
    file.set_len(offset.wrapping_add(SLOT as u64))?;
    let slot = file.map_shared(offset, SLOT).and_then(|slot| {
        have_start(slot, offset, || Ok(&file))
            .inspect_err(|_| {
                // SAFETY: just mapped, and nobody knows it.
                unsafe { sys::unmap(slot, SLOT) }
            })
            .map(|()| slot)
    });
    if slot.is_err() {
        let _ = file.set_len(offset);
    }
    slot
}

fn have_start<F: Borrow<File>>(
    slot: *mut c_void,
    offset: u64,
    mut file: impl FnMut() -> sys::Result<F>,
) -> sys::Result<()> {
    SLOT_START
        .iter()
        .try_for_each(|(at, bytes)| have_part(slot, (*at, *bytes), offset, &mut file))
}

fn have_part<F: Borrow<File>>(
    slot: *mut c_void,
    (at, bytes): (usize, usize),
    offset: u64,
    file: impl FnOnce() -> sys::Result<F>,
) -> sys::Result<()> {
    let place = slot.cast::<u8>().wrapping_add(at).cast();
    have(place, bytes, offset.wrapping_add(at as u64), file)
}

/// A slot in private memory, where the file has none.
pub fn private() -> Option<(*mut c_void, u64)> {
    Some((sys::map_private(SLOT, false).ok()?, 0))
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
    offset == 0 || have_part(at, part, offset, reopened).is_ok()
}

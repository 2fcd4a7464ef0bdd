//! Names on their way into the trace: functions when a block first refers to them, files and layouts from the room that each
//! thread's slot has for them.

use super::blocks::Blocks;
use crate::state::job;
use crate::sys;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering::*};
use iota_calls::{COUNT, FORMS, Form, MOST_PROBES, Op};
use iota_trace::block::Ids;
use iota_trace::names::{self, NamesWriter};
use iota_trace::spool::{FUNCTION, LAYOUT, NAMES, Slot, TEXT, name_check};

/// Room for a block of names.
const BLOCK: usize = NAMES + 4096;
/// Words of the set of ops.
const OP_WORDS: usize = (COUNT + MOST_PROBES).div_ceil(64);

const _: () = assert!(FORMS.len() < 64);

/// A set of ops, and one of forms.
pub struct Ops([u64; OP_WORDS], u64);

impl Ops {
    /// No op.
    const NONE: Ops = Ops([0; OP_WORDS], 0);

    /// Takes all away.
    pub fn clear(&mut self) {
        self.0.fill(0);
        self.1 = 0;
    }

    /// Adds one.
    #[inline(always)]
    pub fn add(&mut self, op: u16) {
        if let Some(word) = self.0.get_mut(usize::from(op >> 6)) {
            *word |= 1 << (op & 63);
        }
    }

    /// Adds a form.
    pub fn add_form(&mut self, form: u16) {
        self.1 |= 1 << (form & 63);
    }
}

/// Names ever kept in a thread's room: where there is none more, nobody looks through all threads.
static PENDED: AtomicU64 = AtomicU64::new(0);

/// What became of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// The trace will have it.
    Defined,
    /// There is no room for it.
    NoRoom,
    /// What it was copied from changed meanwhile.
    Spoiled,
}

/// Keeps a name in the thread's own room until a block takes it, if `is_whole` still holds when it has been copied. A
/// handler that does not return may leave it unfinished, for [`mend`].
pub fn pend(slot: &Slot, tag: u8, id: u32, name: &[u8], is_whole: impl FnOnce() -> bool) -> Named {
    let size = name.len().wrapping_add(8).next_multiple_of(8);
    let at = slot.names_filled.fetch_add(size as u32, Relaxed) as usize;
    let end = at.wrapping_add(size);
    if end > slot.names_ready() {
        slot.names_filled.fetch_sub(size as u32, Relaxed);
        return Named::NoRoom;
    }
    let place = slot.names().wrapping_add(at);
    // SAFETY: `size` bytes at `at` lie inside the slot's names and are reserved for this entry; the tag comes last, so
    // that whoever sees it sees the entry.
    unsafe {
        core::ptr::copy_nonoverlapping(name.as_ptr(), place.add(8), name.len());
        place.add(1).write(name_check(id, name));
        place.add(2).cast::<u16>().write(name.len() as u16);
        place.add(4).cast::<u32>().write(id);
        if !is_whole() {
            // The tag is 0 already, and others may look at it.
            place.add(1).write_bytes(0, size.wrapping_sub(1));
            slot.names_filled.fetch_sub(size as u32, Relaxed);
            return Named::Spoiled;
        }
        AtomicU8::from_ptr(place).store(tag, Release);
    }
    PENDED.fetch_add(1, Release);
    Named::Defined
}

/// Takes away what a name that was left unfinished occupies, behind the last whole one. Only the slot's thread adds names.
pub fn mend(slot: &Slot) {
    let mut at = slot.names_done.load(Acquire) as usize;
    while let Some(whole) = pending(slot, at) {
        at = whole.next;
    }
    let filled = (slot.names_filled.load(Relaxed) as usize).min(slot.names_ready());
    // The tag of the unfinished one is 0 already, and others may look at it.
    let behind = at.wrapping_add(1);
    // SAFETY: inside the slot's names; nobody reads behind that tag.
    unsafe {
        slot.names()
            .wrapping_add(behind)
            .write_bytes(0, filled.saturating_sub(behind))
    };
    slot.names_filled.store(at as u32, Release);
}

/// A name that waits in a slot.
struct Pending<'s> {
    tag: u8,
    id: u32,
    name: &'s [u8],
    /// Where the next begins.
    next: usize,
}

/// The name in a slot at `at`, if one is there.
fn pending(slot: &Slot, at: usize) -> Option<Pending<'_>> {
    if at.wrapping_add(8) > slot.names_ready() {
        return None;
    }
    let place = slot.names().wrapping_add(at);
    // SAFETY: inside the names; an entry with its tag is whole.
    unsafe {
        let tag = AtomicU8::from_ptr(place).load(Acquire);
        if tag == 0 {
            return None;
        }
        let length = usize::from(place.add(2).cast::<u16>().read());
        Some(Pending {
            tag,
            id: place.add(4).cast::<u32>().read(),
            name: core::slice::from_raw_parts(place.add(8), length),
            next: at.wrapping_add(length.wrapping_add(8).next_multiple_of(8)),
        })
    }
}

/// A thread's slot, and whether it is the calling thread's, which alone may use the room of its names again.
#[derive(Clone, Copy)]
pub struct SlotOf<'s> {
    pub slot: &'s Slot,
    pub is_own: bool,
}

/// Which names the part has, and room to write more.
#[repr(C)]
pub struct Names {
    block: [u8; BLOCK],
    defined: Ops,
    /// How many names had been kept when all that waited were written.
    pended: u64,
}

impl Names {
    /// None.
    pub const NONE: Names = Names {
        block: [0; BLOCK],
        defined: Ops::NONE,
        pended: 0,
    };

    /// A new part: the names of the old one are not in it.
    pub fn begin_part(&mut self) {
        self.defined.clear();
    }

    /// Writes what functions and forms are that the part does not have yet.
    pub fn write_ops(&mut self, ops: &Ops, to: &mut Blocks) {
        let mut both = ops.0.iter().zip(&self.defined.0);
        let mut forms = ops.1 & !self.defined.1;
        if forms == 0 && !both.any(|(now, before)| now & !before != 0) {
            return;
        }
        let mut writer = NamesWriter::new(&mut self.block);
        for (n, (now, before)) in (0u16..).zip(ops.0.iter().zip(&mut self.defined.0)) {
            let mut new = now & !*before;
            while new != 0 {
                define_op(
                    &mut writer,
                    n.wrapping_mul(64).wrapping_add(new.trailing_zeros() as u16),
                );
                new &= new.wrapping_sub(1);
            }
            *before |= now;
        }
        self.defined.1 |= forms;
        while forms != 0 {
            define_form(&mut writer, forms.trailing_zeros() as u16);
            forms &= forms.wrapping_sub(1);
        }
        if let Some(length) = writer.finish(job::ids(0)) {
            self.put(length, to);
        }
    }

    /// Writes the names that wait in the threads' rooms.
    pub fn write_pending<'s>(&mut self, slots: impl Iterator<Item = SlotOf<'s>>, to: &mut Blocks) {
        let pended = PENDED.load(Acquire);
        if core::mem::replace(&mut self.pended, pended) == pended {
            return;
        }
        slots.for_each(|slot| self.write_pending_of(slot, to));
    }

    /// Writes the names that wait in one thread's room, which is free again if it is this thread's.
    pub fn write_pending_of(&mut self, SlotOf { slot, is_own }: SlotOf<'_>, to: &mut Blocks) {
        let first = slot.names_done.load(Relaxed) as usize;
        let (mut at, mut writer) = (first, NamesWriter::new(&mut self.block));
        while let Some(Pending {
            tag,
            id,
            name,
            next,
        }) = pending(slot, at)
        {
            if !add(&mut writer, tag, id, name) {
                break;
            }
            at = next;
        }
        if at != first {
            if let Some(length) = writer.finish(job::ids(slot.thread.load(Relaxed))) {
                self.put(length, to);
            }
            slot.names_done.store(at as u32, Relaxed);
        }
        if is_own {
            reuse(slot, at);
        }
    }

    /// Writes a name without having it wait. False: it is too long for a block.
    pub fn write_now(&mut self, ids: Ids, tag: u8, id: u32, name: &[u8], to: &mut Blocks) -> bool {
        let mut writer = NamesWriter::new(&mut self.block);
        let length = add(&mut writer, tag, id, name).then(|| writer.finish(ids));
        if let Some(length) = length.flatten() {
            self.put(length, to);
        }
        length.is_some()
    }

    /// Appends the first `length` bytes of the block.
    fn put(&mut self, length: usize, to: &mut Blocks) {
        if !to.put(self.block.get(..length).unwrap_or_default()) {
            to.store.task.errors = to.store.task.errors.wrapping_add(1);
        }
    }
}

/// A name by its tag in a slot; false where the block has no room for it.
fn add<'n>(writer: &mut NamesWriter<'_, 'n>, tag: u8, id: u32, name: &'n [u8]) -> bool {
    match tag {
        LAYOUT => writer.layout(id, name),
        TEXT => writer.text(id, name),
        FUNCTION => writer.op(id as u16, names::Op::of_user(name)),
        _ => writer.file(id, name),
    }
}

fn define_form(writer: &mut NamesWriter<'_, '_>, form: u16) {
    if let Some(info) = Form(form).info() {
        writer.form(form, info);
    }
}

fn define_op(writer: &mut NamesWriter<'_, '_>, op: u16) {
    if let Some(info) = Op(op).info() {
        writer.op(op, info.into());
    }
}

/// Writes a layout that is too long to wait in a slot as a block of its own.
pub fn write_layout(ids: Ids, file: u32, layout: &[u8], to: &mut Blocks) {
    let length = layout.len().wrapping_add(BLOCK);
    let Ok(at) = sys::map_private(length, false) else {
        return;
    };
    // SAFETY: so many bytes, just mapped, which nobody else knows.
    let room = unsafe { core::slice::from_raw_parts_mut(at.cast::<u8>(), length) };
    let mut writer = NamesWriter::new(room);
    writer.layout(file, layout);
    let block = writer.finish(ids).unwrap_or(0);
    to.put(room.get(..block).unwrap_or_default());
    // SAFETY: not used any more.
    unsafe { sys::unmap(at, length) };
}

/// All names of the own slot are in blocks: their room starts afresh, if a quarter of it is used up: then the longest path
/// fits, or none is as long where memory ended.
fn reuse(slot: &Slot, done: usize) {
    if done < slot.names_ready() / 4 || slot.names_filled.load(Acquire) as usize != done {
        return;
    }
    // SAFETY: inside the names, and only this thread adds to them.
    unsafe { slot.names().write_bytes(0, done.min(NAMES)) };
    slot.names_done.store(0, Relaxed);
    slot.names_filled.store(0, Release);
}

#[cfg(test)]
mod tests {
    use super::*;
    use iota_trace::spool::{FILE, SLOT};
    use std::alloc::{Layout, alloc_zeroed};

    fn slot() -> &'static Slot {
        let layout = Layout::from_size_align(SLOT, align_of::<Slot>()).unwrap();
        // SAFETY: zeroed memory of a slot's size and alignment, never freed; zero is a valid slot.
        let slot: &Slot = unsafe { &*alloc_zeroed(layout).cast() };
        slot.start(0);
        slot
    }

    fn waiting(slot: &Slot) -> Vec<(u32, &[u8])> {
        let mut at = 0;
        let next = || {
            let found = pending(slot, at)?;
            at = found.next;
            Some((found.id, found.name))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn a_name_that_was_spoiled_leaves_nothing() {
        let slot = slot();
        assert_eq!(pend(slot, FILE, 1, b"/a", || true), Named::Defined);
        assert_eq!(pend(slot, FILE, 2, b"/spoiled", || false), Named::Spoiled);
        assert_eq!(waiting(slot), [(1, &b"/a"[..])]);
        assert_eq!(pend(slot, FILE, 3, b"/b", || true), Named::Defined);
        assert_eq!(waiting(slot), [(1, &b"/a"[..]), (3, b"/b")]);
    }

    #[test]
    fn a_name_that_was_left_unfinished_is_taken_away() {
        let slot = slot();
        assert_eq!(pend(slot, FILE, 1, b"/a", || true), Named::Defined);
        let leave = std::panic::AssertUnwindSafe(|| pend(slot, FILE, 2, b"/left", || panic!()));
        let left = std::panic::catch_unwind(leave);
        assert!(left.is_err());
        // What comes behind it does not wait for it.
        mend(slot);
        assert_eq!(pend(slot, FILE, 3, b"/b", || true), Named::Defined);
        assert_eq!(waiting(slot), [(1, &b"/a"[..]), (3, b"/b")]);
        let filled = slot.names_filled.load(Relaxed);
        mend(slot);
        assert_eq!(slot.names_filled.load(Relaxed), filled);
    }

    #[test]
    fn a_name_without_room_leaves_the_room_as_it_was() {
        let slot = slot();
        let long = vec![b'x'; slot.names_ready()];
        assert_eq!(pend(slot, FILE, 1, &long, || true), Named::NoRoom);
        assert_eq!(pend(slot, FILE, 2, b"/a", || true), Named::Defined);
        assert_eq!(waiting(slot), [(2, &b"/a"[..])]);
    }
}

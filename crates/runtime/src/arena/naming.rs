//! How a thread names something: into the room of its own slot, where the name waits for a block. That takes no system
//! call, though signal handlers may come at any instruction, name something themselves, and perhaps not return.

use super::names::{self, Named};
use super::{Arena, SlotOf, lock, slots};
use crate::state::job;
use crate::sys::{self, SignalsBlocked};
use core::cell::Cell;
use core::sync::atomic::{
    Ordering::{Relaxed, SeqCst},
    compiler_fence,
};
use iota_trace::spool::{FILE, FUNCTION, LAYOUT, NAMES, Slot, TEXT};

/// The frame in which a thread puts a name into its slot; 0: it does not.
#[derive(Default)]
pub struct Naming(Cell<usize>);

impl Naming {
    /// For another thread: what the one before left unfinished is taken away. No handler comes in between.
    pub fn begin(&self, slot: &Slot) {
        if self.0.take() != 0 {
            names::mend(slot);
        }
    }

    /// More than one thread has this state: from now on none of them puts names into the slot.
    pub fn share(&self) {
        self.0.set(usize::MAX);
    }
}

/// A thread's slot, for what the thread itself names.
#[derive(Clone, Copy)]
pub struct OwnSlot<'t> {
    pub slot: &'t Slot,
    pub naming: &'t Naming,
}

impl OwnSlot<'_> {
    /// Defines a file's name, if `is_whole` still holds when it has been copied.
    pub fn define(self, id: u32, path: &[u8], is_whole: impl Fn() -> bool) -> Named {
        self.define_as(FILE, id, path, is_whole)
    }

    /// Defines a text of details; false when there is no room for it.
    pub fn define_text(self, id: u32, text: &[u8]) -> bool {
        self.define_as(TEXT, id, text, || true) == Named::Defined
    }

    /// Defines a function that the user named, whose number is that of an op; false when there is no room for it.
    pub fn define_function(self, op: u16, name: &[u8]) -> bool {
        self.define_as(FUNCTION, op.into(), name, || true) == Named::Defined
    }

    /// Tells how a file lies on Lustre.
    pub fn define_layout(self, file: u32, layout: &[u8]) {
        if layout.len() <= NAMES / 2 {
            self.define_as(LAYOUT, file, layout, || true);
        } else if let Some(mut arena) = lock() {
            let ids = job::ids(self.slot.thread.load(Relaxed));
            names::write_layout(ids, file, layout, &mut arena.blocks);
        }
    }

    /// Out of line, so that its frame is its own.
    #[inline(never)]
    fn define_as(self, tag: u8, id: u32, name: &[u8], is_whole: impl Fn() -> bool) -> Named {
        let marker = 0u8;
        let (frame, naming) = ((&raw const marker).addr(), &self.naming.0);
        let unfinished = naming.get();
        if unfinished != 0 && sys::interrupts(frame, unfinished) {
            return self.write_now(tag, id, name, is_whole);
        }
        naming.set(frame);
        compiler_fence(SeqCst);
        if unfinished != 0 {
            names::mend(self.slot);
        }
        let named = names::pend(self.slot, tag, id, name, &is_whole);
        compiler_fence(SeqCst);
        // A handler may have shared it.
        if naming.get() == frame {
            naming.set(0);
        }
        if named == Named::NoRoom {
            return self.make_room(tag, id, name, is_whole);
        }
        named
    }

    /// More memory for the names, or a block of those that wait.
    #[cold]
    fn make_room(self, tag: u8, id: u32, name: &[u8], is_whole: impl Fn() -> bool) -> Named {
        let _undisturbed = SignalsBlocked::begin();
        if slots::grow_names(self.slot) {
            let named = names::pend(self.slot, tag, id, name, &is_whole);
            if named != Named::NoRoom {
                return named;
            }
        }
        let Some(mut arena) = lock() else {
            return Named::NoRoom;
        };
        let Arena { names, blocks, .. } = &mut *arena;
        let slot = SlotOf {
            slot: self.slot,
            is_own: true,
        };
        names.write_pending_of(slot, blocks);
        names::pend(self.slot, tag, id, name, is_whole)
    }

    /// A name of a handler, whose thread has one unfinished in its slot: the names behind that would wait for it.
    #[cold]
    fn write_now(self, tag: u8, id: u32, name: &[u8], is_whole: impl Fn() -> bool) -> Named {
        let Some(mut arena) = lock() else {
            return Named::NoRoom;
        };
        if !is_whole() {
            return Named::Spoiled;
        }
        let Arena { names, blocks, .. } = &mut *arena;
        let ids = job::ids(self.slot.thread.load(Relaxed));
        if names.write_now(ids, tag, id, name, blocks) {
            Named::Defined
        } else {
            Named::NoRoom
        }
    }
}

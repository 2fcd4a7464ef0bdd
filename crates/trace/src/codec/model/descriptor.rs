//! What all calls on a descriptor have in common.

use core::hint::select_unpredictable;

use super::key::place_of;
use crate::Event;

const DESCRIPTORS: usize = 128;

/// The descriptors by their low bits; one that is new takes the place of another.
#[repr(C)]
pub struct Descriptors([Descriptor; DESCRIPTORS]);

/// Where the last call on a descriptor left it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Descriptor {
    /// File and descriptor, as [`place_of`] has them.
    place: u64,
    pub position: i64,
}

impl Descriptors {
    pub const NEW: Descriptors = Descriptors(
        [Descriptor {
            place: 0,
            position: 0,
        }; DESCRIPTORS],
    );

    #[inline(always)]
    pub fn of(&mut self, fd: i32) -> &mut Descriptor {
        let slot = &mut self.0[fd as usize & (DESCRIPTORS - 1)];
        if slot.fd() != fd {
            *slot = Descriptor::new(fd);
        }
        slot
    }

    /// The same without branches.
    #[inline(always)]
    pub fn of_branchless(&mut self, fd: i32) -> &mut Descriptor {
        let slot = &mut self.0[fd as usize & (DESCRIPTORS - 1)];
        let (is_known, new) = (slot.fd() == fd, Descriptor::new(fd));
        slot.place = select_unpredictable(is_known, slot.place, new.place);
        slot.position = select_unpredictable(is_known, slot.position, new.position);
        slot
    }

    #[inline(always)]
    pub fn get(&self, fd: i32) -> &Descriptor {
        &self.0[fd as usize & (DESCRIPTORS - 1)]
    }

    /// Whether the last call on the descriptor was on the same file.
    #[inline(always)]
    pub fn holds(&self, place: u64) -> bool {
        self.get((place >> 32) as i32).place == place
    }
}

impl Descriptor {
    #[inline(always)]
    fn new(fd: i32) -> Descriptor {
        Descriptor {
            place: place_of(0, fd),
            position: 0,
        }
    }

    #[inline(always)]
    fn fd(&self) -> i32 {
        (self.place >> 32) as i32
    }

    #[inline(always)]
    pub fn place(&self) -> u64 {
        self.place
    }

    #[inline(always)]
    pub fn file(&self) -> u32 {
        self.place as u32
    }

    #[inline(always)]
    pub fn learn(&mut self, e: &Event) {
        self.place = place_of(e.file, e.fd);
        if e.offset != -1 {
            self.position = after(e);
        } else if e.ret == i64::from(e.fd) {
            // What returns its descriptor opened it.
            self.position = 0;
        }
    }
}

/// Where a call left the position: behind what was moved, or where a seek went.
#[inline(always)]
fn after(e: &Event) -> i64 {
    let moved = e.ret.max(0);
    if moved as u64 > e.length || e.length == 0 {
        moved
    } else {
        e.offset.wrapping_add(moved)
    }
}

//! The keys that are remembered, found by op and descriptor.

use super::hash::hash;
use super::key::Key;
use crate::codec::pace::{Pace, YOUNG};
use crate::codec::symbols::key::COUNT;

/// The keys by a hash, each in one of two places; one that is new takes the place of another.
#[repr(C)]
pub struct Keys {
    keys: [Key; COUNT],
    /// The place of the key that an op last used.
    latest: [u8; 256],
    /// In encoding 2 no key is young.
    has_young: bool,
}

impl Keys {
    pub const NEW: Keys = Keys {
        keys: [Key::NEW; COUNT],
        latest: [0; 256],
        has_young: false,
    };

    /// Before the first call of a block.
    pub fn start(&mut self) {
        self.keys[0].pace = Pace::FIRST;
        self.has_young = true;
    }

    #[inline(always)]
    pub fn get(&self, at: u8) -> &Key {
        &self.keys[usize::from(at) & (COUNT - 1)]
    }

    #[inline(always)]
    pub fn at(&mut self, at: u8) -> &mut Key {
        &mut self.keys[usize::from(at) & (COUNT - 1)]
    }

    /// Where the key of an op and a descriptor stands, if it does.
    #[inline(always)]
    pub fn find(&self, op: u16, fd: i32) -> Option<u8> {
        let at = first_place(op, fd);
        if self.get(at).is(op, fd) {
            Some(at)
        } else if self.get(at ^ 1).is(op, fd) {
            Some(at ^ 1)
        } else {
            None
        }
    }

    /// The same without branches.
    #[inline(always)]
    fn find_branchless(&self, op: u16, fd: i32) -> Option<u8> {
        let first = first_place(op, fd);
        let is_at = |at: u8| self.get(at).is_branchless(op, fd);
        let (is_first, is_second) = (is_at(first), is_at(first ^ 1));
        if is_first | is_second {
            Some(first ^ u8::from(!is_first))
        } else {
            None
        }
    }

    /// Where it stands from now on; a new one starts from the last of that op.
    #[inline(always)]
    pub fn enter(&mut self, op: u16, fd: i32, before: u8, is_branchless: bool) -> u8 {
        let found = if is_branchless {
            self.find_branchless(op, fd)
        } else {
            self.find(op, fd)
        };
        let at = match found {
            Some(at) => at,
            None => self.enter_new(op, fd, before),
        };
        self.latest[usize::from(op & 255)] = at;
        at
    }

    #[cold]
    fn enter_new(&mut self, op: u16, fd: i32, before: u8) -> u8 {
        let first = first_place(op, fd);
        let free = |at: u8| self.get(at).nature == 0;
        let second = !free(first) && (free(first ^ 1) || first == before);
        let at = first ^ u8::from(second);
        let like = self.get(self.latest[usize::from(op & 255)]);
        let mut key = like.of_new(op, fd);
        if self.has_young {
            key.young = YOUNG;
            if like.op() != op {
                key.pace = self.get(before).pace;
            }
        }
        *self.at(at) = key;
        at
    }
}

#[inline(always)]
fn first_place(op: u16, fd: i32) -> u8 {
    (hash(u32::from(op), fd as u32) & (COUNT - 1)) as u8
}

//! The keys that are remembered, found by op and descriptor.

use super::hash::hash;
use super::key::Key;
use crate::codec::symbols::key::COUNT;

/// The keys by a hash, each in one of two places; one that is new takes the place of another.
#[repr(C)]
pub struct Keys {
    keys: [Key; COUNT],
    /// The place of the key that an op last used.
    latest: [u8; 256],
}

impl Keys {
    pub const NEW: Keys = Keys {
        keys: [Key::NEW; COUNT],
        latest: [0; 256],
    };

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

    /// Where it stands from now on; a new one starts from the last of that op.
    #[inline(always)]
    pub fn enter(&mut self, op: u16, fd: i32, before: u8) -> u8 {
        let at = match self.find(op, fd) {
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
        *self.at(at) = self.get(self.latest[usize::from(op & 255)]).of_new(op, fd);
        at
    }
}

#[inline(always)]
fn first_place(op: u16, fd: i32) -> u8 {
    (hash(u32::from(op), fd as u32) & (COUNT - 1)) as u8
}

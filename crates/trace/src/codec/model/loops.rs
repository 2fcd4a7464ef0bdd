//! A call that is made again and again.

use super::hash::pair;
use super::key::Key;
use super::state::Model;
use crate::codec::pace::Pace;

impl Model {
    /// The loop that the last events were, if nothing else is expected than that it goes on.
    #[inline(always)]
    pub fn repeating(&self) -> Option<Loop> {
        let at = self.before[0];
        if self.before[1] != at {
            return None;
        }
        let key = self.keys.get(at);
        let nesting = self.nesting[pair(at, at)];
        let plain = nesting.place == 0 && !nesting.inside && self.calls.none_open();
        let same = self.next[pair(at, at)] == at;
        if same && plain && key.steady && self.descriptors.holds(key.place) {
            Some(Loop::of(
                at,
                key,
                self.descriptors.get(key.fd()).position,
                self.calls.next(),
                self.end,
            ))
        } else {
            None
        }
    }

    /// Leaves a loop that went on at least once: what [`Model::event`] would have learnt.
    pub fn leave_loop(&mut self, again: &Loop) {
        let NextCall {
            offset,
            stride,
            id,
            end,
        } = again.next;
        let key = self.keys.at(again.at);
        (key.pace, key.young) = (again.pace, again.young);
        let descriptor = self.descriptors.of(key.fd());
        descriptor.position = key.after(offset.wrapping_sub(stride), descriptor.position);
        key.set_stride(stride);
        self.calls.go_to(id.wrapping_sub(1));
        self.end = end;
    }
}

/// A call that is made again and again.
pub struct Loop {
    at: u8,
    pub key: Key,
    pub next: NextCall,
    /// Its times.
    pub pace: Pace,
    /// How many of the calls to come are among its first.
    pub young: u8,
}

/// The next call of a loop.
#[derive(Clone, Copy)]
pub struct NextCall {
    pub offset: i64,
    /// From the last offset to this one; 0 where there is none.
    pub stride: i64,
    pub id: u64,
    /// When the last one ended.
    pub end: i64,
}

impl Loop {
    #[inline(always)]
    fn of(at: u8, key: &Key, position: i64, id: u64, end: i64) -> Loop {
        let offset = key.next_offset(position);
        let stride = key
            .next_offset(key.after(offset, position))
            .wrapping_sub(offset);
        Loop {
            at,
            key: *key,
            next: NextCall {
                offset,
                stride,
                id,
                end,
            },
            pace: key.pace,
            young: key.young,
        }
    }

    /// How many of the next calls, `left` at most, have times that are told in the same way.
    pub fn alike(&self, left: u32) -> u32 {
        match self.young {
            0 => left,
            young => left.min(young.into()),
        }
    }

    /// How many of the next numbers are told by their low halves, where the thread has come to `calls`.
    pub fn numbers_until(&self, calls: u64) -> usize {
        let ahead = calls.wrapping_sub(self.next.id);
        if ahead < 1 << 32 {
            ahead.wrapping_add(1) as usize
        } else {
            0
        }
    }
}

impl NextCall {
    /// The call was made, and ended then.
    #[inline(always)]
    pub fn advance(&mut self, end: i64) {
        self.offset = self.offset.wrapping_add(self.stride);
        self.id = self.id.wrapping_add(1);
        self.end = end;
    }

    /// So many calls were made, the last of which ended then.
    pub fn go_on(&mut self, calls: usize, end: i64) {
        self.offset = self
            .offset
            .wrapping_add(self.stride.wrapping_mul(calls as i64));
        self.id = self.id.wrapping_add(calls as u64);
        self.end = end;
    }

    /// The call is at another offset than the expected one.
    #[inline(always)]
    pub fn move_to(&mut self, offset: i64) {
        self.stride = offset.wrapping_sub(self.offset.wrapping_sub(self.stride));
        self.offset = offset;
    }
}

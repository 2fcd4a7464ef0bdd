//! The block under way: how far it has come.

use crate::Event;
use crate::bytes::Put;
use crate::codec::bits::Position;
use crate::codec::encoder::State;
use crate::codec::zigzag;

/// How far a block has come.
#[repr(C)]
pub struct Progress {
    pub begun: bool,
    pub base: Base,
    pub count: u32,
    pub first: i64,
    pub last: i64,
    pub state: State,
    pub raw: Position,
}

impl Progress {
    pub const NEW: Progress = Progress {
        begun: false,
        base: Base {
            time: 0,
            call: 0,
            file: 0,
        },
        count: 0,
        first: i64::MAX,
        last: i64::MIN,
        state: State::NEW,
        raw: Position::NEW,
    };

    /// So many calls more, the earliest start and the latest end of which are these.
    #[inline(always)]
    pub fn count_in(&mut self, count: usize, first: i64, last: i64) {
        self.count = self.count.wrapping_add(count as u32);
        self.first = self.first.min(first);
        self.last = self.last.max(last);
    }
}

/// What a block's first event is told against.
#[derive(Clone, Copy)]
pub struct Base {
    pub time: i64,
    pub call: u64,
    pub file: u32,
}

impl Base {
    /// Bytes that it takes at most.
    pub const LONGEST: usize = 10 + 10 + 5;

    pub fn put(&self, put: &mut Put) {
        put.varint(zigzag(self.time));
        put.varint(self.call);
        put.varint(self.file.into());
    }

    pub fn of(first: &Event) -> Base {
        Base {
            time: first.start,
            call: first.id.wrapping_sub(1),
            file: first.file,
        }
    }
}

//! What calls of one op on one descriptor have in common.

use crate::codec::pace::Pace;
use crate::record::flags;
use crate::{Event, Record};

/// This often in a row, and it is a habit.
const HABIT: u8 = 3;

/// The last call of one op on one descriptor, and what could be told of it from the one before.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Key {
    /// File and descriptor, as [`place_of`] has them.
    pub place: u64,
    /// Op, errno, flags and whence, as [`nature_of`] has them.
    pub nature: u64,
    pub length: u64,
    pub length_before: u64,
    pub ret: i64,
    /// Its offset less where the call before it on the descriptor ended.
    pub(super) gap: i64,
    /// What was returned less the offset.
    pub(super) jump: i64,
    pub(super) errno: u16,
    pub(super) rule: u8,
    pub(super) file_rule: u8,
    repeats: u8,
    /// Whether it had an offset.
    pub(super) placed: bool,
    /// Whether, if the next call is the same at the next offset, all of it is as expected.
    pub steady: bool,
    /// How many of the calls to come are among its first.
    pub young: u8,
    /// The times of its calls.
    pub pace: Pace,
}

const _: () = assert!(size_of::<Key>() == 96);

/// How `ret` was last told.
pub(super) mod rule {
    pub const LENGTH: u8 = 0;
    pub const FD: u8 = 1;
    pub const SAME: u8 = 2;
    pub const JUMP: u8 = 3;
}

/// How `file` was last told.
pub(super) mod file_rule {
    pub const DESCRIPTOR: u8 = 0;
    pub const NONE: u8 = 1;
    pub const SAME: u8 = 2;
    pub const NEW: u8 = 3;
}

/// File and descriptor in one word.
#[inline(always)]
pub fn place_of(file: u32, fd: i32) -> u64 {
    u64::from(file) | u64::from(fd as u32) << 32
}

/// Op, errno, flags and whence in one word.
#[inline(always)]
pub fn nature_of(op: u16, errno: u16, flags: u16, whence: u16) -> u64 {
    u64::from(op) | u64::from(errno) << 16 | u64::from(flags) << 32 | u64::from(whence) << 48
}

impl Key {
    pub const NEW: Key = Key {
        place: 0,
        nature: 0,
        length: 0,
        length_before: 0,
        ret: 0,
        gap: 0,
        jump: 0,
        errno: 0,
        rule: 0,
        file_rule: 0,
        repeats: 0,
        placed: false,
        steady: false,
        young: 0,
        pace: Pace::NEW,
    };

    /// The key of an op and a descriptor that has none, which starts from this one.
    pub fn of_new(&self, op: u16, fd: i32) -> Key {
        Key {
            place: place_of(self.place as u32, fd),
            nature: self.nature & !0xFFFF | u64::from(op),
            gap: 0,
            repeats: 0,
            steady: false,
            young: 0,
            ..*self
        }
    }

    #[inline(always)]
    pub fn op(&self) -> u16 {
        self.nature as u16
    }

    #[inline(always)]
    pub fn fd(&self) -> i32 {
        (self.place >> 32) as i32
    }

    #[inline(always)]
    pub fn is(&self, op: u16, fd: i32) -> bool {
        self.op() == op && self.fd() == fd
    }

    #[inline(always)]
    pub fn is_branchless(&self, op: u16, fd: i32) -> bool {
        (self.op() == op) & (self.fd() == fd)
    }

    /// The offset of the next call, given the descriptor's position.
    #[inline(always)]
    pub fn next_offset(&self, position: i64) -> i64 {
        if self.placed {
            position.wrapping_add(self.gap)
        } else {
            -1
        }
    }

    #[inline(always)]
    pub(super) fn next_ret(&self, e: &Event) -> i64 {
        match self.rule {
            rule::LENGTH => e.length as i64,
            rule::FD => e.fd.into(),
            rule::SAME => self.ret,
            _ => e.offset.wrapping_add(self.jump),
        }
    }

    #[inline(always)]
    pub fn learn(&mut self, e: &Event) {
        let (place, nature) = (
            place_of(e.file, e.fd),
            nature_of(e.op, e.errno, e.flags, e.whence),
        );
        let same = self.describes(e);
        self.repeats = if same {
            self.repeats.saturating_add(1)
        } else {
            0
        };
        self.place = place;
        self.nature = nature;
        self.length_before = self.length;
        self.length = e.length;
        self.ret = e.ret;
        self.steady = self.repeats >= HABIT && self.foretells(e);
    }

    /// Whether the same call again would be as expected in all but its times.
    fn foretells(&self, e: &Event) -> bool {
        // A call that moves the position by what it returned, or none.
        let moves = !self.placed || (e.length != 0 && e.ret <= e.length as i64);
        let told = self.file_rule == file_rule::DESCRIPTOR
            && self.rule != rule::JUMP
            && self.next_ret(e) == e.ret;
        moves && told && (e.ret < 0 || e.errno == 0) && e.flags & flags::MORE == 0
    }

    /// Whether a call is as the last one, in all that a key knows.
    #[inline(always)]
    pub fn describes(&self, e: &Event) -> bool {
        place_of(e.file, e.fd) == self.place
            && nature_of(e.op, e.errno, e.flags, e.whence) == self.nature
            && e.length == self.length
            && e.ret == self.ret
    }

    /// Whether a record is as the last call, in all that a key knows.
    #[inline(always)]
    pub fn is_like(&self, record: &Record) -> bool {
        place_of(record.file, record.fd) == self.place
            && nature_of(
                record.op,
                record.errno,
                record.flags & flags::ALL,
                record.whence,
            ) == self.nature
            && record.length == self.length
            && record.ret == self.ret
    }

    /// Whether a record is as the last call in all but its offset, and this is its number, if the low half
    /// tells it.
    #[inline(always)]
    pub fn repeats(&self, record: &Record, id: u64) -> bool {
        self.is_like(record)
            && u64::from(record.id) | u64::from(record.parent) << 32 == u64::from(id as u32)
    }

    /// Whether such a call is at another offset than the expected one.
    #[inline(always)]
    pub fn moves(&self, record: &Record, expected: i64) -> bool {
        self.placed && record.offset != -1 && record.offset != expected
    }

    /// The last offset was so far from the one before.
    pub fn set_stride(&mut self, stride: i64) {
        if self.placed {
            self.gap = stride.wrapping_sub(self.ret.max(0));
        }
    }

    /// Makes a call as the last one.
    #[inline(always)]
    pub fn describe(&self, e: &mut Event) {
        e.ret = self.ret;
        e.length = self.length;
        e.file = self.place as u32;
        e.fd = self.fd();
        e.op = self.op();
        e.errno = (self.nature >> 16) as u16;
        e.flags = (self.nature >> 32) as u16;
        e.whence = (self.nature >> 48) as u16;
    }

    /// Where a steady call at `offset` leaves the position.
    #[inline(always)]
    pub fn after(&self, offset: i64, position: i64) -> i64 {
        if self.placed {
            offset.wrapping_add(self.ret.max(0))
        } else if self.ret == i64::from(self.fd()) {
            0
        } else {
            position
        }
    }
}

//! What calls of one op on one descriptor have in common.

use super::{Next, hash};
use crate::codec::pace::Pace;
use crate::codec::{Side, column, main, rare};
use crate::record::flags;
use crate::{Event, Record};

/// Keys that are remembered.
pub const KEYS: usize = 128;
/// This often in a row, and it is a habit.
const HABIT: u8 = 3;

/// The keys by a hash, each in one of two places; one that is new takes the place of another.
#[repr(C)]
pub struct Keys {
    keys: [Key; KEYS],
    /// The place of the key that an op last used.
    latest: [u8; 256],
}

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
    gap: i64,
    /// What was returned less the offset.
    jump: i64,
    errno: u16,
    rule: u8,
    file_rule: u8,
    repeats: u8,
    /// Whether it had an offset.
    placed: bool,
    /// Whether, if the next call is the same at the next offset, all of it is as expected.
    pub steady: bool,
    /// The times of its calls.
    pub pace: Pace,
}

const _: () = assert!(size_of::<Key>() == 104);

/// How `ret` was last told.
mod rule {
    pub const LENGTH: u8 = 0;
    pub const FD: u8 = 1;
    pub const SAME: u8 = 2;
    pub const JUMP: u8 = 3;
}

/// How `file` was last told.
mod file_rule {
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

impl Keys {
    pub const NEW: Keys = Keys {
        keys: [Key::NEW; KEYS],
        latest: [0; 256],
    };

    #[inline(always)]
    pub fn get(&self, at: u8) -> &Key {
        &self.keys[usize::from(at) & (KEYS - 1)]
    }

    #[inline(always)]
    pub fn at(&mut self, at: u8) -> &mut Key {
        &mut self.keys[usize::from(at) & (KEYS - 1)]
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
        let model = *self.get(self.latest[usize::from(op & 255)]);
        let place = place_of(model.place as u32, fd);
        let nature = model.nature & !0xFFFF | u64::from(op);
        *self.at(at) = Key {
            place,
            nature,
            gap: 0,
            repeats: 0,
            steady: false,
            ..model
        };
        at
    }
}

#[inline(always)]
fn first_place(op: u16, fd: i32) -> u8 {
    (hash(u32::from(op), fd as u32) & (KEYS - 1)) as u8
}

impl Key {
    const NEW: Key = Key {
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
        pace: Pace::NEW,
    };

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
    pub fn file<S: Side>(&mut self, side: &mut S, e: &mut Event, known: u32, next: &mut u32) {
        let (same, new) = (self.place as u32, *next);
        let expected = match self.file_rule {
            file_rule::DESCRIPTOR => known,
            file_rule::SAME => same,
            file_rule::NEW => new,
            _ => 0,
        };
        e.file = side.rare(
            rare::FILE,
            column::FILE,
            expected.into(),
            new.into(),
            e.file.into(),
        ) as u32;
        self.file_rule = match e.file {
            file if file == known => file_rule::DESCRIPTOR,
            0 => file_rule::NONE,
            file if file == same => file_rule::SAME,
            file if file == new => file_rule::NEW,
            _ => self.file_rule,
        };
        *next = new.max(e.file.wrapping_add(1));
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
    pub fn offset<S: Side>(&mut self, side: &mut S, e: &mut Event, position: i64) {
        let expected = self.next_offset(position);
        e.offset = side.offset(expected, e.length, e.offset);
        if e.offset != expected {
            self.placed = e.offset != -1;
        }
        if self.placed {
            self.gap = e.offset.wrapping_sub(position);
        }
    }

    #[inline(always)]
    fn next_ret(&self, e: &Event) -> i64 {
        match self.rule {
            rule::LENGTH => e.length as i64,
            rule::FD => e.fd.into(),
            rule::SAME => self.ret,
            _ => e.offset.wrapping_add(self.jump),
        }
    }

    #[inline(always)]
    pub fn ret<S: Side>(&mut self, side: &mut S, e: &mut Event) {
        let expected = self.next_ret(e);
        e.ret = side.field(main::RET, column::RET, expected, expected, e.ret);
        let jump = e.ret.wrapping_sub(e.offset);
        self.rule = match e.ret {
            ret if ret == e.length as i64 => rule::LENGTH,
            ret if ret == i64::from(e.fd) => rule::FD,
            ret if ret == self.ret => rule::SAME,
            _ if e.offset != -1 && jump == self.jump => rule::JUMP,
            _ => self.rule,
        };
        self.jump = jump;
    }

    #[inline(always)]
    pub fn rarities<S: Side>(&mut self, side: &mut S, e: &mut Event) {
        let errno = if e.ret < 0 { self.errno } else { 0 };
        e.errno = side.rare(rare::ERRNO, column::ERRNO, errno.into(), 0, e.errno.into()) as u16;
        if e.ret < 0 {
            self.errno = e.errno;
        }
        let flags = (self.nature >> 32) as u16;
        e.flags = side.rare(rare::FLAGS, column::FLAGS, flags.into(), 0, e.flags.into()) as u16;
        let whence = (self.nature >> 48) as u16;
        e.whence = side.rare(
            rare::WHENCE,
            column::WHENCE,
            whence.into(),
            0,
            e.whence.into(),
        ) as u16;
    }

    /// When a call that encloses no others started and ended.
    #[inline(always)]
    pub fn times<S: Side>(&mut self, side: &mut S, e: &mut Event, before: i64) {
        let (gap, time) = (e.start.wrapping_sub(before), e.end.wrapping_sub(e.start));
        let (gap, time) = side.times(&mut self.pace, gap, time);
        e.start = before.wrapping_add(gap);
        e.end = e.start.wrapping_add(time);
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

    /// Whether a record is as the last call in all but its offset, and this is its number, if it is what it seems
    /// ([`Loop::numbers_until`]).
    ///
    /// [`Loop::numbers_until`]: super::Loop::numbers_until
    #[inline(always)]
    pub fn repeats(&self, record: &Record, id: u64) -> bool {
        self.is_like(record)
            && u64::from(record.id) | u64::from(record.parent) << 32 == u64::from(id as u32)
    }

    /// Whether such a call is at another offset than the expected one.
    #[inline(always)]
    pub fn moves(&self, record: &Record, next: &Next) -> bool {
        self.placed && record.offset != -1 && record.offset != next.offset
    }

    /// The last offset was so far from the one before.
    pub fn strode(&mut self, stride: i64) {
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

//! The fields that a key foretells: told to an encoder or by a decoder, and learnt from.

use super::key::{Key, file_rule, rule};
use crate::Event;
use crate::codec::side::Side;
use crate::codec::symbols::{column, main, rare};

impl Key {
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
        let (gap, time) = if self.young == 0 {
            side.times(&mut self.pace, gap, time)
        } else {
            self.young = self.young.wrapping_sub(1);
            side.young_times(&mut self.pace, gap, time)
        };
        e.start = before.wrapping_add(gap);
        e.end = e.start.wrapping_add(time);
    }
}

//! The calls of a block, put together from its columns, as many at once as are alike.

use super::decoder::{Base, Decoder, Times};
use super::numbers::Reader;
use super::template::parent;
use super::{ColumnError, column};
use crate::block::MAX_RECORDS;
use crate::{Details, Event, Second};

/// The calls of a block, one after the other.
pub struct Calls<'d, 'p> {
    room: &'d mut Decoder,
    from: Reader<'p>,
    count: usize,
    base: Base,
    at: usize,
    /// Behind the first call of a run.
    run: usize,
    /// How many details the last call has.
    found: usize,
    /// The end of the call before.
    end: i64,
    highest: u64,
}

impl<'d, 'p> Calls<'d, 'p> {
    /// Of a payload with so many calls.
    ///
    /// # Errors
    /// The payload is damaged.
    pub fn open(
        room: &'d mut Decoder,
        payload: &'p [u8],
        count: usize,
    ) -> Result<Self, ColumnError> {
        let (from, base) = room.open(payload, count)?;
        Ok(Calls {
            room,
            from,
            count,
            base,
            at: 0,
            run: 0,
            found: 0,
            end: base.time,
            highest: base.highest,
        })
    }
}

impl Calls<'_, '_> {
    /// The next call.
    #[inline(always)]
    pub fn next(&mut self, event: &mut Event) -> bool {
        if self.at >= self.count {
            return false;
        }
        let room = &mut *self.room;
        let at = self.at & (MAX_RECORDS - 1);
        let nth = usize::from(room.templates[at]) & (MAX_RECORDS - 1);
        let (template, kind) = (&room.known[nth], &mut room.kinds[nth]);
        let place = usize::from(kind.next) & (MAX_RECORDS - 1);
        kind.next = kind.next.wrapping_add(1);
        let [length, ret, offset, file, before, after] =
            room.columns.each_ref().map(|column| column[place]);
        let call = template.call();
        event.file = room.state.file_of(call.fd, file);
        (event.length, event.offset) = (length as u64, -1);
        if template.is_placed() {
            let descriptor = room.state.descriptor(call.fd);
            event.offset = descriptor.position.wrapping_add(offset);
            event.ret = ret.wrapping_add(template.base(length, event.offset));
            descriptor.pass(event.offset, event.length, event.ret);
        } else {
            event.ret = ret.wrapping_add(template.base(length, -1));
        }
        room.state.open(call.fd, event.file, event.ret);
        (event.op, event.errno, event.flags, event.whence, event.fd) =
            (call.op, call.errno, call.flags, call.whence, call.fd);
        event.id = self
            .highest
            .wrapping_add(1)
            .wrapping_add(template.number as u64);
        let inside = template.number.min(0).unsigned_abs();
        if inside == 0 {
            self.highest = event.id;
            event.start = self.end.wrapping_add(before);
            event.end = event.start.wrapping_add(after);
        } else {
            let first = (at as u64).checked_sub(inside);
            let first = first.map_or(self.base.time, |first| {
                room.starts[first as usize & (MAX_RECORDS - 1)]
            });
            event.start = first.wrapping_sub(before);
            event.end = self.end.wrapping_add(after);
        }
        event.parent = match template.parent {
            parent::NONE => 0,
            parent::AS_BEFORE => {
                let before = (at as u64)
                    .checked_sub(inside)
                    .and_then(|first| first.checked_sub(1));
                before.map_or(0, |before| {
                    room.parents[before as usize & (MAX_RECORDS - 1)]
                })
            }
            other => parent::of_other(event.id, other),
        };
        (room.starts[at], room.parents[at]) = (event.start, event.parent);
        self.end = event.end;
        event.second = Second::NONE;
        if template.has_second() {
            let [file, fd, offset, arg] = room.seconds.each_ref().map(|column| column[place]);
            let fd = fd as i32;
            event.second = Second {
                file: room.state.file_of(fd, file),
                fd,
                offset: room.state.descriptor(fd).position.wrapping_add(offset),
                arg: arg as u64,
            };
        }
        self.at = self.at.wrapping_add(1);
        true
    }
}

/// Calls of a thread one after another, by the first and what the others have else: times, numbers that are one apart,
/// and offsets that are a stride apart.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The first call.
    pub first: &'a Event,
    /// From one offset to the next; 0 where there is none.
    pub stride: i64,
    /// Of each call behind the first.
    pub times: &'a [Times],
}

impl Run<'_> {
    /// The calls one by one.
    #[inline(always)]
    pub fn each(&self, mut each: impl FnMut(&Event)) {
        each(self.first);
        let mut event = *self.first;
        for (start, end) in self.times {
            event.offset = event.offset.wrapping_add(self.stride);
            event.id = event.id.wrapping_add(1);
            (event.start, event.end) = (*start, *end);
            each(&event);
        }
    }
}

impl Calls<'_, '_> {
    /// As many of the next calls at once as are alike, each with its details, if these are wanted.
    ///
    /// # Errors
    /// The details are damaged.
    #[inline(always)]
    pub fn runs(
        mut self,
        thread: u32,
        wants_details: bool,
        mut each: impl FnMut(Run, &[Details]),
    ) -> Result<(), ColumnError> {
        let whole = match wants_details {
            true => self.room.details(self.base.known, &mut self.from),
            false => Some(()),
        };
        let has_details = wants_details && whole.is_some();
        let mut event = Event {
            thread,
            ..Event::default()
        };
        while self.next(&mut event) {
            let stride = self.repeat(&event);
            let count = self.at.wrapping_sub(self.run);
            if has_details {
                self.find_details();
            }
            let (times, details) = (
                self.room.times.get(..count),
                self.room.found.get(..self.found),
            );
            let run = Run {
                first: &event,
                stride,
                times: times.unwrap_or_default(),
            };
            each(run, details.unwrap_or_default());
        }
        whole.ok_or(ColumnError::Details)
    }

    /// Passes over the calls that are alike to the one before, this one; returns how far apart their offsets are.
    #[inline(always)]
    fn repeat(&mut self, event: &Event) -> i64 {
        self.run = self.at;
        let templates = &self.room.templates;
        let last = self.at.wrapping_sub(1) & (MAX_RECORDS - 1);
        let next = self.at & (MAX_RECORDS - 1);
        if self.at >= self.count || templates[next] != templates[last] {
            return 0;
        }
        self.go_on(event, templates[last])
    }

    #[inline(never)]
    fn go_on(&mut self, event: &Event, nth: u16) -> i64 {
        let room = &mut *self.room;
        let index = usize::from(nth) & (MAX_RECORDS - 1);
        let (template, kind) = (&room.known[index], &mut room.kinds[index]);
        let place = usize::from(kind.next) & (MAX_RECORDS - 1);
        let [length, ret, offset, file, ..] = room.columns.each_ref().map(|column| column[place]);
        let is_same = length == event.length as i64
            && ret.wrapping_add(template.base(length, -1)) == event.ret;
        if file != 0 || !is_same || !template.repeats(length, event.ret) {
            return 0;
        }
        let ahead = room.templates.get(self.at..self.count).unwrap_or_default();
        let [lengths, rets, offsets, files, ..] = room
            .columns
            .each_ref()
            .map(|column| column.get(place..).unwrap_or_default());
        let mut rows = lengths.iter().zip(rets).zip(offsets.iter().zip(files));
        let mut is_same_row = || {
            let row = rows.next();
            row.is_some_and(|((l, r), (o, f))| (*l, *r, *o, *f) == (length, ret, offset, file))
        };
        let count = match kind.is_constant {
            true => ahead.iter().take_while(|other| **other == nth).count(),
            false => {
                let alike = ahead
                    .iter()
                    .take_while(|other| **other == nth && is_same_row());
                alike.count()
            }
        };
        let stride = match template.is_placed() {
            true => offset.wrapping_add(event.ret.max(0)),
            false => 0,
        };
        let times = |column: usize| {
            room.columns[column]
                .get(place..place.wrapping_add(count))
                .unwrap_or_default()
        };
        let (befores, afters) = (times(column::BEFORE), times(column::AFTER));
        let mut end = self.end;
        for ((to, before), after) in room.times.iter_mut().zip(befores).zip(afters) {
            let start = end.wrapping_add(*before);
            end = start.wrapping_add(*after);
            *to = (start, end);
        }
        let places = self.at..self.at.wrapping_add(count);
        let starts = room.starts.get_mut(places.clone()).unwrap_or_default();
        starts
            .iter_mut()
            .zip(&room.times)
            .for_each(|(to, (start, _))| *to = *start);
        room.parents
            .get_mut(places)
            .unwrap_or_default()
            .fill(event.parent);
        kind.next = kind.next.wrapping_add(count as u16);
        self.at = self.at.wrapping_add(count);
        self.end = end;
        self.highest = self.highest.wrapping_add(count as u64);
        if template.is_placed() {
            let descriptor = room.state.descriptor(event.fd);
            descriptor.position = descriptor
                .position
                .wrapping_add(stride.wrapping_mul(count as i64));
        }
        stride
    }

    /// Finds the details of the call before this one.
    fn find_details(&mut self) {
        let last = self.at.wrapping_sub(1) & (MAX_RECORDS - 1);
        let nth = usize::from(self.room.templates[last]) & (MAX_RECORDS - 1);
        self.found = self.room.known[nth].forms().len();
        if self.found > 0 {
            let place = usize::from(self.room.kinds[nth].next).wrapping_sub(1);
            self.room.find_details(nth, place);
        }
    }
}

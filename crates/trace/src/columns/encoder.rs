//! A thread's records to rows, a slice of records at a time.

use super::SECOND;
use super::groups::{self, FirstCall, Room};
use super::rows::{Row, RowTimes, Rows};
use super::state::State;
use super::template::{Call, Template, parent, reference_of};
use crate::details::Gathered;
use crate::event::{widen, widen_parent};
use crate::{OP_DETAILS, OP_MORE, OP_NONE, Record, Step, flags};

/// The block under way. Plain data, of which zeroed is a valid value.
#[repr(C)]
pub struct Encoder {
    /// A call waits for details that may follow it.
    is_waiting: bool,
    waiting: (Template, Row, RowTimes),
    /// The next calls may be as the last one but for their times.
    may_repeat: bool,
    /// Its number's low half.
    waiting_id: u32,
    gathered: Gathered,
    /// The highest number of a call.
    highest: u64,
    /// The end of the last call.
    end: i64,
    pub first: i64,
    pub last: i64,
    base: FirstCall,
    state: State,
    rows: Rows,
    room: Room,
}

impl Encoder {
    pub const NEW: Encoder = Encoder {
        is_waiting: false,
        waiting: (Template::NEW, Row::NEW, RowTimes::NEW),
        may_repeat: false,
        waiting_id: 0,
        gathered: Gathered::NEW,
        highest: 0,
        end: 0,
        first: 0,
        last: 0,
        base: FirstCall {
            time: 0,
            call: 0,
            file: 0,
        },
        state: State::NEW,
        rows: Rows::NEW,
        room: Room::NEW,
    };

    /// A block whose first call has this record.
    pub fn begin(&mut self, first: &Record, step: &Step, calls: u64) {
        self.base = FirstCall {
            time: step.steps(first.start),
            call: widen(first.id, calls).wrapping_sub(1),
            file: first.file.saturating_sub(1),
        };
        (self.highest, self.end) = (self.base.call, self.base.time);
        (self.first, self.last) = (i64::MAX, i64::MIN);
        self.is_waiting = false;
        self.gathered = Gathered::NEW;
        self.state.begin(self.base.file);
        self.rows.clear();
    }

    /// Calls of the block.
    pub fn count(&self) -> usize {
        self.rows.count
    }

    /// More records: calls, and what follows them.
    pub fn add(&mut self, records: &[Record], step: &Step, calls: u64) {
        let mut rest = records;
        while let [record, behind @ ..] = rest {
            match record.op {
                OP_NONE | OP_MORE => {}
                OP_DETAILS => self.details(record),
                _ => {
                    self.call(record, behind, step, calls);
                    let is_next_alike = behind
                        .first()
                        .is_some_and(|next| next.words() == record.words());
                    if self.may_repeat && is_next_alike {
                        let count = self.repeat(record, behind, step);
                        rest = behind.get(count..).unwrap_or_default();
                        continue;
                    }
                }
            }
            rest = behind;
        }
    }

    #[inline(always)]
    fn call(&mut self, record: &Record, behind: &[Record], step: &Step, calls: u64) {
        if self.is_waiting {
            self.settle();
        }
        let id = widen(record.id, calls);
        let number = id.wrapping_sub(self.highest).wrapping_sub(1) as i64;
        if number >= 0 {
            self.highest = id;
        }
        let times = self.times(step.steps(record.start), step.steps(record.end), number);
        let parent = widen_parent(record.parent, calls);
        let enclosing = self.enclosing(id, parent, number);
        let mut marks = record.flags & flags::ALL;
        let mut follower = behind.first();
        if marks & flags::MORE != 0 && follower.is_none_or(|next| next.op != OP_MORE) {
            marks &= !flags::MORE;
        }
        let call = Call {
            op: record.op,
            errno: record.errno,
            flags: marks,
            whence: record.whence,
            fd: record.fd,
        };
        let Record {
            ret,
            offset,
            length,
            fd,
            ..
        } = *record;
        let is_placed = offset != -1;
        let template = Template::new(
            call,
            reference_of(ret, length, fd, offset),
            is_placed,
            number,
            enclosing,
        );
        let file = self.state.file(fd, record.file);
        let mut away = 0;
        if is_placed {
            let descriptor = self.state.descriptor(fd);
            away = offset.wrapping_sub(descriptor.position);
            descriptor.pass(offset, length, ret);
        }
        self.state.open(fd, record.file, ret);
        let row = Row {
            length: length as i64,
            ret: ret.wrapping_sub(template.base(length as i64, offset)),
            offset: away,
            file,
            parent,
            words: self.rows.next_words(),
        };
        if marks & flags::MORE != 0
            && let Some(more) = follower
        {
            self.second(more);
            follower = behind.get(1);
        }
        let is_whole = follower.is_some_and(|next| next.op != OP_DETAILS);
        let has_more = record.flags & flags::MORE != 0;
        self.may_repeat =
            is_whole && !has_more && file == 0 && template.repeats(length as i64, ret);
        if is_whole {
            self.rows.add(template, row, times);
        } else {
            (self.waiting, self.waiting_id) = ((template, row, times), record.id);
            self.is_waiting = true;
        }
    }

    /// The times of a call as they are written.
    #[inline(always)]
    fn times(&mut self, start: i64, end: i64, number: i64) -> RowTimes {
        (self.first, self.last) = (self.first.min(start), self.last.max(end));
        let (before, after) = if number >= 0 {
            (start.wrapping_sub(self.end), end.wrapping_sub(start))
        } else {
            let first = (self.rows.count as u64).checked_sub(number.unsigned_abs());
            let first = first.map_or(self.base.time, |first| self.rows.call(first as usize).start);
            (first.wrapping_sub(start), end.wrapping_sub(self.end))
        };
        self.end = end;
        RowTimes {
            before,
            after,
            start,
        }
    }

    /// Adds the next calls as long as they are as this one, the last, but for their times; returns how many these are.
    #[inline(never)]
    fn repeat(&mut self, one: &Record, behind: &[Record], step: &Step) -> usize {
        let Some((template, row)) = self.rows.last() else {
            return 0;
        };
        if template.parent == parent::NONE && one.parent != 0 {
            return 0;
        }
        let (moved, mut away, is_placed) = (one.ret.max(0), row.offset, template.is_placed());
        let (words, mut id, mut position, mut count) =
            (one.words(), one.id, one.offset.wrapping_add(moved), 0usize);
        // The last of these records may have details behind it.
        let whole = behind.len().saturating_sub(1);
        for (nth, record) in behind.iter().enumerate().take(whole) {
            id = id.wrapping_add(1);
            let is_same = record.words() == words
                && record.id == id
                && (record.offset != -1) == is_placed
                && record.is_as(one);
            if !is_same
                || behind
                    .get(nth.wrapping_add(1))
                    .is_some_and(|next| next.op == OP_DETAILS)
            {
                break;
            }
            let times = self.times(step.steps(record.start), step.steps(record.end), 0);
            let offset = record.offset.wrapping_sub(position);
            if is_placed && offset != away {
                self.rows.add_elsewhere(offset, times);
                away = offset;
            } else {
                self.rows.add_same(times);
            }
            position = record.offset.wrapping_add(moved);
            count = count.wrapping_add(1);
        }
        if count > 0 {
            self.rows.end_same();
            self.highest = self.highest.wrapping_add(count as u64);
            if is_placed {
                self.state.descriptor(one.fd).position = position;
            }
        }
        count
    }

    /// How the number of the enclosing call is written.
    #[inline(always)]
    fn enclosing(&self, id: u64, enclosing: u64, number: i64) -> u64 {
        if enclosing == 0 {
            return parent::NONE;
        }
        let below = id.wrapping_sub(enclosing);
        if below != 1 && self.parent_before(number) == Some(enclosing) {
            return parent::AS_BEFORE;
        }
        parent::other(id, enclosing)
    }

    /// What encloses the call before the next one, and before those that it encloses.
    #[inline(always)]
    fn parent_before(&self, number: i64) -> Option<u64> {
        let inside = number.min(0).unsigned_abs();
        let at = (self.rows.count as u64)
            .checked_sub(inside)?
            .checked_sub(1)?;
        Some(self.rows.row(self.rows.call(at as usize)).parent)
    }

    #[cold]
    fn second(&mut self, more: &Record) {
        let file = self.state.file(more.fd, more.file);
        let descriptor = self.state.descriptor(more.fd);
        let away = more.offset.wrapping_sub(descriptor.position);
        let columns: [i64; SECOND] = [file, more.fd.into(), away, more.length as i64];
        columns
            .iter()
            .for_each(|word| self.rows.add_word(*word as u64));
    }

    /// A record of details, which belongs to the call that waits. Where that call is missing, its details are left out.
    #[cold]
    #[inline(never)]
    fn details(&mut self, record: &Record) {
        if !self.is_waiting || self.waiting_id != record.id {
            return;
        }
        let Some(details) = self.gathered.add(record) else {
            return;
        };
        let Some(template) = self.waiting.0.with_form(details.form) else {
            return;
        };
        self.waiting.0 = template;
        let count = details.count();
        self.rows.add_word(count as u64);
        for value in details.values.iter().take(count) {
            self.rows.add_word(*value);
        }
    }

    /// No more details follow the call that waits.
    #[cold]
    #[inline(never)]
    fn settle(&mut self) {
        self.is_waiting = false;
        let (template, row, times) = self.waiting;
        self.rows.add(template, row, times);
    }

    /// Writes all to a payload; returns its length. `None`: there is not enough room.
    pub fn finish(&mut self, payload: &mut [u8]) -> Option<usize> {
        if self.is_waiting {
            self.settle();
        }
        let Encoder {
            base, rows, room, ..
        } = self;
        groups::write(rows, base, room, payload)
    }
}

//! The calls of the block under way, one behind the other, and what has no place in a row.

use super::column;
use super::template::Template;
use crate::block::MAX_RECORDS;

/// A call: its times as they are written, and where the rest is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CallEntry {
    pub before: i64,
    pub after: i64,
    pub start: i64,
    pub template: u16,
    pub row: u16,
}

impl CallEntry {
    const NEW: CallEntry = CallEntry {
        before: 0,
        after: 0,
        start: 0,
        template: 0,
        row: 0,
    };
}

/// What differs among the calls of a template, but for their times. Calls that are alike and follow one another share it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Row {
    pub length: i64,
    /// These three as they are written.
    pub ret: i64,
    pub offset: i64,
    pub file: i64,
    /// The number of the enclosing call; 0: none.
    pub parent: u64,
    /// Where its words are.
    pub words: u32,
}

impl Row {
    pub const NEW: Row = Row {
        length: 0,
        ret: 0,
        offset: 0,
        file: 0,
        parent: 0,
        words: 0,
    };

    /// A bit for each of the columns but the times, from the lowest up, that is another one.
    fn apart(&self, other: &Row) -> u8 {
        let bit = |is_apart: bool, nth: u8| u8::from(is_apart) << nth;
        bit(self.length != other.length, 0)
            | bit(self.ret != other.ret, 1)
            | bit(self.offset != other.offset, 2)
            | bit(self.file != other.file, 3)
    }
}

/// A template that calls of the block have.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UsedTemplate {
    pub template: Template,
    /// Its first call.
    first: u16,
    /// The row of its second call.
    second_row: u16,
    /// The next one of the same hash, plus 1.
    chained: u16,
    /// A bit for each column but the times that is not the same in all calls but the first.
    varying: u8,
}

/// A call's times as they are written, and when it began.
#[derive(Clone, Copy)]
pub struct RowTimes {
    pub before: i64,
    pub after: i64,
    pub start: i64,
}

impl RowTimes {
    pub const NEW: RowTimes = RowTimes {
        before: 0,
        after: 0,
        start: 0,
    };
}

impl UsedTemplate {
    /// Whether a column is the same in all calls but the first.
    pub fn is_constant(&self, column: usize) -> bool {
        column < column::BEFORE && self.varying >> column & 1 == 0
    }
}

/// There is none yet.
const NO_ROW: u16 = u16::MAX;

/// Lists of templates by a hash.
const HEADS: usize = 256;
/// Words of second halves and of details: a record has no more than seven.
const WORDS: usize = 8 * MAX_RECORDS;

/// All of the block. Plain data, of which zeroed is a valid value; what a short block uses lies together.
#[repr(C)]
pub struct Rows {
    heads: [u16; HEADS],
    pub count: usize,
    row_count: usize,
    known_count: usize,
    word_count: usize,
    last: u16,
    known: [UsedTemplate; MAX_RECORDS],
    calls: [CallEntry; MAX_RECORDS],
    rows: [Row; MAX_RECORDS],
    words: [u64; WORDS],
}

impl Rows {
    pub const NEW: Rows = Rows {
        heads: [0; HEADS],
        count: 0,
        row_count: 0,
        known_count: 0,
        word_count: 0,
        last: 0,
        known: [UsedTemplate {
            template: Template::NEW,
            first: 0,
            second_row: 0,
            chained: 0,
            varying: 0,
        }; MAX_RECORDS],
        calls: [CallEntry::NEW; MAX_RECORDS],
        rows: [Row::NEW; MAX_RECORDS],
        words: [0; WORDS],
    };

    pub fn clear(&mut self) {
        self.heads = [0; HEADS];
        (
            self.count,
            self.row_count,
            self.known_count,
            self.word_count,
            self.last,
        ) = (0, 0, 0, 0, 0);
    }

    pub fn calls(&self) -> &[CallEntry] {
        self.calls.get(..self.count).unwrap_or_default()
    }

    /// The call at a place.
    #[inline(always)]
    pub fn call(&self, at: usize) -> &CallEntry {
        &self.calls[at & (MAX_RECORDS - 1)]
    }

    /// What a call has beside its times.
    #[inline(always)]
    pub fn row(&self, call: &CallEntry) -> &Row {
        &self.rows[usize::from(call.row) & (MAX_RECORDS - 1)]
    }

    /// Where the words of the next row begin.
    pub fn next_words(&self) -> u32 {
        self.word_count as u32
    }

    pub fn known(&self) -> &[UsedTemplate] {
        self.known.get(..self.known_count).unwrap_or_default()
    }

    /// The words of a call.
    pub fn words(&self, call: &CallEntry) -> &[u64] {
        let from = self.row(call).words as usize;
        self.words.get(from..self.word_count).unwrap_or_default()
    }

    pub fn add_word(&mut self, word: u64) {
        if let Some(place) = self.words.get_mut(self.word_count) {
            *place = word;
            self.word_count = self.word_count.wrapping_add(1);
        }
    }

    /// One more call; there are fewer than [`MAX_RECORDS`].
    #[inline(always)]
    pub fn add(&mut self, template: Template, row: Row, times: RowTimes) {
        let at = self.count & (MAX_RECORDS - 1);
        let own = self.place(&template, at);
        self.last = own as u16;
        let number = self.row_count & (MAX_RECORDS - 1);
        let known = &mut self.known[own & (MAX_RECORDS - 1)];
        if usize::from(known.first) != at {
            let second = &self.rows[usize::from(known.second_row) & (MAX_RECORDS - 1)];
            match known.second_row {
                NO_ROW => known.second_row = number as u16,
                _ => known.varying |= second.apart(&row),
            }
        }
        self.rows[number] = row;
        self.row_count = self.row_count.wrapping_add(1);
        self.calls[at] = CallEntry {
            before: times.before,
            after: times.after,
            start: times.start,
            template: own as u16,
            row: number as u16,
        };
        self.count = self.count.wrapping_add(1);
    }

    /// One more call that is as the last one but for its times and its offset.
    #[inline(always)]
    pub fn add_elsewhere(&mut self, offset: i64, times: RowTimes) {
        let last = self.row_count.wrapping_sub(1) & (MAX_RECORDS - 1);
        self.end_same();
        let number = self.row_count & (MAX_RECORDS - 1);
        self.rows[number] = Row {
            offset,
            ..self.rows[last]
        };
        self.row_count = self.row_count.wrapping_add(1);
        let known = &mut self.known[usize::from(self.last) & (MAX_RECORDS - 1)];
        known.varying |= 1 << column::OFFSET;
        self.calls[self.count & (MAX_RECORDS - 1)] = CallEntry {
            before: times.before,
            after: times.after,
            start: times.start,
            template: self.last,
            row: number as u16,
        };
        self.count = self.count.wrapping_add(1);
    }

    /// One more call that is as the last one but for its times.
    #[inline(always)]
    pub fn add_same(&mut self, times: RowTimes) {
        let CallEntry { template, row, .. } = *self.call(self.count.wrapping_sub(1));
        self.calls[self.count & (MAX_RECORDS - 1)] = CallEntry {
            before: times.before,
            after: times.after,
            start: times.start,
            template,
            row,
        };
        self.count = self.count.wrapping_add(1);
    }

    /// Calls were added that were as the one before.
    pub fn end_same(&mut self) {
        let row = self.row_count.wrapping_sub(1);
        let known = &mut self.known[usize::from(self.last) & (MAX_RECORDS - 1)];
        if known.second_row == NO_ROW {
            known.second_row = row as u16;
        }
    }

    /// The last call, if it is all of a run or the end of one.
    pub fn last(&self) -> Option<(&Template, &Row)> {
        let call = self.calls().last()?;
        Some((
            &self.known[usize::from(call.template) & (MAX_RECORDS - 1)].template,
            self.row(call),
        ))
    }

    /// The place of a template, which is new if it is nowhere.
    #[inline(always)]
    fn place(&mut self, template: &Template, at: usize) -> usize {
        let head = template.hash() as usize & (HEADS - 1);
        let first = self.heads[head];
        let own = usize::from(first.wrapping_sub(1)) & (MAX_RECORDS - 1);
        match first > 0 && self.known[own].template == *template {
            true => own,
            false => self.find(template, head, at),
        }
    }

    #[inline(never)]
    fn find(&mut self, template: &Template, head: usize, first: usize) -> usize {
        let head = &mut self.heads[head & (HEADS - 1)];
        let mut at = *head;
        while let Some(before) = at.checked_sub(1) {
            let known = &self.known[usize::from(before) & (MAX_RECORDS - 1)];
            if known.template == *template {
                return before.into();
            }
            at = known.chained;
        }
        let own = self.known_count & (MAX_RECORDS - 1);
        self.known[own] = UsedTemplate {
            template: *template,
            first: first as u16,
            second_row: NO_ROW,
            chained: *head,
            varying: 0,
        };
        *head = (own as u16).wrapping_add(1);
        self.known_count = self.known_count.wrapping_add(1);
        own
    }
}

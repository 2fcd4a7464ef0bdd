//! The rows of a block to its payload: templates, sequence, and a group of columns for each template of many calls.

use core::ops::Range;

use super::bits::BitWriter;
use super::numbers::{ColumnWriter, Dictionary};
use super::rows::{Rows, UsedTemplate};
use super::sequence::{self, RepeatFinder};
use super::{ENCODING, OWN, SECOND, column, template};
use crate::block::{MAX_RECORDS, PREFIX};
use crate::bytes::Put;

/// Room to work in: plain data, of which zeroed is a valid value.
#[repr(C)]
pub struct Room {
    finder: RepeatFinder,
    words: Dictionary,
    templates: [u16; MAX_RECORDS],
    starts: [u16; MAX_RECORDS],
    counts: [u16; MAX_RECORDS],
    order: [u16; MAX_RECORDS],
    numbers: [i64; MAX_RECORDS],
    bytes: [u8; BYTES],
}

impl Room {
    pub const NEW: Room = Room {
        finder: RepeatFinder::NEW,
        words: Dictionary::NEW,
        templates: [0; MAX_RECORDS],
        starts: [0; MAX_RECORDS],
        counts: [0; MAX_RECORDS],
        order: [0; MAX_RECORDS],
        numbers: [0; MAX_RECORDS],
        bytes: [0; BYTES],
    };
}

/// Calls of templates of few calls that are written as those of one template. Fewer are mostly those of a short process,
/// whose bytes are compressed with those of others.
const MANY: usize = 512;

/// Bytes of all but the bits of a block, at most.
const BYTES: usize = 112 * MAX_RECORDS;

/// What the first call of a block is written against.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FirstCall {
    pub time: i64,
    pub call: u64,
    pub file: u32,
}

/// Writes all to a payload; returns its length. `None`: there is not enough room.
pub fn write(rows: &Rows, base: &FirstCall, room: &mut Room, payload: &mut [u8]) -> Option<usize> {
    let Room {
        finder,
        words,
        templates,
        starts,
        counts,
        order,
        numbers,
        bytes,
    } = room;
    let (prefix, behind) = payload.split_first_chunk_mut::<PREFIX>()?;
    let mut groups = Groups {
        rows,
        starts,
        counts,
        order,
        numbers,
        to: ColumnWriter {
            bytes: Put::new(bytes),
            bits: BitWriter::new(behind),
            words,
        },
    };
    groups.head(base, finder, templates);
    groups.all();
    groups.details();
    let ColumnWriter {
        bytes: put, bits, ..
    } = groups.to;
    let (length, bits) = (put.done()?, bits.finish()?);
    let mut put = Put::new(prefix);
    put.u8(ENCODING);
    put.u32(bits as u32);
    let end = bits.checked_add(length)?;
    let place = behind.get_mut(bits..end)?;
    place
        .iter_mut()
        .zip(&*bytes)
        .for_each(|(to, from)| *to = *from);
    end.checked_add(PREFIX)
}

/// Rows on their way into columns.
struct Groups<'e> {
    rows: &'e Rows,
    /// Where the calls of each template begin in the order.
    starts: &'e mut [u16; MAX_RECORDS],
    /// How many calls each has.
    counts: &'e mut [u16; MAX_RECORDS],
    /// The calls by their templates.
    order: &'e mut [u16; MAX_RECORDS],
    numbers: &'e mut [i64; MAX_RECORDS],
    to: ColumnWriter<'e>,
}

impl Groups<'_> {
    /// Templates, and which of them each call has.
    fn head(
        &mut self,
        base: &FirstCall,
        finder: &mut RepeatFinder,
        templates: &mut [u16; MAX_RECORDS],
    ) {
        let FirstCall { time, call, file } = *base;
        self.to.signed(time);
        self.to.bytes.varint(call);
        self.to.bytes.varint(file.into());
        let known = self.rows.known();
        self.to.bytes.varint(known.len() as u64);
        template::write(
            known.iter().map(|known| &known.template),
            self.numbers,
            &mut self.to,
        );
        let templates = templates.get_mut(..self.rows.count).unwrap_or_default();
        for (template, call) in templates.iter_mut().zip(self.rows.calls()) {
            *template = call.template;
        }
        sequence::write(templates, known.len(), finder, self.numbers, &mut self.to);
    }

    /// The columns that templates of few calls share, and those of each of the others.
    fn all(&mut self) {
        let few = self.sort();
        if few > 0 {
            self.shared(few);
        }
        let rows = self.rows;
        for (nth, known) in rows.known().iter().enumerate() {
            if !self.is_few(nth) {
                self.own(nth, known);
            }
        }
    }

    /// Sorts the calls by their templates, those of templates of few calls first; returns how many these are.
    fn sort(&mut self) -> usize {
        let (rows, known) = (self.rows, self.rows.known().len());
        let counts = &mut *self.counts;
        counts.get_mut(..known).unwrap_or_default().fill(0);
        let mut counter = Counter::of(counts);
        for call in rows.calls() {
            counter.next(call.template);
        }
        counter.end();
        let (mut next, mut few) = (0u16, 0);
        for wants_few in [true, false] {
            let known = self.starts.iter_mut().zip(&*counts).take(known);
            for (start, count) in known.filter(|(_, count)| is_few(**count) == wants_few) {
                *start = next;
                next = next.wrapping_add(*count);
            }
            few = if wants_few { next } else { few };
        }
        let mut counter = Counter::of(self.starts);
        for (nth, call) in (0u16..).zip(rows.calls()) {
            let place = counter.next(call.template);
            self.order[usize::from(place) & (MAX_RECORDS - 1)] = nth;
        }
        counter.end();
        // Where they end now, they began.
        for (start, count) in self.starts.iter_mut().zip(&*counts).take(known) {
            *start = start.wrapping_sub(*count);
        }
        few.into()
    }

    /// Where the calls of a template are in the order.
    fn places(&self, nth: usize) -> Range<usize> {
        let nth = nth & (MAX_RECORDS - 1);
        let start = usize::from(self.starts[nth]);
        start..start.wrapping_add(self.counts[nth].into())
    }

    fn is_few(&self, nth: usize) -> bool {
        is_few(self.counts[nth & (MAX_RECORDS - 1)])
    }

    fn shared(&mut self, count: usize) {
        for column in 0..column::COUNT {
            self.gather(0..count, column);
            let numbers = self.numbers.get_mut(..count).unwrap_or_default();
            match (count < MANY, column < column::BEFORE) {
                (true, true) => self.to.column_in_bytes(numbers),
                (true, false) => self.to.times_of_all_sizes(numbers),
                (false, true) => self.to.column(numbers),
                (false, false) => self.to.times(numbers),
            }
        }
        let rows = self.rows;
        for (nth, known) in rows.known().iter().enumerate() {
            if self.is_few(nth) {
                self.second(nth, known);
            }
        }
    }

    /// The columns of a template with many calls.
    fn own(&mut self, nth: usize, known: &UsedTemplate) {
        let places = self.places(nth);
        for column in 0..column::COUNT {
            if known.is_constant(column) {
                let places = places.start..places.start.wrapping_add(2);
                self.gather(places, column);
                self.to.constant(self.numbers[0], self.numbers[1]);
                continue;
            }
            self.gather(places.clone(), column);
            let numbers = self.numbers.get_mut(..places.len()).unwrap_or_default();
            if column < column::BEFORE {
                self.to.column(numbers);
            } else {
                self.to.times(numbers);
            }
        }
        self.second(nth, known);
    }

    /// The columns of second halves, if the calls of a template have them.
    fn second(&mut self, nth: usize, known: &UsedTemplate) {
        if known.template.has_second() {
            for column in 0..SECOND {
                self.words(nth, |words| words.get(column).copied());
            }
        }
    }

    /// A column of what is found in the words of a template's calls.
    fn words(&mut self, nth: usize, find: impl Fn(&[u64]) -> Option<u64>) {
        let (rows, places) = (self.rows, self.places(nth));
        let order = self.order.get(places).unwrap_or_default();
        let is_few = self.is_few(nth);
        let numbers = self.numbers.get_mut(..order.len()).unwrap_or_default();
        for (number, at) in numbers.iter_mut().zip(order) {
            *number = find(rows.words(rows.call((*at).into()))).unwrap_or(0) as i64;
        }
        if is_few {
            self.to.column_in_bytes(numbers);
        } else {
            self.to.column(numbers);
        }
    }

    /// The numbers of a column, of rows by their places.
    #[inline(always)]
    fn gather(&mut self, places: Range<usize>, column: usize) {
        let rows = self.rows;
        let places = self.order.get(places).unwrap_or_default();
        let calls = places.iter().map(|at| rows.call((*at).into()));
        let numbers = self.numbers.iter_mut().zip(calls);
        match column {
            column::LENGTH => numbers.for_each(|(number, call)| *number = rows.row(call).length),
            column::RET => numbers.for_each(|(number, call)| *number = rows.row(call).ret),
            column::OFFSET => numbers.for_each(|(number, call)| *number = rows.row(call).offset),
            column::FILE => numbers.for_each(|(number, call)| *number = rows.row(call).file),
            column::BEFORE => numbers.for_each(|(number, call)| *number = call.before),
            _ => numbers.for_each(|(number, call)| *number = call.after),
        }
    }

    /// The details of all calls: for each template and each of its forms the number of fields, and their columns.
    fn details(&mut self) {
        let rows = self.rows;
        for (nth, known) in rows.known().iter().enumerate() {
            for form in 0..known.template.forms().len() {
                self.details_of(nth, known, form);
            }
        }
    }

    fn details_of(&mut self, nth: usize, known: &UsedTemplate, form: usize) {
        let skipped = if known.template.has_second() {
            SECOND
        } else {
            0
        };
        let values = |words| details_in(words, skipped, form);
        let rows = self.rows;
        let order = self.order.get(self.places(nth)).unwrap_or_default();
        let lengths = order
            .iter()
            .map(|at| values(rows.words(rows.call((*at).into()))).len());
        let fields = lengths.max().unwrap_or(0);
        self.to.bytes.varint(fields as u64);
        for field in 0..fields {
            self.words(nth, |words| {
                details_in(words, skipped, form).get(field).copied()
            });
        }
    }
}

/// Whether a template of so many calls shares its columns with others.
fn is_few(count: u16) -> bool {
    usize::from(count) < OWN
}

/// Counts up a number for each template. The one in hand is in a register: in memory, calls of one template would wait for
/// each other.
struct Counter<'c> {
    all: &'c mut [u16; MAX_RECORDS],
    template: u16,
    number: u16,
}

impl<'c> Counter<'c> {
    fn of(all: &'c mut [u16; MAX_RECORDS]) -> Self {
        let number = all[0];
        Counter {
            all,
            template: 0,
            number,
        }
    }

    /// The number for the next call of a template.
    #[inline(always)]
    fn next(&mut self, template: u16) -> u16 {
        if template != self.template {
            self.end();
            self.template = template;
            self.number = self.all[usize::from(template) & (MAX_RECORDS - 1)];
        }
        self.number = self.number.wrapping_add(1);
        self.number.wrapping_sub(1)
    }

    #[inline(always)]
    fn end(&mut self) {
        self.all[usize::from(self.template) & (MAX_RECORDS - 1)] = self.number;
    }
}

/// The numbers of one of the details in the words of a call.
fn details_in(words: &[u64], skipped: usize, form: usize) -> &[u64] {
    let mut words = words.get(skipped..).unwrap_or_default();
    let mut own = &[][..];
    for _ in 0..=form {
        let Some((count, rest)) = words.split_first() else {
            break;
        };
        (own, words) = rest.split_at_checked(*count as usize).unwrap_or_default();
    }
    own
}

//! The payload of a block back to calls. Survives any input: what makes no sense is an error, never a panic.

use super::numbers::Reader;
use super::sequence;
use super::state::State;
use super::template::{self, Template};
use super::{ColumnError, ENCODING, OWN, SECOND, column};
use crate::block::MAX_RECORDS;
use crate::bytes::Get;
use crate::details::{Details, MOST, MOST_FIELDS};

/// Room to work in: plain data, of which zeroed is a valid value, and which needs no care between blocks.
#[repr(C)]
pub struct Decoder {
    pub(super) state: State,
    pub(super) kinds: [Kind; MAX_RECORDS],
    pub(super) known: [Template; MAX_RECORDS],
    pub(super) templates: [u16; MAX_RECORDS],
    numbers: [i64; MAX_RECORDS],
    /// The columns; in each, the calls by their templates.
    pub(super) columns: [[i64; MAX_RECORDS]; column::COUNT],
    pub(super) seconds: [[i64; MAX_RECORDS]; SECOND],
    pub(super) starts: [i64; MAX_RECORDS],
    pub(super) parents: [u64; MAX_RECORDS],
    pub(super) times: [Times; MAX_RECORDS],
    /// For each form of a template's details how many fields they have, and the columns of these.
    words: [i64; WORDS],
    pub(super) found: [Details; MOST],
}

/// Words for any details that [`MAX_RECORDS`] records can have: most, if each call has [`MOST`] of them in a record each,
/// but one call in more.
const WORDS: usize = MAX_RECORDS / (1 + MOST) * MOST * MOST_FIELDS + 2 * MAX_RECORDS;

/// Start and end of a call.
pub type Times = (i64, i64);

/// Where a template's calls are in the columns.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) start: u16,
    count: u16,
    /// The next call's place.
    pub(super) next: u16,
    /// Where the words of its details are.
    words: u32,
    /// Whether length, result, offset and file are the same in all calls.
    pub(super) is_constant: bool,
}

/// What the first call is written against, and how many templates there are.
#[derive(Clone, Copy)]
pub(super) struct Base {
    pub time: i64,
    pub highest: u64,
    pub known: usize,
}

impl Decoder {
    /// As good as zeroed memory.
    pub const NEW: Decoder = Decoder {
        state: State::NEW,
        kinds: [Kind {
            start: 0,
            count: 0,
            next: 0,
            words: 0,
            is_constant: false,
        }; MAX_RECORDS],
        known: [Template::NEW; MAX_RECORDS],
        templates: [0; MAX_RECORDS],
        numbers: [0; MAX_RECORDS],
        columns: [[0; MAX_RECORDS]; column::COUNT],
        seconds: [[0; MAX_RECORDS]; SECOND],
        starts: [0; MAX_RECORDS],
        parents: [0; MAX_RECORDS],
        times: [(0, 0); MAX_RECORDS],
        words: [0; WORDS],
        found: [Details::NONE; MOST],
    };

    /// Reads the columns of a payload with so many calls; returns what is behind them, and what the first call is written
    /// against.
    pub(super) fn open<'p>(
        &mut self,
        payload: &'p [u8],
        count: usize,
    ) -> Result<(Reader<'p>, Base), ColumnError> {
        if count > MAX_RECORDS {
            return Err(ColumnError::Count);
        }
        let mut get = Get(payload);
        let encoding = get.u8().ok_or(ColumnError::Short)?;
        if encoding != ENCODING {
            return Err(ColumnError::Encoding(encoding));
        }
        let bits = get.u32().and_then(|length| get.bytes(length as usize));
        let mut from = Reader {
            bytes: get,
            bits: bits.ok_or(ColumnError::Short)?,
        };
        let base = self.read(&mut from, count).ok_or(ColumnError::Columns)?;
        Ok((from, base))
    }

    fn read(&mut self, from: &mut Reader, count: usize) -> Option<Base> {
        let (time, call) = (from.signed()?, from.bytes.varint()?);
        self.state.begin(u32::try_from(from.bytes.varint()?).ok()?);
        let known = usize::try_from(from.bytes.varint()?)
            .ok()
            .filter(|known| *known <= count)?;
        template::read(self.known.get_mut(..known)?, &mut self.numbers, from)?;
        let templates = self.templates.get_mut(..count)?;
        sequence::read(templates, known, &mut self.numbers, from)?;
        if known == 0 && count > 0 {
            return None;
        }
        let few = self.sort(known, count)?;
        if few > 0 {
            let places = 0..few;
            for column in &mut self.columns {
                from.column(column.get_mut(places.clone())?)?;
            }
            for nth in 0..known {
                self.second(nth, true, from)?;
            }
        }
        for nth in 0..known {
            self.own(nth, from)?;
        }
        Some(Base {
            time,
            highest: call,
            known,
        })
    }

    /// Gives each template its places, those with few calls first; returns how many calls these have.
    fn sort(&mut self, known: usize, count: usize) -> Option<usize> {
        let kinds = self.kinds.get_mut(..known)?;
        kinds.fill(Kind {
            start: 0,
            count: 0,
            next: 0,
            words: 0,
            is_constant: false,
        });
        for template in self.templates.get(..count)? {
            let kind = kinds.get_mut(usize::from(*template))?;
            kind.count = kind.count.wrapping_add(1);
        }
        let (mut next, mut few) = (0u16, 0);
        for wants_few in [true, false] {
            for kind in kinds.iter_mut().filter(|kind| kind.is_few() == wants_few) {
                (kind.start, kind.next) = (next, next);
                next = next.wrapping_add(kind.count);
            }
            few = if wants_few { next } else { few };
        }
        Some(few.into())
    }

    fn own(&mut self, nth: usize, from: &mut Reader) -> Option<()> {
        let kind = *self.kinds.get(nth)?;
        if kind.is_few() {
            return Some(());
        }
        let mut is_constant = true;
        for (column, numbers) in self.columns.iter_mut().enumerate() {
            let is_same = from.column(numbers.get_mut(kind.places())?)?;
            is_constant &= is_same || column >= column::BEFORE;
        }
        self.kinds.get_mut(nth)?.is_constant = is_constant;
        self.second(nth, false, from)
    }

    fn second(&mut self, nth: usize, is_few: bool, from: &mut Reader) -> Option<()> {
        let kind = *self.kinds.get(nth)?;
        if kind.is_few() == is_few && self.known.get(nth)?.has_second() {
            for column in &mut self.seconds {
                from.column(column.get_mut(kind.places())?)?;
            }
        }
        Some(())
    }

    /// Reads the columns of details.
    pub(super) fn details(&mut self, known: usize, from: &mut Reader) -> Option<()> {
        let mut at = 0usize;
        for (template, kind) in self.known.get(..known)?.iter().zip(&mut self.kinds) {
            kind.words = at as u32;
            for _ in template.forms() {
                let fields = usize::try_from(from.bytes.varint()?)
                    .ok()
                    .filter(|fields| *fields <= MOST_FIELDS)?;
                *self.words.get_mut(at)? = fields as i64;
                at = at.wrapping_add(1);
                for _ in 0..fields {
                    let end = at.wrapping_add(kind.count.into());
                    from.column(self.words.get_mut(at..end)?)?;
                    at = end;
                }
            }
        }
        Some(())
    }

    /// Finds the details of a template's call.
    pub(super) fn find_details(&mut self, nth: usize, place: usize) {
        let (template, kind) = (
            &self.known[nth & (MAX_RECORDS - 1)],
            &self.kinds[nth & (MAX_RECORDS - 1)],
        );
        let own = place.wrapping_sub(kind.start.into());
        let mut words = self.words.get(kind.words as usize..).unwrap_or_default();
        for (form, details) in template.forms().zip(&mut self.found) {
            let Some((fields, rest)) = words.split_first() else {
                break;
            };
            let fields = *fields as usize;
            *details = Details::of_width(form, fields);
            for (value, column) in details
                .values
                .iter_mut()
                .zip(rest.chunks(kind.count.max(1).into()).take(fields))
            {
                *value = column.get(own).copied().unwrap_or(0) as u64;
            }
            words = rest
                .get(fields.wrapping_mul(kind.count.into())..)
                .unwrap_or_default();
        }
    }
}

impl Kind {
    fn is_few(&self) -> bool {
        usize::from(self.count) < OWN
    }

    fn places(&self) -> core::ops::Range<usize> {
        let start = usize::from(self.start);
        start..start.wrapping_add(self.count.into())
    }
}

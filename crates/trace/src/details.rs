//! What a call says of itself beyond its record: a list of numbers, whose meaning a form tells.

use crate::{OP_DETAILS, Record};
pub use iota_calls::MOST_FIELDS;

/// Details of one call at most, each of another form.
pub const MOST: usize = 4;
/// Numbers that a record of details holds.
const WORDS: usize = 6;
/// Records that the numbers of one form need at most.
pub const MOST_RECORDS: usize = MOST_FIELDS.div_ceil(WORDS);

/// The numbers of one form.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Details {
    /// The form's id in the part's names.
    pub form: u16,
    /// All values from here on are 0.
    most: u16,
    /// Its fields in their order; 0 behind the last.
    pub values: [u64; MOST_FIELDS],
}

impl Default for Details {
    fn default() -> Details {
        Details::new(0, &[])
    }
}

impl PartialEq for Details {
    fn eq(&self, other: &Details) -> bool {
        (self.form, self.values) == (other.form, other.values)
    }
}

impl Eq for Details {}

impl Details {
    /// Of no form.
    pub(crate) const NONE: Details = Details {
        form: 0,
        most: 0,
        values: [0; MOST_FIELDS],
    };

    /// Of a form with these numbers; more than a form can have are left out.
    pub fn new(form: u16, numbers: &[u64]) -> Details {
        let mut details = Details::of_width(form, numbers.len());
        for (to, from) in details.values.iter_mut().zip(numbers) {
            *to = *from;
        }
        details
    }

    /// Of a form, with room for so many numbers.
    pub(crate) fn of_width(form: u16, width: usize) -> Details {
        let most = width.min(MOST_FIELDS) as u16;
        Details {
            form,
            most,
            values: [0; MOST_FIELDS],
        }
    }

    /// How many numbers are written: all up to the last that is not 0.
    pub(crate) fn count(&self) -> usize {
        let values = self.values.get(..usize::from(self.most));
        let last = values
            .unwrap_or_default()
            .iter()
            .rposition(|value| *value != 0);
        last.map_or(0, |last| last.wrapping_add(1))
    }

    /// The record that follows that of the call with the number `id`, if it is the only one.
    #[inline(always)]
    pub fn only_record(&self, id: u32) -> Option<Record> {
        let words = self.values.first_chunk::<WORDS>()?;
        (usize::from(self.most) <= WORDS).then(|| self.record(id, 0, 1, words))
    }

    /// The records that follow that of the call with the number `id`.
    pub fn records(&self, id: u32) -> impl Iterator<Item = Record> {
        let count = self.count().div_ceil(WORDS).max(1);
        let pieces = self.values.as_chunks::<WORDS>().0.iter().take(count);
        let pieces = (0u16..).zip(pieces);
        pieces.map(move |(at, words)| self.record(id, at, count as u16, words))
    }

    /// The record at a place of so many.
    #[inline(always)]
    fn record(&self, id: u32, at: u16, count: u16, words: &[u64; WORDS]) -> Record {
        let [start, end, ret, offset, length, ids] = *words;
        Record {
            start,
            end,
            ret: ret as i64,
            offset: offset as i64,
            length,
            id,
            parent: 0,
            file: ids as u32,
            fd: (ids >> 32) as i32,
            op: OP_DETAILS,
            errno: self.form,
            flags: 0,
            whence: at << 8 | count,
        }
    }
}

/// Details that come a record at a time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Gathered {
    id: u32,
    /// Records that came.
    came: u16,
    details: Details,
}

impl Gathered {
    /// None.
    pub const NEW: Gathered = Gathered {
        id: 0,
        came: 0,
        details: Details {
            form: 0,
            most: 0,
            values: [0; MOST_FIELDS],
        },
    };

    /// The next record of details. Returns those that it completes: what does not follow the record before is passed over.
    pub fn add(&mut self, record: &Record) -> Option<&Details> {
        let (at, count) = (record.whence >> 8, record.whence & 0xFF);
        if at == 0 {
            *self = Gathered {
                id: record.id,
                details: Details::new(record.errno, &[]),
                ..Gathered::NEW
            };
        }
        let follows = at == self.came && self.id == record.id && self.details.form == record.errno;
        let place = self.details.values.as_chunks_mut::<WORDS>().0;
        let place = place.get_mut(usize::from(at)).filter(|_| follows)?;
        *place = [
            record.start,
            record.end,
            record.ret as u64,
            record.offset as u64,
            record.length,
            u64::from(record.file) | u64::from(record.fd as u32) << 32,
        ];
        self.came = at.wrapping_add(1);
        self.details.most = self.came.wrapping_mul(WORDS as u16);
        (self.came == count).then_some(&self.details)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_their_records() {
        for count in 0..=MOST_FIELDS {
            let numbers: Vec<u64> = (1..=count as u64).map(|n| n << 40 | n).collect();
            let details = Details::new(7, &numbers);
            let records: Vec<Record> = details.records(3).collect();
            assert_eq!(records.len(), count.div_ceil(WORDS).max(1));
            let mut gathered = Gathered::NEW;
            let (last, first) = records.split_last().unwrap();
            assert!(first.iter().all(|record| gathered.add(record).is_none()));
            assert_eq!(gathered.add(last), Some(&details));
        }
    }

    #[test]
    fn details_of_which_a_record_is_missing_are_none() {
        let details = Details::new(7, &[1; MOST_FIELDS]);
        let other = Details::new(7, &[2; MOST_FIELDS]);
        for missing in 0..MOST_RECORDS {
            let mut gathered = Gathered::NEW;
            let mut records: Vec<Record> = details.records(3).collect();
            records.remove(missing);
            assert!(records.iter().all(|record| gathered.add(record).is_none()));
            let found = other
                .records(4)
                .filter_map(|next| gathered.add(&next).copied());
            assert_eq!(found.last(), Some(other));
        }
    }
}

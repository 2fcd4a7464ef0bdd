//! The writing side.

use super::model::{Field, Model, Next};
use super::{Whose, head};
use crate::bytes::Put;
use crate::codec::zigzag::zigzag;
use crate::details::{Details, MOST_FIELDS};

/// Bytes of one call's details of a form at most: a run before it, head, gap, form, and all fields.
const LONGEST: usize = 6 + 4 + 5 + 3 + MOST_FIELDS * 10;
/// Those of as many records as a block takes: a call with four times four records of details has 17.
const ROOM: usize = crate::block::MAX_RECORDS * 64 + LONGEST;
const _: () = assert!(4 * LONGEST < 17 * 64);

/// Details of the block under way.
#[repr(C)]
pub struct Written {
    /// Details as expected since the last that were not.
    run: u64,
    used: usize,
    model: Model,
    bytes: [u8; ROOM],
}

impl Written {
    pub const NEW: Written = Written {
        run: 0,
        used: 0,
        model: Model::NEW,
        bytes: [0; ROOM],
    };

    /// For a new block. Memory that was not used stays so.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            (self.model, self.run, self.used) = (Model::NEW, 0, 0);
        }
    }

    /// Adds those of a call that does not come before the last one.
    pub fn add(&mut self, whose: Whose, details: &Details) {
        let room = self.bytes.get_mut(self.used..).unwrap_or_default();
        if room.len() < LONGEST {
            return;
        }
        let next = Next {
            gap: whose.index.wrapping_sub(self.model.index),
            form: details.form,
        };
        let expected = self.model.next();
        let fields = self.model.enter(next, whose).fields(details.count());
        let mut mask = unexpected(fields, details);
        mask |= u32::from(next.gap != expected.gap) * head::GAP;
        mask |= u32::from(next.form != expected.form) * head::FORM;
        if mask == 0 {
            self.run = self.run.wrapping_add(1);
        } else {
            let mut put = Put::new(room);
            end_run(&mut self.run, &mut put);
            tell(mask, next, fields, details, &mut put);
            self.used = self.used.wrapping_add(put.at());
        }
        for (field, value) in fields.iter_mut().zip(&details.values) {
            field.learn(*value);
        }
    }

    fn is_empty(&self) -> bool {
        self.used == 0 && self.run == 0
    }

    /// The bytes of all of them.
    pub fn finish(&mut self) -> &[u8] {
        if self.is_empty() {
            return &[];
        }
        let mut put = Put::new(self.bytes.get_mut(self.used..).unwrap_or_default());
        end_run(&mut self.run, &mut put);
        self.used = self.used.wrapping_add(put.at());
        self.bytes.get(..self.used).unwrap_or_default()
    }
}

/// A bit for each field that is not as expected.
fn unexpected(fields: &[Field], details: &Details) -> u32 {
    let fields = fields.iter().zip(&details.values);
    (head::FIELDS..)
        .zip(fields)
        .fold(0, |mask, (bit, (field, value))| {
            mask | u32::from(field.expected() != *value) << (bit & 31)
        })
}

fn tell(mask: u32, next: Next, fields: &[Field], details: &Details, put: &mut Put) {
    put.varint(mask.into());
    if mask & head::GAP != 0 {
        put.varint(next.gap.into());
    }
    if mask & head::FORM != 0 {
        put.varint(next.form.into());
    }
    for (bit, (field, value)) in (head::FIELDS..).zip(fields.iter().zip(&details.values)) {
        if mask >> (bit & 31) & 1 != 0 {
            put.varint(zigzag(value.wrapping_sub(field.expected()) as i64));
        }
    }
}

fn end_run(run: &mut u64, put: &mut Put) {
    let run = core::mem::take(run);
    if run > 0 {
        put.varint(0);
        put.varint(run);
    }
}

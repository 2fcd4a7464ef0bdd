//! Details as text: `form{field=value field=value}` for each form, separated by spaces.

use iota_calls::Unit;
use std::io::Write;

use super::names::{Form, Names};
use crate::Details;
use crate::printable::{Printable, Quoted};

impl Names {
    /// Appends details as text. Of a form whose definition is missing the fields have numbers, from 1.
    pub fn put_details(&self, details: &[Details], to: &mut Vec<u8>) {
        for (at, one) in details.iter().enumerate() {
            if at > 0 {
                to.push(b' ');
            }
            match self.form(one.form) {
                Some(form) => self.put_known(form, one, to),
                None => put_unknown(one, to),
            }
        }
    }

    fn put_known(&self, form: &Form, details: &Details, to: &mut Vec<u8>) {
        Printable(&form.name).put(to);
        to.push(b'{');
        for (at, ((unit, name), value)) in form.fields.iter().zip(details.values).enumerate() {
            if at > 0 {
                to.push(b' ');
            }
            Printable(name).put(to);
            to.push(b'=');
            self.put_value(*unit, value, to);
        }
        to.push(b'}');
    }

    fn put_value(&self, unit: Unit, value: u64, to: &mut Vec<u8>) {
        match (unit, value) {
            (Unit::Text | Unit::File | Unit::Call | Unit::Collective, 0)
            | (Unit::Offset | Unit::Rank, u64::MAX) => to.push(b'-'),
            (Unit::Text, id) => quoted(self.text_of(id as u32), id, to),
            (Unit::File, id) => quoted(self.file(id as u32), id, to),
            (Unit::Signed | Unit::Offset, value) => put(to, format_args!("{}", value as i64)),
            (Unit::Bits | Unit::Collective, value) => put(to, format_args!("{value:#x}")),
            (
                Unit::Number
                | Unit::Bytes
                | Unit::Thread
                | Unit::Call
                | Unit::Rank
                | Unit::Nanoseconds,
                value,
            ) => put(to, format_args!("{value}")),
        }
    }
}

fn put_unknown(details: &Details, to: &mut Vec<u8>) {
    put(to, format_args!("{}{{", details.form));
    let last = details.values.iter().rposition(|value| *value != 0);
    for (at, value) in details
        .values
        .iter()
        .take(last.map_or(0, |at| at + 1))
        .enumerate()
    {
        let space = if at > 0 { " " } else { "" };
        put(to, format_args!("{space}{}={value}", at + 1));
    }
    to.push(b'}');
}

/// A text in quotation marks, as a path is written; its id where it is not known.
fn quoted(known: Option<&[u8]>, id: u64, to: &mut Vec<u8>) {
    match known {
        Some(known) => Quoted(known).put(to),
        None => put(to, format_args!("#{id}")),
    }
}

fn put(to: &mut Vec<u8>, text: std::fmt::Arguments) {
    // Writing to memory does not fail.
    let _ = to.write_fmt(text);
}

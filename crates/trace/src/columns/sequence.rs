//! Which template each call of a block has: what came before is named by where it stands, as in LZ77, or, where that is
//! shorter, each by its number.

use super::numbers::{ColumnWriter, Reader};
use crate::block::MAX_RECORDS;

/// A call of the template that follows all those that calls had before.
const NEXT: u16 = 0;
/// Calls that are worth a reference to those that were the same.
const LEAST: usize = 4;
/// Places of calls by a hash of theirs and the next ones.
const PLACES: usize = 1024;

/// How a sequence is written.
mod form {
    pub const COPIES: u8 = 0;
    pub const NUMBERS: u8 = 1;
}

/// Where to look for what came before.
#[repr(C)]
pub struct RepeatFinder([u16; PLACES]);

impl RepeatFinder {
    pub const NEW: RepeatFinder = RepeatFinder([0; PLACES]);
}

/// Writes the templates of calls, each less than `count`, numbered as they first come; `room` is for as many numbers.
pub fn write(
    templates: &mut [u16],
    count: usize,
    finder: &mut RepeatFinder,
    room: &mut [i64],
    to: &mut ColumnWriter,
) {
    if count < 2 {
        return;
    }
    let mut next = 0;
    for template in &mut *templates {
        if *template == next {
            next = next.wrapping_add(1);
            *template = NEXT;
        } else {
            *template = template.wrapping_add(1);
        }
    }
    let start = to.bytes.at();
    to.bytes.u8(form::COPIES);
    copies(templates, finder, to);
    let width = usize::BITS.wrapping_sub(count.leading_zeros()) as usize;
    let numbered = templates.len().wrapping_mul(width) / 8;
    if to.bytes.at().wrapping_sub(start) > numbered.wrapping_add(8) {
        to.bytes.back(start);
        to.bytes.u8(form::NUMBERS);
        for (number, template) in room.iter_mut().zip(&*templates) {
            *number = (*template).into();
        }
        to.column(room.get_mut(..templates.len()).unwrap_or_default());
    }
}

/// How many there are, these, how far back those are that the next ones repeat, and how many.
fn copies(all: &[u16], finder: &mut RepeatFinder, to: &mut ColumnWriter) {
    *finder = RepeatFinder::NEW;
    let (mut at, mut written) = (0usize, 0usize);
    while at.wrapping_add(LEAST) <= all.len() {
        let place = finder.place(all, at);
        let before = usize::from(*place);
        *place = at as u16;
        let length = match before < at {
            true => common(all, before, at),
            false => 0,
        };
        if length < LEAST {
            at = at.wrapping_add(1);
            continue;
        }
        literals(all.get(written..at), to);
        to.bytes.varint(at.wrapping_sub(before) as u64);
        to.bytes.varint(length as u64);
        at = at.wrapping_add(length);
        written = at;
    }
    if written < all.len() {
        literals(all.get(written..), to);
    }
}

fn literals(some: Option<&[u16]>, to: &mut ColumnWriter) {
    let some = some.unwrap_or_default();
    to.bytes.varint(some.len() as u64);
    some.iter().for_each(|one| to.bytes.varint((*one).into()));
}

/// How many from `at` on are as those from `before` on.
fn common(all: &[u16], before: usize, at: usize) -> usize {
    let (earlier, later) = (all.get(before..), all.get(at..));
    let pairs = earlier
        .unwrap_or_default()
        .iter()
        .zip(later.unwrap_or_default());
    pairs.take_while(|(a, b)| a == b).count()
}

impl RepeatFinder {
    fn place(&mut self, all: &[u16], at: usize) -> &mut u16 {
        let some = all.get(at..).and_then(|rest| rest.first_chunk::<LEAST>());
        let [a, b, c, d] = some.copied().unwrap_or_default().map(u64::from);
        let hash = (a | b << 16 | c << 32 | d << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54;
        &mut self.0[hash as usize & (PLACES - 1)]
    }
}

/// Reads the templates of calls, of which there are `count`.
pub fn read(
    templates: &mut [u16],
    count: usize,
    room: &mut [i64],
    from: &mut Reader,
) -> Option<()> {
    if count < 2 {
        templates.fill(0);
        return Some(());
    }
    match from.bytes.u8()? {
        form::COPIES => read_copies(templates, from)?,
        form::NUMBERS => {
            let room = room.get_mut(..templates.len())?;
            from.column(room)?;
            for (template, number) in templates.iter_mut().zip(&*room) {
                *template = u16::try_from(*number).ok()?;
            }
        }
        _ => return None,
    }
    let mut next = 0u16;
    for template in templates {
        *template = match *template {
            NEXT => {
                next = next.wrapping_add(1);
                next.wrapping_sub(1)
            }
            known => known.wrapping_sub(1),
        };
        if usize::from(*template) >= count {
            return None;
        }
    }
    Some(())
}

fn read_copies(all: &mut [u16], from: &mut Reader) -> Option<()> {
    let mut at = 0usize;
    loop {
        let end = at.checked_add(usize::try_from(from.bytes.varint()?).ok()?)?;
        for one in all.get_mut(at..end)? {
            *one = u16::try_from(from.bytes.varint()?).ok()?;
        }
        at = end;
        if at == all.len() {
            return Some(());
        }
        let back = usize::try_from(from.bytes.varint()?).ok()?;
        let length = usize::try_from(from.bytes.varint()?).ok()?;
        let end = at.checked_add(length)?;
        if back == 0 || back > at || end > all.len() {
            return None;
        }
        while at < end {
            let before = *all.get(at.wrapping_sub(back))?;
            *all.get_mut(at)? = before;
            at = at.wrapping_add(1);
        }
        if at == all.len() {
            return Some(());
        }
    }
}

const _: () = assert!(MAX_RECORDS < u16::MAX as usize);

//! How calls nest: their numbers, those of the calls that enclose them, and the times of calls that enclose others.

use super::calls::Calls;
use crate::Event;
use crate::codec::side::Side;
use crate::codec::symbols::{column, main};

/// How the last call of a kind stood to those before it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Nesting {
    /// As [`Calls::place`] has it.
    pub place: i32,
    /// Whether another call enclosed it.
    pub inside: bool,
}

impl Nesting {
    pub const NEW: Nesting = Nesting {
        place: 0,
        inside: false,
    };
}

/// The call's number, and that of the call that encloses it: the innermost open one, or none. Returns the
/// start of the first call in it, if it encloses calls before it.
#[inline(always)]
pub fn number<S: Side>(
    side: &mut S,
    e: &mut Event,
    nesting: &mut Nesting,
    calls: &mut Calls,
) -> Option<i64> {
    let place = side.actual(|| calls.place(e.id));
    let place = side.field(main::ID, column::ID, nesting.place.into(), 0, place);
    nesting.place = place as i32;
    let (id, enclosing) = calls.take(place);
    e.id = id;
    let expected = if nesting.inside {
        calls.distance(id)
    } else {
        0
    };
    let actual = if e.parent == 0 {
        0
    } else {
        id.wrapping_sub(e.parent) as i64
    };
    let distance = side.field(main::PARENT, column::PARENT, expected, 0, actual);
    e.parent = if distance == 0 {
        0
    } else {
        id.wrapping_sub(distance as u64)
    };
    nesting.inside = distance != 0;
    enclosing
}

/// The times of a call that encloses those before it: little more than theirs.
#[inline(always)]
pub fn around<S: Side>(side: &mut S, e: &mut Event, before: i64, first: i64) {
    let first = if first == i64::MAX { before } else { first };
    e.start = first.wrapping_sub(side.always(column::LEAD, first.wrapping_sub(e.start)));
    e.end = before.wrapping_add(side.always(column::TAIL, e.end.wrapping_sub(before)));
}

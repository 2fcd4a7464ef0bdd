//! Calls that go on as they did, many at once: nothing is told but their times, and perhaps their offsets.

use super::progress::Progress;
use crate::codec::Side;
use crate::codec::encoder::Encoder;
use crate::codec::model::Loop;
use crate::{Record, Step};

/// Goes on with a loop as long as the records do; returns how many did.
pub fn repeat(
    again: &mut Loop,
    records: &[Record],
    step: &Step,
    side: &mut Encoder,
    progress: &mut Progress,
) -> usize {
    let room = side.begin_run();
    let records = records.get(..room).unwrap_or(records);
    let count = go_on(again, records);
    times(
        again,
        records.get(..count).unwrap_or(&[]),
        step,
        side,
        progress,
    );
    side.lengthen_run(count);
    count
}

/// How many of the records are the next calls of a loop. On its own, as [`times`] is, for the registers that each needs.
#[inline(never)]
fn go_on(again: &mut Loop, records: &[Record]) -> usize {
    let (mut next, mut count) = (again.next, 0usize);
    for record in records {
        if !again.key.repeats(record, next.id) || record.offset != next.offset {
            break;
        }
        next.advance(next.end);
        count = count.wrapping_add(1);
    }
    again.next = next;
    count
}

/// The times of a loop's calls; on copies of all state that they change.
#[inline(never)]
fn times(
    again: &mut Loop,
    records: &[Record],
    step: &Step,
    side: &mut Encoder,
    progress: &mut Progress,
) {
    let (mut part, mut before, mut pace) = (side.part(), again.next.end, again.pace);
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    for record in records {
        let (start, end) = (step.steps(record.start), step.steps(record.end));
        part.times(
            &mut pace,
            start.wrapping_sub(before),
            end.wrapping_sub(start),
        );
        (first, last, before) = (first.min(start), last.max(end), end);
    }
    let state = part.state();
    side.go_on(state);
    (again.next.end, again.pace) = (before, pace);
    progress.count_in(records.len(), first, last);
}

/// The same for calls that are as before but for their offsets.
#[inline(never)]
pub fn scatter(
    again: &mut Loop,
    records: &[Record],
    step: &Step,
    side: &mut Encoder,
    progress: &mut Progress,
) -> usize {
    let (mut part, mut next, mut pace) = (side.part(), again.next, again.pace);
    let (mut first, mut last, mut count) = (i64::MAX, i64::MIN, 0usize);
    for record in records {
        if !again.key.repeats(record, next.id) || !again.key.moves(record, next.offset) {
            break;
        }
        let (start, end) = (step.steps(record.start), step.steps(record.end));
        part.begin();
        part.offset(next.offset, again.key.length, record.offset);
        part.end();
        part.times(
            &mut pace,
            start.wrapping_sub(next.end),
            end.wrapping_sub(start),
        );
        next.move_to(record.offset);
        next.advance(end);
        (first, last) = (first.min(start), last.max(end));
        count = count.wrapping_add(1);
    }
    let state = part.state();
    side.go_on(state);
    (again.next, again.pace) = (next, pace);
    progress.count_in(count, first, last);
    count
}

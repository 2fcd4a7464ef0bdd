//! Requests that end: their events, whichever interface they came by.

use super::transfers::at_offset_as;
use crate::record::{Note, Second, store_begun};
use crate::tables::pending::{Cause, PendingCall};
use crate::tables::{FileId, descriptors};
use crate::thread::Thread;
use core::ffi::c_int;
use iota_calls::{Form, Kind, Op};
use iota_trace::{Details, flags};

/// It ended as the C library reports it: -1, and errno.
pub fn failed(thread: &'static Thread, begun: PendingCall, errno: c_int) {
    ended(thread, begun, i64::from(errno).wrapping_neg());
}

/// It ended as the kernel reports it: a result, or an error number below 0. Requests of no row of the table leave no event.
pub fn ended(thread: &'static Thread, begun: PendingCall, result: i64) {
    if begun.op == Op::NONE {
        return;
    }
    store_begun(thread, begun, result.max(0), |note, parent| {
        note.answers(result.wrapping_neg().clamp(0, 4095) as c_int);
        describe(thread, note, &begun);
        cause(thread, begun.cause?, parent)
    });
}

/// Where it began, if that was in another thread, or in another call than the one that encloses its end.
fn cause(thread: &Thread, cause: Cause, parent: u32) -> Option<Details> {
    let is_parent = cause.call == 0 || cause.call as u32 == parent;
    let is_plain = cause.thread == thread.number() && is_parent;
    (!is_plain).then(|| Details::new(Form::CAUSE.0, &[cause.thread.into(), cause.call]))
}

fn describe(thread: &Thread, note: &mut Note, begun: &PendingCall) {
    let about = begun.about;
    let kind = begun.op.info().map_or(Kind::Other, |info| info.kind);
    note.flags |= flags::ASYNCHRONOUS;
    let is_transfer = matches!(kind, Kind::Read | Kind::Write);
    if is_transfer && about.fd >= 0 && about.offset != -1 {
        // A request that lets the kernel choose a buffer does not say how much it wants.
        let length = if about.length == 0 {
            note.ret.max(0) as u64
        } else {
            about.length
        };
        at_offset_as(
            thread,
            note,
            about.fd,
            length,
            if about.offset == CURRENT {
                -1
            } else {
                about.offset
            },
            kind == Kind::Write,
            about.flags,
        );
    } else {
        note.offset = if about.offset == CURRENT {
            -1
        } else {
            about.offset
        };
    }
    (note.fd, note.length) = (about.fd.max(-1), note.length.max(about.length));
    // The descriptor may be another file's by now: what it was when the request began counts.
    if begun.has_names() {
        note.file = about.file;
    }
    if kind == Kind::Open && note.ret >= 0 && about.fd != DIRECT {
        note.fd = -1;
        note.file =
            descriptors::opened(thread, note.ret as c_int, note.file, about.length as c_int);
    }
    if about.second != FileId::NONE && begun.has_names() {
        note.more = Some(Second {
            fd: -1,
            file: about.second,
            offset: -1,
        });
    }
}

/// Stands for a place in a table of the ring's, which is no descriptor.
pub const DIRECT: c_int = -2;
/// Stands for the position of the descriptor.
pub const CURRENT: i64 = i64::MIN;

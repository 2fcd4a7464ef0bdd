//! What completes requests: waits, and cancellations. The bytes are moved in the wait, for all of its requests together: what
//! it causes is its own.

use crate::asks::Library;
use crate::requests::{self, End, PendingTransfer};
use crate::{Access, GLOBAL, On, SUCCESS, outcome, span};
use core::ffi::{c_int, c_void};
use iota_calls::{Form, Kind, Op};
use iota_mpi::above::{By, WordBuffer};

/// Requests for which there is room on the stack.
const FEW: usize = 16;
/// NC_REQ_ALL, NC_GET_REQ_ALL and NC_PUT_REQ_ALL: a number of requests that stands for all of a kind.
const ALL: c_int = -1;
const ALL_READS: c_int = -2;
const ALL_WRITES: c_int = -3;

/// `ncmpi_wait`, `ncmpi_wait_all`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the library's")]
pub unsafe fn nc_waits(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    by: By,
    count: c_int,
    requests: *const c_int,
    statuses: *const c_int,
) -> c_int {
    // SAFETY: as this function's.
    unsafe { ends(op, at, real, (ncid, by), (count, requests, statuses), false) }
}

/// `ncmpi_cancel`: nothing is moved.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn nc_cancels(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    count: c_int,
    requests: *const c_int,
    statuses: *const c_int,
) -> c_int {
    // SAFETY: as this function's.
    unsafe {
        ends(
            op,
            at,
            real,
            (ncid, By::One),
            (count, requests, statuses),
            true,
        )
    }
}

/// # Safety
/// The contract of the call: so many requests and statuses, or a number that stands for all of a kind.
#[inline(always)]
unsafe fn ends(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    (ncid, by): (c_int, By),
    (count, requests, statuses): (c_int, *const c_int, *const c_int),
    are_cancelled: bool,
) -> c_int {
    let library = Library::of(op, at);
    let on = On::of(library, ncid, GLOBAL, Access::Is(by));
    // The library overwrites the numbers.
    // SAFETY: as this function's.
    let numbers = unsafe { copied(count, requests) };
    let (code, span) = span(op, real);
    let Some(span) = span else { return code };
    let mut ended = Ended {
        library,
        ncid,
        code,
        on,
        are_cancelled,
        count: 0,
    };
    match numbers {
        Some(mut numbers) => {
            for (i, request) in numbers.all().iter().enumerate() {
                // SAFETY: the library has written a status for each request, if it was given room for them.
                let own = (!statuses.is_null() && code == SUCCESS)
                    .then(|| unsafe { statuses.add(i).read_unaligned() });
                ended.one(*request as u32 as c_int, own);
            }
        }
        None => ended.all_of(count),
    }
    ended.on.record_wait(span, code, ended.count);
    code
}

/// The numbers of requests; none if the count stands for all of a kind.
///
/// # Safety
/// If the count is not negative, so many stand there.
#[inline(never)]
unsafe fn copied(count: c_int, requests: *const c_int) -> Option<WordBuffer<FEW>> {
    let count = usize::try_from(count).ok()?;
    let mut numbers = WordBuffer::new(if requests.is_null() { 0 } else { count })?;
    for (i, number) in numbers.all().iter_mut().enumerate() {
        // SAFETY: as this function's.
        *number = unsafe { requests.add(i).read_unaligned() } as u32 as usize;
    }
    Some(numbers)
}

/// Requests that a call has ended.
struct Ended {
    library: Library,
    ncid: c_int,
    code: c_int,
    on: On,
    are_cancelled: bool,
    count: u64,
}

impl Ended {
    fn one(&mut self, request: c_int, own: Option<c_int>) {
        if let Some(under_way) = requests::take(self.library, self.ncid, request) {
            self.record(under_way, own.unwrap_or(self.code));
        }
    }

    fn all_of(&mut self, which: c_int) {
        let Some(file) = self.on.file else { return };
        for request in file.requests() {
            let Some(under_way) = requests::take(self.library, self.ncid, request) else {
                continue;
            };
            let is_meant = match which {
                ALL => true,
                ALL_READS => under_way.begun.kind() == Kind::Read,
                ALL_WRITES => under_way.begun.kind() == Kind::Write,
                _ => false,
            };
            if is_meant {
                self.record(under_way, self.code);
            } else {
                requests::put_back(self.library, self.ncid, request, under_way);
            }
        }
        if which == ALL {
            file.has_no_requests();
        }
    }

    fn record(&mut self, under_way: PendingTransfer, code: c_int) {
        under_way.record(if self.are_cancelled {
            End::Never
        } else {
            End::With(code, self.on.collective)
        });
        self.count = self.count.wrapping_add(1);
    }
}

impl On {
    /// A wait: how many requests it has ended.
    fn record_wait(self, span: iota_runtime::library::Span, code: c_int, count: u64) {
        let mut note = outcome(code);
        note.file = self.name();
        span.record_detailed(note, &[self.details(Form::REQUESTS, 0, &[count])]);
    }
}

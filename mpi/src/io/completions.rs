//! What completes transfers: waits and tests of requests, the ends of split collectives.

use super::on::{By, On, is_on, outcome};
use super::requests::{self, End, PendingTransfer};
use super::status::Status;
use crate::abi::{Constant::*, Family, Word};
use crate::memory::WordBuffer;
use crate::part::quietly;
use crate::pmpi::{self, io as mpi};
use core::ffi::{c_int, c_void};
use iota_calls::Op;
use iota_runtime::library;

/// `MPI_File_*_end`: the transfer ends, and the call itself is recorded as well.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn mpi_ends(
    op: Op,
    real: impl FnOnce(*mut c_void) -> c_int,
    handle: Word,
    status: *mut c_void,
) -> c_int {
    if !is_on() {
        return real(status);
    }
    let mut own = Status::NEW;
    let status = own.instead_of(status);
    let moment = library::now(op);
    let under_way = requests::key_of_file(handle).and_then(requests::take);
    let code = match &under_way {
        Some(under_way) => under_way.begun.inside(|| real(status)),
        None => real(status),
    };
    quietly(|| {
        if let Some(under_way) = under_way {
            under_way.record(end_of(code, || mpi::moved(status.addr())));
        }
        let on = On::of(handle, By::One);
        library::record(moment, 0, |note| {
            *note = outcome(code);
            note.file = on.name();
        });
    });
    code
}

fn end_of(code: c_int, moved: impl FnOnce() -> Option<i64>) -> End {
    if code == pmpi::SUCCESS {
        moved().map_or(End::All, End::Moved)
    } else {
        End::Failed(code)
    }
}

/// Where the statuses of completed requests are.
#[derive(Clone, Copy)]
enum Statuses {
    /// One, of whichever request.
    One(Word),
    /// That of each request at its place.
    Each(Word),
    /// Those of the completed ones, one after another, and the places of these.
    Listed(Word, *const c_int, *const c_int),
    /// There are none.
    None,
}

/// `MPI_Wait`, `MPI_Test`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn mpi_waits_one(
    op: Op,
    real: impl FnOnce(*mut c_void) -> c_int,
    request: *mut Word,
    status: *mut c_void,
) -> c_int {
    if !requests::are_there() {
        return real(status);
    }
    // SAFETY: the call takes one request.
    unsafe { mpi_waits_any(op, real, 1, request, status) }
}

/// `MPI_Waitany`, `MPI_Testany`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn mpi_waits_any(
    op: Op,
    real: impl FnOnce(*mut c_void) -> c_int,
    count: c_int,
    all: *mut Word,
    status: *mut c_void,
) -> c_int {
    if !requests::are_there() {
        return real(status);
    }
    // SAFETY: as this function's.
    let Some(waiting) = (unsafe { OpenRequests::of(op, count, all) }) else {
        return real(status);
    };
    let mut own = Status::NEW;
    let status = own.instead_of(status);
    waiting.finish(|| real(status), Statuses::One(status.addr()))
}

/// `MPI_Waitall`, `MPI_Testall`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn mpi_waits_all(
    op: Op,
    real: impl FnOnce(*mut c_void) -> c_int,
    count: c_int,
    all: *mut Word,
    statuses: *mut c_void,
) -> c_int {
    if !requests::are_there() {
        return real(statuses);
    }
    // SAFETY: as this function's.
    unsafe { waits_several(op, real, (count, all), statuses, Statuses::Each) }
}

/// `MPI_Waitsome`, `MPI_Testsome`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn mpi_waits_some(
    op: Op,
    real: impl FnOnce(*mut c_void) -> c_int,
    count: c_int,
    all: *mut Word,
    done: *mut c_int,
    indices: *mut c_int,
    statuses: *mut c_void,
) -> c_int {
    if !requests::are_there() {
        return real(statuses);
    }
    let listed = |at| Statuses::Listed(at, done, indices);
    // SAFETY: as this function's.
    unsafe { waits_several(op, real, (count, all), statuses, listed) }
}

/// # Safety
/// So many requests stand there; `stored` says how their statuses are stored.
#[inline(always)]
unsafe fn waits_several(
    op: Op,
    real: impl FnOnce(*mut c_void) -> c_int,
    (count, all): (c_int, *mut Word),
    statuses: *mut c_void,
    stored: impl FnOnce(Word) -> Statuses,
) -> c_int {
    // SAFETY: as this function's.
    let Some(waiting) = (unsafe { OpenRequests::of(op, count, all) }) else {
        return real(statuses);
    };
    let mut own = Several::of(statuses, count);
    let statuses = own.at();
    let stored = own.resolved(stored);
    waiting.finish(|| real(statuses), stored)
}

/// `MPI_Request_free`: whether the transfer has ended is not known.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn mpi_frees(op: Op, real: impl FnOnce() -> c_int, request: *mut Word) -> c_int {
    if !requests::are_there() {
        return real();
    }
    // SAFETY: the call takes one request.
    match unsafe { OpenRequests::of(op, 1, request) } {
        Some(waiting) => waiting.finish(real, Statuses::None),
        None => real(),
    }
}

/// Requests for which there is room on the stack.
const FEW: usize = 8;
/// Words of a status.
const STATUS: usize = Family::STATUS_ROOM / size_of::<usize>();

/// The statuses of several requests: the program's, or ours if it takes none.
struct Several {
    given: *mut c_void,
    own: Option<WordBuffer<{ FEW * STATUS }>>,
}

impl Several {
    #[inline(never)]
    fn of(given: *mut c_void, count: c_int) -> Several {
        let is_ignored = given.addr() == mpi::constant(StatusesIgnore);
        let words = (count.max(0) as usize).wrapping_mul(STATUS);
        Several {
            given,
            own: is_ignored.then(|| WordBuffer::new(words)).flatten(),
        }
    }

    /// Where they are. It stays as long as this is not moved.
    fn at(&mut self) -> *mut c_void {
        match &mut self.own {
            Some(own) => own.all().as_mut_ptr().cast(),
            None => self.given,
        }
    }

    fn resolved(&mut self, statuses: impl FnOnce(Word) -> Statuses) -> Statuses {
        let at = self.at().addr();
        if at == mpi::constant(StatusesIgnore) {
            Statuses::None
        } else {
            statuses(at)
        }
    }
}

/// Requests of files that a call may complete.
struct OpenRequests {
    moment: library::Moment,
    requests: *const c_void,
    /// The keys of all requests as they are before the call, 0 for those of no file.
    keys: WordBuffer<FEW>,
    /// The transfer that began first among the places of the requests, and its place.
    first: (usize, PendingTransfer),
}

impl OpenRequests {
    /// None if no request is of a file.
    ///
    /// # Safety
    /// So many requests stand there.
    #[inline(never)]
    unsafe fn of(op: Op, count: c_int, requests: *const Word) -> Option<OpenRequests> {
        let (count, requests) = (count.max(0) as usize, requests.cast::<c_void>());
        // SAFETY: one of them.
        let key = |i| unsafe { requests::key_at(mpi::handle_at(requests, i)) };
        let of_file = |i| key(i).filter(|key| requests::has(*key));
        let first = (0..count).find(|i| of_file(*i).is_some())?;
        let mut keys = WordBuffer::new(count)?;
        for (i, place) in keys.all().iter_mut().enumerate().skip(first) {
            *place = of_file(i).unwrap_or(0);
        }
        let held = requests::held(*keys.all().get(first)?)?;
        Some(OpenRequests {
            moment: library::now(op),
            requests,
            keys,
            first: (first, held),
        })
    }

    /// Makes the call. What it causes belongs to the first transfer of those that it waits for.
    #[inline(always)]
    fn finish(self, real: impl FnOnce() -> c_int, statuses: Statuses) -> c_int {
        let code = self.first.1.begun.inside(real);
        quietly(|| self.ended(code, statuses));
        code
    }

    #[inline(never)]
    fn ended(mut self, code: c_int, statuses: Statuses) {
        let (requests, (first, held), mut completed) = (self.requests, self.first, 0i64);
        for (i, key) in self.keys.all().iter().enumerate().skip(first) {
            // SAFETY: one of the requests, which the call has read and may have changed.
            let now = unsafe { requests::key_at(mpi::handle_at(requests, i)) };
            let has_ended = now != Some(*key);
            if i == first {
                requests::let_go(*key, held, has_ended);
            }
            if *key == 0 || !has_ended {
                continue;
            }
            let ended = if i == first {
                Some(held)
            } else {
                requests::take(*key)
            };
            if let Some(under_way) = ended {
                under_way.record(statuses.end(code, i));
                completed = completed.wrapping_add(1);
            }
        }
        if completed > 0 {
            library::record(self.moment, completed, |_| ());
        }
    }
}

impl Statuses {
    /// The status of the request at this place.
    fn of(self, i: usize) -> Option<Word> {
        match self {
            Statuses::None => None,
            Statuses::One(at) => Some(at),
            Statuses::Each(at) => Some(mpi::status_at(at, i)),
            Statuses::Listed(at, done, indices) => {
                // SAFETY: the call has written how many there are, and their places.
                let done = unsafe { done.read_unaligned() }.max(0) as usize;
                // SAFETY: likewise.
                let place = |j: &usize| unsafe { indices.add(*j).read_unaligned() };
                let j = (0..done).find(|j| place(j) == i as c_int)?;
                Some(mpi::status_at(at, j))
            }
        }
    }

    /// How the transfer at this place ended.
    fn end(self, code: c_int, i: usize) -> End {
        let in_status = code != pmpi::SUCCESS && mpi::is_in_status(code);
        // After another error nothing may have been written.
        let status = (code == pmpi::SUCCESS || in_status)
            .then(|| self.of(i))
            .flatten();
        let own = match status {
            Some(status) if in_status => mpi::error_of(status),
            _ => code,
        };
        end_of(own, || mpi::moved(status?))
    }
}

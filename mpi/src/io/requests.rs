//! Transfers that were begun, and have not ended: by their requests, or by their files if they are split collectives.

use super::extent::FileExtent;
use crate::abi::{Constant::*, Word};
use crate::pmpi::io as mpi;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use iota_calls::Form;
use iota_runtime::library::{CallStart, FileId, Keyed};
use iota_runtime::sys;
use iota_trace::Details;

/// What was begun.
#[derive(Clone, Copy)]
pub struct Transfer {
    pub file: FileId,
    pub ranks: u64,
    pub collective: u64,
    pub length: u64,
    pub place: FileExtent,
}

/// A transfer under way.
#[derive(Clone, Copy)]
pub struct PendingTransfer {
    pub begun: CallStart,
    transfer: Transfer,
}

/// How a transfer ended.
#[derive(Clone, Copy)]
pub enum End {
    /// So many bytes were moved.
    Moved(i64),
    /// All that it asked for, as far as is known.
    All,
    /// With this error.
    Failed(c_int),
    /// Nobody waited for it.
    Never,
}

static TABLE: AtomicPtr<Keyed<PendingTransfer>> = AtomicPtr::new(ptr::null_mut());
/// Those under way: while there are none, whoever waits for a request waits for no file.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Whether there are any.
#[inline(always)]
pub fn are_there() -> bool {
    COUNT.load(Relaxed) != 0
}

fn table() -> Option<&'static Keyed<PendingTransfer>> {
    // SAFETY: null, or a table that stays.
    unsafe { TABLE.load(Acquire).as_ref() }
}

/// The table, mapped when the first transfer begins.
fn made() -> Option<&'static Keyed<PendingTransfer>> {
    table().or_else(|| {
        let new = ptr::from_ref(sys::map_table::<Keyed<PendingTransfer>>().ok()?).cast_mut();
        // Two threads may come at once: the table of one stays unused.
        let _ = TABLE.compare_exchange(ptr::null_mut(), new, AcqRel, Relaxed);
        table()
    })
}

/// The lowest bits say what a key is of, so that it is neither 0 nor 1.
fn key(word: Word, of: usize) -> usize {
    word << 4 | of
}

/// The key of a split collective of this file.
pub fn key_of_file(handle: Word) -> Option<usize> {
    Some(key(handle, 2))
}

/// The key of the request that stands there; none for MPI_REQUEST_NULL.
///
/// # Safety
/// A request stands there.
pub unsafe fn key_at(request: *const c_void) -> Option<usize> {
    // SAFETY: as this function's.
    let request = unsafe { mpi::read_handle(request) };
    (request != mpi::constant(RequestNull)).then(|| key(request, 4))
}

/// A transfer has begun. One without a key has ended as well; one for which there is no place is recorded as if it had.
pub fn begin(key: Option<usize>, begun: CallStart, transfer: Transfer) {
    let under_way = PendingTransfer { begun, transfer };
    let table = key.and_then(|key| Some((key, made()?)));
    if table.is_some_and(|(key, table)| table.put(key, under_way)) {
        COUNT.fetch_add(1, Relaxed);
    } else {
        under_way.record(End::All);
    }
}

/// Whether a transfer of this key is under way.
pub fn has(key: usize) -> bool {
    table().is_some_and(|table| table.has(key))
}

/// Takes the transfer of this key, the first of several: it has ended.
pub fn take(key: usize) -> Option<PendingTransfer> {
    let taken = held(key)?;
    COUNT.fetch_sub(1, Relaxed);
    Some(taken)
}

/// Takes the transfer of this key for the time of a call that may end it.
pub fn held(key: usize) -> Option<PendingTransfer> {
    table()?.take(key)
}

/// It has ended, or else waits again.
pub fn let_go(key: usize, held: PendingTransfer, has_ended: bool) {
    if has_ended || !table().is_some_and(|table| table.put(key, held)) {
        COUNT.fetch_sub(1, Relaxed);
    }
}

/// MPI ends: those that nobody waited for.
pub fn abandon() {
    let Some(table) = table() else { return };
    for under_way in table.take_all() {
        COUNT.fetch_sub(1, Relaxed);
        under_way.record(End::Never);
    }
}

impl PendingTransfer {
    /// It has ended.
    pub fn record(self, end: End) {
        let PendingTransfer { begun, transfer } = self;
        begun.record(|note, began| {
            (note.file, note.length) = (transfer.file, transfer.length);
            note.offset = transfer.place.offset;
            match end {
                End::Moved(bytes) => note.ret = bytes,
                End::All => note.ret = transfer.length as i64,
                End::Never => note.ret = 0,
                End::Failed(code) => {
                    (note.ret, note.errno) = (-1, c_int::from(mpi::class(code)));
                }
            }
            let (thread, call) = began.unwrap_or((0, 0));
            let numbers = [
                transfer.ranks,
                transfer.collective,
                transfer.place.extent,
                begun.took,
                thread.into(),
                call,
            ];
            Details::new(Form::MPIIO.0, &numbers)
        });
    }
}

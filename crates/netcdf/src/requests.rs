//! Transfers that were begun, and have not ended, by the numbers of their requests.

use crate::asks::Library;
use crate::files::OpenFile;
use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::*};
use iota_calls::Form;
use iota_mpi::above::at_end;
use iota_runtime::library::{CallStart, FileId, Keyed};
use iota_runtime::sys;
use iota_trace::Details;

/// What was begun.
#[derive(Clone, Copy)]
pub struct Transfer {
    pub file: FileId,
    pub ranks: u64,
    pub bytes: u64,
    /// As a blocking transfer would tell.
    pub object: u64,
    pub numbers: [u64; 5],
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
    /// With this code, in this collective call; 0: the call that waited for it was independent.
    With(c_int, u64),
    /// The program took it back, or closed the file before it waited.
    Never,
}

static TABLE: AtomicPtr<Keyed<PendingTransfer>> = AtomicPtr::new(ptr::null_mut());

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
        at_end(abandon);
        table()
    })
}

/// Files and requests have small numbers.
fn key(library: Library, ncid: c_int, request: c_int) -> usize {
    let file = library.key(ncid).wrapping_mul(0x9E37_79B9_7F4A_7C15) & !0xffff_ffff;
    (file as usize | request as u32 as usize) << 4 | 4
}

/// A transfer has begun. One for which there is no place is recorded as if it had ended.
pub fn begin(
    library: Library,
    file: Option<&OpenFile>,
    ncid: c_int,
    request: Option<c_int>,
    begun: CallStart,
    transfer: Transfer,
) {
    let under_way = PendingTransfer { begun, transfer };
    let (Some(file), Some(table)) = (file, made()) else {
        return under_way.record(End::With(0, 0));
    };
    let request = file.has_begun(request);
    if !table.put(key(library, ncid, request), under_way) {
        under_way.record(End::With(0, 0));
    }
}

/// Takes the transfer of this request.
pub fn take(library: Library, ncid: c_int, request: c_int) -> Option<PendingTransfer> {
    table()?.take(key(library, ncid, request))
}

/// It waits again.
pub fn put_back(library: Library, ncid: c_int, request: c_int, under_way: PendingTransfer) {
    if let Some(table) = table() {
        table.put(key(library, ncid, request), under_way);
    }
}

/// A file is closed: its requests that nobody waited for.
pub fn closed(file: Option<&OpenFile>, library: Library, ncid: c_int) {
    let Some(file) = file else { return };
    for request in file.requests() {
        if let Some(under_way) = take(library, ncid, request) {
            under_way.record(End::Never);
        }
    }
}

/// MPI ends: those that nobody waited for.
fn abandon() {
    let Some(table) = table() else { return };
    for under_way in table.take_all() {
        under_way.record(End::Never);
    }
}

impl PendingTransfer {
    /// It has ended.
    pub fn record(self, end: End) {
        let PendingTransfer { begun, transfer } = self;
        begun.record(|note, began| {
            (note.file, note.length) = (transfer.file, transfer.bytes);
            let mut collective = 0;
            match end {
                End::With(0, of) => (note.ret, collective) = (transfer.bytes as i64, of),
                End::With(code, of) => (note.ret, note.errno, collective) = (-1, code, of),
                End::Never => note.ret = 0,
            }
            let (thread, call) = began.unwrap_or((0, 0));
            let [elements, element, stored, chunk, record] = transfer.numbers;
            Details::new(
                Form::VARIABLE.0,
                &[
                    transfer.object,
                    transfer.ranks,
                    collective,
                    elements,
                    element,
                    stored,
                    chunk,
                    record,
                    begun.took,
                    thread.into(),
                    call,
                ],
            )
        });
    }
}

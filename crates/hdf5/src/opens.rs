//! Files and objects that are opened and closed.

use crate::ask::{Asked, file_of, is_id, name_of};
use crate::functions::Functions;
use crate::{
    DEFAULT, NAMED, Naming, Outcome, hid_t, known, library, objects, record_on, succeeded,
};
use core::ffi::{c_char, c_int, c_uint, c_void};
use iota_calls::{Form, Op};
use iota_runtime::library::{self as calls, Note, Span};
use iota_trace::Details;

/// `H5Fopen`, `H5Fcreate`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn h5_file(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> hid_t,
    path: *const c_char,
    flags: c_uint,
    fapl: hid_t,
) -> hid_t {
    let (id, span) = calls::span(op, real);
    if let Some(span) = span {
        // SAFETY: the arguments of the call that returned this.
        unsafe { opened_file(span, at, id, path, flags, fapl) };
    }
    id
}

/// # Safety
/// The arguments of a call that returned `id`.
#[inline(never)]
unsafe fn opened_file(
    span: Span,
    at: *const c_void,
    id: hid_t,
    path: *const c_char,
    flags: c_uint,
    fapl: hid_t,
) {
    let (thread, mut note) = (span.thread(), id.note());
    // SAFETY: HDF5 read the path if it opened the file.
    note.file = unsafe { calls::file(thread, path, succeeded(&note)) };
    let Some((library, functions)) = library(at).filter(|_| succeeded(&note)) else {
        return span.record(note);
    };
    let asked = Asked {
        thread,
        library,
        functions,
        id: functions.id(id),
    };
    let object = asked.learn(None, NAMED);
    let how = asked.how(functions.id(fapl));
    let numbers = [
        name_of(object).into(),
        flags.into(),
        how.driver.into(),
        how.vol.into(),
        how.metadata_reads.into(),
        how.metadata_writes.into(),
    ];
    span.record_detailed(note, &[Details::new(Form::HDF5_OPEN.0, &numbers)]);
}

/// How a file is accessed.
#[derive(Default)]
struct How {
    driver: u32,
    vol: u32,
    metadata_reads: bool,
    metadata_writes: bool,
}

/// `H5FD_X_init` answers the id of driver X.
type DriverId = fn(&Functions) -> Option<hid_t>;
const DRIVERS: &[(&str, DriverId)] = &[
    ("sec2", Functions::H5FD_sec2_init),
    ("mpio", Functions::H5FD_mpio_init),
    ("core", Functions::H5FD_core_init),
    ("stdio", Functions::H5FD_stdio_init),
    ("family", Functions::H5FD_family_init),
    ("log", Functions::H5FD_log_init),
    ("multi", Functions::H5FD_multi_init),
    ("direct", Functions::H5FD_direct_init),
];

impl Asked {
    fn how(&self, fapl: hid_t) -> How {
        calls::quietly(self.thread, || {
            self.functions.ask(|functions| {
                let (mut metadata_reads, mut metadata_writes) = (false, false);
                functions.H5Pget_all_coll_metadata_ops(fapl, &mut metadata_reads);
                functions.H5Pget_coll_metadata_write(fapl, &mut metadata_writes);
                How {
                    driver: self.driver_of(fapl),
                    vol: self.vol(),
                    metadata_reads,
                    metadata_writes,
                }
            })
        })
    }

    /// Of the list that the program passed: a copy of that in force would be a collective call, if the program has a
    /// communicator in it.
    fn driver_of(&self, fapl: hid_t) -> u32 {
        if fapl != DEFAULT {
            return self.driver(fapl);
        }
        let in_force = self.functions.H5Fget_access_plist(self.id);
        let Some(list) = in_force.filter(is_id) else {
            return 0;
        };
        let driver = self.driver(list);
        self.functions.H5Pclose(list);
        driver
    }

    fn driver(&self, fapl: hid_t) -> u32 {
        let driver = self.functions.H5Pget_driver(fapl);
        let Some(driver) = driver.filter(is_id) else {
            return 0;
        };
        let is_one = |(_, id): &&(&str, DriverId)| id(self.functions) == Some(driver);
        let name = DRIVERS
            .iter()
            .find(is_one)
            .map_or("another", |(name, _)| name);
        calls::text(self.thread, name.as_bytes())
    }

    /// The connector of the virtual object layer; before 1.12 there is one alone.
    fn vol(&self) -> u32 {
        let mut room = [0u8; 64];
        let (to, size) = (room.as_mut_ptr().cast(), room.len());
        let length = self.functions.H5VLget_connector_name(self.id, to, size);
        let name = match length {
            None => Some(&b"native"[..]),
            Some(length) => usize::try_from(length)
                .ok()
                .and_then(|length| room.get(..length)),
        };
        name.map_or(0, |name| calls::text(self.thread, name))
    }
}

/// A dataset is opened or made: `loc` is where.
#[inline(always)]
pub fn h5_dataset(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> hid_t,
    loc: hid_t,
    naming: Naming,
) -> hid_t {
    let (id, span) = calls::span(op, real);
    if let Some(span) = span {
        opened_dataset(span, at, id, loc, naming);
    }
    id
}

#[inline(never)]
fn opened_dataset(span: Span, at: *const c_void, id: hid_t, loc: hid_t, naming: Naming) {
    let (thread, note) = (span.thread(), id.note());
    let from = known(at, loc);
    let Some((library, functions)) = library(at).filter(|_| succeeded(&note)) else {
        return record_on(span, note, file_of(from), 0);
    };
    let asked = Asked {
        thread,
        library,
        functions,
        id: functions.id(id),
    };
    let object = asked.learn(from, naming);
    let dataset = asked.dataset();
    if let Some(object) = object {
        object.describe(dataset);
    }
    let numbers = [
        name_of(object).into(),
        dataset.stored,
        dataset.layout.into(),
        dataset.chunk,
        dataset.filters.into(),
    ];
    let note = Note {
        file: file_of(object),
        ..note
    };
    span.record_detailed(note, &[Details::new(Form::DATASET.0, &numbers)]);
}

/// An id is closed. Others may share it, so that it stays.
#[inline(always)]
pub fn h5_close(op: Op, at: *const c_void, real: impl FnOnce() -> c_int, id: hid_t) -> c_int {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        closed(span, at, ret, id);
    }
    ret
}

#[inline(never)]
fn closed(span: Span, at: *const c_void, ret: c_int, id: hid_t) {
    let (note, object) = (ret.note(), known(at, id));
    record_on(span, note, file_of(object), name_of(object));
    if object.is_some() && ret >= 0 {
        forget(at, id);
    }
}

fn forget(at: *const c_void, id: hid_t) {
    let Some((number, functions)) = library(at) else {
        return;
    };
    let id = functions.id(id);
    if functions.H5Iis_valid(id) != Some(1) {
        objects::forget(number, id);
    }
}

//! Files and objects that are opened and closed.

use crate::ask::{Asked, file_of, is_id, name_of};
use crate::functions::{self, Functions};
use crate::objects::{self, Object};
use crate::{
    DEFAULT, NAMED, Naming, Outcome, hid_t, known, library, library_after, record_on, succeeded,
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
    events: hid_t,
) -> hid_t {
    let (id, span) = calls::span(op, real);
    if let Some(span) = span {
        // SAFETY: the arguments of the call that returned this.
        unsafe { opened_file(span, at, id, path, (flags, fapl, events)) };
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
    (flags, fapl, events): (c_uint, hid_t, hid_t),
) {
    let (thread, mut note) = (span.thread(), id.note());
    // SAFETY: HDF5 read the path if it opened the file.
    note.file = unsafe { calls::file(thread, path, succeeded(&note)) };
    let Some(library) = library_after(at, &note, events) else {
        return span.record(note);
    };
    let asked = Asked::of(thread, library, id);
    let object = asked.learn(None, NAMED);
    let how = asked.how(asked.functions.id(fapl));
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
struct FileAccess {
    driver: u32,
    vol: u32,
    metadata_reads: bool,
    metadata_writes: bool,
}

/// The id of a driver: a function answers it, or since 2.0 a variable has it.
type DriverId = fn(&Functions) -> Option<hid_t>;
const DRIVERS: &[(&str, DriverId, DriverId)] = &[
    ("sec2", Functions::H5FD_sec2_init, Functions::H5FD_SEC2_id_g),
    ("mpio", Functions::H5FD_mpio_init, Functions::H5FD_MPIO_id_g),
    ("core", Functions::H5FD_core_init, Functions::H5FD_CORE_id_g),
    (
        "stdio",
        Functions::H5FD_stdio_init,
        Functions::H5FD_STDIO_id_g,
    ),
    (
        "family",
        Functions::H5FD_family_init,
        Functions::H5FD_FAMILY_id_g,
    ),
    ("log", Functions::H5FD_log_init, Functions::H5FD_LOG_id_g),
    (
        "multi",
        Functions::H5FD_multi_init,
        Functions::H5FD_MULTI_id_g,
    ),
    (
        "direct",
        Functions::H5FD_direct_init,
        Functions::H5FD_DIRECT_id_g,
    ),
];

impl Asked {
    fn how(&self, fapl: hid_t) -> FileAccess {
        calls::quietly(self.thread, || {
            self.functions.ask(|functions| {
                let (mut metadata_reads, mut metadata_writes) = (false, false);
                functions.H5Pget_all_coll_metadata_ops(fapl, &mut metadata_reads);
                functions.H5Pget_coll_metadata_write(fapl, &mut metadata_writes);
                FileAccess {
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
        for (name, asked, held) in DRIVERS {
            let id = asked(self.functions).or_else(|| held(self.functions));
            if id == Some(driver) {
                return calls::text(self.thread, name.as_bytes());
            }
        }
        0
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

/// An object that a call made or opened: `loc` is through which the program got it.
struct Opened {
    asked: Option<Asked>,
    from: Option<&'static Object>,
    note: Note,
}

impl Opened {
    fn of(span: &Span, at: *const c_void, id: hid_t, loc: hid_t, events: hid_t) -> Opened {
        let (note, from) = (id.note(), known(at, loc));
        let library = library_after(at, &note, events);
        let asked = library.map(|library| Asked::of(span.thread(), library, id));
        Opened { asked, from, note }
    }

    /// If nothing can be asked, that is the file through which it was to be opened.
    fn record_without(self, span: Span) {
        record_on(span, self.note, file_of(self.from), 0);
    }
}

/// Makes the real call, which opens or makes something, and has `record` tell of it.
#[inline(always)]
fn opens(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> hid_t,
    (loc, events): (hid_t, hid_t),
    record: impl FnOnce(Span, Opened),
) -> hid_t {
    let (id, span) = calls::span(op, real);
    if let Some(span) = span {
        let opened = Opened::of(&span, at, id, loc, events);
        record(span, opened);
    }
    id
}

/// A group or any other object, or the file itself once more.
#[inline(always)]
pub fn h5_open(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> hid_t,
    loc: hid_t,
    naming: Naming,
    events: hid_t,
) -> hid_t {
    opens(op, at, real, (loc, events), |span, opened| {
        opened_object(span, opened, naming);
    })
}

#[inline(never)]
fn opened_object(span: Span, opened: Opened, naming: Naming) {
    let Some(asked) = &opened.asked else {
        return opened.record_without(span);
    };
    let object = asked.learn(opened.from, naming);
    record_on(span, opened.note, file_of(object), name_of(object));
}

/// A dataset.
#[inline(always)]
pub fn h5_dataset(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> hid_t,
    loc: hid_t,
    naming: Naming,
    events: hid_t,
) -> hid_t {
    opens(op, at, real, (loc, events), |span, opened| {
        opened_dataset(span, opened, naming);
    })
}

#[inline(never)]
fn opened_dataset(span: Span, opened: Opened, naming: Naming) {
    let Some(asked) = &opened.asked else {
        return opened.record_without(span);
    };
    let object = asked.learn(opened.from, naming);
    let dataset = asked.dataset();
    if let Some(object) = object {
        object.describe(dataset);
    }
    let mut note = opened.note;
    note.file = file_of(object);
    span.record_detailed(note, &[dataset.details(name_of(object))]);
}

/// An attribute.
#[inline(always)]
pub fn h5_attribute(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> hid_t,
    loc: hid_t,
    events: hid_t,
) -> hid_t {
    opens(op, at, real, (loc, events), |span, opened| {
        opened_object(span, opened, Naming::Attribute);
    })
}

/// An id is closed. Others may share it, so that it stays.
#[inline(always)]
pub fn h5_close(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    id: hid_t,
    events: hid_t,
) -> c_int {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        closed(span, at, ret, id, events);
    }
    ret
}

#[inline(never)]
fn closed(span: Span, at: *const c_void, ret: c_int, id: hid_t, events: hid_t) {
    let (note, object) = (ret.note(), known(at, id));
    let after = library_after(at, &note, events).filter(|_| object.is_some());
    // Asked before the record, until which errno is kept.
    let gone = after.filter(|(_, functions)| functions.H5Iis_valid(functions.id(id)) != Some(1));
    record_on(span, note, file_of(object), name_of(object));
    if let Some((number, functions)) = gone {
        objects::forget(number, functions.id(id));
    }
}

/// `H5Idec_ref`, by which Python closes: recorded if it closes a file or an object.
#[inline(always)]
pub fn h5_release(op: Op, at: *const c_void, real: impl FnOnce() -> c_int, id: hid_t) -> c_int {
    if known(at, id).is_none() {
        return real();
    }
    let (ret, span) = calls::span(op, real);
    match span {
        Some(span) if ret <= 0 => released(span, at, ret, id),
        Some(span) => span.abandon(),
        None => (),
    }
    ret
}

#[inline(never)]
fn released(span: Span, at: *const c_void, ret: c_int, id: hid_t) {
    let (object, gone) = (known(at, id), library(at).filter(|_| ret == 0));
    record_on(span, ret.note(), file_of(object), name_of(object));
    if let Some((number, functions)) = gone {
        objects::forget(number, functions.id(id));
    }
}

/// `H5close`
#[inline(always)]
pub fn h5_end(op: Op, at: *const c_void, real: impl FnOnce() -> c_int) -> c_int {
    let (ret, span) = calls::span(op, real);
    if let Some((number, _)) = functions::of(at).filter(|_| ret >= 0) {
        objects::forget_all(number);
    }
    if let Some(span) = span {
        span.record(ret.note());
    }
    ret
}

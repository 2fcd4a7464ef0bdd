//! What the interpreter calls: before and after calls of functions, and from probe.py.
//!
//! A code object keeps what is known of it in a place of its own (`_PyCode_SetExtra`).

use super::super::region;
use super::api::{Api, Method, Object, api};
use crate::state::settings;
use core::ffi::{CStr, c_int, c_long};
use core::ptr;
use core::sync::atomic::{AtomicIsize, AtomicPtr, Ordering::*};
use iota_trace::glob;

/// `METH_FASTCALL`
const FAST: c_int = 0x80;
// <cpython/pystate.h>: PyTrace_
const CALL: c_int = 0;
const RETURN: c_int = 3;
/// In the place of a code object's number: its calls are not recorded.
const UNPROBED: usize = usize::MAX;
/// What a function returned of which an exception left.
const RAISED: i64 = -1;
/// Where a frame has its code before 3.9.
const CODE: usize = 4 * size_of::<usize>();

/// The builtins of probe.py.
pub static METHODS: [Method; 7] = [
    method(c"keep", keep),
    method(c"number_of", number_of),
    method(c"profile", profile),
    method(c"started", started),
    method(c"thrown", thrown),
    method(c"returned", returned),
    method(c"unwound", unwound),
];

const fn method(name: &'static CStr, function: super::api::Function) -> Method {
    Method {
        name: name.as_ptr(),
        function,
        flags: FAST,
        documentation: ptr::null(),
    }
}

/// The place of code objects that is ours.
static INDEX: AtomicIsize = AtomicIsize::new(-1);
/// What is asked about a code object.
static FIND: AtomicPtr<core::ffi::c_void> = AtomicPtr::new(ptr::null_mut());
/// `sys.monitoring.DISABLE`; null before 3.12.
static DISABLE: AtomicPtr<core::ffi::c_void> = AtomicPtr::new(ptr::null_mut());

/// Asks for the place.
///
/// # Safety
/// The interpreter's lock is held: so for all functions here.
pub unsafe fn start(api: &Api) {
    // SAFETY: as this function's.
    let index = unsafe { (api.code_extra_index)(ptr::null_mut()) };
    INDEX.store(index, Relaxed);
}

/// `keep(find, DISABLE or None)`
unsafe extern "C" fn keep(_: Object, arguments: *const Object, _: isize) -> Object {
    let Some(api) = api() else {
        return ptr::null_mut();
    };
    // SAFETY: probe.py passes two objects.
    unsafe {
        let (find, disable) = (*arguments, *arguments.add(1));
        (api.keep)(find);
        FIND.store(find, Relaxed);
        if disable != api.none {
            (api.keep)(disable);
            DISABLE.store(disable, Relaxed);
        }
        none(api)
    }
}

/// `number_of(name)`: more than 0 if it is to be recorded.
unsafe extern "C" fn number_of(_: Object, arguments: *const Object, _: isize) -> Object {
    let Some(api) = api() else {
        return ptr::null_mut();
    };
    // SAFETY: probe.py passes a text.
    unsafe {
        let name = (api.text)(*arguments);
        if name.is_null() {
            return name.cast_mut().cast();
        }
        let name = CStr::from_ptr(name).to_bytes();
        let is_wanted = glob::any(settings::get().python_probe.bytes(), name);
        let number = is_wanted.then(|| region::number(name)).flatten();
        (api.from_long)(number.map_or(0, |number| c_long::from(number).wrapping_add(1)))
    }
}

/// The calling thread's calls are looked at from now on.
unsafe extern "C" fn profile(_: Object, _: *const Object, _: isize) -> Object {
    let Some(api) = api() else {
        return ptr::null_mut();
    };
    // SAFETY: a function of this type.
    unsafe {
        (api.set_profile)(profiled, ptr::null_mut());
        none(api)
    }
}

/// Before 3.12: of each call.
unsafe extern "C" fn profiled(_: Object, frame: Object, what: c_int, with: Object) -> c_int {
    if let Some(api) = api().filter(|_| what == CALL || what == RETURN) {
        // SAFETY: the frame of the call.
        unsafe {
            let code = code_of(api, frame);
            if what == CALL {
                if begin(api, code).is_none() {
                    return -1;
                }
            } else {
                end(api, code, if with.is_null() { RAISED } else { 0 });
            }
        }
    }
    0
}

/// Its frame has it, too.
unsafe fn code_of(api: &Api, frame: Object) -> Object {
    // SAFETY: a frame of this version of Python.
    unsafe {
        match api.code_of_frame {
            Some(ask) => {
                let code = ask(frame);
                (api.forget)(code);
                code
            }
            None => *frame.byte_add(CODE).cast(),
        }
    }
}

/// From 3.12 on: a call begins, or a generator goes on.
unsafe extern "C" fn started(_: Object, arguments: *const Object, _: isize) -> Object {
    let Some(api) = api() else {
        return ptr::null_mut();
    };
    // SAFETY: the first argument is the code.
    unsafe {
        let Some(is_recorded) = begin(api, *arguments) else {
            return ptr::null_mut();
        };
        let disable = DISABLE.load(Relaxed);
        if is_recorded || disable.is_null() {
            return none(api);
        }
        (api.keep)(disable);
        disable
    }
}

/// An exception is thrown into a generator, of any function, which goes on. Python refuses to report this no more, as
/// `started` may ask for others: that would be an error in the program.
unsafe extern "C" fn thrown(_: Object, arguments: *const Object, _: isize) -> Object {
    let Some(api) = api() else {
        return ptr::null_mut();
    };
    // SAFETY: the first argument is the code.
    unsafe {
        if let Some(name) = name(mark(api, *arguments)) {
            region::begin(name);
        }
        none(api)
    }
}

/// A call returns, or a generator yields.
unsafe extern "C" fn returned(_: Object, arguments: *const Object, _: isize) -> Object {
    // SAFETY: the first argument is the code.
    unsafe { ended(*arguments, 0) }
}

/// An exception leaves a call, of any function.
unsafe extern "C" fn unwound(_: Object, arguments: *const Object, _: isize) -> Object {
    // SAFETY: the first argument is the code.
    unsafe { ended(*arguments, RAISED) }
}

unsafe fn ended(code: Object, ret: i64) -> Object {
    let Some(api) = api() else {
        return ptr::null_mut();
    };
    // SAFETY: as this function's.
    unsafe {
        end(api, code, ret);
        none(api)
    }
}

/// True if it is recorded. None: a handler of the program's, for a signal that came meanwhile, has raised an exception.
unsafe fn begin(api: &Api, code: Object) -> Option<bool> {
    // SAFETY: a code object.
    let mark = match unsafe { mark(api, code) } {
        // SAFETY: likewise.
        0 => unsafe { first(api, code) }?,
        mark => mark,
    };
    let name = name(mark);
    Some(name.inspect(|name| region::begin(*name)).is_some())
}

unsafe fn end(api: &Api, code: Object, ret: i64) {
    // SAFETY: a code object.
    if let Some(name) = name(unsafe { mark(api, code) }) {
        region::end(Some(name), ret);
    }
}

fn name(mark: usize) -> Option<u16> {
    mark.checked_sub(1)
        .and_then(|name| u16::try_from(name).ok())
}

/// What its place holds: one more than the number of its name, or [`UNPROBED`]; 0: it is called for the first time.
unsafe fn mark(api: &Api, code: Object) -> usize {
    let mut mark = 0;
    // SAFETY: a code object, and a place that was given out.
    unsafe { (api.code_extra)(code, INDEX.load(Relaxed), &raw mut mark) };
    mark
}

unsafe fn first(api: &Api, code: Object) -> Option<usize> {
    // SAFETY: a function, a code object, and the end.
    unsafe {
        let answer = (api.call)(FIND.load(Relaxed), code, ptr::null_mut::<u8>());
        if answer.is_null() {
            return None;
        }
        let number = (api.as_long)(answer);
        (api.forget)(answer);
        let mark = usize::try_from(number).ok().filter(|mark| *mark > 0);
        // From 3.12 on it is not asked about again.
        if mark.is_some() || DISABLE.load(Relaxed).is_null() {
            let mark = mark.unwrap_or(UNPROBED);
            (api.set_code_extra)(code, INDEX.load(Relaxed), mark);
        }
        Some(mark.unwrap_or(UNPROBED))
    }
}

unsafe fn none(api: &Api) -> Object {
    // SAFETY: None, of which one more is given out.
    unsafe { (api.keep)(api.none) };
    api.none
}

//! Functions of Python that the user named (`iota run --python-probe`), in CPython from 3.8 on.
//!
//! When the interpreter has started, it is asked to run probe.py at its next opportunity (`Py_AddPendingCall`). Nothing in
//! its environment or files changes for that: neither -I, -S and -E nor virtual environments matter.

mod api;
mod events;

use crate::real::cpython;
use crate::state::{awaited, log, phase, settings};
use crate::sys::Starting;
use api::{Api, api};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;

const SOURCE: &[u8] = concat!(include_str!("probe.py"), "\0").as_bytes();
/// `Py_file_input`
const STATEMENTS: c_int = 257;

/// If the user named functions, and the program is a Python: begins to wait for its interpreter.
pub fn start(starting: &mut Starting) {
    if settings::get().python_probe.is_empty() || !phase::is_active() {
        return;
    }
    let Some(version) = cpython::version() else {
        return;
    };
    match Api::find() {
        Some(api) => {
            api::hold(starting, api);
            awaited::until(ask);
        }
        None => log::line(&[
            b"python ",
            version.to_bytes(),
            b": functions of this version cannot be probed",
        ]),
    }
}

/// True when the interpreter will run the script.
fn ask() -> bool {
    api().is_none_or(|api| {
        // SAFETY: both may be called in any thread, and at any time.
        unsafe { (api.is_initialized)() != 0 && (api.add_pending_call)(run, ptr::null_mut()) == 0 }
    })
}

/// The interpreter calls this in its main thread.
unsafe extern "C" fn run(_: *mut c_void) -> c_int {
    if let Some(api) = api() {
        // SAFETY: it holds the interpreter's lock.
        let result = unsafe { script(api) };
        if result.is_null() {
            // SAFETY: likewise.
            unsafe { (api.clear_error)() };
            log::line(&[b"python: its functions could not be probed"]);
        }
    }
    0
}

/// Runs the script; null where that failed.
unsafe fn script(api: &Api) -> *mut c_void {
    let source = SOURCE.as_ptr().cast::<c_char>();
    // SAFETY: as this function's caller's. What is made stays as long as the interpreter.
    unsafe {
        events::start(api);
        let globals = (api.new_dictionary)();
        if globals.is_null() {
            return globals;
        }
        for method in &events::METHODS {
            let function = (api.new_function)(method, ptr::null_mut(), ptr::null_mut());
            (api.set_item)(globals, method.name, function);
        }
        let patterns = settings::get().python_probe.c_str();
        (api.set_item)(
            globals,
            PATTERNS.as_ptr(),
            (api.new_text)(patterns.as_ptr()),
        );
        (api.run)(source, STATEMENTS, globals, globals, ptr::null_mut())
    }
}

const PATTERNS: &CStr = c"PATTERNS";

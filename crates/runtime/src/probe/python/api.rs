//! The functions of CPython that are used here, by address: the interpreter is the program, or one of its libraries.

use crate::real;
use crate::sys::{Once, Starting};
use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::mem::transmute;

/// `PyObject *`
pub type Object = *mut c_void;
/// Of a builtin (`METH_FASTCALL`): itself, arguments, how many.
pub type Function = unsafe extern "C" fn(Object, *const Object, isize) -> Object;
/// `Py_tracefunc`: itself, the frame, what happens, with what.
pub type Profile = unsafe extern "C" fn(Object, Object, c_int, Object) -> c_int;
pub type Pending = unsafe extern "C" fn(*mut c_void) -> c_int;

type Variadic = unsafe extern "C" fn(Object, ...) -> Object;
type OfFrame = unsafe extern "C" fn(Object) -> Object;

/// `PyMethodDef`
#[repr(C)]
pub struct Method {
    pub name: *const c_char,
    pub function: Function,
    pub flags: c_int,
    pub documentation: *const c_char,
}

// SAFETY: nobody writes to it, nor to what it points to.
unsafe impl Sync for Method {}

macro_rules! functions {
    ($($field:ident: fn($($type:ty),*) $(-> $result:ty)?, $($name:literal)|+;)*) => {
        /// Their addresses.
        #[derive(Clone, Copy)]
        pub struct Api {
            $(pub $field: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
            /// Since 3.9.
            pub code_of_frame: Option<OfFrame>,
            pub call: Variadic,
            pub none: Object,
        }

        impl Api {
            /// Those of this process; None: it has no Python that is known here.
            pub fn find() -> Option<Api> {
                // SAFETY: functions of these types, in all versions that have all of them.
                Some(unsafe {
                    Api {
                        $($field: transmute::<*mut c_void, unsafe extern "C" fn($($type),*) $(-> $result)?>(one_of(&[$($name),+])?),)*
                        code_of_frame: one_of(&[c"PyFrame_GetCode"])
                            .map(|found| transmute::<*mut c_void, OfFrame>(found)),
                        call: transmute::<*mut c_void, Variadic>(one_of(&[c"PyObject_CallFunctionObjArgs"])?),
                        none: one_of(&[c"_Py_NoneStruct"])?,
                    }
                })
            }
        }
    };
}

functions! {
    add_pending_call: fn(Pending, *mut c_void) -> c_int, c"Py_AddPendingCall";
    as_long: fn(Object) -> c_long, c"PyLong_AsLong";
    clear_error: fn(), c"PyErr_Clear";
    code_extra: fn(Object, isize, *mut usize) -> c_int, c"PyUnstable_Code_GetExtra" | c"_PyCode_GetExtra";
    code_extra_index: fn(*mut c_void) -> isize, c"PyUnstable_Eval_RequestCodeExtraIndex" | c"_PyEval_RequestCodeExtraIndex";
    forget: fn(Object), c"Py_DecRef";
    from_long: fn(c_long) -> Object, c"PyLong_FromLong";
    is_initialized: fn() -> c_int, c"Py_IsInitialized";
    keep: fn(Object), c"Py_IncRef";
    new_dictionary: fn() -> Object, c"PyDict_New";
    new_function: fn(*const Method, Object, Object) -> Object, c"PyCFunction_NewEx";
    new_text: fn(*const c_char) -> Object, c"PyUnicode_FromString";
    run: fn(*const c_char, c_int, Object, Object, *mut c_void) -> Object, c"PyRun_StringFlags";
    set_code_extra: fn(Object, isize, usize) -> c_int, c"PyUnstable_Code_SetExtra" | c"_PyCode_SetExtra";
    set_item: fn(Object, *const c_char, Object) -> c_int, c"PyDict_SetItemString";
    set_profile: fn(Profile, Object), c"PyEval_SetProfile";
    text: fn(Object) -> *const c_char, c"PyUnicode_AsUTF8";
}

fn one_of(names: &[&CStr]) -> Option<*mut c_void> {
    let mut found = names.iter().map(|name| real::first(name));
    found.find(|found| !found.is_null())
}

// SAFETY: addresses, which are the same in all threads.
unsafe impl Send for Api {}
// SAFETY: likewise.
unsafe impl Sync for Api {}

static API: Once<Option<Api>> = Once::new(None);

/// They are those from now on.
pub fn hold(starting: &mut Starting, api: Api) {
    API.set(starting, Some(api));
}

/// Those that are held.
#[inline(always)]
pub fn api() -> Option<&'static Api> {
    (*API.get()).as_ref()
}

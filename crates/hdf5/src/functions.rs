//! Functions of HDF5 that the tracer calls itself. Each is looked for when it is first needed, in the library whose call is
//! recorded; one that this version lacks answers nothing.

use crate::{NOW, hid_t};
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering::*};
use iota_runtime::library::{self, Owners};

/// Libraries at most of which the tracer asks anything.
const MOST: usize = 4;

static OWNERS: Owners<MOST> = Owners::new();
static FUNCTIONS: [Functions; MOST] = [const { Functions::new() }; MOST];

/// The library in which a function is: its number, and its functions.
#[inline(always)]
pub fn of(real: *const c_void) -> Option<(u32, &'static Functions)> {
    let index = OWNERS.index(real)?;
    let functions = FUNCTIONS.get(index)?;
    functions.real.store(real.cast_mut(), Relaxed);
    Some((index as u32, functions))
}

/// A function that may have been looked for.
struct FunctionPointer(AtomicUsize);

/// It was looked for, and is not there.
const ABSENT: usize = 1;

impl FunctionPointer {
    const fn new() -> FunctionPointer {
        FunctionPointer(AtomicUsize::new(0))
    }

    #[inline(always)]
    fn get(&self, real: &AtomicPtr<c_void>, name: &CStr) -> Option<*const c_void> {
        let mut address = self.0.load(Relaxed);
        if address == 0 {
            address = self.find(real.load(Relaxed), name);
        }
        (address != ABSENT).then_some(core::ptr::with_exposed_provenance(address))
    }

    #[cold]
    #[inline(never)]
    fn find(&self, real: *const c_void, name: &CStr) -> usize {
        let address = library::find_beside(real, name).expose_provenance();
        let address = address.max(ABSENT);
        self.0.store(address, Relaxed);
        address
    }
}

const INT: u32 = 1;
const LONG: u32 = 2;

macro_rules! functions {
    ($($name:ident($($param:ident: $ty:ty),*) -> $ret:ty;)*) => {
        /// Those of a library.
        #[allow(non_snake_case)]
        pub struct Functions {
            /// One of its functions.
            real: AtomicPtr<c_void>,
            /// [`INT`] or [`LONG`], as an id is; 0: not known yet.
            width: AtomicU32,
            $($name: FunctionPointer,)*
        }

        #[allow(non_snake_case)]
        impl Functions {
            const fn new() -> Functions {
                Functions {
                    real: AtomicPtr::new(core::ptr::null_mut()),
                    width: AtomicU32::new(0),
                    $($name: FunctionPointer::new(),)*
                }
            }

            $(#[inline(always)]
            pub fn $name(&self, $($param: $ty),*) -> Option<$ret> {
                const NAME: &CStr = named(concat!(stringify!($name), "\0"));
                let found = self.$name.get(&self.real, NAME)?;
                // SAFETY: the library's function of this name, whose type is the same in every version.
                Some(unsafe {
                    let call: unsafe extern "C" fn($($ty),*) -> $ret = core::mem::transmute(found);
                    call($($param),*)
                })
            })*
        }
    };
}

functions! {
    H5get_libversion(major: *mut c_uint, minor: *mut c_uint, release: *mut c_uint) -> c_int;
    H5Eauto_is_v2(stack: hid_t, is_v2: *mut c_uint) -> c_int;
    H5Eget_auto1(print: *mut *mut c_void, data: *mut *mut c_void) -> c_int;
    H5Eset_auto1(print: *mut c_void, data: *mut c_void) -> c_int;
    H5Eget_auto2(stack: hid_t, print: *mut *mut c_void, data: *mut *mut c_void) -> c_int;
    H5Eset_auto2(stack: hid_t, print: *mut c_void, data: *mut c_void) -> c_int;
    H5Eclear2(stack: hid_t) -> c_int;
    H5Iis_valid(id: hid_t) -> c_int;
    H5Iget_name(id: hid_t, name: *mut c_char, size: usize) -> isize;
    H5Fget_name(id: hid_t, name: *mut c_char, size: usize) -> isize;
    H5Fget_access_plist(file: hid_t) -> hid_t;
    H5Dget_type(dataset: hid_t) -> hid_t;
    H5Dget_space(dataset: hid_t) -> hid_t;
    H5Dget_create_plist(dataset: hid_t) -> hid_t;
    H5Tget_size(ty: hid_t) -> usize;
    H5Tequal(one: hid_t, other: hid_t) -> c_int;
    H5Tclose(ty: hid_t) -> c_int;
    H5Sget_select_npoints(space: hid_t) -> i64;
    H5Sget_simple_extent_npoints(space: hid_t) -> i64;
    H5Sget_select_type(space: hid_t) -> c_int;
    H5Sis_regular_hyperslab(space: hid_t) -> c_int;
    H5Sclose(space: hid_t) -> c_int;
    H5Pget_layout(dcpl: hid_t) -> c_int;
    H5Pget_chunk(dcpl: hid_t, most: c_int, sizes: *mut u64) -> c_int;
    H5Pget_nfilters(dcpl: hid_t) -> c_int;
    H5Pget_filter2(dcpl: hid_t, nth: c_uint, flags: *mut c_uint, count: *mut usize, values: *mut c_uint, size: usize, name: *mut c_char, config: *mut c_uint) -> c_int;
    H5Pget_driver(fapl: hid_t) -> hid_t;
    H5Pget_all_coll_metadata_ops(fapl: hid_t, is_collective: *mut bool) -> c_int;
    H5Pget_coll_metadata_write(fapl: hid_t, is_collective: *mut bool) -> c_int;
    H5Pget_dxpl_mpio(dxpl: hid_t, mode: *mut c_int) -> c_int;
    H5Pget_mpio_actual_io_mode(dxpl: hid_t, mode: *mut c_int) -> c_int;
    H5Pclose(list: hid_t) -> c_int;
    H5Aget_name(attribute: hid_t, size: usize, name: *mut c_char) -> isize;
    H5Aget_type(attribute: hid_t) -> hid_t;
    H5Aget_space(attribute: hid_t) -> hid_t;
    H5Dget_chunk_storage_size(dataset: hid_t, offset: *const u64, size: *mut u64) -> c_int;
    H5ESget_count(events: hid_t, count: *mut usize) -> c_int;
    H5VLget_connector_name(id: hid_t, name: *mut c_char, size: usize) -> isize;
    H5FD_sec2_init() -> hid_t;
    H5FD_mpio_init() -> hid_t;
    H5FD_core_init() -> hid_t;
    H5FD_stdio_init() -> hid_t;
    H5FD_family_init() -> hid_t;
    H5FD_log_init() -> hid_t;
    H5FD_multi_init() -> hid_t;
    H5FD_direct_init() -> hid_t;
}

macro_rules! variables {
    ($($name:ident;)*) => {
        #[allow(non_snake_case)]
        impl Functions {
            $(pub fn $name(&self) -> Option<hid_t> {
                const NAME: &CStr = named(concat!(stringify!($name), "\0"));
                let found = library::find_beside(self.real.load(Relaxed), NAME);
                // SAFETY: the library's variable of this name.
                (!found.is_null()).then(|| unsafe { found.cast::<hid_t>().read_volatile() })
            })*
        }
    };
}

// Before 2.0 functions answer these ids.
variables! {
    H5FD_SEC2_id_g;
    H5FD_MPIO_id_g;
    H5FD_CORE_id_g;
    H5FD_STDIO_id_g;
    H5FD_FAMILY_id_g;
    H5FD_LOG_id_g;
    H5FD_MULTI_id_g;
    H5FD_DIRECT_id_g;
}

const fn named(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

impl Functions {
    /// An id as a call passed it. Before 1.10 half of its register is anything.
    #[inline(always)]
    pub fn id(&self, id: hid_t) -> hid_t {
        if self.width.load(Relaxed) == INT {
            (id as i32).into()
        } else {
            id
        }
    }

    /// Sees to it that [`Functions::id`] is right; after a call that succeeded.
    #[inline(always)]
    pub fn know_width(&self) {
        if self.width.load(Relaxed) == 0 {
            self.learn_width();
        }
    }

    #[cold]
    #[inline(never)]
    fn learn_width(&self) {
        let (mut major, mut minor, mut release) = (0, 0, 0);
        if self.H5get_libversion(&mut major, &mut minor, &mut release) == Some(0) {
            let is_int = (major, minor) < (1, 10);
            self.width.store(if is_int { INT } else { LONG }, Relaxed);
        }
    }

    /// Whether something in an event set has not ended. Without a connector that works in the background it is empty.
    pub fn has_pending(&self, events: hid_t) -> bool {
        let mut count = 0;
        events != NOW && self.ask(|this| this.H5ESget_count(events, &mut count)) != Some(0)
            || count != 0
    }

    /// Asks what the library may refuse to answer. The program finds no error of that, and nothing is printed.
    pub fn ask<R>(&self, ask: impl FnOnce(&Functions) -> R) -> R {
        let (mut is_v2, mut print, mut data) = (1, core::ptr::null_mut(), core::ptr::null_mut());
        let null = core::ptr::null_mut();
        self.H5Eauto_is_v2(0, &mut is_v2);
        if is_v2 != 0 {
            self.H5Eget_auto2(0, &mut print, &mut data);
            self.H5Eset_auto2(0, null, null);
        } else {
            self.H5Eget_auto1(&mut print, &mut data);
            self.H5Eset_auto1(null, null);
        }
        let answer = ask(self);
        self.H5Eclear2(0);
        if is_v2 != 0 {
            self.H5Eset_auto2(0, print, data);
        } else {
            self.H5Eset_auto1(print, data);
        }
        answer
    }
}

//! libotf2 as its headers declare it, as much of it as a writer needs, and how it is found.
//!
//! Versions 3.x have one ABI (`libotf2.so.10`). Debian calls the library libopen-trace-format2.

pub use crate::constants::{Code, NAMES, SUCCESS, VARIABLE};
use crate::{Error, MAJOR};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{OsString, c_char, c_void};

/// A type whose values only the library makes
macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name([u8; 0]);
    )*};
}
opaque!(Archive AttributeList DefWriter EvtWriter GlobalDefWriter);

/// `OTF2_FlushCallbacks`
#[repr(C)]
pub struct FlushCallbacks {
    pub before: extern "C" fn(*mut c_void, u8, u64, *mut c_void, bool) -> u8,
    /// Without one no event tells of the flush
    pub after: Option<extern "C" fn(*mut c_void, u8, u64) -> u64>,
}

/// `OTF2_MemoryCallbacks`
#[repr(C)]
pub struct MemoryCallbacks {
    pub lend: extern "C" fn(*mut c_void, u8, u64, *mut *mut c_void, u64) -> *mut c_void,
    pub take_back: extern "C" fn(*mut c_void, u8, u64, *mut *mut c_void, bool),
}

/// `OTF2_ErrorCallback`; its last argument, a `va_list`, is a pointer in the calling conventions of both architectures
pub type ErrorCallback = extern "C" fn(
    *mut c_void,
    *const c_char,
    u64,
    *const c_char,
    Code,
    *const c_char,
    *mut c_void,
) -> Code;

/// The functions, by the names that they have behind `OTF2_`
macro_rules! functions {
    ($($field:ident = $name:literal($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The library's functions
        pub struct Api {
            $(pub $field: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
            /// Keeps it loaded
            _library: Library,
        }

        impl Api {
            fn of(library: Library, name: &str) -> Result<Api, Error> {
                Ok(Api {
                    $(
                        // SAFETY: the type is that of the header's declaration.
                        $field: *unsafe { library.get(concat!("OTF2_", $name, "\0").as_bytes()) }
                            .map_err(|_| Error::foreign(name, concat!("OTF2_", $name)))?,
                    )*
                    _library: library,
                })
            }
        }
    };
}

functions! {
    error_callback = "Error_RegisterCallback"(Option<ErrorCallback>, *mut c_void) -> Option<ErrorCallback>;
    error_description = "Error_GetDescription"(Code) -> *const c_char;

    open = "Archive_Open"(*const c_char, *const c_char, u8, u64, u64, u8, u8) -> *mut Archive;
    close = "Archive_Close"(*mut Archive) -> Code;
    version = "Archive_GetVersion"(*mut Archive, *mut u8, *mut u8, *mut u8) -> Code;
    creator = "Archive_SetCreator"(*mut Archive, *const c_char) -> Code;
    serial = "Archive_SetSerialCollectiveCallbacks"(*mut Archive) -> Code;
    flushes = "Archive_SetFlushCallbacks"(*mut Archive, *const FlushCallbacks, *mut c_void) -> Code;
    memory = "Archive_SetMemoryCallbacks"(*mut Archive, *const MemoryCallbacks, *mut c_void) -> Code;
    open_events = "Archive_OpenEvtFiles"(*mut Archive) -> Code;
    close_events = "Archive_CloseEvtFiles"(*mut Archive) -> Code;
    open_definitions = "Archive_OpenDefFiles"(*mut Archive) -> Code;
    close_definitions = "Archive_CloseDefFiles"(*mut Archive) -> Code;
    event_writer = "Archive_GetEvtWriter"(*mut Archive, u64) -> *mut EvtWriter;
    close_event_writer = "Archive_CloseEvtWriter"(*mut Archive, *mut EvtWriter) -> Code;
    definition_writer = "Archive_GetDefWriter"(*mut Archive, u64) -> *mut DefWriter;
    close_definition_writer = "Archive_CloseDefWriter"(*mut Archive, *mut DefWriter) -> Code;
    global_writer = "Archive_GetGlobalDefWriter"(*mut Archive) -> *mut GlobalDefWriter;
    close_global_writer = "Archive_CloseGlobalDefWriter"(*mut Archive, *mut GlobalDefWriter) -> Code;

    attributes = "AttributeList_New"() -> *mut AttributeList;
    delete_attributes = "AttributeList_Delete"(*mut AttributeList) -> Code;
    add_uint64 = "AttributeList_AddUint64"(*mut AttributeList, u32, u64) -> Code;
    add_string = "AttributeList_AddStringRef"(*mut AttributeList, u32, u32) -> Code;
    add_file = "AttributeList_AddIoFileRef"(*mut AttributeList, u32, u32) -> Code;

    event_count = "EvtWriter_GetNumberOfEvents"(*mut EvtWriter, *mut u64) -> Code;
    enter = "EvtWriter_Enter"(*mut EvtWriter, *mut AttributeList, u64, u32) -> Code;
    leave = "EvtWriter_Leave"(*mut EvtWriter, *mut AttributeList, u64, u32) -> Code;
    create_handle = "EvtWriter_IoCreateHandle"(*mut EvtWriter, *mut AttributeList, u64, u32, u8, u32, u32) -> Code;
    destroy_handle = "EvtWriter_IoDestroyHandle"(*mut EvtWriter, *mut AttributeList, u64, u32) -> Code;
    duplicate_handle = "EvtWriter_IoDuplicateHandle"(*mut EvtWriter, *mut AttributeList, u64, u32, u32, u32) -> Code;
    seek = "EvtWriter_IoSeek"(*mut EvtWriter, *mut AttributeList, u64, u32, i64, u8, u64) -> Code;
    begin = "EvtWriter_IoOperationBegin"(*mut EvtWriter, *mut AttributeList, u64, u32, u8, u32, u64, u64) -> Code;
    complete = "EvtWriter_IoOperationComplete"(*mut EvtWriter, *mut AttributeList, u64, u32, u64, u64) -> Code;

    define_clock = "GlobalDefWriter_WriteClockProperties"(*mut GlobalDefWriter, u64, u64, u64, u64) -> Code;
    define_string = "GlobalDefWriter_WriteString"(*mut GlobalDefWriter, u32, *const c_char) -> Code;
    define_attribute = "GlobalDefWriter_WriteAttribute"(*mut GlobalDefWriter, u32, u32, u32, u8) -> Code;
    define_io_paradigm = "GlobalDefWriter_WriteIoParadigm"(*mut GlobalDefWriter, u8, u32, u32, u8, u32, u8, *const u8, *const u8, *const c_void) -> Code;
    define_node = "GlobalDefWriter_WriteSystemTreeNode"(*mut GlobalDefWriter, u32, u32, u32, u32) -> Code;
    define_domain = "GlobalDefWriter_WriteSystemTreeNodeDomain"(*mut GlobalDefWriter, u32, u8) -> Code;
    define_group = "GlobalDefWriter_WriteLocationGroup"(*mut GlobalDefWriter, u32, u32, u8, u32, u32) -> Code;
    define_location = "GlobalDefWriter_WriteLocation"(*mut GlobalDefWriter, u64, u32, u8, u64, u32) -> Code;
    define_region = "GlobalDefWriter_WriteRegion"(*mut GlobalDefWriter, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> Code;
    define_file = "GlobalDefWriter_WriteIoRegularFile"(*mut GlobalDefWriter, u32, u32, u32) -> Code;
    define_handle = "GlobalDefWriter_WriteIoHandle"(*mut GlobalDefWriter, u32, u32, u32, u8, u32, u32, u32) -> Code;
    define_handle_state = "GlobalDefWriter_WriteIoPreCreatedHandleState"(*mut GlobalDefWriter, u32, u8, u32) -> Code;
}

impl Api {
    /// Finds the library and its functions
    pub fn load() -> Result<Api, Error> {
        let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
        let names: Vec<OsString> = match named {
            Some(name) => vec![name],
            None => NAMES.iter().map(OsString::from).collect(),
        };
        let mut causes = Vec::new();
        for name in &names {
            // SAFETY: the library does nothing when it is loaded.
            match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) } {
                Ok(library) => return Api::of(library, &name.to_string_lossy()),
                Err(error) => causes.push(error.to_string()),
            }
        }
        Err(Error::missing(&causes))
    }

    /// Fails where the archive, which says what library made it, is not of the version whose ABI stands above
    pub fn is_of_this_version(&self, archive: *mut Archive) -> Result<(), Error> {
        let (mut major, mut minor, mut bugfix) = (0, 0, 0);
        // SAFETY: an open archive, and places for three numbers.
        let code = unsafe { (self.version)(archive, &mut major, &mut minor, &mut bugfix) };
        match (code, major) {
            (SUCCESS, MAJOR) => Ok(()),
            (SUCCESS, _) => Err(Error::version(&format!("{major}.{minor}.{bugfix}"))),
            _ => Err(Error::version("unknown")),
        }
    }
}

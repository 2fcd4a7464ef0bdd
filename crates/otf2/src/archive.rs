//! An archive under way: events of locations, then definitions, then its end.

use crate::api::{self, Api, Code, SUCCESS};
use crate::memory::{FLUSHES, MEMORY};
use crate::{Error, error};
use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{NonNull, null_mut};

/// Bytes that a location with events takes, the least that the library allows: many threads have one at a time.
const CHUNK_OF_EVENTS: u64 = 256 << 10;
/// What the library takes by default
const CHUNK_OF_DEFINITIONS: u64 = 4 << 20;
/// OTF2_FILEMODE_WRITE, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE
const WRITE: u8 = 0;
const POSIX: u8 = 1;
const UNCOMPRESSED: u8 = 1;

/// An archive that is being written
pub struct Archive {
    pub(crate) api: Api,
    /// Empty once it is closed
    archive: Option<NonNull<api::Archive>>,
    pub(crate) attributes: NonNull<api::AttributeList>,
    pub(crate) global: RefCell<Option<NonNull<api::GlobalDefWriter>>>,
}

impl Archive {
    /// A new one in a directory that is there, `traces.otf2` and what belongs to it
    ///
    /// # Errors
    /// There is no libotf2 3.x, or it cannot make the archive.
    pub fn create(directory: &Path, creator: &str) -> Result<Archive, Error> {
        let api = Api::load()?;
        let path = string(directory.as_os_str().as_bytes())?;
        // SAFETY: a function that may be called at any time; the library stays loaded as long as the archive.
        unsafe { (api.error_callback)(Some(error::keep_first), null_mut()) };
        error::take_first();
        // SAFETY: two texts that end in NUL.
        let (archive, attributes) = unsafe {
            let name = c"traces".as_ptr();
            let (events, definitions) = (CHUNK_OF_EVENTS, CHUNK_OF_DEFINITIONS);
            (
                (api.open)(
                    path.as_ptr(),
                    name,
                    WRITE,
                    events,
                    definitions,
                    POSIX,
                    UNCOMPRESSED,
                ),
                (api.attributes)(),
            )
        };
        let failed = || Error(said(&api, error::take_first()));
        let archive = NonNull::new(archive).ok_or_else(failed)?;
        let attributes = NonNull::new(attributes).ok_or_else(failed)?;
        // What another version opened may not even be closed.
        api.is_of_this_version(archive.as_ptr())?;
        let new = Archive {
            api,
            archive: Some(archive),
            attributes,
            global: RefCell::new(None),
        };
        new.begin(&string(creator.as_bytes())?)?;
        Ok(new)
    }

    fn begin(&self, creator: &CStr) -> Result<(), Error> {
        let (api, archive) = (&self.api, self.archive());
        // SAFETY: an open archive; the callbacks are there for ever, the text is copied.
        unsafe {
            self.is_done((api.flushes)(archive, &FLUSHES, null_mut()))?;
            self.is_done((api.memory)(archive, &MEMORY, null_mut()))?;
            self.is_done((api.serial)(archive))?;
            self.is_done((api.creator)(archive, creator.as_ptr()))?;
            self.is_done((api.open_events)(archive))
        }
    }

    pub(crate) fn archive(&self) -> *mut api::Archive {
        self.archive.map_or(null_mut(), NonNull::as_ptr)
    }

    /// Ends the events of a location
    pub(crate) fn end(&self, writer: NonNull<api::EvtWriter>) -> Result<(), Error> {
        // SAFETY: an open archive and a writer of it, which is not used again.
        self.is_done(unsafe { (self.api.close_event_writer)(self.archive(), writer.as_ptr()) })
    }

    /// Ends it, so that it is whole: `locations` had events, numbered from 0
    ///
    /// # Errors
    /// The library cannot write the rest.
    pub fn finish(mut self, locations: u64) -> Result<(), Error> {
        let global = self.global.take();
        let (api, archive) = (&self.api, self.archive());
        // SAFETY: an open archive, and writers of it, none of which is used again.
        unsafe {
            self.is_done((api.close_events)(archive))?;
            // Readers expect a file of each location's own definitions, though there are none.
            self.is_done((api.open_definitions)(archive))?;
            for location in 0..locations {
                let writer = (api.definition_writer)(archive, location);
                self.is_done((api.close_definition_writer)(archive, writer))?;
            }
            self.is_done((api.close_definitions)(archive))?;
            if let Some(global) = global {
                self.is_done((api.close_global_writer)(archive, global.as_ptr()))?;
            }
        }
        self.close()
    }

    fn close(&mut self) -> Result<(), Error> {
        let Some(archive) = self.archive.take() else {
            return Ok(());
        };
        // SAFETY: an open archive, and nobody has it any more.
        let code = unsafe { (self.api.close)(archive.as_ptr()) };
        self.is_done(code)
    }

    /// Whether a call succeeded, and all that it called
    pub(crate) fn is_done(&self, code: Code) -> Result<(), Error> {
        match (code, error::take_first()) {
            (SUCCESS, SUCCESS) => Ok(()),
            (code, SUCCESS) => Err(self.failure(code)),
            (_, code) => Err(self.failure(code)),
        }
    }

    pub(crate) fn failure(&self, code: Code) -> Error {
        let code = if code == SUCCESS {
            error::take_first()
        } else {
            code
        };
        Error(said(&self.api, code))
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        // What is dropped before its end has failed, and that was reported.
        let _ = self.close();
        // SAFETY: made by the library, and nobody has it any more.
        unsafe {
            (self.api.delete_attributes)(self.attributes.as_ptr());
            (self.api.error_callback)(None, null_mut());
        }
        error::take_first();
    }
}

/// The library's words
fn said(api: &Api, code: Code) -> String {
    // SAFETY: it takes any number, and returns a text that is there for ever, or none.
    let text = unsafe { (api.error_description)(code) };
    if code == SUCCESS || text.is_null() {
        return format!("libotf2 failed (code {code})");
    }
    // SAFETY: it ends in NUL.
    let text = unsafe { CStr::from_ptr(text) };
    format!("libotf2: {}", text.to_string_lossy())
}

/// A text for the library
pub(crate) fn string(bytes: &[u8]) -> Result<CString, Error> {
    CString::new(bytes).map_err(|_| Error("a text for libotf2 has a NUL byte".to_owned()))
}

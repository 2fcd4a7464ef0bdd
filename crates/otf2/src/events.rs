//! The events of a location.

use crate::api::{self, Code, SUCCESS};
use crate::{Archive, Error};
use std::ptr::{NonNull, null_mut};

/// Writes the events of one location, whose times must not decrease
pub struct Events<'a> {
    archive: &'a Archive,
    writer: NonNull<api::EvtWriter>,
}

/// What an event has besides its fields: an attribute and its value
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// A number
    Uint64(u32, u64),
    /// A defined string
    String(u32, u32),
    /// A defined file
    File(u32, u32),
}

/// How a handle is made
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    /// OTF2_IoAccessMode
    pub access: u8,
    /// Bits of OTF2_IoCreationFlag
    pub creation: u32,
    /// Bits of OTF2_IoStatusFlag
    pub status: u32,
}

/// A move of a handle's position
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seek {
    /// By so much, or to there
    pub request: i64,
    /// OTF2_IoSeekOption
    pub whence: u8,
    /// Where it is then
    pub result: u64,
}

/// A transfer or a flush
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// OTF2_IoOperationMode
    pub mode: u8,
    /// Bits of OTF2_IoOperationFlag
    pub flags: u32,
    /// Bytes asked for
    pub asked: u64,
    /// Tells it from others of its handle
    pub id: u64,
}

impl<'a> Events<'a> {
    pub(crate) fn of(archive: &'a Archive, writer: NonNull<api::EvtWriter>) -> Events<'a> {
        Events { archive, writer }
    }

    /// A call begins
    ///
    /// # Errors
    /// What the library says.
    pub fn enter(&mut self, time: u64, region: u32, extra: &[Extra]) -> Result<(), Error> {
        let list = self.list(extra)?;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { (self.archive.api.enter)(self.writer(), list, time, region) })
    }

    /// A call ends
    ///
    /// # Errors
    /// What the library says.
    pub fn leave(&mut self, time: u64, region: u32, extra: &[Extra]) -> Result<(), Error> {
        let list = self.list(extra)?;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { (self.archive.api.leave)(self.writer(), list, time, region) })
    }

    /// A handle is there from now on
    ///
    /// # Errors
    /// What the library says.
    pub fn create(&mut self, time: u64, handle: u32, how: Creation) -> Result<(), Error> {
        let (list, create) = (null_mut(), self.archive.api.create_handle);
        let Creation {
            access,
            creation,
            status,
        } = how;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { create(self.writer(), list, time, handle, access, creation, status) })
    }

    /// A handle is there no more
    ///
    /// # Errors
    /// What the library says.
    pub fn destroy(&mut self, time: u64, handle: u32) -> Result<(), Error> {
        let (list, destroy) = (null_mut(), self.archive.api.destroy_handle);
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { destroy(self.writer(), list, time, handle) })
    }

    /// A handle has a second one from now on
    ///
    /// # Errors
    /// What the library says.
    pub fn duplicate(&mut self, time: u64, old: u32, new: u32, status: u32) -> Result<(), Error> {
        let (list, duplicate) = (null_mut(), self.archive.api.duplicate_handle);
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { duplicate(self.writer(), list, time, old, new, status) })
    }

    /// A handle's position moves
    ///
    /// # Errors
    /// What the library says.
    pub fn seek(&mut self, time: u64, handle: u32, seek: Seek) -> Result<(), Error> {
        let (list, function) = (null_mut(), self.archive.api.seek);
        let Seek {
            request,
            whence,
            result,
        } = seek;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe {
            function(self.writer(), list, time, handle, request, whence, result)
        })
    }

    /// An operation begins
    ///
    /// # Errors
    /// What the library says.
    pub fn begin(
        &mut self,
        time: u64,
        handle: u32,
        of: Operation,
        extra: &[Extra],
    ) -> Result<(), Error> {
        let (list, begin) = (self.list(extra)?, self.archive.api.begin);
        let Operation {
            mode,
            flags,
            asked,
            id,
        } = of;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { begin(self.writer(), list, time, handle, mode, flags, asked, id) })
    }

    /// An operation has ended
    ///
    /// # Errors
    /// What the library says.
    pub fn complete(&mut self, time: u64, handle: u32, bytes: u64, id: u64) -> Result<(), Error> {
        let (list, complete) = (null_mut(), self.archive.api.complete);
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { complete(self.writer(), list, time, handle, bytes, id) })
    }

    /// Ends them; says how many they are
    ///
    /// # Errors
    /// The library cannot write the rest.
    pub fn finish(self) -> Result<u64, Error> {
        let mut count = 0;
        // SAFETY: a writer of an open archive, and a place for the number.
        let code = unsafe { (self.archive.api.event_count)(self.writer(), &mut count) };
        self.is_done(code)?;
        self.archive.end(self.writer)?;
        Ok(count)
    }

    fn writer(&self) -> *mut api::EvtWriter {
        self.writer.as_ptr()
    }

    fn is_done(&self, code: Code) -> Result<(), Error> {
        self.archive.is_done(code)
    }

    /// The list of what one event has more; writing the event empties it.
    fn list(&self, extra: &[Extra]) -> Result<*mut api::AttributeList, Error> {
        if extra.is_empty() {
            return Ok(null_mut());
        }
        let (api, list) = (&self.archive.api, self.archive.attributes.as_ptr());
        for one in extra {
            // SAFETY: a list of the library's.
            let code = unsafe {
                match *one {
                    Extra::Uint64(attribute, value) => (api.add_uint64)(list, attribute, value),
                    Extra::String(attribute, string) => (api.add_string)(list, attribute, string),
                    Extra::File(attribute, file) => (api.add_file)(list, attribute, file),
                }
            };
            self.is_done(code)?;
        }
        Ok(list)
    }
}

impl Archive {
    /// The events of a location that has none yet
    ///
    /// # Errors
    /// What the library says.
    pub fn events(&self, location: u64) -> Result<Events<'_>, Error> {
        // SAFETY: an open archive.
        let writer = unsafe { (self.api.event_writer)(self.archive(), location) };
        let writer = NonNull::new(writer).ok_or_else(|| self.failure(SUCCESS))?;
        Ok(Events::of(self, writer))
    }
}
